/**
 * The statement that holds a claim (FND-22, RCP-19): a field missing, a field too many, a value that is wrong.
 * @module
 */
import type { Case } from '../kit.js';
import { chainCase, fails, harnessKey, hashOf, receiptOf, type Said, statementFails, trustOf } from '../ledger/chain.js';
import { startTime } from '../ledger/chain.js';
import { harness, Run } from './run.js';

const block = new Run(['allow']).block(2, 'allow');
const repro = block['repro'] as unknown as Said;

/** A standalone statement with some fields of its block changed, or left out where they are undefined. */
function changed(id: string, comment: string, change: Said, codes: readonly string[], flags: readonly string[] = []): Case {
  const given = Object.fromEntries(Object.entries({ ...block, ...change }).filter(([, value]) => value !== undefined));
  return whole(id, comment, { x_finding: given as never }, codes, flags);
}

function whole(id: string, comment: string, change: Said, codes: readonly string[], flags: readonly string[] = []): Case {
  const receipt = receiptOf({ statement: 'finding', engine_id: 'engine-a', time: startTime, x_finding: block as never, ...change }, harnessKey);
  const answer = codes.length === 0 ? { axes: '+++ .. ... . .' } : { axes: `${statementFails} .`, problems: codes.map((code) => fails('bytes', code)) };
  return chainCase(id, comment, [receipt], { flags, ...answer }, { kind: 'file', policies: null, require: null, trust: trustOf({}, [harness]) });
}

const dashed = (name: string): string => name.replaceAll('_', '-');

export function statements(): readonly Case[] {
  const fields = ['action', 'finding_id', 'stable_id', 'harness', 'test_id', 'verdict', 'cited_receipt', 'repro', 'detected_at'];
  const inner = ['tool', 'args_digest', 'expected_decision', 'actual_decision'];
  const without = (name: string): Said => ({ repro: Object.fromEntries(Object.entries(repro).filter(([key]) => key !== name)) as never });
  const cite = '(FND-22, RCP-19)';
  return [
    changed('finding-all-fields', `Every optional field ${cite}`, { args_salt: '', plan: hashOf('7'), note: 'x' }, []),
    ...fields.map((name) => changed(`finding-no-${dashed(name)}`, `A claim without ${name} ${cite}`, { [name]: undefined }, ['missing-key'])),
    ...inner.map((name) => changed(`finding-repro-no-${dashed(name)}`, `A claim that leaves out ${name} ${cite}`, without(name), ['missing-key'])),
    whole('finding-no-block', `A finding of nothing ${cite}`, { x_finding: undefined }, ['missing-key']),
    whole('finding-unknown-field', `A field beside the block ${cite}`, { note: 'x' }, ['unknown-key']),
    whole('finding-unknown-seq', 'A finding has no place in a chain (LED-1)', { seq: 3 }, ['unknown-key']),
    changed('finding-unknown-in-block', `A field that the block does not have ${cite}`, { severity: 'high' }, ['unknown-key']),
    changed('finding-unknown-in-repro', `An outcome beside the decision ${cite}`, { repro: { ...repro, released: true } as never }, ['unknown-key']),
    changed('finding-action-other', `Another word than reported ${cite}`, { action: 'confirmed' }, ['bad-value']),
    changed('finding-verdict-case', `Case counts in a verdict ${cite}`, { verdict: 'Confirmed' }, ['bad-value']),
    changed('finding-verdict-dash', `Another spelling of a verdict ${cite}`, { verdict: 'expected-pass' }, ['bad-value']),
    changed('finding-decision-escalate', `A decision that no gate makes ${cite}`, { repro: { ...repro, actual_decision: 'escalate' } as never }, ['bad-value']),
    changed('finding-cited-bare', `Digits without "sha256:" ${cite}`, { cited_receipt: 'b'.repeat(64) }, ['bad-value']),
    changed('finding-stable-short', `A stable id cut short ${cite}`, { stable_id: hashOf('b').slice(0, -2) }, ['bad-value']),
    changed('finding-detected-text', `A time as text ${cite}`, { detected_at: '1790000000' }, ['wrong-type']),
    changed('finding-detected-negative', `A time before the epoch ${cite}`, { detected_at: -1 }, ['bad-integer']),
    changed('finding-tool-text', `A tool as one text ${cite}`, { repro: { ...repro, tool: 'crm.export' } as never }, ['wrong-type']),
    changed('finding-note-control', `A note of two lines ${cite}`, { note: 'a\nb' }, ['control-character']),
    changed('finding-note-empty', `An empty note in place of an absent one ${cite}`, { note: '' }, ['empty-text']),
    changed('finding-note-4097', `A note of 4,097 bytes ${cite}`, { note: 'a'.repeat(4097) }, ['limit'], ['over-limit']),
    changed('finding-harness-empty', `A harness without a name ${cite}`, { harness: '' }, ['empty-text']),
    changed('finding-plan-empty', `An empty plan in place of an absent one ${cite}`, { plan: '' }, ['bad-value']),
    changed(
      'finding-several',
      `All that is wrong is listed ${cite}`,
      { verdict: 'x', harness: undefined, severity: 'high' },
      ['missing-key', 'bad-value', 'unknown-key'],
      ['several'],
    ),
  ];
}
