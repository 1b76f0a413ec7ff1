/**
 * What the gate says to a client in its own name: denials and refusals (spec/mcp.md, MCP-8, MCP-9).
 * @module
 */
import type { Verdict } from '../verdict.js';
import { type GatedCall, type Id, type JsonObject, rpcCodes } from './message.js';

/** How a denied call of a tool is answered: as a result that the model reads, or as an error. */
export type DenyStyle = 'result' | 'error';

/** Under this key of `_meta`, or as the data of an error, stands what was decided. */
export const decisionKey = 'ruleprint/decision';

/** A message of the gate's own, one line. */
export function lineOf(message: JsonObject): string {
  return `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`;
}

export function errorAnswer(id: Id | null, code: number, why: string, data?: JsonObject): JsonObject {
  return { id, error: { code, message: why, ...(data && { data }) } };
}

/** The answer to a call that does not go ahead. */
export function denialOf(call: GatedCall, verdict: Verdict, style: DenyStyle): JsonObject {
  const decision = decisionOf(verdict);
  // a client that asked for a task takes no result of a tool, and reading a resource knows no failed result
  if (call.isTask || call.method !== 'tools/call' || style === 'error') {
    return errorAnswer(call.id, rpcCodes.denied, verdict.message, { [decisionKey]: decision });
  }
  const result = { content: [{ type: 'text', text: verdict.message }], isError: true, _meta: { [decisionKey]: decision } };
  return { id: call.id, result: call.isStateless ? { resultType: 'complete', ...result } : result };
}

/** What of a verdict goes over the wire: no arguments and no salt. Absent is left off. */
export function decisionOf({ effect, rule, reason, policyVersion, policyDigest, receipt, code }: Verdict): JsonObject {
  return {
    effect,
    ...(rule !== undefined && { rule }),
    ...(reason !== undefined && { reason }),
    ...(policyVersion !== undefined && { policy_version: policyVersion }),
    ...(policyDigest !== undefined && { policy_digest: policyDigest }),
    ...(receipt !== undefined && { receipt: receipt.hash, seq: receipt.seq }),
    ...(code !== undefined && { code }),
  };
}
