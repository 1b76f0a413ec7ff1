/**
 * Opening a ledger to write, as its one writer.
 * @module
 */
import { createSigner } from '../cose/signer.js';
import type { PublicKey } from '../cose/keys.js';
import { fileStore } from '../ledger/file-store.js';
import { segmentsIn } from '../ledger/layout.js';
import type { Durability, Ledger } from '../ledger/ledger.js';
import { openLedger } from '../ledger/open.js';
import type { CommandOption, Context } from './command.js';
import { unreadable } from './failure.js';
import { fileName } from './files.js';
import { count } from './printable.js';
import { engineIdOf, readSigningKey } from './signing.js';
import { inFolder } from './sources.js';
import { readTrust } from './verifying.js';

/** What each command that writes as an engine asks for. */
export const engineOptions: readonly CommandOption[] = [
  { syntax: '--key <file>', about: "the engine's private key: JWK, PEM or COSE_Key", isRequired: true },
  { syntax: '--engine-id <id>', about: 'the engine whose ledger it is (default: engine)' },
  { syntax: '--trust <file>', about: 'a trust store with the public keys that the engine had before, where it had others' },
];

/** Whose ledger it is. */
export interface Owner {
  readonly engineId: string;
  readonly signer: ReturnType<typeof createSigner>;
  /** The engine's public keys that the trust store knows, and the signer's. */
  readonly keys: ReadonlyMap<string, PublicKey>;
}

export async function readOwner({ io, out, input }: Context, keyFile: string): Promise<Owner> {
  const engineId = engineIdOf(input.value('engine-id'));
  const key = await readSigningKey(io, out, keyFile);
  const keys = new Map([[key.public.kid, key.public]]);
  const trustFile = input.value('trust');
  const { trust } = trustFile === undefined ? { trust: undefined } : await readTrust(io, trustFile);
  for (const known of trust?.keys.values() ?? []) if (known.role === 'engine' && known.engineIds.has(engineId)) keys.set(known.kid, known.key);
  return { engineId, signer: createSigner(key), keys };
}

/** What an open cut, for JSON. */
export function cutJson({ opened: { cut } }: Ledger): { readonly cut?: { readonly bytes: number; readonly from_seq: number } } {
  return cut === undefined ? {} : { cut: { bytes: cut.bytes, from_seq: cut.fromSeq } };
}

/** Opens it, and says what a process that was stopped had left unfinished. */
export async function openWriter(context: Context, folder: string, owner: Owner, durability: Durability = 'group'): Promise<Ledger> {
  const ledger = await openQuietly(context, folder, owner, durability);
  const { cut } = ledger.opened;
  if (cut !== undefined) {
    const bytes = count(cut.bytes, 'byte');
    context.out.aside(`${fileName(folder)}: cut ${bytes} that a stopped process left behind what was synced; the next entry is seq ${cut.fromSeq}`);
  }
  return ledger;
}

export async function openQuietly({ io }: Context, folder: string, { engineId, signer, keys }: Owner, durability: Durability = 'group'): Promise<Ledger> {
  return inFolder(io, folder, (path) => openLedger(path, { engineId, signer, keys: keys.values(), durability }));
}

/** Refuses a folder in which a ledger would only be begun: whoever maintains one has one. */
export async function checkIsLedger({ io }: Context, folder: string): Promise<void> {
  const segments = await inFolder(io, folder, (path) => segmentsIn(fileStore(path).list()));
  if (segments.length === 0) throw unreadable(`there is no ledger in ${fileName(folder)}`, 'ruleprint decide --ledger begins one');
}
