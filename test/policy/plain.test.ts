import { describe, expect, it } from 'vitest';
import { limits } from '../../src/limits.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { parsePolicy } from '../../src/policy/parse.js';
import type { Policy } from '../../src/policy/model.js';
import { argv, filesystem, network, objectsIn, policyOf, problemsOf, problemsOfObject, refusal, ruleOf, tool, type Loose } from './kit.js';

const loose = (): Loose => structuredClone(policyOf(ruleOf({ agents: { one_of: ['a', 'b'] } })));

/** The good policy after one change to it. */
function altered(change: (policy: Loose) => void): Loose {
  const policy = loose();
  change(policy);
  return policy;
}

describe('POL-15: own enumerable data properties of plain objects and dense arrays', () => {
  it('takes objects without a prototype, because they lend no field', () => {
    const bare = Object.assign(Object.create(null), loose());
    bare.rules[0] = Object.assign(Object.create(null), bare.rules[0]);
    expect(copyPolicy(bare)).toEqual(policyOf(ruleOf({ agents: { one_of: ['a', 'b'] } })));
  });

  it('leaves a member that is undefined out, as JSON does, so that it counts as missing', () => {
    expect(problemsOfObject(altered((policy) => Object.assign(policy.rules[0], { effect: undefined })))).toEqual([
      { code: 'missing-key', pointer: '/rules/0' },
    ]);
    expect(problemsOfObject(altered((policy) => Object.assign(policy, { other: undefined })))).toEqual([]);
  });

  it.each<[string, (policy: Loose) => unknown, string]>([
    ['a getter, because it may answer twice', (policy) => Object.defineProperty(policy, 'version', { get: () => 1, enumerable: true }), '/version'],
    [
      'a getter deep inside',
      (policy) => Object.defineProperty(policy.rules[0].action.filesystem, 'path', { get: () => '/', enumerable: true }),
      '/rules/0/action/filesystem/path',
    ],
    ['a setter alone', (policy) => Object.defineProperty(policy, 'version', { set: () => undefined, enumerable: true }), '/version'],
    [
      'a getter in a list',
      (policy) => Object.defineProperty(policy.rules[0].agents.one_of, 0, { get: () => 'a', enumerable: true }),
      '/rules/0/agents/one_of/0',
    ],
    ['a hidden property', (policy) => Object.defineProperty(policy, 'version', { value: 1, enumerable: false }), '/version'],
    ['a hidden property beside the fields', (policy) => Object.defineProperty(policy, 'more', { value: 1, enumerable: false }), '/more'],
    ['a symbol as a key', (policy) => Object.assign(policy, { [Symbol('version')]: 1 }), ''],
    ['a well-known symbol', (policy) => Object.assign(policy.rules, { [Symbol.iterator]: [][Symbol.iterator] }), '/rules'],
    ['a symbol as a value', (policy) => Object.assign(policy, { version: Symbol('1') }), '/version'],
    ['a function as a value', (policy) => Object.assign(policy, { version: () => 1 }), '/version'],
    ['a bigint', (policy) => Object.assign(policy, { version: 1n }), '/version'],
    ['an inherited field', (policy) => Object.setPrototypeOf(policy, { version: 1 }), ''],
    ['an inherited field of a rule', (policy) => Object.setPrototypeOf(policy.rules[0], ruleOf()), '/rules/0'],
    ['an instance of a class', (policy) => policy.rules.push(new (class Rule {})()), '/rules/1'],
    ['a Map', (policy) => Object.assign(policy.rules[0], { agents: new Map([['one_of', ['a']]]) }), '/rules/0/agents'],
    ['a Set', (policy) => Object.assign(policy.rules[0].agents, { one_of: new Set(['a']) }), '/rules/0/agents/one_of'],
    ['a Date', (policy) => Object.assign(policy, { version: new Date(1) }), '/version'],
    ['boxed text', (policy) => Object.assign(policy.rules[0], { name: Object('r') }), '/rules/0/name'],
    ['typed bytes in place of a list', (policy) => Object.assign(policy, { rules: new Uint8Array() }), '/rules'],
    ['a hole in a list', (policy) => delete policy.rules[0].agents.one_of[0], '/rules/0/agents/one_of'],
    ['a list that is longer than its items', (policy) => Object.assign(policy.rules[0].agents.one_of, { length: 3 }), '/rules/0/agents/one_of'],
    ['a list with another property', (policy) => Object.assign(policy.rules, { first: 1 }), '/rules'],
    ['a list of a subclass', (policy) => Object.assign(policy, { rules: new (class Rules extends Array<unknown> {})() }), '/rules'],
    ['a list without a prototype', (policy) => Object.setPrototypeOf(policy.rules, null), '/rules'],
    ['a policy inside itself', (policy) => Object.assign(policy.rules[0], { action: policy }), '/rules/0/action'],
    ['a list inside itself', (policy) => policy.rules.push(policy.rules), '/rules/1'],
  ])('refuses %s', (_, change, pointer) => {
    expect(refusal(() => copyPolicy(altered(change)))).toEqual({ code: 'not-plain-data', pointer });
  });

  it('runs no getter on the way, because it is code of whoever made the object', () => {
    let ran = 0;
    const policy = altered((value) => Object.defineProperty(value.rules[0], 'name', { get: () => `r${ran++}`, enumerable: true }));
    refusal(() => copyPolicy(policy));
    expect(ran).toBe(0);
  });

  it('takes an inherited field for none, even where Object.prototype has been given it', () => {
    const proto = Object.prototype as Loose;
    proto.effect = 'allow';
    try {
      const { effect: _, ...rule } = ruleOf();
      expect(problemsOfObject({ version: 1, rules: [rule] })).toContainEqual({ code: 'missing-key', pointer: '/rules/0' });
      expect(problemsOf(JSON.stringify({ version: 1, rules: [rule] }))).toContainEqual({ code: 'missing-key', pointer: '/rules/0' });
    } finally {
      delete proto.effect;
    }
  });

  it('judges what a proxy shows once, so that it cannot show the copy something else', () => {
    const shown: PropertyKey[] = [];
    const proxy = new Proxy(ruleOf(), {
      getOwnPropertyDescriptor: (target, key) => {
        shown.push(key);
        const property = Reflect.getOwnPropertyDescriptor(target, key);
        return key === 'effect' && property ? { ...property, value: shown.filter((one) => one === 'effect').length > 1 ? 'allow' : 'deny' } : property;
      },
    });
    const [rule] = copyPolicy({ version: 1, rules: [proxy] }).rules;
    expect(rule?.effect).toBe('deny');
    expect(shown.filter((key) => key === 'effect')).toHaveLength(1);
  });

  it('counts nesting as a text does: 32 levels and not one more', () => {
    const nested = (depth: number): unknown => {
      let value: unknown = [];
      for (let i = 2; i < depth; i++) value = [value];
      return { version: 1, rules: value };
    };
    expect(problemsOfObject(nested(limits.documentDepth)).map(({ code }) => code)).not.toContain('limit');
    expect(problemsOfObject(nested(limits.documentDepth + 1)).map(({ code }) => code)).toEqual(['limit']);
  });
});

describe('POL-13: __proto__ in an object', () => {
  it('is refused where it is an own property', () => {
    const policy = altered((value) => Object.defineProperty(value.rules[0], '__proto__', { value: {}, enumerable: true }));
    expect(refusal(() => copyPolicy(policy))).toEqual({ code: 'forbidden-key', pointer: '/rules/0/__proto__' });
    expect(refusal(() => copyPolicy(JSON.parse('{"version":1,"rules":[],"__proto__":{}}')))).toEqual({ code: 'forbidden-key', pointer: '/__proto__' });
  });
});

describe('POL-16: a deep, frozen copy', () => {
  const each: readonly (readonly [string, (policy: Policy) => Policy])[] = [
    ['copyPolicy', copyPolicy],
    ['parsePolicy of JSON', (policy) => parsePolicy(JSON.stringify(policy), { format: 'json' })],
    ['parsePolicy of YAML', (policy) => parsePolicy(JSON.stringify(policy), { format: 'yaml' })],
  ];
  const every = policyOf(
    ruleOf({ name: 'a', agents: { one_of: ['a'] }, action: filesystem('/', ['read']) }),
    ruleOf({ name: 'b', action: network({ ports: { from: 1, to: 2 }, methods: ['GET'] }) }),
    ruleOf({ name: 'c', action: argv('a') }),
    ruleOf({ name: 'd', action: tool() }),
  );

  it.each(each)('%s freezes every level', (_, door) => {
    const objects = objectsIn(door(every));
    expect(objects.length).toBeGreaterThan(16);
    expect(objects.filter((object) => !Object.isFrozen(object))).toEqual([]);
  });

  it('shares nothing with the original and leaves it unfrozen', () => {
    const original = structuredClone(every);
    const copy = copyPolicy(original);
    const originals = new Set(objectsIn(original));
    expect(objectsIn(copy).filter((object) => originals.has(object))).toEqual([]);
    expect(objectsIn(original).some((object) => Object.isFrozen(object))).toBe(false);
  });

  it('does not see what the caller does to the original later, because that would change the rules behind the digest', () => {
    const original = loose();
    const copy = copyPolicy(original);
    original.rules[0].effect = 'deny';
    original.rules.push(ruleOf({ name: 'late' }));
    original.rules[0].agents.one_of[0] = 'intruder';
    expect(copy).toEqual(loose());
  });

  it('gives a policy that came through the door back as it is, since it is frozen', () => {
    const once = copyPolicy(loose());
    expect(copyPolicy(once)).toBe(once);
  });

  it('judges a frozen object that did not come through the door, since frozen is not checked', () => {
    expect(problemsOfObject(Object.freeze({ version: 0, rules: [] }))).toEqual([{ code: 'bad-value', pointer: '/version' }]);
    expect(problemsOfObject({ ...copyPolicy(loose()), version: 0 })).toEqual([{ code: 'bad-value', pointer: '/version' }]);
  });
});
