/**
 * Reading along in the answer of a server, JSON or a stream of events, for the one message that answers a call (spec/mcp.md, MCP-13).
 * @module
 */
import { type Id, isObject } from './message.js';

/** More than this of one event or body is not looked at: then the call is asked about once more. */
const maxLength = 10_485_760;

export class AnswerReader {
  readonly #id: Id;
  readonly #onResult: (result: unknown) => void;
  readonly #decoder = new TextDecoder();
  #isStream = false;
  #text = '';
  #data: string[] = [];
  #length = 0;

  constructor(id: Id, onResult: (result: unknown) => void) {
    this.#id = id;
    this.#onResult = onResult;
  }

  begin(contentType: string | undefined): void {
    this.#isStream = /^text\/event-stream\b/i.test(contentType ?? '');
  }

  push(chunk: Uint8Array): void {
    if (this.#text.length > maxLength) return;
    this.#text += this.#decoder.decode(chunk, { stream: true });
    if (this.#isStream) this.#events();
  }

  end(): void {
    if (!this.#isStream) this.#look(this.#text);
    this.#text = '';
  }

  /** Lines end at CR LF, LF or CR; an event at a blank one. */
  #events(): void {
    for (let end = /\r\n|\n|\r(?!$)/.exec(this.#text); end !== null; end = /\r\n|\n|\r(?!$)/.exec(this.#text)) {
      const line = this.#text.slice(0, end.index);
      this.#text = this.#text.slice(end.index + end[0].length);
      if (line.startsWith('data:')) {
        this.#length += line.length;
        if (this.#length <= maxLength) this.#data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      } else if (line === '') {
        this.#look(this.#data.join('\n'));
        this.#data = [];
        this.#length = 0;
      }
    }
  }

  #look(text: string): void {
    if (text === '') return;
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch {
      return; // no message
    }
    if (isObject(message) && message['id'] === this.#id && Object.hasOwn(message, 'result')) this.#onResult(message['result']);
  }
}
