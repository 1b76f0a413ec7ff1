import { describe, expect, it } from 'vitest';
import { concat } from '../../src/bytes.js';
import { createSigner } from '../../src/cose/signer.js';
import { limits } from '../../src/limits.js';
import {
  answers,
  array,
  bstr,
  cbor,
  codesOf,
  entry,
  head,
  headerOf,
  integer,
  key,
  kidOf,
  map,
  p256Key,
  payloadOffset,
  receipt,
  receiptOf,
  sorted,
  statement,
  trust,
  trustOf,
  tstr,
  typ,
  verify,
  type Entry,
  type Parts,
} from './kit.js';

const good = receipt();
const goodPayload = cbor(statement());
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);
const zeros = (n: number): Uint8Array => new Uint8Array(n);

/** The one problem of a receipt, on the axis "bytes", with its place; everything that rests on the bytes is not checked. */
function expectRefused(of: Uint8Array, code: string, offset: number): void {
  const report = verify(of);
  expect(report.problems).toMatchObject([{ code, axis: 'bytes', status: 'fail', where: { offset } }]);
  expect(report.ok).toBe(false);
  expect(answers(report)).toEqual({
    bytes: 'fail',
    signature: 'not checked: rests on bytes',
    'key-trust': 'not checked: rests on bytes',
    rules: 'not checked: rests on bytes',
    're-decision': 'not checked: rests on bytes',
  });
}

describe('the good receipt that is changed below', () => {
  it('is good', () => {
    expect(verify(good)).toMatchObject({ ok: true, receipts: 1, problems: [] });
  });
});

describe('RCP-12: size', () => {
  it('refuses no bytes', () => expectRefused(zeros(0), 'cbor-truncated', 0));

  it('refuses more than 1,048,576 bytes before it looks at them', () => {
    expectRefused(zeros(limits.receiptBytes + 1), 'limit', 0);
    expect(limits.receiptBytes).toBe(1_048_576);
  });

  it('takes 1,048,576 bytes and looks at them', () => {
    const large = receipt({ payload: zeros(limits.receiptBytes - (good.length - goodPayload.length) - 2) });
    expect(large).toHaveLength(limits.receiptBytes);
    expect(codesOf(verify(large))).toEqual(['cbor-trailing']);
    expect(codesOf(verify(concat(large, zeros(1))))).toEqual(['limit']);
  });
});

describe('RCP-13: tag 18 in front', () => {
  const rest = good.subarray(1);
  it.each<[string, Uint8Array]>([
    ['no tag', rest],
    ['tag 17, a COSE_Mac0', concat(bytes(0xd1), rest)],
    ['tag 19', concat(bytes(0xd3), rest)],
    ['tag 98, a COSE_Sign', concat(bytes(0xd8, 98), rest)],
    ['tag 18 in two bytes', concat(bytes(0xd8, 18), rest)],
    ['tag 18 in three bytes', concat(bytes(0xd9, 0, 18), rest)],
    ['the tag of self-described CBOR', concat(bytes(0xd9, 0xd9, 0xf7), good)],
    ['a map', bytes(0xa0)],
    ['a head that is none', bytes(0xff)],
    ['a float', bytes(0xf9, 0, 0)],
  ])('refuses %s', (_, of) => expectRefused(of, 'cose-tag', 0));

  it('refuses tag 18 twice, the second as a tag inside', () => expectRefused(concat(bytes(0xd2), good), 'cbor-tag', 1));
});

describe('RCP-14: deterministic CBOR in the message', () => {
  const header = headerOf();
  const signature = good.subarray(good.length - 64);
  /** The message with one part of it replaced by bytes. */
  const message = (parts: { array?: Uint8Array; header?: Uint8Array; unprotected?: Uint8Array; payload?: Uint8Array; signature?: Uint8Array }): Uint8Array =>
    concat(
      bytes(0xd2),
      parts.array ?? bytes(0x84),
      parts.header ?? bstr(header),
      parts.unprotected ?? bytes(0xa0),
      parts.payload ?? bstr(goodPayload),
      parts.signature ?? bstr(signature),
    );
  const unprotectedAt = 2 + bstr(header).length;
  const payloadAt = unprotectedAt + 1;

  it('puts the good receipt together again', () => expect(message({})).toEqual(good));

  it.each<[string, Uint8Array, string, number]>([
    ['an end behind the tag', bytes(0xd2), 'cbor-truncated', 1],
    ['an end behind the head of the array', bytes(0xd2, 0x84), 'cbor-truncated', 1],
    ['an end inside a head', concat(bytes(0xd2, 0x84, 0x58)), 'cbor-truncated', 1],
    ['the last byte cut off', good.subarray(0, -1), 'cbor-truncated', good.length - 66],
    ['one byte more', concat(good, zeros(1)), 'cbor-trailing', good.length],
    ['the receipt twice', concat(good, good), 'cbor-trailing', good.length],
    ['an array of indefinite length', concat(message({ array: bytes(0x9f) }), bytes(0xff)), 'cbor-indefinite', 1],
    ['the head of the array in two bytes', message({ array: bytes(0x98, 4) }), 'cbor-not-shortest', 1],
    ['the length of the header in two bytes more', message({ header: concat(head(2, header.length, 2), header) }), 'cbor-not-shortest', 2],
    ['the header in chunks', message({ header: concat(bytes(0x5f), bstr(header), bytes(0xff)) }), 'cbor-indefinite', 2],
    ['an unprotected map of indefinite length', message({ unprotected: bytes(0xbf, 0xff) }), 'cbor-indefinite', unprotectedAt],
    ['an unprotected map with a head of two bytes', message({ unprotected: bytes(0xb8, 0) }), 'cbor-not-shortest', unprotectedAt],
    ['a tag around the payload', message({ payload: concat(bytes(0xd8, 24), bstr(goodPayload)) }), 'cbor-tag', payloadAt],
    ['null in place of the payload, which RFC 9052 calls detached', message({ payload: bytes(0xf6) }), 'cbor-simple', payloadAt],
    ['undefined in place of the payload', message({ payload: bytes(0xf7) }), 'cbor-simple', payloadAt],
    ['a float in place of the payload', message({ payload: bytes(0xf9, 0x3c, 0) }), 'cbor-float', payloadAt],
    ['a length of the payload beyond the end', message({ payload: concat(head(2, 100_000), goodPayload) }), 'cbor-truncated', payloadAt],
    ['a length of the payload of 2^63', message({ payload: concat(bytes(0x5b, 0x80, 0, 0, 0, 0, 0, 0, 0), goodPayload) }), 'cbor-truncated', payloadAt],
    ['reserved additional information', message({ payload: bytes(0x5c) }), 'cbor-reserved', payloadAt],
    ['a break on its own', message({ payload: bytes(0xff) }), 'cbor-reserved', payloadAt],
    [
      'text that is not UTF-8 in the unprotected map',
      message({ unprotected: concat(bytes(0xa1), bytes(0x61, 0xff), bytes(0)) }),
      'cbor-utf8',
      unprotectedAt + 1,
    ],
    ['a key that is a byte string', message({ unprotected: concat(bytes(0xa1), bstr(bytes(1)), bytes(0)) }), 'cbor-key-type', unprotectedAt + 1],
    ['an integer beyond 2^53-1', message({ unprotected: concat(bytes(0xa1, 0x05), head(0, 2 ** 53)) }), 'cbor-integer', unprotectedAt + 2],
  ])('refuses %s', (_, of, code, offset) => expectRefused(of, code, offset));

  it('refuses every beginning of a receipt, because a cut must not say less', () => {
    for (let end = 0; end < good.length; end++) {
      const [problem] = verify(good.subarray(0, end)).problems;
      expect({ end, code: problem?.code }).toEqual({ end, code: 'cbor-truncated' });
    }
  });
});

describe('RCP-14: deterministic CBOR in the statement', () => {
  const entries: Entry[] = Object.entries(statement()).map(([name, value]): Entry => [tstr(name), cbor(value)]);
  /** A statement whose bytes are wrong; the receipt around it is signed over just these bytes. */
  const at = (payload: Uint8Array, offset: number): number => payloadOffset(payload) + offset;
  const refusedPayload = (payload: Uint8Array, code: string, offset: number): void => {
    const report = verify(receipt({ payload }));
    expect(report.problems).toMatchObject([{ code, axis: 'bytes', status: 'fail', where: { offset: at(payload, offset) } }]);
    // the signature is checked all the same: it says who wrote these bytes
    expect(answers(report)).toEqual({
      bytes: 'fail',
      signature: 'pass',
      'key-trust': 'not checked: rests on bytes',
      rules: 'not checked: rests on bytes',
      're-decision': 'not checked: rests on bytes',
    });
  };

  it('puts the good statement together again', () => expect(sorted(...entries)).toEqual(goodPayload));

  it('refuses keys in another order, although a decoder would read the same', () => {
    const time = entries.find(([name]) => name.length === 5) as Entry;
    const others = entries.filter((one) => one !== time);
    const wrong = concat(sorted(...others, time).subarray(0, 1), ...[...others].sort(byKey).flat(), ...time);
    refusedPayload(wrong, 'cbor-unsorted', wrong.length - time[0].length - time[1].length);
  });

  it('refuses a key twice, because two readers would take one each', () => {
    const [first, ...rest] = [...entries].sort(byKey) as [Entry, ...Entry[]];
    const wrong = map(first, first, ...rest);
    refusedPayload(wrong, 'cbor-duplicate-key', 1 + first[0].length + first[1].length);
  });

  it.each<[string, Uint8Array, string, number]>([
    ['nothing at all', zeros(0), 'cbor-truncated', 0],
    ['a byte behind the statement', concat(goodPayload, zeros(1)), 'cbor-trailing', goodPayload.length],
    ['the statement cut short', goodPayload.subarray(0, -1), 'cbor-truncated', goodPayload.length - 1],
    ['a map of indefinite length', concat(bytes(0xbf), goodPayload.subarray(1), bytes(0xff)), 'cbor-indefinite', 0],
    ['a map that says one entry too many', concat(head(5, entries.length + 1), goodPayload.subarray(1)), 'cbor-truncated', goodPayload.length],
    ['a key that is a byte string', concat(bytes(0xa1), bstr(bytes(1)), bytes(0)), 'cbor-key-type', 1],
    ['a key that is a list', concat(bytes(0xa1), array(), bytes(0)), 'cbor-key-type', 1],
    ['a key that is true', bytes(0xa1, 0xf5, 0), 'cbor-key-type', 1],
    ['a tag around the statement', concat(bytes(0xc1), goodPayload), 'cbor-tag', 0],
    ['the tag of self-described CBOR', concat(bytes(0xd9, 0xd9, 0xf7), goodPayload), 'cbor-tag', 0],
  ])('refuses %s', (_, payload, code, offset) => refusedPayload(payload, code, offset));

  it.each<[string, Uint8Array, string]>([
    ['a version in two bytes', bytes(0x18, 1), 'cbor-not-shortest'],
    ['a version in nine bytes', head(0, 1, 8), 'cbor-not-shortest'],
    ['a version of 2^53', head(0, 2 ** 53), 'cbor-integer'],
    ['a version of 2^64-1', bytes(0x1b, 255, 255, 255, 255, 255, 255, 255, 255), 'cbor-integer'],
    ['a version of -2^53', head(1, 2 ** 53 - 1), 'cbor-integer'],
    ['a version as a float', bytes(0xf9, 0x3c, 0), 'cbor-float'],
    ['a version as a double', bytes(0xfb, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0), 'cbor-float'],
    ['a version as a big number', concat(bytes(0xc2), bstr(bytes(1))), 'cbor-tag'],
    ['null, which is not absent', bytes(0xf6), 'cbor-simple'],
    ['undefined, which is not absent', bytes(0xf7), 'cbor-simple'],
    ['false in two bytes', bytes(0xf8, 20), 'cbor-simple'],
    ['text in chunks', bytes(0x7f, 0x61, 0x61, 0xff), 'cbor-indefinite'],
    ['text that is not UTF-8', bytes(0x62, 0xc3, 0x28), 'cbor-utf8'],
    ['a surrogate in UTF-8', bytes(0x63, 0xed, 0xa0, 0x80), 'cbor-utf8'],
    ['a list of indefinite length', bytes(0x9f, 0xff), 'cbor-indefinite'],
    ['a list of more items than bytes', bytes(0x9a, 0xff, 0xff, 0xff, 0xff), 'cbor-truncated'],
    ['nine levels', concat(...new Array(8).fill(bytes(0x81)), bytes(0)), 'cbor-depth'],
  ])('refuses %s, wherever it stands', (_, value, code) => {
    const wrong = sorted(...entries.map(([name, old]): Entry => [name, name.length === tstr('policy_version').length && old.length === 1 ? value : old]));
    const report = verify(receipt({ payload: wrong }));
    expect(report.problems).toMatchObject([{ code, axis: 'bytes' }]);
    expect(report.axes.signature.status).toBe('pass');
  });

  it('takes eight levels, which no statement has, as what they are', () => {
    const wrong = sorted(...entries, [tstr('zz'), concat(...new Array(7).fill(bytes(0x81)), bytes(0))]);
    expect(codesOf(verify(receipt({ payload: wrong })))).toEqual(['unknown-key']);
  });

  function byKey(a: Entry, b: Entry): number {
    return Buffer.compare(a[0], b[0]);
  }
});

describe('RCP-15: an array of four', () => {
  const parts = [bstr(headerOf()), bytes(0xa0), bstr(goodPayload), bstr(zeros(64))];
  const swapped = (at: number, to: Uint8Array): Uint8Array => concat(bytes(0xd2), array(...parts.map((part, i) => (i === at ? to : part))));
  const offsets = parts.map((_, i) => 2 + parts.slice(0, i).reduce((sum, part) => sum + part.length, 0));

  it.each<[string, Uint8Array, number]>([
    ['three parts', concat(bytes(0xd2), array(...parts.slice(0, 3))), 1],
    ['five parts', concat(bytes(0xd2), array(...parts, bytes(0xa0))), 1],
    ['no parts', bytes(0xd2, 0x80), 1],
    ['a map in place of the array', concat(bytes(0xd2), map([integer(1), integer(2)])), 1],
    ['a byte string in place of the array', concat(bytes(0xd2), bstr(good)), 1],
    ['a protected header that is a map and no byte string', swapped(0, headerOf()), 2],
    ['a protected header that is text', swapped(0, tstr('a')), 2],
    ['an unprotected header in a byte string', swapped(1, bstr(bytes(0xa0))), offsets[1] ?? 0],
    ['a payload that is a map and no byte string', swapped(2, goodPayload), offsets[2] ?? 0],
    ['a payload that is text', swapped(2, tstr('a')), offsets[2] ?? 0],
    ['a signature that is text', swapped(3, tstr('a'.repeat(64))), offsets[3] ?? 0],
    ['a list of signatures', swapped(3, array(bstr(zeros(64)))), offsets[3] ?? 0],
  ])('refuses %s', (_, of, offset) => expectRefused(of, 'cose-shape', offset));
});

describe('RCP-16: a map in the protected byte string', () => {
  const start = (header: Uint8Array): number => 2 + bstr(header).length - header.length;
  it.each<[string, Uint8Array, string, number]>([
    ['no bytes', zeros(0), 'cose-protected', -1],
    ['a list', array(integer(1)), 'cose-protected', 0],
    ['an integer', integer(1), 'cose-protected', 0],
    ['a map in a byte string', bstr(headerOf()), 'cose-protected', 0],
    ['a byte behind the map', concat(headerOf(), zeros(1)), 'cbor-trailing', headerOf().length],
    ['a map cut short', headerOf().subarray(0, -1), 'cbor-truncated', headerOf().length - tstr(typ).length],
    ['labels in another order', map([integer(4), bstr(kidOf(key))], [integer(1), integer(-19)], [integer(16), tstr(typ)]), 'cbor-unsorted', 1 + 1 + 34],
    ['a label twice', map([integer(1), integer(-19)], [integer(1), integer(-19)], [integer(4), bstr(kidOf(key))]), 'cbor-duplicate-key', 3],
    ['a label in two bytes', concat(bytes(0xa3, 0x18, 1), headerOf().subarray(2)), 'cbor-not-shortest', 1],
    ['a map of indefinite length', concat(bytes(0xbf), headerOf().subarray(1), bytes(0xff)), 'cbor-indefinite', 0],
  ])('refuses %s', (_, header, code, offset) => expectRefused(receipt({ header }), code, offset < 0 ? 2 : start(header) + offset));
});

describe('RCP-17: labels', () => {
  const alg: Entry = [integer(1), integer(-19)];
  const kid: Entry = [integer(4), bstr(kidOf(key))];
  const type: Entry = [integer(16), tstr(typ)];
  const headers = (...entries: Entry[]): Parts => ({ header: sorted(...entries) });
  const unprotected = (...entries: Entry[]): Parts => ({ unprotected: sorted(...entries) });

  it.each<[string, Parts, string]>([
    ['crit', headers(alg, [integer(2), array(integer(16))], kid, type), 'cose-crit'],
    ['an empty crit', headers(alg, [integer(2), array()], kid, type), 'cose-crit'],
    ['crit in the unprotected header', unprotected([integer(2), array(integer(16))]), 'cose-crit'],
    ['a content type', headers(alg, [integer(3), integer(0)], kid, type), 'cose-header'],
    ['an x5chain, since a key that comes along proves nothing', headers(alg, kid, type, [integer(33), bstr(zeros(9))]), 'cose-header'],
    ['CWT claims', headers(alg, kid, [integer(15), map()], type), 'cose-header'],
    ['a label of text', headers(alg, kid, type, [tstr('alg'), integer(-19)]), 'cose-header'],
    ['a negative label', headers(alg, kid, type, [integer(-1), integer(0)]), 'cose-header'],
    ['the kid in the unprotected header too', unprotected([integer(4), bstr(kidOf(key))]), 'cose-header'],
    ['the algorithm in the unprotected header too', unprotected([integer(1), integer(-19)]), 'cose-header'],
    ['anything in the unprotected header, which nobody signed', unprotected([tstr('note'), tstr('x')]), 'cose-header'],
    ['no algorithm', headers(kid, type), 'cose-alg'],
    ['the algorithm as text', headers([integer(1), tstr('EdDSA')], kid, type), 'cose-alg'],
    ['EdDSA (-8), which is taken only where the caller says so', headers([integer(1), integer(-8)], kid, type), 'cose-alg'],
    ['ES256 (-7), which is taken only where the caller says so', headers([integer(1), integer(-7)], kid, type), 'cose-alg'],
    ['ES384 (-35)', headers([integer(1), integer(-35)], kid, type), 'cose-alg'],
    ['Ed448 (-53)', headers([integer(1), integer(-53)], kid, type), 'cose-alg'],
    ['ES256K (-47)', headers([integer(1), integer(-47)], kid, type), 'cose-alg'],
    ['HMAC (5)', headers([integer(1), integer(5)], kid, type), 'cose-alg'],
    ['no algorithm by its number 0', headers([integer(1), integer(0)], kid, type), 'cose-alg'],
    ['no kid', headers(alg, type), 'cose-kid'],
    ['a kid of text', headers(alg, [integer(4), tstr('a'.repeat(32))], type), 'cose-kid'],
    ['a kid of 31 bytes', headers(alg, [integer(4), bstr(kidOf(key).subarray(1))], type), 'cose-kid'],
    ['a kid of 33 bytes', headers(alg, [integer(4), bstr(concat(kidOf(key), zeros(1)))], type), 'cose-kid'],
    ['an empty kid', headers(alg, [integer(4), bstr(zeros(0))], type), 'cose-kid'],
    ['no typ', headers(alg, kid), 'cose-typ'],
    ['another typ', headers(alg, kid, [integer(16), tstr('application/cose')]), 'cose-typ'],
    ['the typ in upper case', headers(alg, kid, [integer(16), tstr(typ.toUpperCase())]), 'cose-typ'],
    ['the typ without its front', headers(alg, kid, [integer(16), tstr('ruleprint+cose')]), 'cose-typ'],
    ['a typ that is a number', headers(alg, kid, [integer(16), integer(18)]), 'cose-typ'],
  ])('refuses %s', (_, parts, code) => {
    const report = verify(receipt(parts));
    expect(report.problems).toMatchObject([{ code, axis: 'bytes', where: { offset: expect.any(Number) } }]);
    expect(report.axes.signature).toEqual({ status: 'not-checked', reason: 'rests on bytes' });
  });

  it.each<[string, Entry[], string]>([
    ['crit before a strange label', [alg, [integer(2), array()], [integer(3), integer(0)], kid, type], 'cose-crit'],
    ['a strange label before the algorithm', [[integer(1), integer(0)], [integer(3), integer(0)], kid, type], 'cose-header'],
    ['the algorithm before the kid', [[integer(1), integer(0)], [integer(4), bstr(zeros(1))], type], 'cose-alg'],
    ['the kid before the typ', [alg, [integer(4), bstr(zeros(1))], [integer(16), tstr('x')]], 'cose-kid'],
  ])('in this order: %s', (_, entries, code) => {
    expect(codesOf(verify(receipt(headers(...entries))))).toEqual([code]);
  });

  it('places a label where it stands, and what is missing at the map', () => {
    const strange = receipt(headers(alg, [integer(3), integer(0)], kid, type));
    expect(verify(strange).problems[0]?.where).toEqual({ offset: 2 + 2 + 1 + 2 });
    expect(verify(receipt(headers(kid, type))).problems[0]?.where).toEqual({ offset: 2 + 2 });
  });

  it('takes EdDSA and ES256 where the caller names them, each alone', () => {
    const eddsa = receipt({ header: headerOf(key, -8) });
    expect(verify(eddsa, { alsoAlgorithms: ['EdDSA'] })).toMatchObject({ ok: true });
    expect(codesOf(verify(eddsa, { alsoAlgorithms: ['ES256'] }))).toEqual(['cose-alg']);
    const es256 = receipt({ by: p256Key, header: headerOf(p256Key, -7) });
    const p256Trust = { trust: trustOf(entry(p256Key)) };
    expect(verify(es256, { ...p256Trust, alsoAlgorithms: ['ES256'] })).toMatchObject({ ok: true });
    expect(codesOf(verify(es256, { ...p256Trust, alsoAlgorithms: ['EdDSA'] }))).toEqual(['cose-alg']);
    expect(verify(receipt({ by: p256Key }), p256Trust)).toMatchObject({ ok: true });
  });
});

describe('RCP-18: 64 bytes of signature', () => {
  const signed = createSigner(key).sign(zeros(1));
  it.each<[string, Uint8Array]>([
    ['none', zeros(0)],
    ['63', signed.subarray(0, 63)],
    ['65', concat(signed, zeros(1))],
    ['128', concat(signed, signed)],
  ])('refuses %s', (_, signature) => expectRefused(receipt({ signature }), 'cose-signature-size', payloadOffset(goodPayload) + goodPayload.length));
});

describe('the order of the steps', () => {
  it('ends at the first problem: the walk before the shape, the shape before the header, the header before the signature', () => {
    expect(codesOf(verify(concat(bytes(0xd2), array(bstr(zeros(0)), bytes(0xa0)), zeros(1))))).toEqual(['cbor-trailing']);
    expect(codesOf(verify(concat(bytes(0xd2), array(bstr(zeros(0)), bytes(0xa0)))))).toEqual(['cose-shape']);
    expect(codesOf(verify(receipt({ header: map(), signature: zeros(1) })))).toEqual(['cose-alg']);
    expect(codesOf(verify(receipt({ header: zeros(0), payload: zeros(0), signature: zeros(0) })))).toEqual(['cose-protected']);
  });

  it('answers bytes and signature apart: a good signature over a bad statement, a bad one over a good', () => {
    expect(answers(verify(receiptOf({ agent: '' })))).toMatchObject({ bytes: 'fail', signature: 'pass' });
    expect(answers(verify(receipt({ signature: zeros(64) })))).toMatchObject({ bytes: 'pass', signature: 'fail' });
  });

  it('takes no part of the verdict from the trust store before step 9', () => {
    expect(codesOf(verify(receiptOf({ agent: '' }), { trust: trustOf() }))).toEqual(['empty-text', 'key-unknown']);
    expect(codesOf(verify(good, { trust }))).toEqual([]);
  });
});
