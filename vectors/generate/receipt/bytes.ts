/**
 * Steps 1 to 7 of the verifier (RCP-12 to RCP-18): bytes that are no COSE_Sign1 of the one form.
 * @module
 */
import type { Case } from '../kit.js';
import {
  array,
  bstr,
  engineKey,
  engineTrust,
  goodPayload,
  headerOf,
  headerParts,
  int,
  map,
  message,
  problem,
  refusedBytes,
  signed,
  tstr,
  verified,
} from './parts.js';

const good = message();
const header = headerOf(engineKey);
const { alg, kid, typ } = headerParts(engineKey);
const signature = signed(engineKey, header, goodPayload);

/** The array of four with other parts, behind tag 18. The signature is that of the good message. */
const parts = (...items: readonly string[]): string => `d2${array(...items)}`;
const [protectedItem, payloadItem, signatureItem] = [bstr(header), bstr(goodPayload), bstr(signature)] as const;

/** A good message but for its protected header, which is signed as it stands. */
const under = (content: string): string => message({ header: content });
const kidIn = (content: string): string => under(map(alg, [int(4), content], typ));

const strict = { flags: ['strict'] };
const first = { flags: ['order'] };
const header2 = { flags: ['header'] };

export function refusedMessages(): readonly Case[] {
  return [
    // RCP-12
    verified(
      'bytes-over-1-mib',
      'One byte more than 1,048,576 (RCP-12)',
      { receipt_hex: { $repeat: ['d2', 1_048_577] }, trust: engineTrust },
      { axes: '-....', problems: [problem('bytes', 'limit')] },
    ),
    refusedBytes('bytes-none', '^', 'cbor-truncated', 'No bytes (RCP-12)'),
    // RCP-13
    refusedBytes('cose-untagged', `^${good.slice(2)}`, 'cose-tag', 'The array without its tag (RCP-13)', strict),
    refusedBytes('cose-tag-17', `^d1${good.slice(2)}`, 'cose-tag', 'The tag of a COSE_Mac0 (RCP-13)'),
    refusedBytes('cose-tag-98', `^d862${good.slice(2)}`, 'cose-tag', 'The tag of a COSE_Sign (RCP-13)'),
    refusedBytes('cose-tag-long', `^d812${good.slice(2)}`, 'cose-tag', 'Tag 18 in two bytes (RCP-13)', strict),
    refusedBytes('cose-tag-self-described', `^d9d9f7${good}`, 'cose-tag', 'The tag that only says that this is CBOR, in front (RCP-13)', strict),
    refusedBytes('cose-not-cbor', '^ff', 'cose-tag', 'What begins with another byte is named so, whatever else is wrong with it (RCP-13)', first),
    // RCP-14
    refusedBytes('cose-tag-twice', `d2^${good}`, 'cbor-tag', 'Tag 18 twice (RCP-14)', strict),
    refusedBytes('cose-tag-alone', 'd2^', 'cbor-truncated', 'The tag and nothing in it (RCP-14)'),
    refusedBytes('cose-cut', `${good.slice(0, -132)}^${good.slice(-132, -2)}`, 'cbor-truncated', 'The last byte is missing: the signature says 64 (RCP-14)'),
    refusedBytes('cose-trailing', `${good}^00`, 'cbor-trailing', 'A byte behind the message (RCP-14)', strict),
    refusedBytes('cose-trailing-receipt', `${good}^${good}`, 'cbor-trailing', 'A second receipt, where one is asked for (RCP-14)', strict),
    refusedBytes('cose-array-indefinite', `d2^9f${good.slice(4)}ff`, 'cbor-indefinite', 'The array without a length (RCP-14)', strict),
    refusedBytes('cose-array-long-head', `d2^9804${good.slice(4)}`, 'cbor-not-shortest', 'The length 4 in two bytes (RCP-14)', strict),
    refusedBytes(
      'cose-protected-indefinite',
      `d284^5f${protectedItem}ffa0${payloadItem}${signatureItem}`,
      'cbor-indefinite',
      'The protected header in pieces (RCP-14)',
      strict,
    ),
    refusedBytes(
      'cose-payload-long-head',
      `d284${protectedItem}a0^5a${(goodPayload.length / 2).toString(16).padStart(8, '0')}${goodPayload}${signatureItem}`,
      'cbor-not-shortest',
      'The length of the payload in four bytes (RCP-14)',
      strict,
    ),
    refusedBytes(
      'cose-payload-detached',
      `d284${protectedItem}a0^f6${signatureItem}`,
      'cbor-simple',
      'Null in place of the payload: sent by another way (RCP-14)',
      strict,
    ),
    refusedBytes(
      'cose-unprotected-null',
      `d284${protectedItem}^f6${payloadItem}${signatureItem}`,
      'cbor-simple',
      'Null in place of the unprotected header (RCP-14)',
      strict,
    ),
    refusedBytes('cose-unprotected-twice', message({ open: 'a20400^0400' }), 'cbor-duplicate-key', 'A label twice in the unprotected header (RCP-14)', strict),
    refusedBytes('cose-unprotected-unsorted', message({ open: 'a20400^0300' }), 'cbor-unsorted', 'Labels out of order (RCP-14)', strict),
    // RCP-15
    refusedBytes('cose-integer', 'd200', 'cose-shape', 'An integer in the tag (RCP-15)'),
    refusedBytes('cose-map', `d2${map([int(0), protectedItem])}`, 'cose-shape', 'A map in the tag (RCP-15)'),
    refusedBytes('cose-three', parts(protectedItem, 'a0', payloadItem), 'cose-shape', 'Three items (RCP-15)'),
    refusedBytes('cose-five', parts(protectedItem, 'a0', payloadItem, signatureItem, '00'), 'cose-shape', 'Five items (RCP-15)'),
    refusedBytes('cose-protected-map', parts(header, 'a0', payloadItem, signatureItem), 'cose-shape', 'The protected header as a map (RCP-15)', strict),
    refusedBytes('cose-protected-text', parts(tstr('a'), 'a0', payloadItem, signatureItem), 'cose-shape', 'The protected header as text (RCP-15)'),
    refusedBytes('cose-unprotected-array', parts(protectedItem, '80', payloadItem, signatureItem), 'cose-shape', 'The unprotected header as an array (RCP-15)'),
    refusedBytes('cose-payload-map', parts(protectedItem, 'a0', goodPayload, signatureItem), 'cose-shape', 'The payload as a map (RCP-15)', strict),
    refusedBytes('cose-payload-text', parts(protectedItem, 'a0', tstr('hello'), signatureItem), 'cose-shape', 'The payload as text (RCP-15)'),
    refusedBytes('cose-signature-array', parts(protectedItem, 'a0', payloadItem, array(signatureItem)), 'cose-shape', 'A list of signatures (RCP-15)'),
    refusedBytes('cose-parts-reversed', parts(signatureItem, payloadItem, 'a0', protectedItem), 'cose-shape', 'The four the other way round (RCP-15)'),
    // RCP-16
    refusedBytes('cose-protected-empty', under(''), 'cose-protected', 'No bytes, which RFC 9052 takes for an empty header (RCP-16)', header2),
    refusedBytes('cose-protected-array', under('80'), 'cose-protected', 'An array in the byte string (RCP-16)', header2),
    refusedBytes('cose-protected-bytes', under(bstr(header)), 'cose-protected', 'A byte string in the byte string (RCP-16)', header2),
    refusedBytes('cose-protected-trailing', under(`${header}^a0`), 'cbor-trailing', 'A second map behind the header (RCP-16)', strict),
    refusedBytes('cose-protected-unsorted', under(`a3${alg.join('')}${typ.join('')}^${kid.join('')}`), 'cbor-unsorted', 'Labels out of order (RCP-16)', strict),
    refusedBytes(
      'cose-protected-alg-twice',
      under(`a4${alg.join('')}^01${int(-9)}${kid.join('')}${typ.join('')}`),
      'cbor-duplicate-key',
      'Two algorithms (RCP-16)',
      strict,
    ),
    refusedBytes(
      'cose-protected-alg-long',
      under(`a3${int(1)}^390012${kid.join('')}${typ.join('')}`),
      'cbor-not-shortest',
      '-19 in three bytes (RCP-16)',
      strict,
    ),
    refusedBytes(
      'cose-protected-cut',
      under(`a3${alg.join('')}${kid.join('')}10^${typ[1].slice(0, -2)}`),
      'cbor-truncated',
      'The type is a byte too short (RCP-16)',
      strict,
    ),
    refusedBytes(
      'cose-protected-label-bytes',
      under(`a4${alg.join('')}${kid.join('')}${typ.join('')}^4101${int(0)}`),
      'cbor-key-type',
      'A label that is a byte string (RCP-16)',
      strict,
    ),
    // RCP-17
    refusedBytes(
      'cose-crit-protected',
      under(map(alg, [int(2), array(int(99))], kid, typ)),
      'cose-crit',
      'A header that has to be understood (RCP-17)',
      header2,
    ),
    refusedBytes('cose-crit-known', under(map(alg, [int(2), array(int(4))], kid, typ)), 'cose-crit', 'although it names one that is (RCP-17)', header2),
    refusedBytes(
      'cose-crit-unprotected',
      message({ open: map([int(2), array(int(4))]) }),
      'cose-crit',
      'in the header that anyone can change (RCP-17)',
      header2,
    ),
    refusedBytes('cose-header-content-type', under(map(alg, [int(3), tstr('application/cbor')], kid, typ)), 'cose-header', 'A content type (RCP-17)', header2),
    refusedBytes('cose-header-iv', under(map(alg, kid, [int(5), bstr('00')], typ)), 'cose-header', 'An IV (RCP-17)', header2),
    refusedBytes('cose-header-text-label', under(map(alg, kid, typ, [tstr('x'), int(0)])), 'cose-header', 'A label that is text (RCP-17)', header2),
    refusedBytes(
      'cose-header-key-inside',
      under(map(alg, kid, typ, [int(-1), bstr('00')])),
      'cose-header',
      'A label below zero, such as one for a key that comes along (RCP-11, RCP-17)',
      header2,
    ),
    refusedBytes(
      'cose-header-unprotected',
      message({ open: map([int(4), bstr('00')]) }),
      'cose-header',
      'A kid in the header that anyone can change (RCP-17)',
      header2,
    ),
    refusedBytes('cose-header-unprotected-text', message({ open: map([tstr('note'), tstr('x')]) }), 'cose-header', 'A note there (RCP-17)', header2),
    refusedBytes(
      'cose-alg-unprotected',
      message({ header: map(kid, typ), open: map(alg) }),
      'cose-header',
      'The algorithm there: its place is seen before its absence (RCP-17)',
      { flags: ['header', 'order'] },
    ),
    refusedBytes('cose-header-empty', under('a0'), 'cose-alg', 'A header with nothing in it lacks the algorithm first (RCP-17)', {
      flags: ['header', 'order'],
    }),
    refusedBytes('cose-alg-missing', under(map(kid, typ)), 'cose-alg', 'No algorithm (RCP-17)', header2),
    refusedBytes(
      'cose-alg-eddsa',
      under(map([int(1), int(-8)], kid, typ)),
      'cose-alg',
      '-8, which leaves the curve to the key, and the caller did not say so (RCP-17)',
      header2,
    ),
    refusedBytes('cose-alg-es256', under(map([int(1), int(-7)], kid, typ)), 'cose-alg', '-7, likewise (RCP-17)', header2),
    refusedBytes('cose-alg-hmac', under(map([int(1), int(5)], kid, typ)), 'cose-alg', 'A MAC, with the public key as its secret (RCP-17)', header2),
    refusedBytes('cose-alg-ed448', under(map([int(1), int(-53)], kid, typ)), 'cose-alg', 'Ed448 (RCP-17)', header2),
    refusedBytes('cose-alg-text', under(map([int(1), tstr('Ed25519')], kid, typ)), 'cose-alg', 'The name of the algorithm (RCP-17)', header2),
    refusedBytes('cose-kid-missing', under(map(alg, typ)), 'cose-kid', 'No kid (RCP-17)', header2),
    refusedBytes('cose-kid-text', kidIn(tstr('engine-a')), 'cose-kid', 'A kid that is text (RCP-17)', header2),
    refusedBytes('cose-kid-empty', kidIn('40'), 'cose-kid', 'A kid of no bytes (RCP-17)', header2),
    refusedBytes('cose-kid-31', kidIn(bstr(engineKey.kid.slice(2))), 'cose-kid', 'A kid of 31 bytes (RCP-17)', header2),
    refusedBytes('cose-kid-33', kidIn(bstr(`${engineKey.kid}00`)), 'cose-kid', 'A kid of 33 bytes (RCP-17)', header2),
    refusedBytes('cose-typ-missing', under(map(alg, kid)), 'cose-typ', 'No type (RCP-17)', header2),
    refusedBytes('cose-typ-other', under(map(alg, kid, [int(16), tstr('application/cose')])), 'cose-typ', 'Another type (RCP-17)', header2),
    refusedBytes('cose-typ-case', under(map(alg, kid, [int(16), tstr('application/Ruleprint+cose')])), 'cose-typ', 'Case counts (RCP-17)', header2),
    refusedBytes('cose-typ-number', under(map(alg, kid, [int(16), int(18)])), 'cose-typ', 'A type by its number, which RFC 9596 takes (RCP-17)', header2),
    refusedBytes('cose-typ-bytes', under(map(alg, kid, [int(16), bstr('00')])), 'cose-typ', 'A type in bytes (RCP-17)', header2),
    // RCP-18
    refusedBytes('cose-signature-none', message({ signature: '' }), 'cose-signature-size', 'No signature (RCP-18)'),
    refusedBytes('cose-signature-63', message({ signature: signature.slice(2) }), 'cose-signature-size', '63 bytes (RCP-18)'),
    refusedBytes('cose-signature-65', message({ signature: `${signature}00` }), 'cose-signature-size', '65 bytes (RCP-18)'),
    refusedBytes('cose-signature-128', message({ signature: signature.repeat(2) }), 'cose-signature-size', 'The signature twice (RCP-18)'),
  ];
}
