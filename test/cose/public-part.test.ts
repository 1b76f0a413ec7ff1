import { describe, expect, it } from 'vitest';
import { ed25519PublicKey as pureEd25519, p256PublicKey as pureP256 } from '../../src/cose/curves.js';
import { ed25519PublicKey } from '../../src/cose/ed25519.js';
import { p256PublicKey } from '../../src/cose/p256.js';
import { sha256 } from '../../src/hash.js';
import { fromHex, utf8 } from '../../src/bytes.js';

const secrets = Array.from({ length: 20 }, (_, i) => sha256(utf8(`secret ${i}`)));
const bytes = (text: string): Uint8Array => fromHex(text) as Uint8Array;
const order = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551';
const below = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550';

describe('the public part of a secret, by native crypto', () => {
  it('is that of plain JavaScript for Ed25519 (RCP-5)', () => {
    for (const secret of [...secrets, new Uint8Array(32), new Uint8Array(32).fill(255)]) expect(ed25519PublicKey(secret)).toEqual(pureEd25519(secret));
  });

  it('is that of plain JavaScript for P-256, and none where the scalar is none (RCP-5)', () => {
    for (const secret of [...secrets, bytes(below), bytes(`${'00'.repeat(31)}01`)]) expect(p256PublicKey(secret)).toEqual(pureP256(secret));
    for (const secret of [bytes(order), new Uint8Array(32), new Uint8Array(32).fill(255), new Uint8Array(31).fill(1)]) {
      expect(p256PublicKey(secret)).toBeUndefined();
      expect(pureP256(secret)).toBeUndefined();
    }
  });
});
