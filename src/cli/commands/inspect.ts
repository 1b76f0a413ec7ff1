/**
 * `ruleprint inspect`: what receipts say, in words and in bytes. Verifies nothing.
 * @module
 */
import { hex } from '../../bytes.js';
import { itemEnd } from '../../cose/sequence.js';
import { type Problem, RuleprintError } from '../../errors.js';
import { readReceipt, type UnverifiedReceipt } from '../../receipt/read.js';
import type { DecisionStatement } from '../../receipt/statement.js';
import { receiptLines } from '../cbor-lines.js';
import type { Command } from '../command.js';
import { fileName, readBytes } from '../files.js';
import { exit } from '../io.js';
import type { Colours, Output } from '../output.js';
import { asciiJson, count, printable } from '../printable.js';
import { problemLines } from '../problem-lines.js';
import { actionText, becauseText, effectText, readRecorded, receiptJson, timeText } from '../statement-words.js';

export const inspect: Command = {
  arguments: [{ syntax: '<file>', about: 'receipts, one after another (a CBOR sequence)' }],
  options: [],
  details: 'Nothing is verified: whoever made the file chose what it says. The exit code is 1 where something in it is no receipt.',
  json: '{ "verified": false, "receipts": [{ "offset": 0, "length": 300, "hash", "alg", "kid", "statement": { … } } | { "offset", "length", "problem": { … } }] }',
  examples: ['ruleprint inspect receipts.cbor', 'ruleprint inspect receipts.cbor --json'],
  run: async ({ io, out, input }) => {
    const file = input.arguments[0] as string;
    const bytes = await readBytes(io, file);
    const show = input.has('json') ? new JsonShow(out) : new Show(out, fileName(file));
    let isGood = true;
    for (let start = 0, i = 0; start < bytes.length && !out.isClosed; i++) {
      // what has no end is shown up to the end of the file
      const end = itemEnd(bytes, start) ?? bytes.length;
      const item = { index: i, offset: start, bytes: bytes.subarray(start, end) };
      const receipt = read(item.bytes, start);
      if ('code' in receipt) isGood = false;
      show.item(item, receipt);
      await out.flush();
      start = end;
    }
    show.end();
    return isGood ? exit.good : exit.bad;
  },
};

/** The receipt, or why it is none; offsets count from the beginning of the file. */
function read(bytes: Uint8Array, start: number): UnverifiedReceipt | Problem {
  try {
    return readReceipt(bytes);
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    const { where, ...problem } = error.problems[0];
    return { ...problem, where: { ...where, ...(where.offset !== undefined && { offset: start + where.offset }) } };
  }
}

interface Item {
  readonly index: number;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

class Show {
  readonly #out: Output;
  readonly #file: string;
  #items = 0;

  constructor(out: Output, file: string) {
    this.#out = out;
    this.#file = file;
  }

  item({ index, offset, bytes }: Item, receipt: UnverifiedReceipt | Problem): void {
    const { colours } = this.#out;
    this.#items++;
    this.#out.line(colours.strong(`receipt ${index}, ${count(bytes.length, 'byte')} from byte ${offset}`));
    const lines = 'code' in receipt ? [`${colours.bad('no receipt')}: ${problemLines(receipt).text}`] : factLines(receipt, colours);
    for (const line of [...lines, '', ...receiptLines(bytes), '']) this.#out.line(line === '' ? '' : `  ${line}`);
  }

  end(): void {
    this.#out.line(`${count(this.#items, 'item')} in ${this.#file}. Nothing of this is verified: ruleprint verify does that.`);
  }
}

class JsonShow {
  readonly #out: Output;
  #separator = '';

  constructor(out: Output) {
    this.#out = out;
    out.raw('{"verified":false,"receipts":[\n');
  }

  item({ offset, bytes }: Item, receipt: UnverifiedReceipt | Problem): void {
    const place = { offset, length: bytes.length };
    const row = 'code' in receipt ? { ...place, problem: receipt } : { ...place, ...receiptJson(receipt) };
    this.#out.line(this.#separator + asciiJson(row));
    this.#separator = ',';
  }

  end(): void {
    this.#out.line(']}');
  }
}

function factLines({ hash, alg, kid, statement }: UnverifiedReceipt, colours: Colours): string[] {
  const { statement: kind, engine_id, time, ...fields } = statement;
  const rows: [name: string, value: string][] = [
    ['hash', hash],
    ['key', `${alg}, kid ${kid}`],
    ['statement', kind],
    ['engine', printable(engine_id)],
    ['time', `${time} (${timeText(time)})`],
    ...(statement.statement === 'decision' ? decisionRows(statement, colours) : fieldRows(fields)),
  ];
  return rows.map(([name, value]) => `${name.padEnd(11)} ${value}`);
}

function decisionRows(
  { statement: _, engine_id, time, agent, actions, decision, policy_version, policy_digest, match_profile, ...rest }: DecisionStatement,
  colours: Colours,
): [name: string, value: string][] {
  const policy = [
    policy_version === undefined ? '' : `version ${policy_version}`,
    policy_digest ?? 'no digest',
    match_profile === undefined ? '' : printable(match_profile),
  ];
  const index = decision.action === undefined ? '' : `, action ${decision.action}`;
  return [
    ['agent', printable(agent)],
    ...actions.map((action, i): [string, string] => [`action ${i}`, actionText(action)]),
    ['decision', `${effectText(decision.effect, colours)}, ${becauseText(decision)}${index}`],
    ['policy', policy_version === undefined ? 'none' : policy.filter((part) => part !== '').join(', ')],
    ...fieldRows(rest),
  ];
}

function fieldRows(fields: object): [name: string, value: string][] {
  return Object.entries(fields).map(([name, value]: [string, unknown]) => [name, fieldText(name, value)]);
}

function fieldText(name: string, value: unknown): string {
  if (typeof value === 'string') return printable(value);
  if (!(value instanceof Uint8Array)) return asciiJson(value);
  const recorded = name === 'recorded' ? readRecorded(value) : undefined;
  return recorded === undefined ? hex(value) : asciiJson(receiptJson(recorded));
}
