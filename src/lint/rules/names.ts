/**
 * Names that are odd: known to one rule alone, or taken for another.
 * @module
 */
import type { Rule } from '../../policy/model.js';
import { lintRule, type Seen, type Subject } from '../rule.js';

export const unknownAgent = lintRule({
  id: 'policy.unknown-agent',
  title: 'An allow rule for an agent that no other rule knows',
  help: 'Agent ids are compared byte for byte. An id that stands in one allow rule alone, while nearly all others of the policy stand in several, may be misspelt: the agent that was meant does not have the right, and whoever takes the misspelt name has it.',
  remediation: 'check how the agent is named',
  severity: 'low',
  confidence: 'low',
  *look({ policy, nameOf, show }) {
    const places = new Map<string, number[]>();
    policy.rules.forEach(({ agents }, position) => {
      if (agents === 'any') return;
      for (const id of agents.one_of) {
        const known = places.get(id);
        if (known === undefined) places.set(id, [position]);
        else known.push(position);
      }
    });
    const single = [...places].filter(([, positions]) => positions.length === 1);
    // where many ids stand once, that is how the policy is written
    if (single.length === places.size || single.length > Math.max(1, places.size / 4)) return;
    for (const [id, [position]] of single) {
      if (position === undefined || policy.rules[position]?.effect !== 'allow') continue;
      yield { position, detail: id, message: `no other rule knows the agent ${show(id)} of the rule ${nameOf(position)}` };
    }
  },
});

/** A name that is compared with others of its kind. */
interface Named {
  readonly kind: string;
  readonly text: string;
  readonly position: number;
}

export const lookAlike = lintRule({
  id: 'policy.look-alike',
  title: 'Names that look alike',
  help: 'Two names differ only in what the eye does not see: case, hyphen and underscore, 0 and O, 1 and l, letters of another alphabet, characters without width. Matching sees the difference. One of them may be misspelt, or made to be taken for the other.',
  remediation: 'name the two so that they can be told apart, or correct the one that is misspelt',
  severity: 'medium',
  confidence: 'medium',
  *look(subject) {
    const first = new Map<string, Named>();
    const said = new Set<string>();
    for (const named of namesIn(subject)) {
      const { kind, text } = named;
      const key = JSON.stringify([kind, skeletonOf(text)]);
      const earlier = first.get(key);
      if (earlier === undefined) first.set(key, named);
      const other = earlier !== undefined && earlier.text !== text ? earlier : undefined;
      if (other === undefined && !isForeign(text)) continue;
      const once = JSON.stringify([kind, text]);
      if (said.has(once)) continue;
      said.add(once);
      yield sightOf(subject, named, other);
    }
  },
});

function sightOf({ show, nameOf }: Subject, { kind, text, position }: Named, other: Named | undefined): Seen {
  if (other === undefined) {
    return { position, detail: `${kind}:${text}`, message: `the ${kind} ${show(text)} in the rule ${nameOf(position)} has letters that look like others` };
  }
  const message = `the ${kind} ${show(text)} in the rule ${nameOf(position)} looks like ${show(other.text)}`;
  return { position, ...(other.position !== position && { others: [other.position] }), detail: `${kind}:${text}:${other.text}`, message };
}

function* namesIn({ policy }: Subject): Generator<Named> {
  for (const [position, rule] of policy.rules.entries()) yield* namesOf(rule, position);
}

function* namesOf({ name, agents, action }: Rule, position: number): Generator<Named> {
  yield { kind: 'rule name', text: name, position };
  if (agents !== 'any') for (const text of agents.one_of) yield { kind: 'agent', text, position };
  if ('tool' in action) {
    yield { kind: 'server', text: action.tool.server, position };
    yield { kind: 'tool', text: action.tool.name, position };
  }
  if ('network' in action) yield { kind: 'host', text: action.network.host, position };
}

/** Letters that look like ASCII ones: of Cyrillic, Greek, Armenian and Latin, the ones that fonts draw alike. */
const doubles: Readonly<Record<string, string>> = {
  а: 'a',
  ɑ: 'a',
  α: 'a',
  Ь: 'b',
  с: 'c',
  ϲ: 'c',
  ԁ: 'd',
  е: 'e',
  ҽ: 'e',
  ɡ: 'g',
  һ: 'h',
  հ: 'h',
  і: 'i',
  ı: 'l',
  ι: 'l',
  ј: 'j',
  κ: 'k',
  к: 'k',
  ӏ: 'l',
  ո: 'n',
  η: 'n',
  о: 'o',
  ο: 'o',
  օ: 'o',
  р: 'p',
  ρ: 'p',
  ԛ: 'q',
  г: 'r',
  ѕ: 's',
  т: 't',
  τ: 't',
  υ: 'u',
  ս: 'u',
  ν: 'v',
  ѵ: 'v',
  ԝ: 'w',
  х: 'x',
  χ: 'x',
  у: 'y',
  γ: 'y',
  в: 'b',
  н: 'h',
  м: 'm',
  ӓ: 'ä',
};
/** First and last of the characters that take no room. */
const unseen: readonly (readonly [number, number])[] = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2060, 0x2064],
  [0x206a, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xe0000, 0xe0fff],
];

function isUnseen(char: string): boolean {
  const point = char.codePointAt(0) as number;
  return point > 0x7f && unseen.some(([from, to]) => from <= point && point <= to);
}

function plainLetters(text: string): string {
  const folded = [...text.normalize('NFKC').toLowerCase()].filter((char) => !isUnseen(char));
  return folded.map((char) => (Object.hasOwn(doubles, char) ? doubles[char] : char)).join('');
}

/** What the eye sees of a name. */
function skeletonOf(text: string): string {
  return plainLetters(text).replaceAll('_', '-').replaceAll('rn', 'm').replaceAll('vv', 'w').replaceAll('0', 'o').replace(/[1i|]/g, 'l');
}

/** Whether a name that is not ASCII looks as if it were. */
function isForeign(text: string): boolean {
  return /[^\0-\x7f]/.test(text) && /^[\0-\x7f]*$/.test(plainLetters(text)) && /[a-z]/i.test(text);
}
