/** The search behind dead rules, asked directly: rules that a probe reaches never come to it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileRule, firstUncovered, subjectOf } from '../../src/decide/covers.js';
import { canonicalHost, parseHostPattern, hostPatternCovers } from '../../src/policy/host.js';
import type { Rule } from '../../src/policy/model.js';
import { findUncoveredHost } from '../../src/lint/hosts.js';
import { ItemAutomaton } from '../../src/lint/item-automaton.js';
import { itemsOf } from '../../src/lint/meeting.js';
import { findUncovered } from '../../src/lint/uncovered.js';
import { argvWords, pathWords, toolWords } from '../../src/lint/words.js';
import { runs } from '../property/agreement.js';
import { worldPolicies, worldRequests } from './worlds.js';

const kinds = { filesystem: pathWords, process: argvWords, tool: toolWords } as const;
const compiled = (rule: Rule) => ({ ...compileRule(rule), agents: undefined });
const open = (rule: Rule): Rule => ('filesystem' in rule.action ? { ...rule, action: { filesystem: { ...rule.action.filesystem, methods: 'any' } } } : rule);

describe('findUncovered', () => {
  it.each(['filesystem', 'process', 'tool'] as const)(
    'finds a list of %s items that one or two patterns cover and the others do not, or there is none (LNT-1)',
    (kind) => {
      const every = worldRequests(kind).filter(({ agent }) => agent === 'p');
      fc.assert(
        fc.property(worldPolicies(kind), fc.integer({ min: 1, max: 2 }), ({ rules }, count) => {
          const all = rules.map((rule) => compiled(open(rule)));
          const [covering, avoided] = [all.slice(0, count), all.slice(count)];
          const automata = (some: typeof all) => some.map(({ pattern }) => new ItemAutomaton(itemsOf(pattern)));
          const answer = findUncovered(kinds[kind], automata(covering), automata(avoided), { states: 100_000, positions: 10_000_000 });
          const isAnswer = (action: (typeof every)[number]['actions'][number]): boolean =>
            covering.every((rule) => firstUncovered(rule, 'p', subjectOf(action)) === undefined) &&
            avoided.every((rule) => firstUncovered(rule, 'p', subjectOf(action)) !== undefined);
          if (answer.found === 'list') {
            const { items } = answer;
            if (kind === 'filesystem') expect(isAnswer({ filesystem: { path: `/${items.join('/')}`, method: 'read' } })).toBe(true);
            else if (kind === 'process') expect(isAnswer({ process: { argv: items } })).toBe(true);
            else expect(isAnswer({ tool: { server: items[0] as string, name: items[1] as string } })).toBe(true);
          } else {
            expect(answer.found).toBe('none');
            expect(every.find(({ actions }) => isAnswer(actions[0] as (typeof actions)[number]))).toBeUndefined();
          }
        }),
        runs(2),
      );
    },
  );

  it('counts arguments where the shortest lists have too many, because an argv of 257 items is no request (LNT-1)', () => {
    const stars = (length: number) => Array.from({ length }, () => '*');
    const argv = (items: readonly string[]) =>
      new ItemAutomaton(itemsOf(compileRule({ name: 'r', effect: 'deny', agents: 'any', action: { process: { argv: items } } }).pattern));
    const lengths = Array.from({ length: 256 }, (_, i) => i + 1);
    const budget = () => ({ states: 100_000, positions: 100_000_000 });
    // of 257 empty ones the list is shorter than of 256, where one has ten characters
    const almost = Array.from({ length: 10 }, (_, i) => argv(['?'.repeat(i), ...stars(255)]));
    const avoided = [...lengths.slice(0, -1).map((n) => argv(stars(n))), ...almost];
    const found = findUncovered(argvWords, [argv(['**'])], avoided, budget());
    expect(found.found === 'list' && found.items.map(({ length }) => length)).toEqual([10, ...stars(255).map(() => 0)]);
    expect(
      findUncovered(
        argvWords,
        [argv(['**'])],
        lengths.map((n) => argv(stars(n))),
        budget(),
      ).found,
    ).toBe('none');
  });

  it('finds no path where only "." and ".." are left, because those are no segments (LNT-1)', () => {
    const path = (pattern: string) =>
      new ItemAutomaton(itemsOf(compileRule({ name: 'r', effect: 'deny', agents: 'any', action: { filesystem: { path: pattern, methods: 'any' } } }).pattern));
    const budget = () => ({ states: 1_000, positions: 100_000 });
    expect(findUncovered(pathWords, [path('/?')], [path('/x')], budget())).toMatchObject({ found: 'list' });
    expect(findUncovered(pathWords, [path('/.*')], [path('/.?*')], budget())).toEqual({ found: 'none', by: new Set([0]) });
    expect(findUncovered(pathWords, [path('/..*')], [path('/..?*')], budget())).toMatchObject({ found: 'none' });
  });

  it('says beyond where the budget is used up, never none (LNT-4)', () => {
    const path = (pattern: string) =>
      new ItemAutomaton(itemsOf(compileRule({ name: 'r', effect: 'deny', agents: 'any', action: { filesystem: { path: pattern, methods: 'any' } } }).pattern));
    const covered = [[path('/a/b/*c')], [path('/a/b/*')]] as const;
    expect(findUncovered(pathWords, ...covered, { states: 50, positions: 10_000 }).found).toBe('none');
    expect(findUncovered(pathWords, ...covered, { states: 2, positions: 10_000 }).found).toBe('beyond');
    expect(findUncovered(pathWords, ...covered, { states: 50, positions: 3 }).found).toBe('beyond');
  });
});

describe('findUncoveredHost', () => {
  const host = (...patterns: readonly string[]) => patterns.map(parseHostPattern);
  const find = (covering: readonly string[], avoided: readonly string[]) => findUncoveredHost(host(...covering), host(...avoided));
  const label = 'x'.repeat(62);

  it.each<[string, readonly string[], readonly string[]]>([
    ['the two halves of IPv4', ['0.0.0.0/0'], ['0.0.0.0/1', '128.0.0.0/1']],
    ['the two halves of IPv6', ['::/0'], ['::/1', '8000::/1']],
    ['both addresses of a block', ['10.0.0.0/31'], ['10.0.0.0', '10.0.0.1']],
    ['a block that is IPv4-mapped but for one half', ['::fffe:0:0/95'], ['::fffe:0:0/96']],
    ['a longer suffix', ['*.a.b'], ['*.b']],
    ['a name and no label in front of it', ['b'], ['b']],
    ['a suffix that leaves no room for a label', [`*.${[label, label, label, `${label}x`].join('.')}`], []],
    ['two suffixes that share no name', ['*.a', '*.b'], []],
    ['a name and a block', ['a', '10.0.0.0/8'], []],
    ['everything', ['**'], ['**']],
  ])('finds none in %s', (_, covering, avoided) => {
    expect(find(covering, avoided).found).toBe('none');
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ['names beside all addresses', ['**'], ['0.0.0.0/0', '::/0']],
    ['an address below names', ['0.0.0.0/0'], ['*.com', '10.0.0.0/8', '::/0']],
    ['a label more', ['*.b'], ['a.b', 'x.b', '*.a.b', '*.x.b']],
    ['the last address', ['0.0.0.0/0'], ['0.0.0.0/1', '128.0.0.0/2', '192.0.0.0/3', '224.0.0.0/4', '240.0.0.0/5', '248.0.0.0/6', '252.0.0.0/7', '254.0.0.0/8']],
    ['the name itself', ['b'], ['*.b']],
    ['an address beyond the mapped ones', ['::/0'], ['::/81', '8000::/1', '4000::/2', '2000::/3', '1000::/4']],
  ])('finds one in %s', (_, covering, avoided) => {
    const answer = find(covering, avoided);
    const found = answer.found === 'host' ? answer.host : '';
    expect(canonicalHost(found)).toBe(found);
    expect(host(...covering).every((pattern) => hostPatternCovers(pattern, found))).toBe(true);
    expect(host(...avoided).some((pattern) => hostPatternCovers(pattern, found))).toBe(false);
  });

  it('tries every short label where a suffix leaves room for one character alone', () => {
    const suffix = [label, label, label, 'y'.repeat(62)].join('.'); // 251 characters: with its dot there is room for one
    const labels = [...'abcdefghijklmnopqrstuvwxyz0123456789_-'];
    expect(
      find(
        [`*.${suffix}`],
        labels.slice(1).map((one) => `${one}.${suffix}`),
      ),
    ).toEqual({ found: 'host', host: `a.${suffix}` });
    expect(
      find(
        [`*.${suffix}`],
        labels.map((one) => `${one}.${suffix}`),
      ),
    ).toMatchObject({ found: 'none', by: new Set(labels.keys()) });
  });
});
