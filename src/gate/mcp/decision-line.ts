/**
 * The line that standard error shows for a decision: names of tools and rules, and never an argument (spec/mcp.md, MCP-10).
 * @module
 */
import { quote } from '../../errors.js';
import type { Verdict } from '../verdict.js';

/** `DENY write_file [rule no-keys] sha256:3fa9…`, what was let through although it was not allowed with a word that says so. */
export function decisionLine(tool: string, verdict: Verdict, mode: 'enforce' | 'observe'): string {
  const { effect, rule, reason, code, policyDigest, release, allowed } = verdict;
  const why = rule !== undefined ? `rule ${quote(rule, '')}` : (code ?? reason ?? 'no reason');
  const became = release !== undefined ? ', approved' : effect === 'ask' && !allowed ? ', not approved' : '';
  const digest = policyDigest === undefined ? '' : ` ${policyDigest.slice(0, 'sha256:'.length + 8)}`;
  const observed = mode === 'observe' ? ' (observed: nothing is held back)' : '';
  return `${effect.toUpperCase()} ${quote(tool, '')} [${why}${became}]${digest}${observed}`;
}
