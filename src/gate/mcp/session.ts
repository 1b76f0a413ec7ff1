/**
 * One client and one server over lines: what of the client goes to the server, what is answered here, what waits for the client's user
 * (spec/mcp.md). The pipes themselves are in ./stdio.ts.
 * @module
 */
import { randomBytes } from 'node:crypto';
import { errorAnswer, lineOf } from './answers.js';
import type { CallJudge, Outcome } from './call-judge.js';
import { type Line, LineSplitter, maxLineBytes } from './lines.js';
import { type GatedCall, type Id, isObject, type JsonObject, judgeMessage, type Passed, rpcCodes } from './message.js';
import { takesForms } from './question.js';

/** Where a session writes. Each is given whole lines. */
export interface Wires {
  toServer(line: Uint8Array | string): void;
  toClient(line: string): void;
  /** One line for standard error. */
  tell(line: string): void;
}

/** A call that is judged, or whose question is put. */
interface Pending {
  readonly controller: AbortController;
}

export class Session {
  readonly #judge: CallJudge;
  readonly #wires: Wires;
  /** Nobody but the client learns it, so that a server cannot take its own questions for ours. */
  readonly #prefix = `ruleprint:${randomBytes(16).toString('hex')}:`;
  readonly #pending = new Map<string, Pending>();
  readonly #questions = new Map<string, (result: unknown) => void>();
  readonly #watched = new Map<string, (state: string | undefined) => void>();
  #asked = 0;
  #canElicit = false;
  #fromServer: LineSplitter | undefined;
  #atLineStart = true;
  #isEnded = false;

  constructor(judge: CallJudge, wires: Wires) {
    this.#judge = judge;
    this.#wires = wires;
  }

  /** Takes a line of the client. A promise is to be waited for before the next one, so that calls keep their order; never rejects. */
  fromClient(line: Line): Promise<void> | undefined {
    if (this.#isEnded) return undefined;
    if ('tooLong' in line) {
      this.#refuse(null, rpcCodes.invalidRequest, `expected at most ${maxLineBytes} bytes in a line, got ${line.tooLong}`);
      return undefined;
    }
    const judged = judgeMessage(line.bytes);
    switch (judged.kind) {
      case 'refuse':
        this.#refuse(judged.id, judged.code, judged.why);
        return undefined;
      case 'drop':
        if (judged.why !== 'a blank line') this.#wires.tell(`DROPPED a message: ${judged.why}`);
        return undefined;
      case 'call':
        return this.#call(judged.call, line.bytes);
      case 'pass':
        this.#pass(judged.message, line.bytes);
        return undefined;
    }
  }

  /** Looks at bytes of the server on their way to the client, who gets them as they are: only where an approved call may be asked back. */
  fromServer(chunk: Uint8Array): void {
    if (this.#watched.size === 0 && this.#fromServer === undefined) {
      this.#atLineStart = chunk.at(-1) === 0x0a;
      return;
    }
    let rest = chunk;
    if (this.#fromServer === undefined) {
      // a line that had begun before the call was sent is not its answer
      const from = this.#atLineStart ? 0 : chunk.indexOf(0x0a) + 1;
      if (!this.#atLineStart && from === 0) return;
      rest = chunk.subarray(from);
      this.#fromServer = new LineSplitter();
    }
    for (const line of this.#fromServer.push(rest)) if ('bytes' in line) this.#look(line.bytes);
    this.#atLineStart = this.#fromServer.rest === 0;
    if (this.#watched.size === 0 && this.#atLineStart) this.#fromServer = undefined;
  }

  /** Nothing goes to the server any more: calls that wait are dropped. */
  end(): void {
    this.#isEnded = true;
    for (const { controller } of this.#pending.values()) controller.abort();
  }

  #call(call: GatedCall, line: Uint8Array): Promise<void> | undefined {
    const key = JSON.stringify(call.id);
    if (this.#pending.has(key)) {
      // two calls that one cancellation, or one answer, would be for
      this.#refuse(call.id, rpcCodes.invalidRequest, 'expected an id that no call that waits has');
      return undefined;
    }
    const controller = new AbortController();
    const { signal } = controller;
    this.#pending.set(key, { controller });
    let park: () => void = () => undefined;
    const parked = new Promise<void>((resolve) => {
      park = resolve;
    });
    const elicit = (question: JsonObject, waiting: AbortSignal): Promise<unknown> => {
      park(); // a human takes their time: others go on meanwhile
      return this.#question(question, waiting);
    };
    const done = this.#judge.decide(call, signal, this.#canElicit ? { elicit } : {}).then((outcome) => {
      this.#pending.delete(key);
      // INVARIANT (cancelled stays cancelled): in the same turn as the sending
      if (!signal.aborted) this.#carryOut(call, outcome, line);
    });
    // what needs waiting (addresses of a host name) holds up nobody, a cancellation of it least of all
    const turn = new Promise<void>((resolve) => setImmediate(resolve));
    return Promise.race([done, parked, turn]);
  }

  #carryOut(call: GatedCall, outcome: Outcome, line: Uint8Array): void {
    if (outcome.kind === 'answer') {
      this.#wires.toClient(lineOf(outcome.message));
      return;
    }
    if (outcome.onInputRequired !== undefined) this.#watched.set(JSON.stringify(call.id), outcome.onInputRequired);
    this.#wires.toServer(outcome.message === undefined ? ended(line) : `${outcome.message}\n`);
  }

  #pass(message: Passed, line: Uint8Array): void {
    const { id, method, params, isAnswer } = message;
    if (isAnswer && typeof id === 'string' && id.startsWith(this.#prefix)) {
      this.#questions.get(id)?.(message.result);
      return;
    }
    if (method === 'initialize') this.#canElicit = takesForms(params?.['capabilities']);
    if (method === 'notifications/cancelled') {
      const pending = this.#pending.get(JSON.stringify(params?.['requestId']));
      if (pending !== undefined) {
        // the server has not heard of the call, and shall not
        pending.controller.abort();
        return;
      }
    }
    this.#wires.toServer(ended(line));
  }

  #question(params: JsonObject, signal: AbortSignal): Promise<unknown> {
    const id = `${this.#prefix}${this.#asked++}`;
    return new Promise((resolve) => {
      const settle = (result: unknown): void => {
        this.#questions.delete(id);
        signal.removeEventListener('abort', withdraw);
        resolve(result);
      };
      const withdraw = (): void => {
        settle(undefined);
        if (!this.#isEnded) this.#wires.toClient(lineOf({ method: 'notifications/cancelled', params: { requestId: id, reason: 'the call was cancelled' } }));
      };
      this.#questions.set(id, settle);
      signal.addEventListener('abort', withdraw);
      if (signal.aborted) withdraw();
      else this.#wires.toClient(lineOf({ id, method: 'elicitation/create', params }));
    });
  }

  /** An answer of the server to a call that was approved: where it asks back, the yes goes on. */
  #look(bytes: Uint8Array): void {
    const judged = judgeMessage(bytes);
    if (judged.kind !== 'pass' || !judged.message.isAnswer || judged.message.id === undefined) return;
    const key = JSON.stringify(judged.message.id);
    const remember = this.#watched.get(key);
    if (remember === undefined) return;
    this.#watched.delete(key);
    const { result } = judged.message;
    if (!isObject(result) || result['resultType'] !== 'input_required') return;
    const { requestState: state } = result;
    remember(typeof state === 'string' ? state : undefined);
  }

  #refuse(id: Id | null, code: number, why: string): void {
    this.#wires.tell(`REFUSED a message: ${why}`);
    this.#wires.toClient(lineOf(errorAnswer(id, code, why)));
  }
}

/** The line as it came, with the line feed that was taken off. */
function ended(line: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(line.length + 1);
  bytes.set(line);
  bytes[line.length] = 0x0a;
  return bytes;
}
