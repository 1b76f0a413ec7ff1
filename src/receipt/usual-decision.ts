/**
 * The fast way from bytes to a decision: the counterpart of ./decided.ts. It takes the keys of a decision in their one order and values in their
 * usual spelling (ASCII text, lists below 24 items), and leaves all else to the walk and the shape (`readStatement`), which say what is wrong.
 * What it takes they take too, as the same statement: test/receipt/usual-decision.test.ts holds the two together.
 * @module
 */
import { textOf } from '../bytes.js';
import { itemEnd } from '../cose/sequence.js';
import { usualParts } from '../cose/usual.js';
import { limits } from '../limits.js';
import { type Action, type Decision, effects, fileMethods, reasons } from '../policy/model.js';
import type { DecisionStatement } from './statement.js';

/** The statement of a payload that is usual all through; undefined for any other, good or bad. Whether its fields agree is still to be asked. */
export function readUsualDecision(payload: Uint8Array): DecisionStatement | undefined {
  const reader = new Reader(payload);
  const statement = reader.decision();
  return reader.isUsual && reader.at === payload.length ? statement : undefined;
}

/**
 * Whether a message says of itself that it is a decision, for who looks for other statements: a first look that judges nothing. False says nothing.
 */
export function saysDecision(message: Uint8Array): boolean {
  const parts = usualParts(message);
  if (parts === undefined) return false;
  let at = parts.payloadStart;
  const count = (message[at++] as number) - MAP;
  // a second `statement`, or a count that is not that of the keys, makes it no statement at all
  for (let i = 0; i < count && at < parts.payloadEnd; i++) {
    if (stands(keys.statement, message, at)) return stands(decisionWord, message, at + keys.statement.length);
    const length = (message[at] as number) - TEXT;
    const end = length >= 0 && length < 24 ? itemEnd(message, at + 1 + length) : undefined;
    if (end === undefined) return false;
    at = end;
  }
  return false;
}

function stands(piece: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < piece.length; i++) if (bytes[at + i] !== piece[i]) return false;
  return true;
}

type Loose<T> = { -readonly [K in keyof T]?: T[K] };

/** A key as it stands in the bytes: head and text. */
const key = (text: string): Uint8Array => Uint8Array.of(0x60 | text.length, ...Array.from(text, (char) => char.charCodeAt(0)));

// in the order of deterministic CBOR; no key here has more than 23 bytes
const keys = {
  seq: key('seq'),
  prev: key('prev'),
  time: key('time'),
  agent: key('agent'),
  actions: key('actions'),
  callId: key('call_id'),
  mapping: key('mapping'),
  decision: key('decision'),
  enforced: key('enforced'),
  engineId: key('engine_id'),
  statement: key('statement'),
  argsDigest: key('args_digest'),
  matchProfile: key('match_profile'),
  policyDigest: key('policy_digest'),
  policyVersion: key('policy_version'),
  tool: key('tool'),
  network: key('network'),
  process: key('process'),
  filesystem: key('filesystem'),
  path: key('path'),
  method: key('method'),
  host: key('host'),
  port: key('port'),
  argv: key('argv'),
  name: key('name'),
  server: key('server'),
  rule: key('rule'),
  action: key('action'),
  effect: key('effect'),
  reason: key('reason'),
} as const;
const decisionWord = key('decision');

const MAP = 0xa0;
const ARRAY = 0x80;
const TEXT = 0x60;
const FALSE = 0xf4;
const hashHead = 0x78; // text with its length, 71, in one byte
const hashLength = 71;
const hashStart = Uint8Array.from('sha256:', (char) => char.charCodeAt(0));

const httpMethod = /^[A-Z][A-Z0-9_-]*$/;
/** By byte, for lower-case digits. */
const isHexDigit = Uint8Array.from({ length: 256 }, (_, byte) => (/[0-9a-f]/.test(String.fromCharCode(byte)) ? 1 : 0));

/** A value that was read last at some field, as it stands in the bytes: most decisions of a chain share it with the one before. */
interface Last {
  bytes: Uint8Array;
  text: string;
}
const last = (): Last => ({ bytes: Uint8Array.of(0xff), text: '' }); // no value begins so
const lastOf = { agent: last(), engineId: last(), matchProfile: last(), policyDigest: last(), mapping: last() };

class Reader {
  at = 0;
  isUsual = true;
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Values behind a failed one are nonsense; nobody looks at them. */
  #no(): undefined {
    this.isUsual = false;
    return undefined;
  }

  decision(): DecisionStatement {
    const count = this.#count(MAP);
    const out: Loose<DecisionStatement> = {};
    let left = count;
    if (this.#has(keys.seq)) {
      out.seq = this.#uint();
      left--;
    }
    if (this.#has(keys.prev)) {
      out.prev = this.hash();
      left--;
    }
    out.time = this.#must(keys.time) ? this.#uint() : 0;
    out.agent = this.#must(keys.agent) ? this.#shared(lastOf.agent, nameOf) : '';
    out.actions = this.#must(keys.actions) ? this.#actions() : [];
    if (this.#has(keys.callId)) {
      out.call_id = this.name();
      left--;
    }
    if (this.#has(keys.mapping)) {
      out.mapping = this.#shared(lastOf.mapping, hashOf);
      left--;
    }
    if (this.#must(keys.decision)) out.decision = this.#outcome();
    if (this.#has(keys.enforced)) {
      if (this.#bytes[this.at++] !== FALSE) this.#no();
      out.enforced = false;
      left--;
    }
    out.engine_id = this.#must(keys.engineId) ? this.#shared(lastOf.engineId, nameOf) : '';
    if (!this.#must(keys.statement) || !this.#has(decisionWord)) this.#no();
    out.statement = 'decision';
    if (this.#has(keys.argsDigest)) {
      out.args_digest = this.hash();
      left--;
    }
    if (this.#has(keys.matchProfile)) {
      out.match_profile = this.#shared(lastOf.matchProfile, nameOf);
      left--;
    }
    if (this.#has(keys.policyDigest)) {
      out.policy_digest = this.#shared(lastOf.policyDigest, hashOf);
      left--;
    }
    if (this.#has(keys.policyVersion)) {
      out.policy_version = this.#uint();
      left--;
    }
    if (left !== 6) this.#no(); // the six that must be there
    return out as DecisionStatement;
  }

  #actions(): readonly Action[] {
    const count = this.#count(ARRAY);
    const actions: Action[] = [];
    for (let i = 0; i < count && this.isUsual; i++) actions.push(this.#action());
    return actions;
  }

  #action(): Action {
    if (this.#bytes[this.at++] !== (MAP | 1)) this.#no();
    if (this.#has(keys.tool)) {
      this.#size(2);
      const name = this.#must(keys.name) ? this.name() : '';
      return { tool: { name, server: this.#must(keys.server) ? this.name() : '' } };
    }
    if (this.#has(keys.filesystem)) {
      this.#size(2);
      const path = this.#must(keys.path) ? this.#text() : '';
      return { filesystem: { path, method: this.#must(keys.method) ? this.#word(fileMethods) : 'read' } };
    }
    if (this.#has(keys.process)) {
      this.#size(1);
      return { process: { argv: this.#must(keys.argv) ? this.#argv() : [] } };
    }
    if (this.#must(keys.network)) return { network: this.#network() };
    return { process: { argv: [] } };
  }

  #network(): { host: string; port: number; method?: string } {
    const count = this.#count(MAP);
    const host = this.#must(keys.host) ? this.#text() : '';
    const port = this.#must(keys.port) ? this.#uint() : 0;
    if (port < 1 || port > 65_535 || count < 2 || count > 3) this.#no();
    if (count === 2) return { host, port };
    const method = this.#must(keys.method) ? this.#text() : '';
    if (!httpMethod.test(method)) this.#no();
    return { host, port, method };
  }

  #argv(): readonly string[] {
    const count = this.#count(ARRAY);
    if (count < 1) this.#no();
    const argv: string[] = [];
    for (let i = 0; i < count && this.isUsual; i++) argv.push(this.#text());
    return argv;
  }

  #outcome(): Decision {
    let left = this.#count(MAP);
    const out: Loose<Decision> = {};
    if (this.#has(keys.rule)) {
      out.rule = this.name();
      left--;
    }
    if (this.#has(keys.action)) {
      out.action = this.#uint();
      left--;
    }
    if (this.#must(keys.effect)) out.effect = this.#word(effects);
    if (this.#has(keys.reason)) {
      out.reason = this.#word(reasons);
      left--;
    }
    if (left !== 1) this.#no();
    return out as Decision;
  }

  /** Whether a key stands here; then it is behind us. */
  #has(piece: Uint8Array): boolean {
    if (!stands(piece, this.#bytes, this.at)) return false;
    this.at += piece.length;
    return true;
  }

  #must(piece: Uint8Array): boolean {
    if (this.#has(piece)) return true;
    this.#no();
    return false;
  }

  #size(count: number): void {
    if (this.#bytes[this.at++] !== (MAP | count)) this.#no();
  }

  /** The number of items of a list or a map, below 24. */
  #count(major: number): number {
    const count = (this.#bytes[this.at++] as number) - major;
    if (count >= 0 && count < 24) return count;
    this.#no();
    return 0;
  }

  #uint(): number {
    const bytes = this.#bytes;
    const head = bytes[this.at++] as number;
    if (head < 24) return head;
    const size = head === 0x18 ? 1 : head === 0x19 ? 2 : head === 0x1a ? 4 : head === 0x1b ? 8 : 0;
    const end = this.at + size;
    if (size === 0 || end > bytes.length) {
      this.#no();
      return 0;
    }
    let value = 0;
    while (this.at < end) value = value * 0x100 + (bytes[this.at++] as number);
    const least = size === 1 ? 24 : size === 2 ? 0x100 : size === 4 ? 0x10000 : 0x1_0000_0000;
    if (value < least || value > Number.MAX_SAFE_INTEGER) this.#no();
    return value;
  }

  /** A value that is read again only where it is another than the last of its field. */
  #shared(value: Last, read: (reader: Reader) => string): string {
    const { at } = this;
    if (stands(value.bytes, this.#bytes, at)) {
      this.at = at + value.bytes.length;
      return value.text;
    }
    const text = read(this);
    if (this.isUsual) {
      value.bytes = this.#bytes.slice(at, this.at);
      value.text = text;
    }
    return text;
  }

  hash(): string {
    const bytes = this.#bytes;
    const start = this.at + 2;
    const end = start + hashLength;
    if (bytes[this.at] !== hashHead || bytes[this.at + 1] !== hashLength || end > bytes.length) {
      this.#no();
      return '';
    }
    let isHash = stands(hashStart, bytes, start);
    for (let i = start + hashStart.length; i < end; i++) isHash &&= isHexDigit[bytes[i] as number] === 1;
    if (!isHash) this.#no();
    this.at = end;
    return textOf(bytes, start, end) as string;
  }

  /** A name (POL-8) of printable ASCII. */
  name(): string {
    const text = this.#text();
    if (text.length === 0 || text.length > limits.ruleStringBytes) this.#no();
    return text;
  }

  /** Printable ASCII below 64 KiB. */
  #text(): string {
    const bytes = this.#bytes;
    const head = bytes[this.at++] as number;
    let length = head - TEXT;
    if (head === 0x78) {
      length = bytes[this.at++] as number;
      if (length < 24) this.#no();
    } else if (head === 0x79) {
      length = ((bytes[this.at] as number) << 8) | (bytes[this.at + 1] as number);
      this.at += 2;
      if (length < 0x100) this.#no();
    } else if (!(length >= 0 && length < 24)) {
      this.#no();
      return '';
    }
    const start = this.at;
    const end = start + length;
    if (!(end <= bytes.length)) {
      this.#no();
      return '';
    }
    for (let i = start; i < end; i++) {
      const byte = bytes[i] as number;
      if (byte < 0x20 || byte > 0x7e) {
        this.#no();
        return '';
      }
    }
    this.at = end;
    return textOf(bytes, start, end) as string;
  }

  #word<W extends string>(words: readonly W[]): W {
    const text = this.#text();
    for (const word of words) if (word === text) return word;
    this.#no();
    return words[0] as W;
  }
}

const hashOf = (reader: Reader): string => reader.hash();
const nameOf = (reader: Reader): string => reader.name();
