/**
 * The COSE layer alone (spec/receipt.md): any kid, any payload, a type only where the caller names one, external data.
 * @module
 */
import { sha256Text } from '../../../src/hash.js';
import { buildSigStructure } from '../../../src/cose/sig-structure.js';
import type { Case, Fields, Rest } from '../kit.js';
import { algorithms, bstr, bytesOf, engineKey, engineKeyP256, int, map, message, otherKey, tstr, type VectorKey } from './parts.js';

const kid = Buffer.from('k1').toString('hex');
const hello = Buffer.from('hello').toString('hex');

const headerFor = (key: VectorKey, kidHex = kid, ...more: readonly (readonly [string, string])[]): string =>
  map([int(1), int(algorithms[key.alg])], [int(4), bstr(kidHex)], ...more);

interface Options {
  readonly key?: VectorKey;
  readonly header?: string;
  readonly payload?: string;
  /** Signed with. */
  readonly aad?: string;
  /** Given to the verifier. */
  readonly given?: Fields;
  readonly under?: string;
}

function input({ key = engineKey, header = headerFor(key), payload = hello, aad = '', given = {}, under = kid }: Options): Fields {
  return { cose_hex: message({ key, header, payload, aad }), keys: [{ kid_hex: under, jwk: key.jwk }], ...given };
}

function good(id: string, comment: string, options: Options, rest: Rest & { readonly kid?: string } = {}): Case {
  const { key = engineKey, header = headerFor(key), payload = hello, aad = '' } = options;
  const hash = sha256Text(buildSigStructure(bytesOf(header), bytesOf(payload), bytesOf(aad)));
  return { id, comment, flags: rest.flags ?? [], input: input(options), expect: { alg: key.alg, kid_hex: rest.kid ?? kid, payload_hex: payload, hash } };
}

const refused = (id: string, error: string, comment: string, options: Options): Case => ({
  id,
  comment,
  flags: ['cose-layer'],
  input: input(options),
  expect: { error },
});

export function layer(): readonly Case[] {
  const typed = headerFor(engineKey, kid, [int(16), tstr('application/x')]);
  return [
    good('layer-hello', 'A payload that is no CBOR', {}, { flags: ['cose-layer'] }),
    good('layer-empty-payload', 'A payload of no bytes', { payload: '' }, { flags: ['cose-layer'] }),
    good('layer-kid-1-byte', 'A kid of one byte', { header: headerFor(engineKey, '00'), under: '00' }, { flags: ['cose-layer'], kid: '00' }),
    good('layer-external-data', 'External data that both sides know', { aad: '00ff', given: { external_aad_hex: '00ff' } }, { flags: ['cose-layer'] }),
    good('layer-typ', 'A type that the caller names', { header: typed, given: { typ: 'application/x' } }, { flags: ['cose-layer'] }),
    good('layer-esp256', 'P-256', { key: engineKeyP256 }, { flags: ['cose-layer', 'rfc-6979'] }),
    refused('layer-kid-empty', 'cose-kid', 'A kid of no bytes (RCP-17)', { header: headerFor(engineKey, ''), under: '' }),
    refused('layer-kid-unknown', 'key-unknown', 'A kid that is not among the keys (RCP-20)', { under: `${kid}00` }),
    refused('layer-typ-missing', 'cose-typ', 'The caller names a type and there is none (RCP-17)', { given: { typ: 'application/x' } }),
    refused('layer-typ-other', 'cose-typ', 'another than the caller names (RCP-17)', { header: typed, given: { typ: 'application/y' } }),
    refused('layer-external-data-missing', 'signature-invalid', 'Signed with external data that the caller does not give (RCP-7)', { aad: '00ff' }),
    refused('layer-external-data-other', 'signature-invalid', 'The caller gives other external data (RCP-7)', {
      aad: '00ff',
      given: { external_aad_hex: '00fe' },
    }),
    refused('layer-external-data-extra', 'signature-invalid', 'The caller gives external data, and none was signed (RCP-7)', {
      given: { external_aad_hex: '00' },
    }),
    {
      ...refused('layer-other-key', 'signature-invalid', 'Another key under the same kid (RCP-20)', {}),
      input: { ...input({}), keys: [{ kid_hex: kid, jwk: otherKey.jwk }] },
    },
  ];
}
