/**
 * Decisions on OpenTelemetry spans, typed by shape, without the API (spec/gate.md, GAT-19).
 * @module
 */
import type { Call } from '../mapping/call.js';
import type { Gate } from './gate.js';
import type { Verdict } from './verdict.js';

/** What is needed of `trace` of `@opentelemetry/api`. */
export interface TraceApi {
  getActiveSpan(): { setAttributes(attributes: Record<string, string | number | boolean>): unknown } | undefined;
}

/**
 * The same gate, which puts each decision on the span that is active when the call is judged. A span that fails to take it changes no verdict. Names
 * of tools and rules are exported, arguments never.
 *
 * @example
 * import { trace } from '@opentelemetry/api';
 * const traced = tracedGate(gate, trace);
 */
export function tracedGate(gate: Gate, trace: TraceApi): Gate {
  if (typeof trace?.getActiveSpan !== 'function') throw new TypeError('"trace" expected trace of @opentelemetry/api');
  const activeSpan = (): ReturnType<TraceApi['getActiveSpan']> => {
    try {
      return trace.getActiveSpan();
    } catch {
      return undefined;
    }
  };
  const told = (span: ReturnType<TraceApi['getActiveSpan']>, call: Call, verdict: Verdict): Verdict => {
    try {
      span?.setAttributes(verdictAttributes(call, verdict));
    } catch {
      // what is exported is for looking at: the receipt is the record
    }
    return verdict;
  };
  return Object.freeze({
    engine: gate.engine,
    mode: gate.mode,
    hasApprover: gate.hasApprover,
    check: (call: Call) => told(activeSpan(), call, gate.check(call)),
    checkAsync: async (call: Call, options?: Parameters<Gate['checkAsync']>[1]) => {
      // the span of the call, whatever is active when the answer is there
      const span = activeSpan();
      return told(span, call, await gate.checkAsync(call, options));
    },
  });
}

/** The attributes of a decision. What is absent is left off, never exported as empty. */
export function verdictAttributes(call: Pick<Call, 'tool' | 'callId'>, verdict: Verdict): Record<string, string | number | boolean> {
  const { effect, allowed, rule, reason, code, policyVersion, policyDigest, receipt } = verdict;
  const attributes: readonly (readonly [string, string | number | boolean | undefined])[] = [
    ['gen_ai.operation.name', 'execute_tool'],
    ['gen_ai.tool.name', call.tool],
    ['gen_ai.tool.call.id', call.callId],
    ['ruleprint.effect', effect],
    ['ruleprint.allowed', allowed],
    ['ruleprint.rule', rule],
    ['ruleprint.reason', reason],
    ['ruleprint.code', code],
    ['ruleprint.policy.version', policyVersion],
    ['ruleprint.policy.digest', policyDigest],
    ['ruleprint.receipt.hash', receipt?.hash],
  ];
  return Object.fromEntries(attributes.filter((entry): entry is [string, string | number | boolean] => entry[1] !== undefined));
}
