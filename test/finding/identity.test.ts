import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createFinding, findingFromObservation } from '../../src/finding/finding.js';
import { findingId, findingPreimage, occurrenceOf } from '../../src/finding/identity.js';
import { type CapabilityPath, changeStates, type Evidence, type Finding, targetTypes } from '../../src/finding/model.js';
import { confidences, severities } from '../../src/finding/severity.js';
import { agentFinding, repositoryFinding, secret, secretObservation } from './kit.js';

const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).filter((text) => !/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u.test(text));
const identifier = fc.stringMatching(/^[a-z][a-z0-9.-]{0,10}$/);
const path = fc.array(fc.stringMatching(/^[a-z0-9é😀￿_-]{1,6}$/u), { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'));
const hops = fc.array(
  name.map((edge_id) => ({ edge_id })),
  { minLength: 1, maxLength: 4 },
);
const capability = (agent: string): fc.Arbitrary<CapabilityPath> =>
  fc.record({ agent_id: fc.constant(agent), target_id: name, target_type: fc.constantFrom(...targetTypes), hops });
const evidence: fc.Arbitrary<Evidence[]> = fc.array(
  fc.record({ adapter: identifier, path, line_start: fc.integer({ min: 1, max: 99 }) }) as fc.Arbitrary<Evidence>,
  { minLength: 1, maxLength: 4 },
);
/** What may change from scan to scan. */
const mutable = fc.record({
  rule_version: fc.constantFrom('1.0.0', '2.0.0-rc.1'),
  message: name,
  severity: fc.constantFrom(...severities),
  confidence: fc.constantFrom(...confidences),
  change_state: fc.constantFrom(...changeStates),
  remediation: name,
  documentation_url: identifier.map((end) => `https://example.com/${end}`),
});
const agentMaterial = fc
  .record({ rule_id: identifier, agent: name })
  .chain(({ rule_id, agent }) =>
    fc.record({ rule_id: fc.constant(rule_id), affected_agent: fc.constant(agent), capability_path: capability(agent), evidence }),
  );

describe('the id of a finding about an agent', () => {
  it('stays when anything changes that is not in it (FND-7)', () => {
    fc.assert(
      fc.property(agentMaterial, evidence, mutable, mutable, (material, otherEvidence, before, after) => {
        const base = { schema_version: '1.2.0', id: findingId(material) } as const;
        const first = createFinding({ ...base, ...material, ...before });
        const second = createFinding({ ...base, ...material, ...after, evidence: otherEvidence });
        expect(findingId(first)).toBe(findingId(second));
      }),
    );
  });

  it.each(['rule_version', 'message', 'severity', 'confidence', 'change_state', 'remediation', 'documentation_url', 'evidence'] as const)(
    'does not rest on %s (FND-7)',
    (field) => {
      const other: Partial<Finding> = {
        rule_version: '9.0.0',
        message: 'another',
        severity: 'info',
        confidence: 'low',
        change_state: 'removed',
        remediation: 'another',
        documentation_url: 'https://example.org/',
        evidence: [{ adapter: 'other', path: 'elsewhere.yaml', line_start: 77 }],
      };
      expect(other[field]).not.toEqual(agentFinding[field]);
      expect(createFinding({ ...agentFinding, [field]: other[field] }).id).toBe(agentFinding.id);
    },
  );

  it.each([
    ['rule_id', { rule_id: 'policy.other' }],
    ['affected_agent', { affected_agent: 'other', capability_path: { ...agentFinding.capability_path, agent_id: 'other' } }],
    ['target_id', { capability_path: { ...agentFinding.capability_path, target_id: '/srv' } }],
    ['target_type', { capability_path: { ...agentFinding.capability_path, target_type: 'tool' } }],
    ['an edge', { capability_path: { ...agentFinding.capability_path, hops: [{ edge_id: 'rule:other' }] } }],
    ['a hop more', { capability_path: { ...agentFinding.capability_path, hops: [{ edge_id: 'rule:all' }, { edge_id: 'x' }] } }],
  ])('moves with %s (FND-7)', (_, members) => {
    expect(findingId({ ...agentFinding, ...members } as Finding)).not.toBe(agentFinding.id);
  });

  it('is equal exactly where the material is equal, whatever it is (FND-7, FND-8)', () => {
    const key = ({ rule_id, affected_agent, capability_path }: Pick<Finding, 'rule_id' | 'affected_agent' | 'capability_path'>): string =>
      JSON.stringify([rule_id, affected_agent, capability_path?.target_id, capability_path?.target_type, capability_path?.hops.map(({ edge_id }) => edge_id)]);
    fc.assert(
      fc.property(agentMaterial, agentMaterial, fc.integer({ min: 0, max: 4 }), (a, other, which) => {
        // near to the first in all but one field, so that equal ones come up
        const b = [
          a,
          { ...a, rule_id: other.rule_id },
          { ...a, capability_path: { ...a.capability_path, hops: [...a.capability_path.hops].reverse() } },
          { ...a, capability_path: { ...a.capability_path, target_id: other.capability_path.target_id } },
          other,
        ][which] as typeof a;
        expect(findingId(a) === findingId(b)).toBe(key(a) === key(b));
      }),
    );
  });

  it('keeps the order of hops, because two ways to one target are two findings (FND-8)', () => {
    const way = (...edges: string[]): Finding =>
      ({ ...agentFinding, capability_path: { ...agentFinding.capability_path, hops: edges.map((edge_id) => ({ edge_id })) } }) as Finding;
    expect(findingId(way('a', 'b'))).not.toBe(findingId(way('b', 'a')));
    expect(findingId(way('ab', 'c'))).not.toBe(findingId(way('a', 'bc')));
  });
});

describe('the id of a finding about the repository', () => {
  const ids = (all: readonly Evidence[], occurrence?: string): string => findingId({ rule_id: secret.id, evidence: all }, occurrence);

  it('rests on the paths of the evidence, whatever their order and number (FND-9)', () => {
    fc.assert(
      fc.property(evidence, fc.integer({ min: 1, max: 99 }), (all, line) => {
        const again = [...all, ...all].reverse().map((one) => ({ ...one, line_start: line, adapter: 'other' }));
        expect(ids(again)).toBe(ids(all));
      }),
    );
  });

  it('moves with a path (FND-9)', () => {
    fc.assert(
      fc.property(evidence, path, (all, more) => {
        const isNew = !all.some((one) => one.path === more);
        expect(ids([...all, { adapter: 'a', path: more }]) !== ids(all)).toBe(isNew);
      }),
    );
  });

  it('sorts paths by their bytes, in which U+FFFF stands before U+10000 (FND-9)', () => {
    const preimage = Buffer.from(
      findingPreimage({
        rule_id: 'r',
        evidence: [
          { adapter: 'a', path: '\u{10000}' },
          { adapter: 'a', path: '\uffff' },
        ],
      }),
    ).toString('hex');
    expect(preimage.indexOf('efbfbf')).toBeLessThan(preimage.indexOf('f0908080'));
  });

  it('leaves out evidence without a path (FND-9)', () => {
    const digest = { adapter: 'a', document_digest: `sha256:${'1'.repeat(64)}` };
    expect(ids([...repositoryFinding.evidence, digest])).toBe(repositoryFinding.id);
  });

  it('moves with an occurrence, and is not that of a finding without one (FND-10)', () => {
    fc.assert(
      fc.property(name, name, (a, b) => {
        const of = (content: string): string => ids(repositoryFinding.evidence, occurrenceOf('aws-access-key-id', content));
        expect(of(a) === of(b)).toBe(a === b);
        expect(of(a)).not.toBe(repositoryFinding.id);
      }),
    );
  });

  it('never is that of a finding about an agent', () => {
    const asked = findingPreimage(agentFinding);
    expect(Buffer.from(asked).includes('scope:agent')).toBe(true);
    expect(Buffer.from(findingPreimage(repositoryFinding)).includes('scope:repository')).toBe(true);
  });
});

describe('occurrenceOf', () => {
  const found = (secrets: readonly string[]): Map<string, string> =>
    new Map(
      secrets.map((value) => {
        const finding = findingFromObservation(secretObservation, secret, { remediation: 'x', occurrence: occurrenceOf('secret', value) });
        return [value, finding.id] as const;
      }),
    );

  it('gives nobody else the id of a finding that was suppressed, whatever is added or removed around it (FND-10)', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { minLength: 2, maxLength: 6 }), fc.uniqueArray(name, { maxLength: 6 }), (before, after) => {
        const [suppressed = ''] = before;
        const id = found(before).get(suppressed);
        const silenced = [...found(after)].filter(([, other]) => other === id).map(([value]) => value);
        expect(silenced).toEqual(after.includes(suppressed) ? [suppressed] : []);
      }),
    );
  });

  it.each(['secret#1', 'secret', 'Secret@'.padEnd(71, '0'), `secret@${'0'.repeat(63)}`])(
    'is the one way to make an occurrence: %s is refused, a number would move (FND-10)',
    (occurrence) => {
      expect(() => findingId(repositoryFinding, occurrence)).toThrow(/expected an occurrence/);
    },
  );

  it('stands beside no agent (FND-10)', () => {
    expect(() => findingId(agentFinding, occurrenceOf('a', 'b'))).toThrow(/no occurrence beside/);
  });

  it('holds nothing of the content, and differs by kind and key (FND-10)', () => {
    const made = occurrenceOf('secret', 'AKIAIOSFODNN7EXAMPLE');
    expect(made).not.toContain('AKIA');
    expect(new Set([made, occurrenceOf('other', 'AKIAIOSFODNN7EXAMPLE'), occurrenceOf('secret', 'AKIAIOSFODNN7EXAMPLE', 'key')]).size).toBe(3);
  });
});
