/**
 * The keys of a live audit, in its folder: those who go on with it find them there, and whoever verifies it elsewhere has trust.json alone.
 * @module
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { layout } from '../../src/audit/evidence/folder.js';
import { generateKey, importPrivateKey, parseTrustStore, type PrivateKey, publicJwk, type TrustStore } from '../../src/index.js';

export interface AuditKeys {
  readonly engine: PrivateKey;
  readonly harness: PrivateKey;
  readonly seed: Uint8Array;
}

/** Reads the keys of a folder, or makes them. */
export function auditKeys(folder: string, engineId: string): AuditKeys {
  const at = join(folder, layout.keys);
  mkdirSync(at, { recursive: true, mode: 0o700 });
  const kept = (name: string, make: () => string): string => {
    const path = join(at, name);
    if (!existsSync(path)) writeFileSync(path, make(), { mode: 0o600, flag: 'wx' });
    return readFileSync(path, 'utf8');
  };
  const key = (name: string): PrivateKey => importPrivateKey(kept(name, () => `${JSON.stringify(generateKey().toJwk())}\n`));
  const [engine, harness] = [key('engine.jwk'), key('harness.jwk')];
  const seed = Uint8Array.from(Buffer.from(kept('seed', () => `${randomBytes(32).toString('hex')}\n`).trim(), 'hex'));
  const entry = (role: string, { public: of }: PrivateKey) => ({ role, engine_ids: [engineId], key: publicJwk(of) });
  const trust = { keys: [entry('engine', engine), entry('harness', harness)] };
  writeFileSync(join(folder, layout.trust), `${JSON.stringify(trust, null, 2)}\n`);
  return { engine, harness, seed };
}

export function trustIn(folder: string): TrustStore {
  return parseTrustStore(readFileSync(join(folder, layout.trust)));
}
