import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { argsDigest, mappingDigest } from '../../src/digest/args-digest.js';
import { canonicalJson } from '../../src/digest/canonical-json.js';
import { limits } from '../../src/limits.js';
import { codeOf, type Loose } from '../policy/kit.js';

describe('canonicalJson', () => {
  it('gives the form of the example in RFC 8785, with the integers that are too large left out (DIG-8)', () => {
    const text =
      '{"numbers":[4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}';
    expect(canonicalJson(JSON.parse(text))).toBe('{"literals":[null,true,false],"numbers":[4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}');
  });

  it('sorts keys by UTF-16 code units, which is not the order of their UTF-8 bytes (DIG-8)', () => {
    // the example of RFC 8785 section 3.2.3
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6'];
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33'];
    const form = canonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
    expect(form).toBe(`{${sorted.map((key) => `${JSON.stringify(key)}:0`).join(',')}}`);
  });

  it('sorts keys that look like indexes as text, because an object of JavaScript does not (DIG-8)', () => {
    expect(canonicalJson(JSON.parse('{"b":0,"10":1,"2":2,"a":3}'))).toBe('{"10":1,"2":2,"a":3,"b":0}');
  });

  it.each([
    ['-0', '0'],
    ['1.0', '1'],
    ['1E2', '100'],
    ['1e-7', '1e-7'],
    ['0.000001', '0.000001'],
    ['5e-324', '5e-324'],
    ['2.2250738585072014e-308', '2.2250738585072014e-308'],
    ['333333333.33333329', '333333333.3333333'],
    ['9007199254740991', '9007199254740991'],
    ['-9007199254740991', '-9007199254740991'],
    ['4503599627370495.5', '4503599627370495.5'],
  ])('writes the number %s as %s (DIG-8)', (written, form) => {
    expect(canonicalJson(JSON.parse(written))).toBe(form);
  });

  it.each(['9007199254740992', '9007199254740993', '-9007199254740992', '1e21', '1e300', '9007199254740992.0'])(
    'has no form for the integer %s (DIG-9)',
    (written) => {
      expect(codeOf(() => canonicalJson({ n: [JSON.parse(written)] }))).toBe('bad-integer');
    },
  );

  it('has no form for what is no number (DIG-9)', () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, JSON.parse('1e400')]) expect(codeOf(() => canonicalJson([value]))).toBe('not-plain-data');
  });

  it('escapes what ECMAScript escapes and nothing else (DIG-8)', () => {
    expect(canonicalJson('\u0000\b\t\n\f\r"\\/\u001f\u007f\u2028\u2029é\u{1f600}')).toBe('"\\u0000\\b\\t\\n\\f\\r\\"\\\\/\\u001f\u007f\u2028\u2029é\u{1f600}"');
  });

  it('refuses an unpaired surrogate, in a key too, because UTF-8 would make two texts one (DIG-11)', () => {
    expect(codeOf(() => canonicalJson(['\ud800']))).toBe('lone-surrogate');
    expect(codeOf(() => canonicalJson({ '\udc00': 1 }))).toBe('lone-surrogate');
  });

  it('does not normalise text, because the server does not (DIG-8)', () => {
    expect(canonicalJson('\u00e9')).not.toBe(canonicalJson('e\u0301'));
  });

  it('never repeats in a message what is among the arguments', () => {
    const secret = 'hunter2';
    const messageOf = (value: unknown): string => {
      try {
        return canonicalJson(value);
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(messageOf([`${secret}\ud800`])).not.toContain(secret);
    expect(messageOf({ [`${secret}\ud800`]: 1 })).not.toContain(secret);
    expect(messageOf([2 ** 53])).not.toContain('900719');
  });
});

describe('what is not JSON data', () => {
  const symbol: Loose = { [Symbol('s')]: 1 };
  const cycle: Loose = {};
  cycle.self = cycle;
  it.each<[string, unknown]>([
    ['a function', { f: () => 1 }],
    ['a symbol as a key', symbol],
    ['a bigint', [1n]],
    ['a date', { at: new Date(0) }],
    ['a map', new Map()],
    ['bytes', new Uint8Array(2)],
    ['a getter', Object.defineProperty({}, 'a', { get: () => 1, enumerable: true })],
    ['a hidden property', Object.defineProperty({}, 'a', { value: 1, enumerable: false })],
    ['inherited fields', Object.create({ a: 1 })],
    ['a hole', Object.assign(new Array(3), { 0: 1, 2: 2 })],
    ['undefined in a list', [undefined]],
    [
      'an object with toJSON of its own class',
      new (class {
        toJSON = 1;
      })(),
    ],
    ['a cycle', cycle],
  ])('has no form: %s (DIG-11)', (_what, value) => {
    expect(codeOf(() => canonicalJson(value))).toBe('not-plain-data');
  });

  it('refuses the key `__proto__` (DIG-11)', () => {
    expect(codeOf(() => canonicalJson(JSON.parse('{"a":{"__proto__":1}}')))).toBe('forbidden-key');
  });

  it('refuses depth over the limit, and takes what is within it (DIG-11)', () => {
    const nested = (levels: number): unknown => JSON.parse('['.repeat(levels) + ']'.repeat(levels));
    expect(canonicalJson(nested(32))).toHaveLength(64);
    expect(codeOf(() => canonicalJson(nested(33)))).toBe('limit');
    expect(codeOf(() => canonicalJson(nested(5_000)))).toBe('limit');
  });

  it('refuses a form over the limit, and counts bytes and not code units (DIG-11)', () => {
    expect(canonicalJson('a'.repeat(limits.argsBytes - 2))).toHaveLength(limits.argsBytes);
    expect(codeOf(() => canonicalJson('a'.repeat(limits.argsBytes - 1)))).toBe('limit');
    expect(codeOf(() => canonicalJson('é'.repeat(limits.argsBytes / 2)))).toBe('limit');
  });

  it('ends at a value that would be written 2^30 times (DIG-11)', () => {
    let wide: unknown = [];
    for (let i = 0; i < 30; i++) wide = [wide, wide];
    expect(codeOf(() => canonicalJson(wide))).toBe('limit');
  });

  it('reads each property once, because a proxy could show the digest one value and the server another', () => {
    let reads = 0;
    const args = new Proxy(
      { path: '/a' },
      {
        getOwnPropertyDescriptor: (target, key) => {
          if (key === 'path') reads++;
          return Reflect.getOwnPropertyDescriptor(target, key);
        },
      },
    );
    expect(canonicalJson(args)).toBe('{"path":"/a"}');
    expect(reads).toBe(1);
  });
});

describe('argsDigest', () => {
  const field = (text: string): Buffer => {
    const bytes = Buffer.from(text);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const sha256 = (...texts: string[]): string =>
    `sha256:${createHash('sha256')
      .update(Buffer.concat(texts.map(field)))
      .digest('hex')}`;

  it('is the hash of tag, salt and form, each with its length (DIG-10)', () => {
    expect(argsDigest({ b: 1, a: 'é' }, 'salt')).toBe(sha256('ruleprint/args-digest/1', 'salt', '{"a":"é","b":1}'));
  });

  it('takes absent arguments for {} and an absent salt for the empty one (DIG-10)', () => {
    expect(argsDigest(undefined)).toBe(argsDigest({}, ''));
    expect(argsDigest(undefined)).toBe(sha256('ruleprint/args-digest/1', '', '{}'));
  });

  it('tells null and an empty list from absent arguments (DIG-10)', () => {
    expect(new Set([argsDigest(undefined), argsDigest(null), argsDigest([]), argsDigest('')]).size).toBe(4);
  });

  it('does not let a boundary between salt and arguments move (DIG-6)', () => {
    expect(argsDigest('b', 'a"')).not.toBe(argsDigest('"b', 'a'));
    expect(argsDigest(1, '1')).not.toBe(argsDigest(11, ''));
  });

  it('refuses a salt that is no text, is no Unicode or is over its limit (DIG-10)', () => {
    expect(() => argsDigest({}, 1 as Loose)).toThrow(TypeError);
    expect(codeOf(() => argsDigest({}, '\ud800'))).toBe('lone-surrogate');
    expect(codeOf(() => argsDigest({}, 'a'.repeat(65_537)))).toBe('limit');
  });

  it('is another hash than that of a mapping with the same form (DIG-5)', () => {
    expect(mappingDigest({})).toBe(sha256('ruleprint/mapping-digest/1', '{}'));
    expect(mappingDigest({})).not.toBe(argsDigest({}));
  });
});
