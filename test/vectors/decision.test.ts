import { describe, expect, it } from 'vitest';
import { decide, decideTraced, type Trace } from '../../src/decide/decide.js';
import { InMemoryPolicyEngine } from '../../src/engine/in-memory.js';
import { RuleprintError } from '../../src/errors.js';
import { canonicalRequest } from '../../src/policy/request.js';
import { type Fields, load, read, refusal } from './load.js';

const wordOf = ({ rules }: Trace[number]): (string | undefined)[] => rules.map(({ matched, failed }) => (matched ? 'matched' : failed));

function answer(input: Fields): unknown {
  if (input['install_versions'] !== undefined) return installed(input['install_versions'] as readonly number[]);
  const request = read(input['request'] as Fields);
  if (!('policy' in input)) return { canonical: canonicalRequest(request) };
  const { decision, trace } = decideTraced(read(input['policy'] as Fields) ?? undefined, request);
  return { decision, trace: trace.map(wordOf) };
}

function installed(versions: readonly number[]): unknown {
  const engine = new InMemoryPolicyEngine({ engineId: 'e', now: () => 0 });
  try {
    for (const version of versions) engine.install({ version, rules: [] });
    return { version_in_force: engine.policyVersion() };
  } catch (error) {
    return { error: (error as RuleprintError).code, version_in_force: engine.policyVersion() };
  }
}

for (const group of load('decision').groups) {
  describe(`vectors: decision, ${group.name}`, () => {
    it.each(group.cases)('$id: $comment', ({ input, expect: expected }) => {
      let got: unknown;
      try {
        got = answer(input);
      } catch (error) {
        if (!(error instanceof RuleprintError)) throw error;
        got = refusal(error, expected);
      }
      expect(got).toEqual({ ...expected, ...(expected.canonical && { canonical: read(expected.canonical) }) });
    });
  });
}

const decided = load('decision').groups.flatMap(({ cases }) => cases.filter(({ expect: expected }) => 'decision' in expected));

describe('vectors: decision', () => {
  it.each(decided)('$id is decided alike without a trace, and by an engine (DEC-11)', ({ input, expect: expected }) => {
    expect(decide(input.policy ?? undefined, input.request)).toEqual(expected.decision);
    const engine = new InMemoryPolicyEngine({ engineId: 'e', now: () => 0 });
    if (input.policy !== null) engine.install(input.policy);
    expect(engine.evaluate(input.request).decision).toEqual(expected.decision);
    const { event, trace } = engine.evaluateTraced(input.request);
    expect({ decision: event.decision, trace: trace.map(wordOf) }).toEqual(expected);
  });
});
