/**
 * Trust stores as documents (spec/receipt.md, Trust store).
 * @module
 */
import { base64url } from '../../../src/bytes.js';
import { type Case, type Fields, mark, marked, type Rest } from '../kit.js';
import { auditorKey, bytesOf, engineKey, engineKeyP256, otherKey, type VectorKey } from './parts.js';

const jwk = (key: VectorKey, extra = ''): string => {
  const { y, ...rest } = key.jwk as { readonly [name: string]: string };
  const members = Object.entries({ ...rest, ...(y !== undefined && { y }) }).map(([name, value]) => `"${name}":"${value}"`);
  return `{${members.join(',')}${extra}}`;
};
interface Entry {
  readonly role?: string;
  readonly ids?: string;
  readonly key?: string;
  readonly rest?: string;
}
const entry = ({ role = '"engine"', ids = '["engine-a"]', key = jwk(engineKey), rest = '' }: Entry = {}): string =>
  `{"role":${role},"engine_ids":${ids},"key":${key}${rest}}`;
const store = (entries: readonly string[], rest = ''): string => `{"keys":[${entries.join(',')}]${rest}}`;
const alone = (change: Entry): string => store([entry(change)]);

type GoodRow = readonly [id: string, document: string, keys: readonly Fields[], requireInstaller: boolean, comment: string];

const taken: readonly GoodRow[] = [
  ['store-one-key', store([entry()]), [{ role: 'engine', kid: engineKey.kid }], false, 'One key, without the optional fields'],
  ['store-no-keys', store([]), [], false, 'No key: nothing is trusted'],
  [
    'store-all-options',
    store(
      [
        entry({
          ids: '["engine-a","engine-\\u00e4"]',
          rest: `,"kid":"${engineKey.kid}","valid_from":0,"valid_until":1798761600000,"revoked_at":1790000000000,"revoked_from_seq":{"engine-a":17}`,
        }),
        entry({ role: '"auditor"', key: jwk(auditorKey) }),
        entry({ role: '"installer"', key: jwk(otherKey) }),
        entry({ role: '"engine"', key: jwk(engineKeyP256) }),
      ],
      ',"require_installer":true',
    ),
    [
      { role: 'engine', kid: engineKey.kid },
      { role: 'auditor', kid: auditorKey.kid },
      { role: 'installer', kid: otherKey.kid },
      { role: 'engine', kid: engineKeyP256.kid },
    ],
    true,
    'Four keys, and every optional field',
  ],
];

type BadRow = readonly [id: string, document: string, error: string, pointer: string, comment: string, rest?: Rest];

const identity = base64url(bytesOf(`01${'00'.repeat(31)}`));

/** A `^` marks the place in the text where there is one; a problem of a key itself is placed by its pointer alone. */
const refused: readonly BadRow[] = [
  ['store-list', `${mark}[]`, 'wrong-type', '', 'A list (RCP-9)'],
  ['store-no-list', `${mark}{}`, 'missing-key', '', 'No keys (RCP-9)'],
  ['store-unknown-key', store([], `,${mark}"roots":[]`), 'unknown-key', '/roots', 'A field that is not in the shape (RCP-9)'],
  ['store-installer-text', store([], `,"require_installer":${mark}"yes"`), 'wrong-type', '/require_installer', 'A word in place of true (RCP-9)'],
  ['store-no-role', store([`${mark}{"engine_ids":["engine-a"],"key":${jwk(engineKey)}}`]), 'missing-key', '/keys/0', 'No role (RCP-9)'],
  ['store-role', alone({ role: `${mark}"Engine"` }), 'bad-value', '/keys/0/role', 'Another word (RCP-9)'],
  ['store-roles', alone({ role: `${mark}["engine","auditor"]` }), 'wrong-type', '/keys/0/role', 'Two roles of one key (RCP-9)'],
  ['store-ids-empty', alone({ ids: `${mark}[]` }), 'empty-list', '/keys/0/engine_ids', 'No engine (RCP-9)'],
  ['store-ids-any', alone({ ids: `${mark}"any"` }), 'wrong-type', '/keys/0/engine_ids', 'There is no word for any engine (RCP-9)'],
  ['store-id-twice', alone({ ids: `["a",${mark}"a"]` }), 'duplicate-item', '/keys/0/engine_ids/1', 'An engine twice (RCP-9)'],
  ['store-id-empty', alone({ ids: `[${mark}""]` }), 'empty-text', '/keys/0/engine_ids/0', 'An engine without a name (RCP-9)'],
  [
    'store-id-surrogate',
    alone({ ids: `[${mark}"\\ud800"]` }),
    'lone-surrogate',
    '/keys/0/engine_ids/0',
    'Half a character (RCP-9)',
    { flags: ['escaped-surrogate'] },
  ],
  ['store-misspelt-option', alone({ rest: `,${mark}"valid_untill":0` }), 'unknown-key', '/keys/0/valid_untill', 'A misspelt window would be no window (RCP-9)'],
  ['store-time-text', alone({ rest: `,"valid_until":${mark}"2026-01-01"` }), 'wrong-type', '/keys/0/valid_until', 'A date as text (RCP-9)'],
  ['store-time-negative', alone({ rest: `,"valid_from":${mark}-1` }), 'bad-integer', '/keys/0/valid_from', 'A sign (RCP-9, POL-4)'],
  ['store-time-fraction', alone({ rest: `,"revoked_at":${mark}1.5` }), 'bad-integer', '/keys/0/revoked_at', 'A fraction (RCP-9, POL-4)'],
  ['store-time-null', alone({ rest: `,"revoked_at":${mark}null` }), 'wrong-type', '/keys/0/revoked_at', 'Null is not absent (RCP-9)'],
  [
    'store-seq-without-time',
    alone({ rest: `,"revoked_from_seq":{"engine-a":17}` }),
    'missing-key',
    '/keys/0',
    'It would revoke nothing without revoked_at (RCP-9)',
  ],
  ['store-seq-list', alone({ rest: `,"revoked_from_seq":${mark}[17]` }), 'wrong-type', '/keys/0/revoked_from_seq', 'A list in place of engines (RCP-9)'],
  [
    'store-seq-text',
    alone({ rest: `,"revoked_from_seq":{"engine-a":${mark}"17"}` }),
    'wrong-type',
    '/keys/0/revoked_from_seq/engine-a',
    'A number as text (RCP-9)',
  ],
  [
    'store-key-twice-in-json',
    alone({ rest: `,${mark}"role":"auditor"` }),
    'duplicate-key',
    '/keys/0/role',
    'A role twice: parsers keep the one or the other (RCP-9, POL-12)',
  ],
  ['store-proto', alone({ rest: `,${mark}"__proto__":{}` }), 'forbidden-key', '/keys/0/__proto__', 'A key that sets what others inherit (RCP-9, POL-13)'],
  ['store-key-private', alone({ key: jwk(engineKey, `,"d":"${base64url(engineKey.secret)}"`) }), 'key-private', '/keys/0/key', 'A private key (RCP-9)'],
  ['store-key-other-curve', alone({ key: '{"kty":"OKP","crv":"Ed448","x":"AA"}' }), 'key-format', '/keys/0/key', 'Another curve (RCP-9)'],
  [
    'store-key-small-order',
    alone({ key: `{"kty":"OKP","crv":"Ed25519","x":"${identity}"}` }),
    'key-point',
    '/keys/0/key',
    'The identity as a key (RCP-6, RCP-9)',
    { flags: ['crooked-key'] },
  ],
  ['store-kid-other', alone({ rest: `,"kid":"${otherKey.kid}"` }), 'kid-mismatch', '/keys/0/kid', 'The kid of another key (RCP-9)'],
  [
    'store-kid-twice',
    store([entry(), entry({ ids: '["engine-b"]' })]),
    'kid-duplicate',
    '/keys/1/key',
    'A key twice: its engines belong into one entry (RCP-9)',
  ],
  ['store-kid-two-roles', store([entry(), entry({ role: '"auditor"' })]), 'kid-duplicate', '/keys/1/key', 'A key with two roles (RCP-9)'],
];

const unread: readonly (readonly [id: string, document: string, comment: string])[] = [
  ['store-syntax-comment', '{"keys":[]} // none', 'A comment (RCP-9, POL-11)'],
  ['store-syntax-yaml', 'keys: []\n', 'YAML (RCP-9)'],
];

export function takenStores(): readonly Case[] {
  return taken.map(
    ([id, trust_document, keys, require_installer, comment]): Case => ({
      id,
      comment: `${comment} (RCP-9)`,
      flags: [],
      input: { trust_document },
      expect: { keys, require_installer },
    }),
  );
}

export function refusedStores(): readonly Case[] {
  return [
    ...refused.map(([id, document, error, pointer, comment, rest]): Case => {
      const { text, place } = marked(document);
      return { id, comment, flags: rest?.flags ?? [], input: { trust_document: text }, expect: { error, where: { pointer, ...place } } };
    }),
    ...unread.map(([id, trust_document, comment]): Case => ({ id, comment, flags: [], input: { trust_document }, expect: { error: 'syntax' } })),
  ];
}
