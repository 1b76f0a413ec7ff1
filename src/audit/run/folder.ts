/**
 * The evidence folder of a run, and what a run that was killed left in it (spec/audit-run.md, AUR-13).
 *
 * `run.json` says what run it is; `transcripts/NNNNNN.jsonl` holds an epoch each; `epochs.jsonl` the records, in the order of epochs.
 * @module
 */
import { closeSync, existsSync, ftruncateSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { utf8, utf8Length } from '../../bytes.js';
import { refuse } from '../../errors.js';
import { stableText } from '../transcript.js';
import type { EpochRecord } from './record.js';

/** What makes a run this run: another is refused in its folder. */
export interface RunIdentity {
  readonly format: 'ruleprint-run/1';
  readonly plan: string;
  readonly epochs: number;
  /** Of the seed that the seeds of epochs derive from. */
  readonly seed_commitment: string;
  readonly max_turns: number;
  readonly max_calls: number;
  readonly epoch_time_limit: number;
}

const runFile = 'run.json';
const recordsFile = 'epochs.jsonl';
const transcripts = 'transcripts';

export class EvidenceFolder {
  readonly #folder: string;
  readonly #records: number;
  /** Epochs that have a record, from 0 on. */
  sealed: number;
  /** Epochs that were started before this process, and have no record yet. */
  readonly leftBehind: ReadonlySet<number>;

  /**
   * Opens the folder for a run: a new one, or one that was begun. The ledger that the gate writes keeps a second runner out.
   *
   * @throws RuleprintError `run-differs`, `run-damaged`
   */
  constructor(folder: string, identity: RunIdentity) {
    this.#folder = folder;
    mkdirSync(join(folder, transcripts), { recursive: true });
    this.#claim(identity);
    this.#records = openSync(join(folder, recordsFile), 'a+');
    this.sealed = this.#cutRecords();
    const started = readdirSync(join(folder, transcripts)).map((name) => (/^\d{6,}\.jsonl$/.test(name) ? Number.parseInt(name, 10) : this.#stray(name)));
    const beyond = started.find((epoch) => epoch >= identity.epochs);
    if (beyond !== undefined || this.sealed > identity.epochs) refuse('run-damaged', `expected ${identity.epochs} epochs at most, got one beyond`);
    const known = new Set(started);
    for (let epoch = 0; epoch < this.sealed; epoch++)
      if (!known.has(epoch)) refuse('run-damaged', `expected the transcript of epoch ${epoch}, it is not there`);
    this.leftBehind = new Set(started.filter((epoch) => epoch >= this.sealed));
  }

  /** Begins an epoch: refused where it was begun before, since nothing is run twice. */
  begin(epoch: number): { write(lines: string): void; close(): void } {
    const file = openSync(this.#pathOf(epoch), 'wx');
    return { write: (lines) => void writeAll(file, lines), close: () => closeSync(file) };
  }

  /** What an epoch wrote, whole lines alone. */
  read(epoch: number): string {
    const text = readFileSync(this.#pathOf(epoch), 'utf8');
    return text.slice(0, text.lastIndexOf('\n') + 1);
  }

  /** Ends an epoch that was killed: its whole lines, and these. */
  finish(epoch: number, lines: string): void {
    const file = openSync(this.#pathOf(epoch), 'r+');
    try {
      // what is whole stays as it is: a kill here leaves no less than was there
      const whole = utf8Length(this.read(epoch));
      ftruncateSync(file, whole);
      writeAll(file, lines, whole);
    } finally {
      closeSync(file);
    }
  }

  /** Takes back an epoch of which not one line was written: nobody was asked anything. */
  forget(epoch: number): void {
    rmSync(this.#pathOf(epoch));
  }

  /** Puts the next record behind the others. */
  seal(record: EpochRecord): void {
    if (record.epoch !== this.sealed) throw new RangeError(`"record" expected epoch ${this.sealed}, got ${record.epoch}`);
    writeAll(this.#records, `${JSON.stringify(record)}\n`);
    this.sealed++;
  }

  close(): void {
    fsyncSync(this.#records);
    closeSync(this.#records);
  }

  #claim(identity: RunIdentity): void {
    const path = join(this.#folder, runFile);
    const text = `${JSON.stringify(identity)}\n`;
    if (!existsSync(path)) {
      if (existsSync(join(this.#folder, recordsFile))) refuse('run-damaged', `expected ${runFile} beside the records, it is not there`);
      const file = openSync(`${path}.new`, 'w');
      writeAll(file, text);
      fsyncSync(file);
      closeSync(file);
      renameSync(`${path}.new`, path);
      return;
    }
    let found: unknown;
    try {
      found = JSON.parse(readFileSync(path, 'utf8'));
    } catch {
      refuse('run-damaged', `expected JSON in ${runFile}`, { where: { file: path } });
    }
    if (stableText(found) !== stableText(identity)) {
      refuse('run-differs', 'expected the evidence of this run, got that of another', { where: { file: path }, hint: 'take another folder' });
    }
  }

  /** Cuts what a kill left of the last record, and counts the whole ones. */
  #cutRecords(): number {
    const bytes = readFileSync(join(this.#folder, recordsFile));
    const end = bytes.lastIndexOf(0x0a) + 1;
    if (end < bytes.length) ftruncateSync(this.#records, end);
    const lines = bytes.subarray(0, end).toString('utf8').split('\n').slice(0, -1);
    lines.forEach((line, epoch) => {
      if (!line.startsWith(`{"epoch":${epoch},`))
        refuse('run-damaged', `expected the record of epoch ${epoch}`, { where: { file: recordsFile, line: epoch + 1 } });
    });
    return lines.length;
  }

  #stray(name: string): never {
    return refuse('run-damaged', `expected transcripts of epochs alone, got a file of ${name.length} other characters`);
  }

  #pathOf(epoch: number): string {
    return join(this.#folder, transcripts, transcriptName(epoch));
  }
}

export function transcriptName(epoch: number): string {
  return `${String(epoch).padStart(6, '0')}.jsonl`;
}

function writeAll(file: number, lines: string, from: number | null = null): void {
  const bytes = utf8(lines);
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at, from === null ? null : from + at);
}
