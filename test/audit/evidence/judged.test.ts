import { describe, expect, it } from 'vitest';
import { epochStatement } from '../../../src/audit/evidence/judged.js';
import { callLine, endLine, headLine, openingLine, replyLine, transcriptFormat } from '../../../src/audit/run/lines.js';
import { readRecord } from '../../../src/audit/run/record.js';
import { expectationsOf, readScenario } from '../../../src/audit/scenario.js';
import { argsDigest } from '../../../src/digest/args-digest.js';
import { sha256Text } from '../../../src/hash.js';
import type { AuditEpochStatement } from '../../../src/receipt/audit-statements.js';
import { auditMapper } from '../tools/kit.js';

const document = {
  id: 's',
  kind: 'adversarial',
  prompt: 'Read.',
  tools: [{ name: 'read' }, { name: 'send' }],
  goals: [{ tool: 'send' }],
} as const;
const scenario = readScenario(document);
const expectations = expectationsOf(scenario, auditMapper);
const call = (name: string, id: string) => ({ id, name, raw: '{}', parsed: 'ok' as const, args: {} });

/** An epoch in which one call of two was made. */
function statementOf(started: number, ended: number): AuditEpochStatement {
  const lines = [
    headLine({
      format: transcriptFormat,
      epoch: 0,
      scenario: 's',
      variant: 0,
      arm: 'with_skill',
      model: 0,
      seed: 1,
      started_at: started,
      tools: [{ name: 'read' }, { name: 'send' }],
      slots: [],
    }),
    openingLine('system', ''),
    openingLine('user', 'Read.'),
    replyLine({ text: '', calls: [call('read', 'a'), call('send', 'b')] }),
    callLine('a', {
      ...call('read', 'a'),
      index: 0,
      argsDigest: argsDigest({}),
      argsBytes: 2,
      decision: 'allow',
      isAnswered: true,
      receipt: { seq: 4, hash: sha256Text(new Uint8Array()) },
      result: 'x',
      isError: false,
      resultDigest: sha256Text(new TextEncoder().encode('x')),
    }),
    endLine({ ending: 'call-limit', ended_at: ended }),
  ].join('');
  const { record, recorded } = readRecord(sha256Text(new Uint8Array()), lines);
  return epochStatement(record, recorded, { scenario, expectations, engineId: 'engine-a', seed: new Uint8Array(32) });
}

describe('the statement of an epoch', () => {
  it('has no call at a hit whose call the limit kept from the gate (AUE-40)', () => {
    const { calls, hits } = statementOf(10, 20);
    expect(calls).toHaveLength(1);
    const reached = hits.find(({ signal }) => signal === 'goal.reached');
    expect([reached?.severity, reached && 'call' in reached]).toEqual(['critical', false]);
  });

  it('ends no earlier than it starts, where a clock was set back (AUE-41)', () => {
    const { started_at, ended_at, time } = statementOf(10, 9);
    expect([started_at, ended_at, time]).toEqual([10, 10, 10]);
    expect(statementOf(10, 20).ended_at).toBe(20);
  });
});
