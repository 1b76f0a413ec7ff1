/**
 * Receipts (spec/receipt.md): keys, messages byte by byte, and what a verifier answers. The cases stand in receipt/.
 * @module
 */
import { type Group, type Notes, topic, type VectorFile } from './kit.js';
import { keyTrusts, reDecisions, sequences } from './receipt/axes.js';
import { refusedMessages } from './receipt/bytes.js';
import { derivedKeys, readKeys, refusedKeys } from './receipt/keys.js';
import { layer } from './receipt/layer.js';
import { madeReceipts } from './receipt/made.js';
import { signatures } from './receipt/signatures.js';
import { conflicts, refusedPayloads, refusedStatements } from './receipt/statements.js';
import { refusedStores, takenStores } from './receipt/store.js';

const notes: Notes = {
  'published-secret': {
    why: 'The secret is the SHA-256 of a published sentence, so that anyone can make these receipts again.',
    effect: 'A trust store that holds such a key trusts everybody.',
  },
  'crooked-key': {
    why: 'The bytes are no good point: off the curve, of small order, with a torsion part, or a second encoding.',
    effect: 'Verifiers differ over its signatures, or some signature is good for everything.',
  },
  'crooked-signature': {
    why: 'The numbers are out of range, a second form of a good signature, or good by another equation than the one of the chapter.',
    effect: 'One receipt would have two byte forms, or two verifiers two answers.',
  },
  'rfc-6979': {
    why: 'The signature is made with the nonce of RFC 6979, so that its bytes repeat. A signer with another nonce is as good; a verifier sees no difference.',
    effect: 'Only who signs by RFC 6979 can compare these bytes.',
  },
  'no-digest': {
    why: 'The engine cannot hash its rules and leaves the digest off. The fourth receipt is the first one with it, and differs by that key alone.',
    effect: 'An implementation that writes null or an empty text in place of an absent field makes other bytes.',
  },
  absent: {
    why: 'A field that has no value is left out.',
    effect: 'Null, empty and absent would be three spellings of one receipt.',
  },
  strict: {
    why: 'A lenient reader takes these bytes, and the signature is good or would be.',
    effect: 'Decoding and encoding again would repair what was signed otherwise; two readers would read two things.',
  },
  header: {
    why: 'The protected header has three labels and the unprotected one none.',
    effect: 'Anyone on the way could add to what a reader believes, or choose how it is verified.',
  },
  tampered: { why: 'Something was exchanged after it was signed, or something else was signed.', effect: 'The receipt says what its engine did not say.' },
  'loose-algorithm': {
    why: '-8 and -7 leave the curve to the key and are taken only where the caller says so.',
    effect: 'Old senders cannot be verified, or new ones are verified by less than they say.',
  },
  conflict: { why: 'Each field is good, and together they cannot be true.', effect: 'A reader would choose which of them to believe.' },
  'over-limit': { why: 'More than the limits of a request allow.', effect: 'A receipt could record what no engine would have decided.' },
  several: { why: 'There are several problems, and all of them are listed; their order is free.', effect: 'A report would hide one problem behind another.' },
  order: { why: 'There is more wrong than one thing, and the chapter says what is named.', effect: 'Two verifiers would name two codes.' },
  'half-open': {
    why: 'The beginning of a window is in it, its end is not.',
    effect: 'Two verifiers would differ about one millisecond, and about every receipt made in it.',
  },
  'revoked-later': {
    why: 'Who holds a stolen key can write any time into a receipt.',
    effect: 'A receipt from after the theft would pass as one from before.',
  },
  're-made': {
    why: 'The decision is made again from the recorded request, by the rules that the digest names.',
    effect: 'An engine could sign what its rules do not say.',
  },
  'not-re-made': {
    why: 'There is no request that could be decided again; the axis passes beside these receipts.',
    effect: 'A verifier that fails here fails honest engines.',
  },
  rests: { why: 'An axis that rests on a failed one is not checked.', effect: 'Words of unknown origin would count as a proof about rules.' },
  'escaped-surrogate': { why: 'The document is ASCII; the escape in it stands for half a character.', effect: 'UTF-8 would turn two engine ids into one.' },
  'cose-layer': {
    why: 'The COSE layer serves any payload and any kid; what is a receipt is the next layer up.',
    effect: 'Other users of the layer would be bound by the rules of receipts.',
  },
};

export function receiptVectors(): VectorFile {
  const spec = (section: string): string => `spec/receipt.md, ${section}`;
  const groups: readonly Group[] = [
    { name: 'keys derived', source: spec('Keys'), cases: derivedKeys() },
    { name: 'keys read', source: spec('Keys'), cases: readKeys() },
    { name: 'keys refused', source: spec('Keys'), cases: refusedKeys() },
    { name: 'receipts made', source: spec('Layout'), cases: madeReceipts() },
    { name: 'trust stores taken', source: spec('Trust store'), cases: takenStores() },
    { name: 'trust stores refused', source: spec('Trust store'), cases: refusedStores() },
    { name: 'messages refused', source: spec('Verifier, steps 1 to 7'), cases: refusedMessages() },
    { name: 'payloads refused', source: spec('Verifier, step 8'), cases: refusedPayloads() },
    { name: 'statements refused', source: spec('Verifier, step 8'), cases: refusedStatements() },
    { name: 'fields in conflict', source: spec('Verifier, step 8'), cases: conflicts() },
    { name: 'signatures', source: spec('Verifier, step 9'), cases: signatures() },
    { name: 'key trust', source: spec('Verifier, step 10'), cases: keyTrusts() },
    { name: 'rules and re-decision', source: spec('Verifier, steps 11 and 12'), cases: reDecisions() },
    { name: 'files of receipts', source: spec('The answer'), cases: sequences() },
    { name: 'COSE layer alone', source: spec('COSE layer alone'), cases: layer() },
  ];
  return topic('receipt', notes, groups);
}
