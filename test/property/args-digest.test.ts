import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argsDigest, mappingDigest } from '../../src/digest/args-digest.js';
import { canonicalJson } from '../../src/digest/canonical-json.js';
import * as reference from '../reference/args-digest.js';
import { outcome, runs } from './agreement.js';

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('\ud800', '\udc00', '"', '\\', '\u0001', '\u007f', '\uffff', '\u{10000}', 'a') }),
);
const number = fc.oneof(
  fc.double(),
  fc.maxSafeInteger(),
  fc.double({ min: -1e-5, max: 1e-5 }),
  fc.constantFrom(2 ** 53, -(2 ** 53), 2 ** 53 - 1, 1e21, 5e-324, -0),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom(null, true, false),
    text,
    number,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(text, tie('value'), { maxKeys: 6 }),
  ),
}));

describe('args digest: src against the reference', () => {
  it('has the same forms and digests, and refuses the same values (DIG-8 to DIG-11)', () => {
    fc.assert(
      fc.property(value, fc.string({ unit: 'grapheme' }), (args, salt) => {
        const form = reference.form(args);
        const got = outcome(() => canonicalJson(args));
        if (form === undefined) {
          expect(got).toHaveProperty('code');
          return;
        }
        expect(got).toEqual({ ok: form });
        expect(argsDigest(args, salt)).toBe(reference.argsDigest(form, salt));
        expect(mappingDigest(args)).toBe(reference.mappingDigest(form));
      }),
      runs(8),
    );
  });

  it('has one form for every order of keys, and reads back as the same value (DIG-8)', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'grapheme' }), fc.oneof(fc.constant(1), fc.string({ unit: 'grapheme' })), { maxKeys: 8 }),
        fc.nat(),
        (members, turn) => {
          const entries = Object.entries(members).filter(([key]) => key !== '__proto__');
          const at = entries.length === 0 ? 0 : turn % entries.length;
          const turned = Object.fromEntries([...entries.slice(at), ...entries.slice(0, at)].reverse());
          const form = canonicalJson(Object.fromEntries(entries));
          expect(canonicalJson(turned)).toBe(form);
          expect(JSON.parse(form)).toEqual(Object.fromEntries(entries));
        },
      ),
      runs(3),
    );
  });
});
