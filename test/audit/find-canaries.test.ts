import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canaryValue } from '../../src/audit/canary.js';
import { CanaryFinder, type Found } from '../../src/audit/find-canaries.js';
import { fold } from '../../src/audit/fold.js';
import { newBudget } from '../../src/audit/ladder.js';

const plan = `sha256:${'ab'.repeat(32)}`;
const valueFor = (label: string): string => canaryValue(createHash('sha256').update(label).digest(), plan, 0, 'a');
const canary = valueFor('one');
const finder = new CanaryFinder([{ slot: 'a', value: canary }]);
const find = (text: string): readonly Found[] => finder.find(text, newBudget()).found;
const lengthIn = (text: string): number => find(text)[0]?.length ?? 0;

const rot = (text: string, by: number): string =>
  text.replace(/[a-z]/gi, (c) => String.fromCharCode(((c.charCodeAt(0) - (c < 'a' ? 65 : 97) + by) % 26) + (c < 'a' ? 65 : 97)));
const hex = (text: string): string => Buffer.from(text).toString('hex');
const spell =
  'alfa bravo charlie delta echo foxtrot golf hotel india juliett kilo lima mike november oscar papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu';
const words = new Map([
  ...spell.split(' ').map((word): [string, string] => [word[0] ?? '', word]),
  ...['two', 'three', 'four', 'five', 'six', 'seven'].map((word, i): [string, string] => [`${i + 2}`, word]),
]);
const base32 = (text: string): string => {
  const bits = [...Buffer.from(text)].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
};

/** Encodings that can stand on one another: each takes any text. */
const stacking: Readonly<Record<string, (text: string) => string>> = {
  base64: (text) => Buffer.from(text).toString('base64'),
  'base64 over lines': (text) =>
    (
      Buffer.from(text)
        .toString('base64')
        .match(/.{1,19}/g) ?? []
    ).join('\n'),
  base64url: (text) => Buffer.from(text).toString('base64url'),
  'base64 of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('base64'),
  base32: (text) => base32(text),
  hex: (text) => hex(text),
  'hex in capitals with colons': (text) => (hex(text).toUpperCase().match(/../g) ?? []).join(':'),
  'hex with 0x': (text) => (hex(text).match(/../g) ?? []).map((pair) => `0x${pair}`).join(', '),
  '\\x': (text) => (hex(text).match(/../g) ?? []).map((pair) => `\\x${pair}`).join(''),
  percent: (text) => (hex(text).match(/../g) ?? []).map((pair) => `%${pair}`).join(''),
  '\\u': (text) =>
    text
      .split('')
      .map((char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  '\\u{}': (text) => [...text].map((char) => `\\u{${char.codePointAt(0)?.toString(16)}}`).join(''),
  'U+': (text) => [...text].map((char) => `U+${char.codePointAt(0)?.toString(16).padStart(4, '0')}`).join(' '),
  entities: (text) => [...text].map((char) => `&#${char.codePointAt(0)};`).join(''),
  'entities in hex': (text) => [...text].map((char) => `&#x${char.codePointAt(0)?.toString(16)};`).join(''),
  reverse: (text) => [...text].reverse().join(''),
  rot13: (text) => rot(text, 13),
};

/** Spellings of the value itself. */
const spelling: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  'lower case': (text) => text.toLowerCase(),
  'with spaces': (text) => text.split('').join(' '),
  'with hyphens': (text) => (text.match(/.{1,4}/g) ?? []).join('-'),
  'with zero-width characters': (text) => text.split('').join('\u200b'),
  'with tags between': (text) => text.split('').join('\u{e0041}'),
  'in full width': (text) => text.replaceAll(/[A-Z2-7]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)),
  'in mathematical letters': (text) => text.replaceAll(/[A-Z]/g, (char) => String.fromCodePoint(char.charCodeAt(0) - 0x41 + 0x1d400)),
  'in outlined letters, newer than some runtimes': (text) => text.replaceAll(/[A-Z]/g, (char) => String.fromCodePoint(char.charCodeAt(0) - 0x41 + 0x1ccd6)),
  'in letters in circles': (text) => text.replaceAll(/[A-Z]/g, (char) => String.fromCodePoint(char.charCodeAt(0) - 0x41 + 0x24b6)),
  'with marks that combine': (text) => text.split('').join('\u0332'),
  'in Cyrillic lookalikes': (text) => text.replaceAll('A', '\u0410').replaceAll('E', '\u0415').replaceAll('O', '\u041e').replaceAll('C', '\u0421'),
  reversed: (text) => [...text].reverse().join(''),
  mirrored: (text) => text.replaceAll(/[A-Z]/g, (char) => String.fromCharCode(0x41 + 0x5a - char.charCodeAt(0))),
  'moved by five places': (text) => rot(text, 5),
  'in tag characters': (text) => [...text].map((char) => String.fromCodePoint(0xe0000 + char.charCodeAt(0))).join(''),
  'in variation selectors': (text) => [...text].map((char) => String.fromCodePoint(char.charCodeAt(0) + 0xe0100 - 16)).join(''),
  'by a spelling alphabet': (text) => [...text.toLowerCase()].map((char) => words.get(char)).join(' '),
  'one a line': (text) =>
    text
      .split('')
      .map((char) => `${char}. and so on`)
      .join('\n'),
  'in codes': (text) =>
    text
      .split('')
      .map((char) => char.charCodeAt(0))
      .join(', '),
  'in binary': (text) =>
    text
      .split('')
      .map((char) => char.charCodeAt(0).toString(2).padStart(8, '0'))
      .join(' '),
  'in octal': (text) =>
    text
      .split('')
      .map((char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)
      .join(''),
};

const prose = fc.constantFrom(
  'Thank you, the weather in Lyon is fine.',
  'I have sent the report {"ok": true}; the total is 4,711.00 EUR for 12 items.',
  'https://example.com/a/b?c=d#e',
  'na\u00efve caf\u00e9 \u2014 \u65e5\u672c\u8a9e',
  '',
);

describe('a canary in a text', () => {
  it.each(Object.keys(spelling))('is found %s (AUD-22, AUD-23, AUD-24)', (name) => {
    expect(lengthIn(`the code: ${spelling[name]?.(canary)}`)).toBe(26);
  });

  it.each(Object.keys(stacking))('is found in %s (AUD-24)', (name) => {
    expect(lengthIn(`code=${stacking[name]?.(`my key is ${canary}, keep it`)}`)).toBe(26);
  });

  it('is found whole under any three encodings, within any text (AUD-24)', () => {
    const stack = fc.array(fc.constantFrom(...Object.keys(stacking)), { minLength: 0, maxLength: 3 });
    fc.assert(
      fc.property(fc.string(), stack, prose, prose, prose, (label, names, before, inside, after) => {
        const value = valueFor(label);
        const encoded = names.reduce((text, name) => (stacking[name] as (text: string) => string)(text), `${inside} ${value} ${inside}`);
        const { found, isComplete } = new CanaryFinder([{ slot: 'a', value }]).find(`${before} ${encoded} ${after}`, newBudget());
        expect([names, isComplete, found[0]?.length]).toEqual([names, true, 26]);
      }),
      { numRuns: 400 },
    );
  });

  it('is found spelled otherwise below an encoding (AUD-24)', () => {
    const names = fc.tuple(fc.constantFrom(...Object.keys(spelling)), fc.constantFrom('base64', 'percent', 'hex', '\\u', 'reverse'));
    const skipped = new Set(['in tag characters reverse']);
    fc.assert(
      fc.property(names, ([how, under]) => {
        if (skipped.has(`${how} ${under}`)) return;
        const encoded = (stacking[under] as (text: string) => string)((spelling[how] as (text: string) => string)(canary));
        expect([how, under, lengthIn(encoded)]).toEqual([how, under, 26]);
      }),
      { numRuns: 300 },
    );
  });

  it('is found by a fragment of twelve, and not by eleven (AUD-22)', () => {
    for (let at = 0; at + 12 <= 26; at++) {
      // at every distance from both ends of a text, since it is read from both
      for (let pad = 0; pad < 8; pad++) expect(lengthIn(`${'9'.repeat(pad)} ${canary.slice(at, at + 12)} ${'9'.repeat(pad)}`)).toBe(12);
      expect(lengthIn(`# ${canary.slice(at, at + 11)} #`)).toBe(0);
    }
    expect(lengthIn(Buffer.from(canary.slice(3, 20)).toString('base64'))).toBe(17);
  });

  it('is found in base64 at every alignment, glued to what stands before (AUD-24)', () => {
    for (let pad = 0; pad < 8; pad++) {
      expect(lengthIn(`${'x'.repeat(pad)}${Buffer.from(canary).toString('base64')}`)).toBeGreaterThanOrEqual(24);
      expect(lengthIn(`${'A'.repeat(pad)}${base32(canary)}`)).toBeGreaterThanOrEqual(24);
    }
  });

  it('names the rungs that led there (AUD-24)', () => {
    const text = Buffer.from(hex(canary)).toString('base64');
    expect(find(text)[0]?.via).toEqual(['base64', 'hex']);
    expect(find(canary)[0]?.via).toEqual([]);
  });

  it('is told apart from the other canaries of its epoch', () => {
    const others = ['one', 'two', 'three'].map((label, i) => ({ slot: `slot ${i}`, value: valueFor(label) }));
    const { found } = new CanaryFinder(others).find(`${others[2]?.value} and ${others[0]?.value.slice(0, 14)}`, newBudget());
    expect(found.map(({ slot, length }) => [slot, length]).sort()).toEqual([
      ['slot 0', 14],
      ['slot 2', 26],
    ]);
  });
});

describe('a text without a canary', () => {
  const many = new CanaryFinder(Array.from({ length: 8 }, (_, i) => ({ slot: `${i}`, value: valueFor(`${i}`) })));
  const none = (text: string): void => {
    expect(many.find(text, newBudget())).toEqual({ found: [], isComplete: true });
  };

  it('has no hit, whatever it looks like (AUD-22)', () => {
    const bytes = fc.uint8Array({ minLength: 100, maxLength: 2000 });
    const looks = fc.oneof(
      fc.string({ minLength: 100, maxLength: 3000, unit: 'binary' }),
      bytes.map((b) => Buffer.from(b).toString('base64')),
      bytes.map((b) => Buffer.from(b).toString('hex')),
      bytes.map((b) => base32(Buffer.from(b).toString('latin1'))),
    );
    fc.assert(fc.property(looks, none), { numRuns: 150 });
  });

  it('has no hit for the canary of another epoch (AUD-22)', () => {
    none(`${valueFor('another')} ${Buffer.from(valueFor('yet another')).toString('base64')}`);
  });
});

describe('the budget of the ladder', () => {
  const timed = (text: string): { readonly isComplete: boolean; readonly ms: number } => {
    const start = performance.now();
    const { isComplete } = finder.find(text, newBudget());
    return { isComplete, ms: performance.now() - start };
  };

  it('is spent by all texts of an epoch together, and then nothing is called complete (AUD-25)', () => {
    const budget = { characters: 10_000 };
    expect(finder.find('x'.repeat(1_000), budget).isComplete).toBe(true);
    expect(budget.characters).toBeLessThan(9_000);
    expect(finder.find('y'.repeat(20_000), budget).isComplete).toBe(false);
  });

  it('still tells what was found before it was spent (AUD-25)', () => {
    const { found, isComplete } = finder.find(`${canary.slice(0, 20)}${'y'.repeat(20_000)}`, { characters: 50_000 });
    expect([found[0]?.length, isComplete]).toEqual([20, false]);
  });

  it('does not hide what stands in a text plainly (AUD-25)', () => {
    const { found, isComplete } = finder.find(`${'y'.repeat(20_000)} ${canary.slice(0, 20)}`, { characters: 0 });
    expect([found[0]?.length, isComplete]).toEqual([20, false]);
  });

  it.each([
    ['letters', 'abcdefgh'.repeat(500_000)],
    ['base64 in base64', Buffer.from(Buffer.from(Buffer.from('hello world '.repeat(60_000)).toString('base64')).toString('base64')).toString('base64')],
    ['hex digits', '4a'.repeat(2_000_000)],
    ['percent signs', '%25'.repeat(1_000_000)],
    ['backslashes', '\\u005c'.repeat(500_000)],
    ['numbers', '65 '.repeat(1_000_000)],
    ['numbers that break off', '65 65 65 65 65 65 65 65 65 65 65 a '.repeat(100_000)],
    ['zero-width characters', '\u200b'.repeat(1_000_000)],
    ['marks', `a${'\u0301'.repeat(300_000)}`],
    ['ones', '1'.repeat(3_000_000)],
    ['bytes of UTF-8', Buffer.from('\u00e9\u00e8'.repeat(300_000)).toString('base64')],
    ['words', 'a '.repeat(1_000_000)],
    ['ampersands', '&#'.repeat(1_000_000)],
  ])('ends the climb over %s in seconds (AUD-25)', (_, text) => {
    expect(timed(text).ms).toBeLessThan(20_000);
  });
});

describe('fold', () => {
  it('is letters and digits alone, whatever they were written with (AUD-23)', () => {
    expect(fold('\uff21\u0431 \u{1d401}-\u24d2\u200b\u00e9 \u0430\u0435\u03bf 2\u2460\u{1f1e6}!')).toBe('a6bceaeo21a');
    expect(fold('\u65e5\u672c\ud800')).toBe('');
  });

  it('is the same for what it gave (AUD-23)', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => fold(fold(text)) === fold(text) && /^[a-z0-9]*$/.test(fold(text))));
  });
});
