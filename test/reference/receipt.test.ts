import { describe, expect, it } from 'vitest';
import { type Cbor, CborProblem, encode, head, walkAll, wellFormedEnd } from './cbor.js';
import { ed25519Key, mirrored, p256Key } from './keys.js';
import {
  cutSequence,
  type Event,
  encoded,
  headerOf,
  messageOf,
  receiptHash,
  receiptOf,
  signedOver,
  statementOf,
  verifyBytes,
  verifySignature,
} from './receipt.js';
import { bytesOf, hexOf } from './text.js';

const key = ed25519Key('ruleprint reference: engine');
const p256 = p256Key('ruleprint reference: engine');
const hash = `sha256:${'0'.repeat(64)}`;
const event: Event = {
  engineId: 'engine-a',
  time: 1,
  agent: 'x',
  actions: [{ tool: { server: 's', name: 'n' } }],
  decision: { effect: 'allow', rule: 'r', action: 0 },
  policyVersion: 1,
  policyDigest: hash,
  matchProfile: 'ruleprint-match/1',
};

const walkCode = (hex: string): string => {
  try {
    walkAll(bytesOf(hex));
    return 'ok';
  } catch (error) {
    return error instanceof CborProblem ? `${error.code}@${error.offset}` : String(error);
  }
};

describe('reference: the walk (RCP-14)', () => {
  it.each([
    ['', 'cbor-truncated@0'],
    ['1c', 'cbor-reserved@0'],
    ['1f', 'cbor-reserved@0'],
    ['df', 'cbor-reserved@0'],
    ['ff', 'cbor-reserved@0'],
    ['5f', 'cbor-indefinite@0'],
    ['9f', 'cbor-indefinite@0'],
    ['18', 'cbor-truncated@0'],
    ['1900', 'cbor-truncated@0'],
    ['c0', 'cbor-tag@0'],
    ['d8', 'cbor-truncated@0'],
    ['f90000', 'cbor-float@0'],
    ['f6', 'cbor-simple@0'],
    ['f8ff', 'cbor-simple@0'],
    ['f8', 'cbor-truncated@0'],
    ['1817', 'cbor-not-shortest@0'],
    ['1900ff', 'cbor-not-shortest@0'],
    ['1b0020000000000000', 'cbor-integer@0'],
    ['1b001fffffffffffff', 'ok'],
    ['3b001ffffffffffffe', 'ok'],
    ['3b001fffffffffffff', 'cbor-integer@0'],
    ['4200', 'cbor-truncated@0'],
    ['62c080', 'cbor-utf8@0'],
    ['63eda080', 'cbor-utf8@0'],
    ['818181818181818180', 'cbor-depth@8'],
    ['8181818181818180', 'ok'],
    ['8200', 'cbor-truncated@0'],
    ['a200000000', 'cbor-duplicate-key@3'],
    ['a1f400', 'cbor-key-type@1'],
    ['a20a00', 'cbor-truncated@0'],
    ['a201000000', 'cbor-unsorted@3'],
    ['a2616100020000', 'cbor-unsorted@4'],
    ['0000', 'cbor-trailing@1'],
  ])('%s is %s', (hex, code) => {
    expect(walkCode(hex)).toBe(code);
  });

  it.each<[string, number | undefined]>([
    ['1817', 2],
    ['5f4100ff', 4],
    ['5f6100ff', undefined],
    ['5f5fffff', undefined],
    ['9f00ff', 3],
    ['bf0000ff', 4],
    ['bf00ff', undefined],
    ['ff', undefined],
    ['81ff', undefined],
    ['f814', undefined],
    ['f820', 2],
    ['d8120000', 3],
    ['1c', undefined],
    ['a200', undefined],
  ])('%s is well-formed up to %s (RCP-24, RFC 8949 appendix C)', (hex, end) => {
    expect(wellFormedEnd(bytesOf(hex), 0)).toBe(end);
  });

  it('encodes what it walks, keys in the order of their bytes', () => {
    const value: Cbor = new Map<number | string, Cbor>([
      ['b', [true, false, -1, 'é']],
      ['aa', 24],
      [-1, new Uint8Array(2)],
      [10, 65_536],
    ]);
    expect(hexOf(encode(value))).toBe('a4' + '0a1a00010000' + '20420000' + '616284f5f42062c3a9' + '6261611818');
    expect(encode(walkAll(Uint8Array.from(encode(value))))).toEqual(encode(value));
    expect(hexOf(head(0, 1, 26))).toBe('1a00000001');
  });
});

describe('reference: receipts', () => {
  const good = receiptOf(key, event);
  const header = encoded(headerOf(key));
  const payload = encoded(statementOf(event));
  const code = (bytes: Uint8Array) => verifyBytes(bytes).codes;
  const withPayload = (change: Record<string, Cbor | undefined>) => {
    const fields = new Map(statementOf(event));
    for (const [name, value] of Object.entries(change)) {
      if (value === undefined) fields.delete(name);
      else fields.set(name, value);
    }
    return code(signedOver(key, header, encoded(fields)));
  };
  const withHeader = (change: readonly (readonly [number | string, Cbor | undefined])[]) => {
    const fields = new Map(headerOf(key));
    for (const [label, value] of change) {
      if (value === undefined) fields.delete(label);
      else fields.set(label, value);
    }
    return code(signedOver(key, encoded(fields), payload));
  };

  it('begins with the layout of the chapter and verifies', () => {
    expect(hexOf(good).startsWith('d284')).toBe(true);
    expect(code(good)).toEqual([]);
    const { parts } = verifyBytes(good);
    expect(parts === undefined ? '' : verifySignature(parts, new Map([[hexOf(key.kid), key]]))).toBe('pass');
    expect(receiptHash(header, payload)).toMatch(/^sha256:[0-9a-f]{64}$/u);
    expect(cutSequence(Uint8Array.of(...good, ...good))).toEqual({ receipts: [good, good], rest: new Uint8Array() });
  });

  it('verifies P-256, and refuses the mirrored s and a changed byte (RCP-8)', () => {
    const { parts } = verifyBytes(receiptOf(p256, event));
    if (parts === undefined) throw new Error('no parts');
    const keys = new Map([[hexOf(p256.kid), p256]]);
    expect(verifySignature(parts, keys)).toBe('pass');
    expect(verifySignature({ ...parts, signature: mirrored(parts.signature) }, keys)).toBe('signature-high-s');
    expect(verifySignature({ ...parts, payload: new Uint8Array() }, keys)).toBe('signature-invalid');
    expect(verifySignature({ ...parts, alg: -19 }, keys)).toBe('cose-alg-key');
    expect(verifySignature(parts, new Map())).toBe('not-checked');
  });

  it.each<[string, Uint8Array, string]>([
    ['over a mebibyte (RCP-12)', new Uint8Array(1_048_577), 'limit'],
    ['no bytes (RCP-12)', new Uint8Array(), 'cbor-truncated'],
    ['no tag (RCP-13)', Uint8Array.of(0x84), 'cose-tag'],
    ['a long tag (RCP-13)', Uint8Array.of(0xd8, 0x12), 'cose-tag'],
    ['trailing (RCP-14)', Uint8Array.of(...good, 0), 'cbor-trailing'],
    ['three (RCP-15)', Uint8Array.of(0xd2, 0x83, 0x40, 0xa0, 0x40), 'cose-shape'],
    ['empty protected (RCP-16)', messageOf(new Uint8Array(), payload, new Uint8Array(64)), 'cose-protected'],
    ['protected list (RCP-16)', messageOf(Uint8Array.of(0x80), payload, new Uint8Array(64)), 'cose-protected'],
    ['63 bytes (RCP-18)', messageOf(header, payload, new Uint8Array(63)), 'cose-signature-size'],
    ['payload no map (RCP-19)', signedOver(key, header, Uint8Array.of(0x80)), 'wrong-type'],
    ['payload empty (RCP-19)', signedOver(key, header, new Uint8Array()), 'cbor-truncated'],
    ['crit outside (RCP-17)', messageOf(header, payload, new Uint8Array(64), Uint8Array.of(0xa1, 0x02, 0x80)), 'cose-crit'],
    ['a label outside (RCP-17)', messageOf(header, payload, new Uint8Array(64), Uint8Array.of(0xa1, 0x04, 0x40)), 'cose-header'],
  ])('answers %s', (_, bytes, expected) => {
    expect(code(bytes)).toEqual([expected]);
  });

  it('asks the header in the order of RCP-17', () => {
    expect(withHeader([[2, []]])).toEqual(['cose-crit']);
    expect(withHeader([[3, 0]])).toEqual(['cose-header']);
    expect(
      withHeader([
        [1, undefined],
        [4, undefined],
      ]),
    ).toEqual(['cose-alg']);
    expect(withHeader([[1, -8]])).toEqual(['cose-alg']);
    expect(withHeader([[4, new Uint8Array(31)]])).toEqual(['cose-kid']);
    expect(withHeader([[16, 'x']])).toEqual(['cose-typ']);
  });

  it.each<[Record<string, Cbor | undefined>, string[]]>([
    [{ statement: undefined }, ['missing-key']],
    [{ statement: 1 }, ['wrong-type']],
    [{ statement: 'x' }, ['unknown-statement']],
    [{ time: undefined, agent: 1, extra: 1, engine_id: '' }, ['missing-key', 'wrong-type', 'unknown-key', 'empty-text']],
    [{ policy_digest: `sha256:${'A'.repeat(64)}` }, ['bad-value']],
    [{ enforced: true }, ['bad-value']],
    [{ enforced: false, seq: 0 }, []],
    [{ actions: [new Map()] }, ['exactly-one']],
    [{ actions: [new Map([['foo', 1]])] }, ['exactly-one', 'unknown-key']],
    [{ actions: [new Map([['process', new Map([['argv', []]])]])] }, ['empty-list']],
    [{ actions: [new Map([['process', new Map([['argv', ['\0']]])]])] }, ['nul-character']],
    [{ actions: [new Map([['filesystem', new Map([['path', 'a'.repeat(65_537)]])]])] }, ['missing-key', 'limit']],
    [{ time: -1 }, ['bad-integer']],
    [{ call_id: 'a\n', prev: 1 }, ['wrong-type', 'control-character']],
    [{ actions: [] }, ['field-conflict']],
    [{ prev: hash }, ['field-conflict']],
    [{ seq: 1 }, ['field-conflict']],
    [{ policy_version: undefined }, ['field-conflict']],
    [{ decision: new Map<string, Cbor>([['effect', 'deny']]) }, ['field-conflict']],
    [
      {
        decision: new Map<string, Cbor>([
          ['effect', 'deny'],
          ['reason', 'fault'],
        ]),
        policy_version: undefined,
        policy_digest: undefined,
        match_profile: undefined,
      },
      [],
    ],
  ])('answers the statement changed by %j (RCP-19)', (change, expected) => {
    expect(withPayload(change)).toEqual(expected);
  });
});
