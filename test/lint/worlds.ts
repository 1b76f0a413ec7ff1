/**
 * Small worlds for the search for dead rules: patterns of few letters, and every request of that world.
 * @module
 */
import fc, { type Arbitrary } from 'fast-check';
import { copyPolicy } from '../../src/policy/copy.js';
import { type ActionPattern, effects, type Policy, type Request } from '../../src/policy/model.js';

const set = <T>(...items: readonly T[]): Arbitrary<T[]> => fc.uniqueArray(fc.constantFrom(...items), { minLength: 1, maxLength: items.length });
const anyOr = <T>(other: Arbitrary<T>): Arbitrary<'any' | T> => fc.oneof(fc.constant('any' as const), other);

const item = fc.constantFrom('a', 'b', 'ab', '*', '?', '??', 'a*', '*a', '*b*', 'a?', '?*', '*a*b', 'b*a');
const path = fc
  .array(fc.oneof({ weight: 3, arbitrary: item }, { weight: 1, arbitrary: fc.constant('**') }, { weight: 1, arbitrary: fc.constantFrom('.*', '.?', '*.') }), {
    maxLength: 3,
  })
  .map((items) => `/${items.join('/')}`);
const argv = fc
  .tuple(fc.array(fc.oneof(item, fc.constant('')), { minLength: 1, maxLength: 2 }), fc.boolean())
  .map(([items, open]) => [...items, ...(open ? ['**'] : [])]);
const hostPattern = fc.constantFrom(
  '**',
  'a',
  'a.b',
  'b.b',
  'c.a.b',
  '*.b',
  '*.a.b',
  '0.0.0.0/0',
  '0.0.0.0/1',
  '128.0.0.0/1',
  '10.0.0.0/8',
  '10.0.0.0/31',
  '10.0.0.0',
  '10.0.0.1',
  '::/0',
  '::/1',
  '8000::/1',
  '::',
  '::fffe:0:0/95',
);
const range = fc.record({ from: fc.constantFrom(0, 1, 2, 3, 65_535), to: fc.constantFrom(0, 1, 2, 3, 65_535) });

export const worldKinds = ['filesystem', 'network', 'process', 'tool'] as const;
export type WorldKind = (typeof worldKinds)[number];

const patterns: Readonly<Record<WorldKind, Arbitrary<ActionPattern>>> = {
  filesystem: fc.record({ filesystem: fc.record({ path, methods: anyOr(set('read' as const, 'write' as const, 'delete' as const, 'execute' as const)) }) }),
  network: fc.record({ network: fc.record({ host: hostPattern, ports: anyOr(range), methods: anyOr(set('GET', 'PUT')) }) }),
  process: fc.record({ process: fc.record({ argv: fc.oneof({ weight: 6, arbitrary: argv }, { weight: 1, arbitrary: fc.constant(['**']) }) }) }),
  tool: fc.record({ tool: fc.record({ server: item, name: item }) }),
};

/** Policies about one kind of action: rules of two kinds never meet. */
export function worldPolicies(kind: WorldKind): Arbitrary<Policy> {
  const rule = fc.record({ effect: fc.constantFrom(...effects), agents: anyOr(fc.record({ one_of: set('p', 'q') })), action: patterns[kind] });
  return fc.array(rule, { minLength: 1, maxLength: 7 }).map((rules) => copyPolicy({ version: 1, rules: rules.map((each, i) => ({ name: `r${i}`, ...each })) }));
}

/** Words of up to `length` letters. */
function words(letters: readonly string[], length: number): readonly string[] {
  let longest = [''];
  const all = [...longest];
  for (let i = 0; i < length; i++) {
    longest = longest.flatMap((word) => letters.map((letter) => word + letter));
    all.push(...longest);
  }
  return all;
}

function lists(items: readonly string[], length: number): readonly (readonly string[])[] {
  let longest: (readonly string[])[] = [[]];
  const all = [...longest];
  for (let i = 0; i < length; i++) {
    longest = longest.flatMap((list) => items.map((each) => [...list, each]));
    all.push(...longest);
  }
  return all;
}

function actionsOf(kind: WorldKind, isSmall: boolean): readonly Request['actions'][number][] {
  const some = isSmall ? words(['a', 'b'], 2) : words(['a', 'b', 'x'], 2).concat('aab', 'bab', 'xab', 'bxa');
  const solid = some.filter((word) => word !== '');
  switch (kind) {
    case 'filesystem':
      return lists([...solid, '.a', '.ab', 'a.'], 2).flatMap((items) =>
        (['read', 'write', 'delete', 'execute'] as const).map((method) => ({ filesystem: { path: `/${items.join('/')}`, method } })),
      );
    case 'network':
      return [
        'a',
        'b',
        'x',
        'a.b',
        'b.b',
        'x.b',
        'c.a.b',
        'x.a.b',
        '10.0.0.0',
        '10.0.0.1',
        '10.0.0.2',
        '1.1.1.1',
        '200.0.0.0',
        '::',
        '::1',
        '8000::',
        '::ffff:ffff',
        '::fffe:0:1',
      ].flatMap((host) =>
        [1, 2, 3, 4, 65_535].flatMap((port) =>
          [undefined, 'GET', 'PUT', 'X'].map((method) => ({ network: method === undefined ? { host, port } : { host, port, method } })),
        ),
      );
    case 'process':
      return lists(some.slice(0, 13), isSmall ? 2 : 3)
        .filter(({ length }) => length > 0)
        .map((items) => ({ process: { argv: items } }));
    case 'tool':
      return solid.flatMap((server) => solid.map((name) => ({ tool: { server, name } })));
  }
}

/** Every request of the world of one kind, for two agents that rules know and one that they do not; or of a smaller one, of two letters. */
export function worldRequests(kind: WorldKind, isSmall = false): readonly Request[] {
  return actionsOf(kind, isSmall).flatMap((action) => ['p', 'q', 'other'].map((agent) => ({ agent, actions: [action] })));
}
