/**
 * Two small models, installed by install.sh and served on this machine's own address.
 * @module
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The first of them lets no model answer in words, and shows it no result of a tool: docs/live-audit.md. */
export const runners = {
  'llama-cpp-python': 'llama-cpp-python 0.3.36, chat format chatml-function-calling',
  xllamacpp: 'xllamacpp 2026.10.11549, templates of tools/live/templates',
} as const;
export type Runner = keyof typeof runners;

interface LiveModel {
  readonly id: string;
  readonly file: string;
  /** For xllamacpp. */
  readonly template: string;
  readonly stops: readonly string[];
  readonly weightsDigest: string;
}

/** The digests are those that install.sh holds the files to. */
export const liveModels: readonly LiveModel[] = [
  {
    id: 'smollm2-135m-instruct',
    file: 'SmolLM2-135M-Instruct.Q4_1.gguf',
    template: 'chatml.jinja',
    stops: ['</tool_call>'],
    weightsDigest: 'sha256:b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
  },
  {
    id: 'gemma-3-270m',
    file: 'gemma-3-270m-q4_k_m.gguf',
    // it was never taught to talk: this is the base model
    template: 'plain.jinja',
    stops: ['</tool_call>', '\nUser:'],
    weightsDigest: 'sha256:a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818',
  },
];

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** Puts the runner and both models into a folder, where they are not there yet. */
export function install(cache: string, runner: Runner): void {
  const { status } = spawnSync('bash', [here('install.sh'), cache, runner], { stdio: 'inherit' });
  if (status !== 0) throw new Error(`install.sh ended with ${status}`);
}

export interface Served {
  /** Of each model, in their order. */
  readonly bases: readonly string[];
  stop(): Promise<void>;
}

/** Starts a server for each model, with one thread and behind all other work of the machine, and waits until they answer. */
export async function serve(cache: string, runner: Runner): Promise<Served> {
  const started: ChildProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(
      started.map((child) => {
        if (child.exitCode !== null || child.signalCode !== null) return undefined;
        const gone = new Promise((resolve) => child.once('exit', resolve));
        child.kill();
        return gone;
      }),
    );
  };
  try {
    const bases: string[] = [];
    for (const model of liveModels) {
      const port = await freePort();
      const file = join(cache, 'models', model.file);
      const log = openSync(join(cache, `${model.id}.log`), 'w');
      const child = spawn('nice', ['-n', '15', join(cache, runner, 'bin/python'), ...argumentsOf(runner, model, file, port)], { stdio: ['ignore', log, log] });
      closeSync(log);
      started.push(child);
      bases.push(`http://127.0.0.1:${port}/v1`);
      await answers(child, `http://127.0.0.1:${port}/v1/models`, model.id);
    }
    return { bases, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function argumentsOf(runner: Runner, { id, template, stops }: LiveModel, file: string, port: number): readonly string[] {
  if (runner === 'xllamacpp') return [here('serve_xllamacpp.py'), file, String(port), id, here(`templates/${template}`), ...stops];
  const options = {
    host: '127.0.0.1',
    port,
    model: file,
    model_alias: id,
    chat_format: 'chatml-function-calling',
    n_ctx: 4096,
    n_threads: 1,
    n_threads_batch: 1,
  };
  return ['-m', 'llama_cpp.server', ...Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])];
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}

async function answers(child: ChildProcess, url: string, id: string): Promise<void> {
  const until = Date.now() + 120_000;
  while (Date.now() < until) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the server of ${id} ended, see its log beside the models`);
    try {
      if ((await fetch(url)).ok) return;
    } catch {
      // not there yet
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`the server of ${id} did not answer in time`);
}
