/**
 * The demo for people: what happens, in the order in which it happens, and why it matters.
 * @module
 */
import { type Axis, axes, type Report } from '../../receipt/report.js';
import type { Output } from '../output.js';
import { asciiJson, printable } from '../printable.js';
import { axisName } from '../report-lines.js';
import { actionsOf } from './mapping.js';
import type { PlayedCall, PlayedPolicy, Tampered } from './play.js';
import { serverPackage } from './server.js';

export class DemoShow {
  readonly #out: Output;
  readonly #folder: string;
  #section = 0;

  constructor(out: Output, folder: string) {
    this.#out = out;
    this.#folder = folder;
  }

  opened(version: string, tools: number): void {
    this.#heading('A real MCP server');
    this.#say(`${serverPackage} ${printable(version)}, ${tools} tools, on ${printable(this.#folder)}`);
    this.#say('An agent calls its tools. In front of it: each call is decided, signed into a receipt, and only then sent.');
  }

  installed({ version, digest, text }: PlayedPolicy, before: PlayedPolicy | undefined): void {
    const { faint } = this.#out.colours;
    if (before === undefined) {
      this.#heading('A policy: what no rule allows is denied');
      for (const line of text.trimEnd().split('\n')) this.#out.line(`   ${faint('|')} ${printable(line)}`);
    } else {
      this.#heading(`Policy ${version} goes in: the agent may write now`);
      for (const line of changesOf(before.text, text)) this.#out.line(`   ${faint('|')} ${printable(line)}`);
    }
    this.#say(`The hash of these rules is ${digest}`);
    this.#heading(before === undefined ? 'The agent calls tools' : 'The agent calls again');
    this.#say(
      before === undefined
        ? 'A call is several actions, the tool and its files; one that is not allowed denies the call, else the first names the rule.'
        : 'The same write is decided by other rules now, and its receipt says so.',
    );
  }

  called(call: PlayedCall): void {
    const { good, bad, faint } = this.#out.colours;
    const { effect, rule, action = 0 } = call.decision;
    const verdict = effect === 'allow' ? good('allow') : bad('deny ');
    const why = rule === undefined ? `no rule allows: ${this.#actionText(call, action)}` : `rule ${printable(rule)}`;
    const then = call.isSent ? `sent${call.tool === 'read_text_file' ? `, got ${asciiJson(call.answer)}` : ''}` : 'not sent';
    const what = `${call.tool} ${call.words}`.padEnd(36);
    this.#out.line(`   ${verdict}  ${what}  ${why.padEnd(32)}  ${then.padEnd(20)}  ${faint(short(call.policyDigest))}`);
    if (call.tool === 'move_file') this.#say('       (a move deletes one path and writes another: it may write, but not delete)');
  }

  verified(report: Report, policies: readonly PlayedPolicy[], calls: readonly PlayedCall[]): void {
    const { good, bad } = this.#out.colours;
    this.#heading('Anyone can check it, offline: receipts, public key and policy texts are enough');
    for (const axis of report.asked) {
      const { status } = report.axes[axis];
      this.#out.line(`   ${(status === 'pass' ? good : bad)(status)}  ${axisName(axis).padEnd(11)}  ${meanings[axis] ?? ''}`);
    }
    const open = axes.filter((axis) => report.axes[axis].status === 'not-checked').map(axisName);
    this.#say(`Not checked, and not claimed: ${open.join(', ')}.`);
    for (const { version, digest } of policies) {
      const citing = calls.flatMap((call, i) => (call.policyDigest === digest ? [i] : []));
      this.#say(
        `Receipts ${citing[0]} to ${citing.at(-1)} cite policy ${version}, ${short(digest)}${version === 1 ? ' (and still do, now that another is in force)' : ''}`,
      );
    }
  }

  tampered({ receipt, offset, before, after, report }: Tampered): void {
    const { bad } = this.#out.colours;
    const problem = report.problems[0];
    this.#heading('One byte is changed');
    this.#say(`Receipt ${receipt}, byte ${offset}: ${letter(before)} becomes ${letter(after)}, so that it speaks of another file.`);
    this.#out.line(`   ${bad('refused')}  ${problem?.code}, receipt ${problem?.where.receipt}: the signature is not one over these bytes`);
  }

  kept(lines: readonly string[]): void {
    this.#heading('Yours to check');
    for (const line of lines) this.#say(line);
  }

  ended(ms: number, failures: readonly string[]): void {
    const { good, bad } = this.#out.colours;
    this.#out.line();
    for (const failure of failures) this.#out.line(`${bad('not as promised')}: ${printable(failure)}`);
    if (failures.length === 0) this.#out.line(`${good('all as promised')}, in ${(ms / 1000).toFixed(1)} s`);
  }

  #heading(text: string): void {
    if (this.#section > 0) this.#out.line();
    this.#section++;
    this.#out.line(this.#out.colours.strong(`${this.#section}. ${text}`));
  }

  #say(text: string): void {
    this.#out.line(`   ${text}`);
  }

  /** The action that decided, its path as it stands in the folder. */
  #actionText(call: PlayedCall, index: number): string {
    const action = actionsOf(call)[index];
    if (action === undefined || !('filesystem' in action)) return 'the tool';
    const { path, method } = action.filesystem;
    return `${method} ${printable(path.startsWith(`${this.#folder}/`) ? path.slice(this.#folder.length + 1) : path)}`;
  }
}

const meanings: Partial<Record<Axis, string>> = {
  bytes: 'every receipt is in the one form that the spec allows',
  signature: 'the signatures verify',
  'key-trust': 'the keys are in the trust store, for this engine, at that time',
  rules: 'the policy texts at hand have the digests that the receipts cite',
  're-decision': 'those rules, applied again to the recorded actions, decide the same',
};

/** Lines that the second text has in place of those of the first. */
function changesOf(before: string, after: string): string[] {
  const old = before.trimEnd().split('\n');
  return after
    .trimEnd()
    .split('\n')
    .flatMap((line, i) => (line === old[i] ? [] : [`- ${old[i]}`, `+ ${line}`]));
}

function short(digest: string | undefined): string {
  return digest === undefined ? 'no digest' : `${digest.slice(0, 'sha256:'.length + 12)}...`;
}

function letter(byte: number): string {
  return `"${printable(String.fromCharCode(byte))}"`;
}
