import { describe, expect, it } from 'vitest';
import { publicJwk } from '../../src/cose/keys.js';
import { base64url, hex } from '../../src/bytes.js';
import type { RuleprintError } from '../../src/errors.js';
import { copyTrustStore, parseTrustStore } from '../../src/receipt/trust.js';
import { changed, refusal, refused, type Loose } from '../policy/kit.js';
import { entry, key, kidOf, otherKey, p256Key } from './kit.js';

const good: Loose = {
  keys: [
    entry(key, { valid_from: 0, valid_until: 2, revoked_at: 1, revoked_from_seq: { 'engine-a': 17 }, kid: key.public.kid }),
    entry(p256Key, { role: 'auditor', engine_ids: ['engine-a', 'engine-b'] }),
  ],
  require_installer: true,
};
type Path = readonly (string | number)[];
const at = (path: Path): string => path.map((step) => `/${step}`).join('');
type Row = [title: string, path: Path, to: unknown, code: string, at?: Path];

describe('a trust store', () => {
  it('is read into what the verifier asks', () => {
    const store = parseTrustStore(JSON.stringify(good));
    expect([...store.keys.keys()]).toEqual([hex(kidOf(key)), hex(kidOf(p256Key))]);
    expect(store.keys.get(key.public.kid)).toMatchObject({
      kid: key.public.kid,
      role: 'engine',
      engineIds: new Set(['engine-a']),
      validFrom: 0,
      validUntil: 2,
      revokedAt: 1,
      revokedFromSeq: new Map([['engine-a', 17]]),
    });
    expect(store.requireInstaller).toBe(true);
    expect(copyTrustStore(good)).toEqual(store);
  });

  it('needs only role, engines and key: a key without a window is valid for ever', () => {
    const { keys, requireInstaller } = copyTrustStore({ keys: [entry()] });
    expect(keys.get(key.public.kid)).toMatchObject({
      validFrom: 0,
      validUntil: Number.POSITIVE_INFINITY,
      revokedAt: Number.POSITIVE_INFINITY,
      revokedFromSeq: new Map(),
    });
    expect(requireInstaller).toBe(false);
  });

  it.each(['engine', 'installer', 'approver', 'harness', 'auditor'])('knows the role %s', (role) => {
    expect(copyTrustStore({ keys: [entry(key, { role })] }).keys.get(key.public.kid)?.role).toBe(role);
  });

  it('may hold no key, and then trusts nobody', () => {
    expect(copyTrustStore({ keys: [] }).keys.size).toBe(0);
  });
});

describe('RCP-9: the same strict door as a policy', () => {
  it.each<Row>([
    ['no keys', ['keys'], undefined, 'missing-key', []],
    ['another field', ['trusted'], true, 'unknown-key'],
    ['no role', ['keys', 0, 'role'], undefined, 'missing-key', ['keys', 0]],
    ['no engines', ['keys', 0, 'engine_ids'], undefined, 'missing-key', ['keys', 0]],
    ['no key', ['keys', 0, 'key'], undefined, 'missing-key', ['keys', 0]],
    ['a field that is misspelt', ['keys', 0, 'revoked'], 1, 'unknown-key'],
    ['another role', ['keys', 0, 'role'], 'admin', 'bad-value'],
    ['an empty list of engines', ['keys', 0, 'engine_ids'], [], 'empty-list'],
    ['an engine twice', ['keys', 0, 'engine_ids'], ['a', 'a'], 'duplicate-item', ['keys', 0, 'engine_ids', 1]],
    ['an engine without a name', ['keys', 0, 'engine_ids', 0], '', 'empty-text'],
    ['a time as text', ['keys', 0, 'valid_from'], '2026-01-01', 'wrong-type'],
    ['a time below 0', ['keys', 0, 'valid_until'], -1, 'bad-integer'],
    ['a fraction of a time', ['keys', 0, 'revoked_at'], 1.5, 'bad-integer'],
    ['a time beyond 2^53-1', ['keys', 0, 'revoked_at'], 2 ** 53, 'bad-integer'],
    ['null for a time, which is not absent', ['keys', 0, 'revoked_at'], null, 'wrong-type'],
    ['a revoked_from_seq that is a number', ['keys', 0, 'revoked_from_seq'], 17, 'wrong-type'],
    ['a revoked_from_seq for an engine without a name', ['keys', 0, 'revoked_from_seq', ''], 17, 'empty-text'],
    ['a revoked_from_seq that is text', ['keys', 0, 'revoked_from_seq', 'engine-a'], '17', 'wrong-type'],
    ['require_installer as text', ['require_installer'], 'true', 'wrong-type'],
    ['a key that is text', ['keys', 0, 'key'], 'x', 'wrong-type'],
    ['a kid that is not the one of the key', ['keys', 0, 'kid'], p256Key.public.kid, 'kid-mismatch'],
    ['a key of another curve', ['keys', 0, 'key', 'crv'], 'X25519', 'key-format', ['keys', 0, 'key']],
    ['a key whose number is too short', ['keys', 0, 'key', 'x'], base64url(new Uint8Array(31)), 'key-format', ['keys', 0, 'key']],
    ['a key of small order (RCP-6)', ['keys', 0, 'key', 'x'], base64url(Uint8Array.from([1, ...new Array(31).fill(0)])), 'key-point', ['keys', 0, 'key']],
    ['a P-256 key off the curve (RCP-6)', ['keys', 1, 'key', 'x'], base64url(new Uint8Array(32)), 'key-point', ['keys', 1, 'key']],
  ])('refuses %s', (...[, path, to, code, where = path]: Row) => {
    // a kid would not fit a key that was changed
    const from = path[2] === 'key' ? changed(good, ['keys', 0, 'kid'], undefined) : good;
    expect(refusal(() => copyTrustStore(changed(from, path, to)))).toEqual({ code, pointer: at(where) });
  });

  it.each<[string, string, string]>([
    ['a key of the document twice', '{"keys":[],"keys":[]}', 'duplicate-key'],
    ['__proto__', '{"keys":[],"__proto__":{}}', 'forbidden-key'],
    ['a comment', '{"keys":[]} // none', 'syntax'],
    ['YAML', 'keys: []\n', 'syntax'],
    ['a byte order mark', '\ufeff{"keys":[]}', 'syntax'],
    ['a time not in plain digits', JSON.stringify(good).replace('"valid_until":2', '"valid_until":2.0'), 'bad-integer'],
  ])('refuses %s in a text', (_, text, code) => {
    expect(refusal(() => parseTrustStore(text))).toMatchObject({ code });
  });

  it('refuses revoked_from_seq without revoked_at, because it would revoke nothing', () => {
    const { revoked_at: _, ...rest } = good.keys[0];
    expect(refusal(() => copyTrustStore({ keys: [rest] }))).toEqual({ code: 'missing-key', pointer: '/keys/0' });
  });

  it('finds no field on Object.prototype', () => {
    const proto = Object.prototype as Loose;
    const added = { revoked_at: 1, valid_from: 5, require_installer: true };
    for (const [name, value] of Object.entries(added)) Object.defineProperty(proto, name, { value, configurable: true });
    try {
      const { keys, requireInstaller } = copyTrustStore({ keys: [entry()] });
      expect(keys.get(key.public.kid)).toMatchObject({ validFrom: 0, revokedAt: Number.POSITIVE_INFINITY });
      expect(requireInstaller).toBe(false);
    } finally {
      for (const name of Object.keys(added)) delete proto[name];
    }
  });

  it('refuses an accessor in an object, because it may answer twice', () => {
    const store = { keys: [Object.defineProperty({ ...entry() }, 'role', { get: () => 'engine', enumerable: true })] };
    expect(refusal(() => copyTrustStore(store))).toEqual({ code: 'not-plain-data', pointer: '/keys/0/role' });
  });

  it('refuses a kid that stands twice, because one key has one role', () => {
    for (const second of [entry(), entry(key, { role: 'auditor' }), entry(key, { engine_ids: ['engine-b'] })]) {
      expect(refusal(() => copyTrustStore({ keys: [entry(otherKey), entry(), second] }))).toEqual({ code: 'kid-duplicate', pointer: '/keys/2/key' });
    }
  });

  it('refuses a private key, and does not show it', () => {
    const secret = key.toJwk() as Loose;
    const problem = refused(() => copyTrustStore({ keys: [entry(key, { key: secret })] }));
    expect(problem).toMatchObject({ code: 'key-private', where: { pointer: '/keys/0/key' } });
    expect(JSON.stringify(problem)).not.toContain(secret.d);
  });

  it('names the line of what is wrong, and the file', () => {
    try {
      parseTrustStore('{\n"keys": [\n{ "role": "admin", "engine_ids": ["a"], "key": {} } ] }', { file: 'trust.json' });
      expect.unreachable();
    } catch (error) {
      expect((error as RuleprintError).where).toMatchObject({ file: 'trust.json', pointer: '/keys/0/role', line: 3, column: 11 });
    }
  });

  it('holds copies, so that nobody changes it from outside', () => {
    const jwk = { ...publicJwk(key.public) };
    const store = structuredClone({ keys: [entry(key, { key: jwk })] });
    const read = copyTrustStore(store);
    (store.keys[0] as Loose).role = 'auditor';
    (store.keys[0] as Loose).engine_ids.push('engine-z');
    expect(read.keys.get(key.public.kid)).toMatchObject({ role: 'engine', engineIds: new Set(['engine-a']) });
  });
});
