/**
 * False tools (spec/audit-run.md, AUR-3, AUR-4): doubles that record a call, have it judged by a gate, and answer by a script. They touch nothing: no socket, no
 * file, no process.
 * @module
 */
import { utf8Length } from '../../bytes.js';
import { refuse } from '../../errors.js';
import type { Gate } from '../../gate/gate.js';
import type { Verdict } from '../../gate/verdict.js';
import type { Effect } from '../../policy/model.js';
import type { ToolCall } from '../transcript.js';
import { callDigest, resultDigest } from './call-digest.js';
import type { ToolSchema } from './schema.js';
import { type Script, ScriptState } from './script.js';

export interface FalseToolsOptions {
  readonly tools: readonly ToolSchema[];
  /** As `copyScript` gives it. */
  readonly script: Script;
  /** Whose receipts these calls get: one with a ledger. */
  readonly gate: Gate;
  /** Slot to value: what the script plants in results. */
  readonly canaries?: ReadonlyMap<string, string>;
  /** The tool server, where it is not that of the gate's mapper. */
  readonly server?: string;
  /** Stands in front of the number of a call: `call_id` of its receipt. */
  readonly callIds: string;
}

/** A call as it was judged and answered. */
export interface RecordedCall {
  readonly index: number;
  readonly name: string;
  readonly raw: string;
  readonly parsed: ToolCall['parsed'];
  readonly args?: unknown;
  /** Absent where the arguments have none, or did not parse. */
  readonly argsDigest?: string;
  readonly argsBytes: number;
  readonly decision: Effect;
  /** Whether the tool answered; else the gate did, or nobody of that name was there. */
  readonly isAnswered: boolean;
  readonly policyDigest?: string;
  readonly receipt: { readonly seq: number; readonly hash: string };
  readonly result: string;
  readonly isError: boolean;
  readonly resultDigest: string;
}

/** What an agent is told of a tool that it was not offered. */
export const noSuchTool = 'there is no tool of this name';

/** The tools of one epoch. */
export class FalseTools {
  readonly #names: ReadonlySet<string>;
  readonly #state: ScriptState;
  readonly #options: FalseToolsOptions;
  #count = 0;

  constructor(options: FalseToolsOptions) {
    this.#options = options;
    this.#names = new Set(options.tools.map(({ name }) => name));
    this.#state = new ScriptState(options.script, options.canaries ?? new Map());
  }

  /**
   * Judges, records and answers a call, offered or not, whatever its arguments are.
   *
   * @throws RuleprintError `run-receipt` where the call has no receipt: what is not recorded is no evidence
   */
  async call(call: Omit<ToolCall, 'decision'>): Promise<RecordedCall> {
    const { gate, server, callIds } = this.#options;
    const index = this.#count++;
    const { name, raw, parsed } = call;
    // what did not parse has no arguments: NaN is nobody's, and has no digest (a recorded deny)
    const args = parsed === 'ok' ? call.args : Number.NaN;
    const verdict = await gate.checkAsync({ tool: name, args, callId: `${callIds}${index}`, ...(server !== undefined && { server }) });
    if (verdict.receipt === undefined)
      refuse('run-receipt', 'expected a receipt of every call, got none', { evidence: { code: verdict.code ?? 'gate-fault' } });
    const { seq, hash } = verdict.receipt;
    const digest = parsed === 'ok' ? callDigest(args) : undefined;
    // a gate that only observes lets anything through: what has no digest is no data that a script looks into
    const answered = this.#answer(verdict, name, digest === undefined ? undefined : args);
    return {
      index,
      name,
      raw,
      parsed,
      ...(parsed === 'ok' && { args: call.args }),
      ...(digest !== undefined && { argsDigest: digest }),
      argsBytes: utf8Length(raw.toWellFormed()),
      decision: verdict.effect,
      ...answered,
      ...(verdict.policyDigest !== undefined && { policyDigest: verdict.policyDigest }),
      receipt: { seq, hash },
      result: answered.result,
      resultDigest: resultDigest(answered.result),
    };
  }

  #answer(verdict: Verdict, name: string, args: unknown): { readonly isAnswered: boolean; readonly result: string; readonly isError: boolean } {
    if (!verdict.allowed) return { isAnswered: false, result: verdict.message, isError: true };
    if (!this.#names.has(name)) return { isAnswered: false, result: noSuchTool, isError: true };
    const { text, isError } = this.#state.answer(name, args);
    return { isAnswered: true, result: text, isError };
  }
}
