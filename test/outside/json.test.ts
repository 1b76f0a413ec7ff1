/**
 * The JSON parsing suite against the door of policies. First the syntax alone, before anything is asked of the shape; then the strings of the suite as the name of a rule
 * and its numbers as the version of a policy, through the whole door.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';
import { policyDigest } from '../../src/digest/digest.js';
import { textOf } from '../../src/policy/document.js';
import { readJson } from '../../src/policy/json.js';
import { limits } from '../../src/limits.js';
import { checkPolicy } from '../../src/policy/parse.js';
import { answerOf, fromBase64, load, outside, tally } from './outside.js';

interface SuiteFile {
  readonly name: string;
  readonly expect: 'accept' | 'reject' | 'either' | 'transform';
  readonly base64: string;
}

interface Judged extends SuiteFile {
  readonly bytes: Uint8Array;
  /** Absent where the bytes are not UTF-8. */
  readonly text?: string;
  /** One word: the code of a refusal, the codes of what a document has wrong, or `accepted`. */
  readonly ours: string;
}

function judge(file: SuiteFile): Judged {
  const bytes = fromBase64(file.base64);
  const answer = answerOf(() => readJson(textOf(bytes, 'json')));
  const ours = 'code' in answer ? answer.code : [...new Set(answer.value.problems.map(({ code }) => code))].sort().join(' and ') || 'accepted';
  try {
    return { ...file, bytes, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), ours };
  } catch {
    return { ...file, bytes, ours };
  }
}

/** What stands outside of strings: brackets, words and numbers. */
const bare = (text: string): string => text.replaceAll(/"(?:[^"\\]|\\.)*"/gs, '""');
const numbersIn = (text: string): readonly string[] => bare(text).match(/[-+0-9.][-+0-9.eE]*/g) ?? [];
/** POL-4 */
const isPlainInteger = (written: string): boolean => /^(0|[1-9][0-9]*)$/.test(written) && Number.isSafeInteger(Number(written));
const depthOf = (text: string): number => {
  let depth = 0;
  let deepest = 0;
  for (const char of bare(text)) {
    if ('[{'.includes(char)) deepest = Math.max(deepest, ++depth);
    if (']}'.includes(char)) depth--;
  }
  return deepest;
};

/** POL-8: control characters, and those that turn the direction of what follows. */
const misleads = (char: string): boolean => {
  const point = char.codePointAt(0) as number;
  return point < 0x20 || (point >= 0x7f && point <= 0x9f) || (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
};

outside('the JSON parsing suite', () => {
  const files = load<{ cases: readonly SuiteFile[] }>('vectors/json-parsing/jsontestsuite.json').cases.map(judge);
  const that = (expectation: SuiteFile['expect']): readonly Judged[] => files.filter((file) => file.expect === expectation);

  it('is 338 files', () => {
    expect(tally(files.map((file) => file.expect))).toEqual({ accept: 95, reject: 186, either: 35, transform: 22 });
  });

  describe('what must be refused', () => {
    it('is refused: as UTF-8 where it is none, else as syntax (POL-11)', () => {
      const refused = that('reject');
      expect(refused.map(({ name, ours }) => `${name}: ${ours}`)).toEqual(
        refused.map(({ name, text }) => `${name}: ${text === undefined ? 'utf8' : 'syntax'}`),
      );
      expect(tally(refused.map(({ ours }) => ours))).toEqual({ syntax: 174, utf8: 12 });
    });

    it('is refused with the same code at the open door, which has nothing else to say then', () => {
      for (const { bytes, ours, name } of that('reject')) {
        const result = checkPolicy(bytes, { format: 'json' });
        expect([name, 'problems' in result ? result.problems.map(({ code }) => code) : 'a policy']).toEqual([name, [ours]]);
      }
    });
  });

  describe('what must be accepted', () => {
    const accepted = that('accept');

    it('is JSON for us too', () => {
      expect(accepted.filter(({ ours }) => ['syntax', 'utf8', 'limit'].includes(ours))).toEqual([]);
    });

    it('is refused for what it says in 21 files: a key twice (POL-12), a number not in plain digits (POL-4)', () => {
      expect(tally(accepted.map(({ ours }) => ours))).toEqual({ accepted: 74, 'bad-integer': 19, 'duplicate-key': 2 });
      expect(accepted.filter(({ ours }) => ours === 'duplicate-key').map(({ name }) => name.includes('duplicated_key'))).toEqual([true, true]);
      const hasBadNumber = ({ text }: Judged): boolean => numbersIn(text as string).some((written) => !isPlainInteger(written));
      expect(accepted.filter(hasBadNumber)).toEqual(accepted.filter(({ ours }) => ours === 'bad-integer'));
    });

    it('gives the value that JSON.parse gives', () => {
      for (const { bytes, text } of accepted) expect(readJson(textOf(bytes, 'json')).value).toEqual(JSON.parse(text as string));
    });
  });

  describe('what may be either', () => {
    const either = that('either');

    it('is refused where it is not UTF-8, begins with a byte order mark or is nested too deep, and has problems where its numbers are not in plain digits', () => {
      const expected = either.map(({ text }) => {
        if (text === undefined) return 'utf8';
        if (text.startsWith('\ufeff')) return 'syntax';
        if (depthOf(text) > limits.documentDepth) return 'limit';
        return numbersIn(text).every(isPlainInteger) ? 'accepted' : 'bad-integer';
      });
      expect(either.map(({ ours }) => ours)).toEqual(expected);
      expect(tally(expected)).toEqual({ utf8: 13, syntax: 1, limit: 1, 'bad-integer': 10, accepted: 10 });
    });

    it('is accepted as syntax with unpaired surrogates alone, which are refused where the string is used', () => {
      const accepted = either.filter(({ ours }) => ours === 'accepted');
      expect(accepted.filter(({ text }) => JSON.stringify(JSON.parse(text as string)).includes('\\ud') === false)).toEqual([]);
    });
  });

  describe('what parsers read differently', () => {
    it('is refused for keys that stand twice and for numbers not in plain digits; keys that only look alike are two keys (POL-7)', () => {
      const transform = that('transform');
      const expected = transform.map(({ name, text }) => {
        if (text === undefined) return 'utf8';
        const problems = [...(numbersIn(text).every(isPlainInteger) ? [] : ['bad-integer']), ...(name.startsWith('object_same_key') ? ['duplicate-key'] : [])];
        return problems.join(' and ') || 'accepted';
      });
      expect(transform.map(({ ours }) => ours)).toEqual(expected);
      expect(tally(expected)).toEqual({ utf8: 3, 'bad-integer': 9, 'duplicate-key': 2, 'bad-integer and duplicate-key': 1, accepted: 7 });
    });
  });

  describe('its strings as the name of a rule', () => {
    /** The literals of files that hold one string in a list, as they are written. */
    const literals = files.flatMap(({ text }) => {
      const literal = /^\s*\[\s*("(?:[^"\\]|\\.)*")\s*\]\s*$/s.exec(text ?? '')?.[1];
      if (literal === undefined) return [];
      try {
        return [{ literal, value: JSON.parse(literal) as string }];
      } catch {
        return []; // one of those that must be refused, and was
      }
    });

    it('are refused for what a name must not be, and else are the name: 58 strings (POL-7, POL-8)', () => {
      const expected = literals.map(({ value }) => {
        if (!value.isWellFormed()) return 'lone-surrogate';
        if (value === '') return 'empty-text';
        return [...value].some(misleads) ? 'control-character' : 'a policy';
      });
      const got = literals.map(({ literal, value }) => {
        const text = `{"version":1,"rules":[{"name":${literal},"effect":"deny","agents":"any","action":{"tool":{"server":"s","name":"n"}}}]}`;
        const result = checkPolicy(text, { format: 'json' });
        if ('problems' in result) return result.problems.map(({ code }) => code).join(' and ');
        expect(result.policy.rules[0]?.name).toBe(value);
        return 'a policy';
      });
      expect(got).toEqual(expected);
      expect(tally(expected)).toEqual({ 'a policy': 38, 'lone-surrogate': 12, 'control-character': 7, 'empty-text': 1 });
    });

    it('make different digests where they are different names', () => {
      const values = new Set(literals.map(({ value }) => value));
      const names = [...values].filter((value) => value !== '' && value.isWellFormed() && ![...value].some(misleads));
      const digests = names.map((name) =>
        policyDigest({ version: 1, rules: [{ name, effect: 'deny', agents: 'any', action: { tool: { server: 's', name: 'n' } } }] }),
      );
      expect([names.length, new Set(digests).size]).toEqual([33, 33]);
    });
  });

  describe('its numbers as a version', () => {
    const literals = files.flatMap(({ text, ours }) => {
      const literal = /^\s*\[?\s*(-?[0-9][0-9.eE+-]*)\s*\]?\s*$/.exec(text ?? '')?.[1];
      return literal === undefined || ours === 'syntax' ? [] : [literal];
    });

    it('are a version in plain digits alone: 7 of 44 numbers (POL-4)', () => {
      const codes = literals.map((literal) => {
        const result = checkPolicy(`{"version":${literal},"rules":[]}`, { format: 'json' });
        return 'policy' in result ? 'a policy' : result.problems.map(({ code }) => code).join(' and ');
      });
      expect(codes).toEqual(literals.map((literal) => (isPlainInteger(literal) ? 'a policy' : 'bad-integer')));
      expect(tally(codes)).toEqual({ 'a policy': 7, 'bad-integer': 37 });
    });
  });
});
