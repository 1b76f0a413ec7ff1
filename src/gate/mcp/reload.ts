/**
 * A policy file that may change while a gate runs (spec/mcp.md, MCP-18): what is good and newer comes in force, anything else is refused aloud.
 * @module
 */
import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { policyDigest } from '../../digest/digest.js';
import type { Installed, PolicyEngine } from '../../engine/engine.js';
import { quote, refuse, RuleprintError } from '../../errors.js';
import type { LedgerEngine } from '../../ledger/engine.js';
import type { Policy } from '../../policy/model.js';

export interface PolicyFileOptions {
  /** Absolute. */
  readonly path: string;
  /** For messages. */
  readonly name: string;
  readonly read: () => Promise<Policy>;
  readonly engine: PolicyEngine | LedgerEngine;
  readonly tell: (line: string) => void;
  /** How often the file is looked at, whatever the system tells of it: 1,000 by default. */
  readonly pollMs?: number;
}

/** An editor writes in several steps: the last of them is waited for so long. */
const settleMs = 50;

export class PolicyFile {
  readonly #options: PolicyFileOptions;
  readonly #timer: NodeJS.Timeout;
  #watcher: FSWatcher | undefined;
  #settling: NodeJS.Timeout | undefined;
  #seen: string | undefined;
  #work: Promise<void> = Promise.resolve();

  /** The file is looked at once as it is now: it may have changed since it was read, and what is in force already changes nothing. */
  constructor(options: PolicyFileOptions) {
    this.#options = options;
    void this.check();
    this.#timer = setInterval(() => void this.check(), options.pollMs ?? 1_000).unref();
    try {
      // the folder: an editor puts another file in the place of the old one
      this.#watcher = watch(dirname(options.path), { persistent: false }, (_event, file) => {
        if (file === null || file === basename(options.path)) this.#soon();
      });
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch {
      // no watches left on this machine: looking has to do
    }
  }

  /** Looks at the file, and offers its policy where it has changed. One at a time; never rejects. */
  check(): Promise<void> {
    this.#work = this.#work.then(() => this.#look());
    return this.#work;
  }

  close(): void {
    clearInterval(this.#timer);
    clearTimeout(this.#settling);
    this.#watcher?.close();
  }

  #soon(): void {
    clearTimeout(this.#settling);
    this.#settling = setTimeout(() => void this.check(), settleMs).unref();
  }

  async #look(): Promise<void> {
    const seen = await this.#print();
    if (seen === this.#seen) return;
    this.#seen = seen;
    const { name, read, engine, tell } = this.#options;
    try {
      if (seen === 'none') refuse('policy-file', 'expected a policy file, got none');
      const installed = await offerPolicy(engine, await read());
      if (installed !== undefined) tell(`POLICY version ${installed.version}${installed.digest === undefined ? '' : ` ${installed.digest}`} is in force`);
    } catch (error) {
      const why = error instanceof RuleprintError ? `${error.code}: ${error.message}` : quote(String((error as Error).message), '');
      tell(`REFUSED policy ${name}: ${why}; the one before stays in force`);
    }
  }

  /** What a changed file has different. */
  async #print(): Promise<string> {
    try {
      const { ino, size, mtimeMs, ctimeMs } = await stat(this.#options.path);
      return [ino, size, mtimeMs, ctimeMs].join(' ');
    } catch {
      return 'none';
    }
  }
}

/**
 * Installs a policy, unless it is in force already.
 *
 * @throws RuleprintError `version-lower`, `version-reused`, and as `install`
 */
export async function offerPolicy(engine: PolicyEngine | LedgerEngine, policy: Policy): Promise<Installed | undefined> {
  if ('reload' in engine) {
    const { receipt, ...installed } = engine.reload(policy);
    return receipt === undefined ? undefined : installed;
  }
  const inForce = await engine.policyDigest?.();
  try {
    return await engine.install(policy);
  } catch (error) {
    if (!(error instanceof RuleprintError) || error.code !== 'version-equal') throw error;
    if (inForce === policyDigest(policy)) return undefined;
    return refuse('version-reused', error.message, { hint: 'raise the version of the policy' });
  }
}
