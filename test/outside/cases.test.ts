/**
 * The neutral cases: every case of kind decide, digest, parse and verify, each with our exact answer (those of kind ledger: ledger.test.ts). What others may answer differently is no excuse here:
 * where a case lets an engine choose between cleaning an input and refusing it, the one that we chose must come, a refusal with its code.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { describe, expect, it } from 'vitest';
import { importPublicKey, verifySign1 } from '../../src/cose/index.js';
import { decide, decideTraced } from '../../src/decide/decide.js';
import { policyDigest } from '../../src/digest/digest.js';
import { InMemoryPolicyEngine } from '../../src/engine/in-memory.js';
import type { ErrorCode } from '../../src/errors.js';
import { type Decision, effects, type Policy } from '../../src/policy/model.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { checkPolicy, parsePolicy } from '../../src/policy/parse.js';
import { type NeutralPolicy, type NeutralRequest, policyOf, policyTextOf, requestOf } from './cases.js';
import { answerOf, base64url, cryptoPaths, fromHex, load, onPath, outside, root } from './outside.js';

interface Case<Input, Expect> {
  readonly id: string;
  readonly kind: string;
  readonly level: 'must' | 'should' | 'stretch';
  readonly description: string;
  readonly limits?: { readonly milliseconds?: number };
  readonly input: Input;
  readonly expect: Expect;
}

type DecideCase = Case<
  { readonly policy: NeutralPolicy; readonly request: NeutralRequest },
  { readonly effect: string; readonly rule: string | null; readonly also_ok?: readonly string[] }
>;

type Step = { readonly install?: NeutralPolicy; readonly evaluate?: NeutralRequest; readonly save_as?: string; readonly read_event?: string };
type DigestCase = Case<
  { readonly a?: NeutralPolicy; readonly b?: NeutralPolicy; readonly steps?: readonly Step[] },
  { readonly relation?: 'equal' | 'different'; readonly event_effect?: string }
>;

type ParseCase = Case<{ readonly policy_json: string; readonly after_installing_version?: number }, { readonly effect: string }>;

type VerifyCase = Case<
  {
    readonly cose_hex: string;
    readonly trusted_keys: Readonly<Record<string, { readonly kty: string; readonly crv: string; readonly x_hex: string; readonly y_hex?: string }>>;
    readonly external_aad_hex: string;
  },
  { readonly verdict: 'accept' | 'reject' }
>;

/** Cases of kind decide that we refuse, and at which door. All others are decided. */
const refusals: Readonly<Record<string, readonly [door: 'policy' | 'request', code: ErrorCode]>> = {
  'O-DEC-05': ['request', 'path-dot-dot'],
  'O-DEC-06': ['request', 'path-dot-dot'],
  'O-DEC-09': ['request', 'path-character'],
  'O-DEC-15': ['policy', 'path-relative'],
  'O-DEC-23': ['request', 'host-character'],
  'O-DEC-24': ['request', 'bad-value'],
};

/** Cases of level should that we do not support, and the words of the spec that say so. */
const unsupported: Readonly<Record<string, readonly [chapter: string, words: string]>> = {
  'O-DEC-14': ['spec/match.md', 'no case folding of the volume'],
};

/** Cases that wait, and for what. */
const waiting: Readonly<Record<string, readonly string[]>> = {};

/** Every problem of each text, in document order. */
const problems: Readonly<Record<string, readonly ErrorCode[]>> = {
  'O-PAR-01': ['duplicate-key'],
  'O-PAR-02': ['missing-key', 'forbidden-key'],
  'O-PAR-03': ['bad-integer'],
  'O-PAR-04': ['missing-key', 'unknown-key'],
  'O-PAR-06': ['lone-surrogate'],
};
/** The one among them that the case is about. */
const namedProblem: Readonly<Record<string, ErrorCode>> = {
  'O-PAR-01': 'duplicate-key',
  'O-PAR-02': 'forbidden-key',
  'O-PAR-03': 'bad-integer',
  'O-PAR-04': 'unknown-key',
  'O-PAR-05': 'version-equal',
  'O-PAR-06': 'lone-surrogate',
};

const verdicts: Readonly<Record<string, ErrorCode | 'accept'>> = {
  'O-VER-01': 'accept',
  'O-VER-02': 'signature-invalid',
  // the protected header has no bytes, which is said before what the other one holds
  'O-VER-03': 'cose-protected',
  'O-VER-04': 'signature-invalid',
  // a label that has no place is said before the kid that is missing
  'O-VER-05': 'cose-header',
  'O-VER-06': 'cbor-trailing',
  'O-VER-07': 'cbor-duplicate-key',
};

outside('neutral cases', () => {
  const { counts, cases } = load<{ counts: Record<string, number>; cases: readonly Case<unknown, unknown>[] }>('cases.json');
  const waits = Object.values(waiting).flat();
  const ofKind = <C extends Case<unknown, unknown>>(kind: string): readonly C[] =>
    cases.filter((one): one is C => one.kind === kind && !waits.includes(one.id));
  const decideCases = ofKind<DecideCase>('decide');
  const digestCases = ofKind<DigestCase>('digest');
  const parseCases = ofKind<ParseCase>('parse');
  const verifyCases = ofKind<VerifyCase>('verify');
  const title = ({ id, level, description }: Case<unknown, unknown>): string => `${id} (${level}): ${description}`;

  describe('the list', () => {
    it('is as long as it was, so that a case that vanishes is noticed', () => {
      expect(counts).toEqual({ decide: 31, digest: 6, parse: 6, verify: 7, ledger: 7, total: 57 });
      expect(new Set(cases.map(({ id }) => id)).size).toBe(57);
      expect(cases.filter(({ level }) => level === 'must')).toHaveLength(54);
    });

    it('is judged but for the cases on record', () => {
      expect([decideCases, digestCases, parseCases, verifyCases, ofKind('ledger')].map((list) => list.length)).toEqual([31, 6, 6, 7, 7]);
      expect(decideCases.filter(({ level }) => level === 'must')).toHaveLength(29);
      expect(31 + 6 + 6 + 7 + 7 + waits.length).toBe(cases.length);
    });

    it.each(Object.entries(waiting))('has cases that wait, because %s', (_, ids) => {
      const those = cases.filter(({ id }) => ids.includes(id));
      expect(those.map(({ id }) => id)).toEqual(ids);
      for (const one of those) {
        expect(one.kind).toBe('ledger');
      }
    });

    it('names in its tables only cases that are there', () => {
      const known = cases.map(({ id }) => id);
      const tables = [refusals, unsupported, problems, namedProblem, verdicts];
      expect(tables.flatMap((table) => Object.keys(table)).filter((id) => !known.includes(id) || waits.includes(id))).toEqual([]);
    });
  });

  describe('decide', () => {
    it.each(decideCases.map((one) => [title(one), one] as const))('%s', (_, { id, limits, input, expect: expected }) => {
      const neutral = policyOf(input.policy);
      const request = requestOf(input.request);
      const refusal = refusals[id];
      const allowed = [expected.effect, ...(expected.also_ok ?? [])];

      const doors = [() => copyPolicy(neutral), () => parsePolicy(JSON.stringify(neutral), { format: 'json' })].map((door) => answerOf(door));
      if (refusal?.[0] === 'policy') {
        expect(allowed).toContain('reject-input');
        expect(doors).toEqual([{ code: refusal[1] }, { code: refusal[1] }]);
        return;
      }
      for (const door of doors) {
        if ('code' in door) throw new Error(`expected a policy, got ${door.code}`);
        const engine = new InMemoryPolicyEngine({ engineId: 'outside' });
        engine.install(door.value);
        const start = performance.now();
        const evaluated = answerOf(() => engine.evaluate(request).decision);
        const took = performance.now() - start;
        expect(answerOf(() => decide(door.value, request))).toEqual(evaluated);
        expect(answerOf(() => decideTraced(door.value, request).decision)).toEqual(evaluated);
        if (limits?.milliseconds !== undefined) expect(took).toBeLessThan(limits.milliseconds);

        if (refusal !== undefined) {
          expect(allowed).toContain('reject-input');
          expect(evaluated).toEqual({ code: refusal[1] });
          continue;
        }
        if ('code' in evaluated) throw new Error(`expected a decision, got ${evaluated.code}`);
        judgeDecision(id, evaluated.value, door.value, expected, allowed);
        // rule by rule, without the index that a decision takes: none that matches is stricter, and the first as strict is the one that decided
        const { trace, decision } = decideTraced(door.value, request);
        const asked = trace[decision.action ?? 0]?.rules.filter((rule) => rule.matched) ?? [];
        const first = effects.map((effect) => asked.find((rule) => rule.effect === effect)).find((rule) => rule !== undefined);
        expect(first?.rule).toBe(evaluated.value.rule);
      }
    });

    function judgeDecision(id: string, decision: Decision, policy: Policy, expected: DecideCase['expect'], allowed: readonly string[]): void {
      const exception = unsupported[id];
      if (exception !== undefined) {
        const [chapter, words] = exception;
        expect(readFileSync(join(root, chapter), 'utf8')).toContain(words);
        // text rules see another path, so the rule around the denied folder answers
        expect(decision).toEqual({ effect: 'allow', rule: policy.rules.at(-1)?.name, action: 0 });
        return;
      }
      expect(allowed).toContain(decision.effect);
      // a line for a shell has several actions, and another than the first one decides in both cases
      const action = ['O-DEC-29', 'O-DEC-30'].includes(id) ? 1 : 0;
      // every case that we decide we decide as it says first, so its rule must be ours too
      expect(decision.effect).toBe(expected.effect);
      expect(decision).toEqual(
        expected.rule === null ? { effect: 'deny', reason: 'no-rule', action } : { effect: expected.effect, rule: expected.rule, action },
      );
    }

    it('takes no exception for a case of level must', () => {
      expect(decideCases.filter(({ id, level }) => level === 'must' && id in unsupported).map(({ id }) => id)).toEqual([]);
    });
  });

  describe('digest', () => {
    const relations = digestCases.filter(({ input }) => input.steps === undefined);
    const courses = digestCases.filter(({ input }) => input.steps !== undefined);

    it.each(relations.map((one) => [title(one), one] as const))('%s', (_, { input, expect: { relation } }) => {
      const [a, b] = [input.a, input.b].map((policy) => policyDigest(policyOf(policy as NeutralPolicy)));
      expect(['equal', 'different']).toContain(relation);
      if (relation === 'equal') expect(a).toBe(b);
      else expect(a).not.toBe(b);
    });

    it.each(courses.map((one) => [title(one), one] as const))('%s', (_, { input, expect: { event_effect } }) => {
      const engine = new InMemoryPolicyEngine({ engineId: 'outside' });
      const steps = input.steps as readonly Step[];
      const events = new Map<string, ReturnType<typeof engine.evaluate>>();
      const installed: string[] = [];
      for (const { install, evaluate, save_as, read_event } of steps) {
        if (install !== undefined) installed.push(engine.install(policyOf(install)).digest as string);
        if (evaluate !== undefined) events.set(save_as as string, engine.evaluate(requestOf(evaluate)));
        if (read_event !== undefined) {
          expect(events.get(read_event)?.policyDigest).toBe(installed[0]);
          expect(events.get(read_event)?.decision.effect).toBe(event_effect);
        }
      }
      expect(new Set(installed).size).toBe(2);
      expect(engine.policyDigest()).toBe(installed[1]);
    });

    it('has five pairs and one course of events', () => {
      expect([relations.length, courses.length]).toEqual([5, 1]);
    });
  });

  describe('parse', () => {
    it.each(parseCases.map((one) => [title(one), one] as const))('%s', (_, { id, input, expect: expected }) => {
      expect(expected.effect).toBe('reject-input');
      const text = policyTextOf(input.policy_json);
      const before = input.after_installing_version;
      if (before !== undefined) {
        const engine = new InMemoryPolicyEngine({ engineId: 'outside' });
        engine.install({ version: before, rules: [] });
        expect(answerOf(() => engine.install(parsePolicy(text, { format: 'json' })))).toEqual({ code: namedProblem[id] });
        expect(engine.policyVersion()).toBe(before);
        return;
      }
      // JSON is YAML 1.2 too: the other format of the door must not be the way around
      for (const format of ['json', 'yaml'] as const) {
        const result = checkPolicy(text, { format });
        if ('policy' in result) throw new Error('expected a refusal, got a policy');
        expect(result.problems.map(({ code }) => code)).toEqual(problems[id]);
        expect(problems[id]).toContain(namedProblem[id]);
      }
    });
  });

  describe('verify', () => {
    describe.each(cryptoPaths)('with %s crypto', (path) => {
      it.each(verifyCases.map((one) => [title(one), one] as const))('%s', (_, { id, input, expect: { verdict } }) => {
        const keys = Object.entries(input.trusted_keys).map(([kid, { kty, crv, x_hex }]) => ({
          kid: new TextEncoder().encode(kid),
          key: importPublicKey({ kty, crv, x: base64url(fromHex(x_hex)) }),
        }));
        const profile = { externalAad: fromHex(input.external_aad_hex), alsoAlgorithms: ['EdDSA', 'ES256'] as const };
        const result = onPath(path, () => verifySign1(fromHex(input.cose_hex), keys, profile));
        expect(result.ok ? 'accept' : 'reject').toBe(verdict);
        expect(result.ok ? 'accept' : result.problems[0].code).toBe(verdicts[id]);
      });
    });
  });
});
