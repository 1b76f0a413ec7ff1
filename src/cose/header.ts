/**
 * The headers of a COSE_Sign1 (spec/receipt.md, Layout and RCP-17; RFC 9052 section 3, RFC 9596).
 * @module
 */
import { type Problem, quote } from '../errors.js';
import { type Algorithm, algorithmNumbers, algorithmOf, type LooseAlgorithm } from './algorithm.js';
import { encodeCbor } from './cbor.js';
import { headLength } from './head.js';
import { itemEnd } from './sequence.js';
import { type CborMap, type CborValue, type Walked, walkCbor } from './walk.js';

/** Labels of header parameters. The three beside `crit` are all that there is. */
const ALG = 1;
const CRIT = 2;
const KID = 4;
const TYP = 16;

/** What a header must say beyond what every header must say. */
export interface HeaderProfile {
  /** How many bytes a kid has. Where not given it has any number but none. */
  readonly kidBytes?: number;
  /** The `typ` that must be there. Where not given there must be none. */
  readonly typ?: string;
  /** Algorithms taken beside `Ed25519` and `ESP256`. */
  readonly alsoAlgorithms?: readonly LooseAlgorithm[];
}

export interface Header {
  readonly alg: Algorithm;
  readonly kid: Uint8Array;
  readonly typ?: string | undefined;
}

/** The protected header as it stands in the message: a map in deterministic CBOR. */
export function encodeHeader({ alg, kid, typ }: Header): Uint8Array {
  const map = new Map<number, number | string | Uint8Array>();
  map.set(ALG, algorithmNumbers[alg]).set(KID, kid);
  if (typ !== undefined) map.set(TYP, typ);
  return encodeCbor(map);
}

/** The two header maps of a message, and where each begins in `bytes`. */
export interface HeaderMaps {
  readonly bytes: Uint8Array;
  readonly protectedMap: CborMap;
  readonly protectedStart: number;
  readonly unprotectedMap: CborMap;
  readonly unprotectedStart: number;
  /** What `where.offset` counts `bytes[0]` as. */
  readonly base: number;
}

/** Judges the headers by RCP-17, in its order. */
export function readHeader(maps: HeaderMaps, profile: HeaderProfile): Header | Problem {
  const { protectedMap, protectedStart, unprotectedMap, unprotectedStart } = maps;
  const at = (start: number, map: CborMap, label: number | string) => ({ where: { offset: maps.base + labelOffset(maps.bytes, start, map, label) } });
  const atProtected = (label: number | string) => at(protectedStart, protectedMap, label);
  const atUnprotected = (label: number | string) => at(unprotectedStart, unprotectedMap, label);
  if (protectedMap.has(CRIT)) return { code: 'cose-crit', message: 'expected no crit, got one in the protected header', ...atProtected(CRIT) };
  if (unprotectedMap.has(CRIT)) return { code: 'cose-crit', message: 'expected no crit, got one in the unprotected header', ...atUnprotected(CRIT) };
  for (const label of protectedMap.keys()) {
    if (label !== ALG && label !== KID && label !== TYP) {
      return { code: 'cose-header', message: `expected alg, kid and typ in the protected header, got label ${shown(label)}`, ...atProtected(label) };
    }
  }
  for (const label of unprotectedMap.keys()) {
    return { code: 'cose-header', message: `expected an empty unprotected header, got label ${shown(label)}`, ...atUnprotected(label) };
  }

  const alg = algorithmOf(protectedMap.get(ALG));
  if (alg === undefined || !isTaken(alg, profile)) {
    const taken = ['Ed25519', 'ESP256', ...(profile.alsoAlgorithms ?? [])].join(', ');
    const message = `expected an algorithm of ${taken}, got ${alg ?? shown(protectedMap.get(ALG))}`;
    return { code: 'cose-alg', message, ...atProtected(ALG), ...(alg !== undefined && { hint: `name ${alg} in alsoAlgorithms to take it` }) };
  }
  const kid = protectedMap.get(KID);
  if (!(kid instanceof Uint8Array) || !isKidLength(kid.length, profile)) {
    const got = kid instanceof Uint8Array ? `${kid.length} bytes` : shown(kid);
    return { code: 'cose-kid', message: `expected a kid of ${profile.kidBytes ?? 'at least 1'} bytes, got ${got}`, ...atProtected(KID) };
  }
  const typ = protectedMap.get(TYP);
  if (typ !== profile.typ) {
    const wanted = profile.typ === undefined ? 'no typ' : `typ ${quote(profile.typ)}`;
    return { code: 'cose-typ', message: `expected ${wanted}, got ${shown(typ)}`, ...atProtected(TYP) };
  }
  return { alg, kid, typ: profile.typ };
}

/** Whether a header that was read is one that this reader takes. */
export function fits({ alg, kid, typ }: Header, profile: HeaderProfile): boolean {
  return isTaken(alg, profile) && isKidLength(kid.length, profile) && typ === profile.typ;
}

function isTaken(alg: Algorithm, { alsoAlgorithms = [] }: HeaderProfile): boolean {
  return alg === 'Ed25519' || alg === 'ESP256' || alsoAlgorithms.includes(alg);
}

function isKidLength(length: number, { kidBytes }: HeaderProfile): boolean {
  return kidBytes === undefined ? length > 0 : length === kidBytes;
}

/** Where a label stands in a map that was walked and begins at `start`; the map's own place for one that is not there. */
function labelOffset(bytes: Uint8Array, start: number, map: CborMap, label: number | string): number {
  if (!map.has(label)) return start;
  let at = start + headLength(map.size);
  for (;;) {
    const key = walkCbor(bytes, at) as Walked;
    if (key.value === label) return at;
    at = itemEnd(bytes, key.end) as number;
  }
}

function shown(value: CborValue | undefined): string {
  if (value === undefined) return 'none';
  if (typeof value === 'string') return quote(value);
  return typeof value === 'number' ? `${value}` : 'another item';
}
