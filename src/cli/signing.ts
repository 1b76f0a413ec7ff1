/**
 * Signing keys from files.
 * @module
 */
import { fromUtf8 } from '../bytes.js';
import { importPrivateKey, type PrivateKey } from '../cose/keys.js';
import { RuleprintError } from '../errors.js';
import { checkName } from '../policy/text.js';
import { usage } from './failure.js';
import { fileName, isReadByOthers, readBytes } from './files.js';
import type { Io } from './io.js';
import type { Output } from './output.js';

/** Which engine a key speaks for where nothing else is said. */
export const defaultEngineId = 'engine';

const maxKeyBytes = 65_536;

/** Reads a private key: a JWK, PEM text, or the bytes of a COSE_Key. */
export async function readSigningKey(io: Io, out: Output, file: string): Promise<PrivateKey> {
  const bytes = await readBytes(io, file, maxKeyBytes);
  const text = fromUtf8(bytes);
  // a COSE_Key is a map in CBOR, whose first byte begins neither of the two texts
  const isText = text !== undefined && /^\s*[{-]/.test(text);
  try {
    const key = importPrivateKey(isText ? text : new Uint8Array(bytes));
    if (file !== '-' && (await isReadByOthers(io, file))) out.hint(`others may read ${fileName(file)}: chmod 600 it`);
    return key;
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    throw new RuleprintError({ ...error.problems[0], where: { file: fileName(file) } }, { cause: error });
  }
}

/** The value of `--engine-id`. */
export function engineIdOf(said: string | undefined): string {
  const id = said ?? defaultEngineId;
  try {
    checkName(id);
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    throw usage(`--engine-id: ${error.message}`);
  }
  return id;
}
