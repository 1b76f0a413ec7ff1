/**
 * Canaries: planted values that stand nowhere else, so that whoever shows one has read where it was planted (AUD-20 to AUD-22).
 * @module
 */
import { concat, field, u32be } from '../bytes.js';
import { quote, refuse } from '../errors.js';
import { isHashText, sha256, sha256Text } from '../hash.js';
import { checkName } from '../policy/text.js';

/** Characters of a canary: 130 bits. */
export const canaryLength = 26;

/** Where a value was planted, and the value. Never in a message or a log. */
export interface Canary {
  readonly slot: string;
  readonly value: string;
}

/**
 * The value of one slot in one epoch (AUD-20). Without the seed nobody can tell it from chance; with it everybody can make it again.
 *
 * @param seed - 32 bytes, secret until the report reveals them
 * @param planDigest - of the plan that commits to the seed
 */
export function canaryValue(seed: Uint8Array, planDigest: string, epoch: number, slot: string): string {
  checkSeed(seed);
  if (!isHashText(planDigest)) throw new TypeError('"planDigest" expected a hash');
  if (!Number.isSafeInteger(epoch) || epoch < 0 || epoch > 0xffff_ffff) throw new RangeError('"epoch" expected an integer from 0 to 2^32-1');
  checkName(slot);
  const message = concat(field('ruleprint/canary/1'), field(planDigest), u32be(epoch), field(slot));
  return base32(hmacSha256(seed, message)).slice(0, canaryLength);
}

/** What a plan says of its seed before the first epoch (AUD-21). */
export function canaryCommitment(seed: Uint8Array): string {
  checkSeed(seed);
  return sha256Text(seed);
}

/** The canaries of an epoch, after the seed was held against its commitment (AUD-21). */
export function revealedCanaries(
  seed: Uint8Array,
  plan: { readonly digest: string; readonly commitment: string },
  epoch: number,
  slots: readonly string[],
): readonly Canary[] {
  if (canaryCommitment(seed) !== plan.commitment) refuse('canary-seed', 'expected the seed that the plan commits to, got another');
  return slots.map((slot) => ({ slot, value: canaryValue(seed, plan.digest, epoch, slot) }));
}

/** Refuses a planted value that does not derive (AUD-21). The message names the slot alone. */
export function checkPlanted(planted: readonly Canary[], derived: readonly Canary[]): void {
  const values = new Map(derived.map(({ slot, value }) => [slot, value]));
  const wrong = planted.find(({ slot, value }) => values.get(slot) !== value);
  if (wrong !== undefined) refuse('canary-seed', `expected the canary of the slot ${quote(wrong.slot)} to derive from the seed, it does not`);
  if (planted.length !== values.size) refuse('canary-seed', `expected ${values.size} canaries, got ${planted.length}`);
}

function checkSeed(seed: Uint8Array): void {
  if (!(seed instanceof Uint8Array) || seed.length !== 32) throw new TypeError('"seed" expected 32 bytes');
}

/** HMAC (RFC 2104) over our one SHA-256, for keys of up to a block. */
function hmacSha256(key: Uint8Array, message: Uint8Array): Uint8Array {
  const inner = new Uint8Array(64).fill(0x36);
  const outer = new Uint8Array(64).fill(0x5c);
  key.forEach((byte, i) => {
    inner[i] = byte ^ 0x36;
    outer[i] = byte ^ 0x5c;
  });
  return sha256(concat(outer, sha256(concat(inner, message))));
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 section 6, without padding. */
function base32(bytes: Uint8Array): string {
  let out = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    for (bits += 8; bits >= 5; bits -= 5) out += alphabet[(value >>> (bits - 5)) & 31];
  }
  return bits > 0 ? out + alphabet[(value << (5 - bits)) & 31] : out;
}
