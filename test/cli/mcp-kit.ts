/**
 * The gate as its own process before a server of ours, spoken to in bytes.
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import { root } from '../house/tree.js';
import { cli, command, newFolder } from './cli.js';

export const policyText = (version = 1, more = ''): string => `version: ${version}
rules:
  - { name: tools, effect: allow, agents: any, action: { tool: { server: "files", name: "*" } } }
  - { name: no-secrets, effect: deny, agents: any, action: { tool: { server: "files", name: "secret*" } } }
  - { name: deploys, effect: ask, agents: any, action: { tool: { server: "files", name: "deploy" } } }
${more}`;

export interface Desk {
  readonly folder: string;
  readonly policy: string;
}

/** A folder with a policy, an engine's key, an approver's key and a trust store for both. */
export async function newDesk(policy = policyText()): Promise<Desk> {
  const folder = newFolder({ 'policy.yaml': policy });
  for (const role of ['engine', 'approver']) await cli('keygen', '--out', `${role}.jwk`, '--trust', 'trust.json', '--role', role, { cwd: folder });
  return { folder, policy: join(folder, 'policy.yaml') };
}

const open: Spoken[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) each.child.kill('SIGKILL');
});

export const recorded = ['--ledger', 'audit', '--key', 'engine.jwk'];

/** Starts `ruleprint mcp` before a server: by default the one of ours, which writes `got` down. */
export function gated({ folder }: Desk, options: readonly string[] = [], does: readonly string[] = [], server?: readonly string[]): Spoken {
  const ours = [process.execPath, join(root, 'test/gate/mcp/server.mjs'), join(folder, 'got'), ...does];
  const [program, ...args] = command;
  const child = spawn(program, [...args, 'mcp', '--policy', 'policy.yaml', '--server', 'files', ...options, '--', ...(server ?? ours)], { cwd: folder });
  const spoken = new Spoken(child, folder);
  open.push(spoken);
  return spoken;
}

export class Spoken {
  readonly child: ChildProcess;
  stdout = '';
  stderr = '';
  readonly #folder: string;
  readonly #closed: Promise<number>;
  readonly #changed: (() => void)[] = [];

  constructor(child: ChildProcess, folder: string) {
    this.child = child;
    this.#folder = folder;
    const heard = (): void => {
      for (const wake of this.#changed.splice(0)) wake();
    };
    child.stdout?.on('data', (chunk: Buffer) => {
      this.stdout += chunk.toString('latin1');
      heard();
    });
    child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
      heard();
    });
    child.stdin?.on('error', () => undefined);
    this.#closed = once(child, 'close').then(([code, signal]) => {
      heard();
      return (code as number | null) ?? (signal === null ? -1 : -2);
    });
  }

  write(...lines: readonly (string | object)[]): void {
    for (const line of lines) this.child.stdin?.write(typeof line === 'string' ? line : `${JSON.stringify(line)}\n`);
  }

  end(): Promise<number> {
    this.child.stdin?.end();
    return this.#closed;
  }

  get closed(): Promise<number> {
    return this.#closed;
  }

  /** Waits until something holds of what was said. */
  async until(holds: (spoken: Spoken) => boolean): Promise<void> {
    while (!holds(this)) {
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        await this.#closed;
        if (holds(this)) return;
        throw new Error(`the gate ended with ${this.child.exitCode} before that: ${this.stderr}`);
      }
      await new Promise<void>((resolve) => {
        this.#changed.push(resolve);
        setTimeout(resolve, 50).unref();
      });
    }
  }

  get messages(): Record<string, unknown>[] {
    return this.stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  answered(id: unknown): Record<string, unknown> | undefined {
    return this.messages.find((message) => message['id'] === id && message['method'] === undefined);
  }

  /** The bytes that the server got. */
  get got(): string {
    const file = join(this.#folder, 'got');
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  }
}

export const callOf = (id: number | string, name: string, args: object = {}): object => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});
