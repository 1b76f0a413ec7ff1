/**
 * The trust store: which keys may say what, for which engines, when (spec/receipt.md, "Trust store").
 * @module
 */
import { importPublicKey, type PublicKey } from '../cose/keys.js';
import { refuse, RuleprintError, type Problem } from '../errors.js';
import { readJson } from '../policy/json.js';
import { checkDocument, checkedPlain } from '../policy/door.js';
import { copyPlain } from '../policy/plain.js';
import { checkName } from '../policy/text.js';
import { integer, list, object, pointer, text, word, type Shape } from '../shape.js';

export const roles = ['engine', 'installer', 'approver', 'harness', 'auditor'] as const;
export type Role = (typeof roles)[number];

/** Times are milliseconds since the Unix epoch; windows are half-open (RCP-10). */
export interface TrustedKey {
  /** 64 lower-case hex digits. */
  readonly kid: string;
  readonly key: PublicKey;
  readonly role: Role;
  readonly engineIds: ReadonlySet<string>;
  readonly validFrom: number;
  /** Infinity where the key does not expire. */
  readonly validUntil: number;
  /** Infinity where the key is not revoked. */
  readonly revokedAt: number;
  /** From which `seq` of an engine on the key is revoked, where that is known. */
  readonly revokedFromSeq: ReadonlyMap<string, number>;
}

export interface TrustStore {
  readonly keys: ReadonlyMap<string, TrustedKey>;
  /** Whether an install needs an installer's authorization. */
  readonly requireInstaller: boolean;
}

/** The file format. */
interface TrustDocument {
  readonly keys: readonly {
    readonly role: Role;
    readonly engine_ids: readonly string[];
    /** A public JWK: importPublicKey judges it. */
    readonly key: Readonly<Record<string, unknown>>;
    readonly kid?: string;
    readonly valid_from?: number;
    readonly valid_until?: number;
    readonly revoked_at?: number;
    readonly revoked_from_seq?: Readonly<Record<string, number>>;
  }[];
  readonly require_installer?: boolean;
}

const uint = integer(0, Number.MAX_SAFE_INTEGER);
const maxKeys = 10_000;

const trustShape: Shape = object(
  'a trust store',
  {
    keys: list(
      'a list of keys',
      object(
        'a key',
        {
          role: word(...roles),
          engine_ids: list('a list of engine ids', text('an engine id', checkName), { min: 1, max: maxKeys, set: true }),
          key: { kind: 'record', what: 'a public JWK', value: { kind: 'any' } },
        },
        {
          kid: text('64 hex digits'),
          valid_from: uint,
          valid_until: uint,
          revoked_at: uint,
          revoked_from_seq: { kind: 'record', what: 'engine ids with a seq', value: uint, key: checkName },
        },
      ),
      { max: maxKeys },
    ),
  },
  { require_installer: { kind: 'boolean' } },
);

/**
 * Reads a trust store from JSON text, through the same strict door as a policy (RCP-9).
 *
 * @throws RuleprintError the codes of documents, `key-format`, `key-point`, `key-private`, `kid-mismatch`, `kid-duplicate`
 */
export function parseTrustStore(source: string | Uint8Array, { file }: { file?: string } = {}): TrustStore {
  const options = { format: 'json' as const, ...(file !== undefined && { file }) };
  const result = checkDocument(source, options, readJson, trustShape, (value) => ({ value }));
  if ('problems' in result) throw new RuleprintError(result.problems);
  return admit(result.value as TrustDocument, file);
}

/** Takes a trust store handed in as an object of the same shape. */
export function copyTrustStore(value: unknown): TrustStore {
  return admit(checkedPlain(trustShape, copyPlain(value)) as TrustDocument, undefined);
}

function admit(document: TrustDocument, file: string | undefined): TrustStore {
  const keys = new Map<string, TrustedKey>();
  document.keys.forEach((given, i) => {
    // without a prototype: a field that is not there must not be found on Object.prototype
    const entry: TrustDocument['keys'][number] = Object.assign(Object.create(null), given);
    const where = (...path: string[]) => ({ ...(file !== undefined && { file }), pointer: pointer(['keys', i, ...path]) });
    if (entry.revoked_from_seq !== undefined && entry.revoked_at === undefined) {
      refuse('missing-key', 'expected a field "revoked_at" beside revoked_from_seq', { where: where(), hint: 'say when the key was revoked' });
    }
    const key = keyAt(entry.key, where('key'));
    if (entry.kid !== undefined && entry.kid !== key.kid) {
      refuse('kid-mismatch', `expected the thumbprint ${key.kid}`, { where: where('kid'), hint: 'leave kid out: it follows from the key' });
    }
    if (keys.has(key.kid))
      refuse('kid-duplicate', `key ${key.kid} stands twice`, { where: where('key'), hint: 'one key has one role; list all its engines in one entry' });
    keys.set(key.kid, {
      kid: key.kid,
      key,
      role: entry.role,
      engineIds: new Set(entry.engine_ids),
      validFrom: entry.valid_from ?? 0,
      validUntil: entry.valid_until ?? Number.POSITIVE_INFINITY,
      revokedAt: entry.revoked_at ?? Number.POSITIVE_INFINITY,
      revokedFromSeq: new Map(Object.entries(entry.revoked_from_seq ?? {})),
    });
  });
  return { keys, requireInstaller: Object.hasOwn(document, 'require_installer') && document.require_installer === true };
}

/** A public key, checked once here (RCP-6); what is wrong with it is placed at its entry. */
function keyAt(jwk: Readonly<Record<string, unknown>>, where: Problem['where']): PublicKey {
  try {
    return importPublicKey(jwk);
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    throw new RuleprintError({ ...error.problems[0], where }, { cause: error });
  }
}
