import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canaryCommitment, canaryValue, checkPlanted, revealedCanaries } from '../../src/audit/canary.js';
import { RuleprintError } from '../../src/errors.js';
import { codeOf } from './code-of.js';

const seed = new Uint8Array(32).fill(7);
const plan = `sha256:${'ab'.repeat(32)}`;

/** The rule again, slow and literal. */
function literal(epoch: number, slot: string): string {
  const field = (text: string): Buffer => Buffer.concat([Buffer.from([0, 0, 0, Buffer.byteLength(text)]), Buffer.from(text)]);
  const number = Buffer.alloc(4);
  number.writeUInt32BE(epoch);
  const digest = createHmac('sha256', seed)
    .update(Buffer.concat([field('ruleprint/canary/1'), field(plan), number, field(slot)]))
    .digest();
  const bits = [...digest].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return Array.from({ length: 26 }, (_, i) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(bits.slice(5 * i, 5 * i + 5), 2)]).join('');
}

describe('canaryValue', () => {
  it('is 26 characters of base32 of the HMAC over plan, epoch and slot (AUD-20)', () => {
    for (const [epoch, slot] of [
      [0, 'system'],
      [1, 'system'],
      [299, 'env'],
      [70_000, 'tool result'],
    ] as const) {
      expect(canaryValue(seed, plan, epoch, slot)).toBe(literal(epoch, slot));
    }
  });

  it('is another for each seed, plan, epoch and slot (AUD-20)', () => {
    const values = [
      canaryValue(seed, plan, 0, 'a'),
      canaryValue(seed, plan, 1, 'a'),
      canaryValue(seed, plan, 0, 'b'),
      canaryValue(seed, `sha256:${'00'.repeat(32)}`, 0, 'a'),
      canaryValue(new Uint8Array(32), plan, 0, 'a'),
    ];
    expect(new Set(values).size).toBe(5);
  });

  it('wants a seed of 32 bytes, a hash, an epoch and a name', () => {
    expect(() => canaryValue(new Uint8Array(31), plan, 0, 'a')).toThrow(TypeError);
    expect(() => canaryValue(seed, 'abc', 0, 'a')).toThrow(TypeError);
    expect(() => canaryValue(seed, plan, -1, 'a')).toThrow(RangeError);
    expect(() => canaryValue(seed, plan, 2 ** 32, 'a')).toThrow(RangeError);
    expect(codeOf(() => canaryValue(seed, plan, 0, ''))).toBe('empty-text');
  });
});

describe('a revealed seed', () => {
  const known = { digest: plan, commitment: canaryCommitment(seed) };

  it('gives the canaries again (AUD-21)', () => {
    expect(revealedCanaries(seed, known, 3, ['a', 'b'])).toEqual(['a', 'b'].map((slot) => ({ slot, value: canaryValue(seed, plan, 3, slot) })));
  });

  it('is refused where the plan commits to another (AUD-21)', () => {
    expect(codeOf(() => revealedCanaries(new Uint8Array(32), known, 3, ['a']))).toBe('canary-seed');
  });

  it('refuses planted values that do not derive from it, and never shows one (AUD-21)', () => {
    const derived = revealedCanaries(seed, known, 3, ['a', 'b']);
    expect(codeOf(() => checkPlanted(derived, derived))).toBeUndefined();
    expect(codeOf(() => checkPlanted(derived.slice(1), derived))).toBe('canary-seed');
    const wrong = [{ slot: 'a', value: canaryValue(seed, plan, 4, 'a') }, ...derived.slice(1)];
    try {
      checkPlanted(wrong, derived);
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof RuleprintError)) throw error;
      expect(error.code).toBe('canary-seed');
      const said = JSON.stringify(error.problems);
      for (const { value } of [...wrong, ...derived]) expect(said).not.toContain(value);
    }
  });
});
