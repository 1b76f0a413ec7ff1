/**
 * An engine that lives elsewhere: in a worker thread, reached by messages. It cannot hash its rules, so it has no digest and its events omit it
 * (DEC-14); every answer is a promise.
 * @module
 */
import { Worker } from 'node:worker_threads';
import type { AuditEvent, Installed, PolicyEngine, TracedEvent } from '../../src/engine/engine.js';
import { RuleprintError, type Problems } from '../../src/errors.js';
import type { Policy, Request } from '../../src/policy/model.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { freezeDeep } from '../../src/policy/plain.js';
import { canonicalRequest } from '../../src/policy/request.js';

export type Call = { readonly install: Policy } | { readonly evaluate: Request } | { readonly evaluateTraced: Request };
export interface Message {
  readonly id: number;
  readonly engineId: string;
  /** Which of the engines of the worker. */
  readonly engine: number;
  readonly call: Call;
}
export type Answer = { readonly id: number } & ({ readonly value: unknown } | { readonly problems: Problems });

// tsx reads the TypeScript of the worker
const start = "import('tsx/esm/api').then(({ register }) => { register(); return import(require('node:worker_threads').workerData); })";

/** One worker for many engines, since starting one costs more than all tests over it. */
export class RemoteHost {
  readonly #worker = new Worker(start, { eval: true, workerData: new URL('./remote-worker.ts', import.meta.url).href });
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>();
  #ids = 0;
  #broken: Error | undefined;

  constructor() {
    this.#worker.on('message', (answer: Answer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if ('problems' in answer) waiting?.reject(new RuleprintError(answer.problems));
      else waiting?.resolve(freezeDeep(answer.value));
    });
    this.#worker.on('error', (error: Error) => {
      this.#broken = error;
      for (const { reject } of this.#waiting.values()) reject(error);
    });
  }

  open(engineId: string): PolicyEngine {
    return new RemoteEngine(engineId, this.#ids++, (message) => this.#send(message));
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  async #send(message: Omit<Message, 'id'>): Promise<unknown> {
    if (this.#broken !== undefined) throw this.#broken;
    const id = this.#ids++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#worker.postMessage({ ...message, id } satisfies Message);
    });
  }
}

class RemoteEngine implements PolicyEngine {
  readonly engineId: string;
  readonly #call: (call: Call) => Promise<unknown>;

  constructor(engineId: string, engine: number, send: (message: Omit<Message, 'id'>) => Promise<unknown>) {
    this.engineId = engineId;
    this.#call = async (call) => send({ engineId, engine, call });
  }

  async install(policy: Policy): Promise<Installed> {
    return (await this.#call({ install: copyPolicy(policy) })) as Installed;
  }

  async evaluate(request: Request): Promise<AuditEvent> {
    return (await this.#call({ evaluate: canonicalRequest(request) })) as AuditEvent;
  }

  async evaluateTraced(request: Request): Promise<TracedEvent> {
    return (await this.#call({ evaluateTraced: canonicalRequest(request) })) as TracedEvent;
  }
}
