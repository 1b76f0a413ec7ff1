/**
 * What the HTTP gate remembers of sessions of the protocol of 2025: who can be asked, and which questions and calls wait (spec/mcp.md, MCP-23).
 * @module
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { lineOf } from './answers.js';
import type { Id, JsonObject, Passed } from './message.js';
import { takesForms } from './question.js';

/** Sessions beyond this number are forgotten, the oldest first: their calls are judged as ever, and not asked about. */
const maxSessions = 10_000;

/** Where the events of a call go. */
export interface Events {
  event(line: string): void;
}

export class HttpSessions {
  readonly #sessions = new Map<string, HttpSession>();

  /** The session of a request. Another authorization is another session, whatever id it names. */
  of({ headers }: IncomingMessage): HttpSession | undefined {
    const id = headers['mcp-session-id'];
    return typeof id === 'string' ? this.#sessions.get(JSON.stringify([id, headers.authorization])) : undefined;
  }

  /** An `initialize` was answered. */
  begin({ headers }: IncomingMessage, answer: IncomingMessage, capabilities: unknown): void {
    const id = answer.headers['mcp-session-id'];
    if (typeof id !== 'string' || (answer.statusCode ?? 500) >= 300) return;
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size >= maxSessions && oldest !== undefined) this.#sessions.delete(oldest);
    this.#sessions.set(JSON.stringify([id, headers.authorization]), new HttpSession(takesForms(capabilities)));
  }
}

class HttpSession {
  readonly canElicit: boolean;
  readonly #questions = new Map<string, (result: unknown) => void>();
  readonly #calls = new Map<string, AbortController>();

  constructor(canElicit: boolean) {
    this.canElicit = canElicit;
  }

  /** A call is judged from now until the function that this gives is called; false where one with this id is. */
  begin(id: Id, controller: AbortController): (() => void) | false {
    const key = JSON.stringify(id);
    if (this.#calls.has(key)) return false;
    this.#calls.set(key, controller);
    return () => this.#calls.delete(key);
  }

  /** Puts a question into the stream of the call that it is about. */
  ask(question: JsonObject, signal: AbortSignal, events: Events): Promise<unknown> {
    const id = `ruleprint:${randomBytes(16).toString('hex')}`;
    return new Promise((resolve) => {
      const settle = (result: unknown): void => {
        this.#questions.delete(id);
        signal.removeEventListener('abort', withdraw);
        resolve(result);
      };
      const withdraw = (): void => settle(undefined);
      this.#questions.set(id, settle);
      signal.addEventListener('abort', withdraw);
      if (signal.aborted) withdraw();
      else events.event(lineOf({ id, method: 'elicitation/create', params: question }));
    });
  }

  /** Whether a message is for the gate: an answer to a question of its own, or the cancellation of a call that waits. */
  takes({ id, method, params, result, isAnswer }: Passed): boolean {
    if (isAnswer && typeof id === 'string' && id.startsWith('ruleprint:')) {
      this.#questions.get(id)?.(result);
      return true;
    }
    const call = method === 'notifications/cancelled' ? this.#calls.get(JSON.stringify(params?.['requestId'])) : undefined;
    call?.abort();
    return call !== undefined;
  }
}
