/**
 * Who decides for `ruleprint decide`, and where the decisions go: nowhere, into a file of receipts, or into a ledger.
 * @module
 */
import { InMemoryPolicyEngine } from '../engine/in-memory.js';
import type { AuditEvent } from '../engine/engine.js';
import type { Trace } from '../decide/decide.js';
import type { LedgerEngine } from '../ledger/engine.js';
import type { Durability, Ledger } from '../ledger/ledger.js';
import type { Decision, Policy, Request } from '../policy/model.js';
import type { Context } from './command.js';
import { unreadable } from './failure.js';
import { fileName, isThere, type NewFile, newFile } from './files.js';
import type { Io } from './io.js';
import { engineIdOf, readSigningKey } from './signing.js';

export interface Decided {
  readonly decision: Decision;
  readonly trace?: Trace;
  /** The receipt hash. */
  readonly receipt?: string;
  readonly seq?: number;
}

export interface Decider {
  /** What is said of it before its decisions. */
  readonly facts: Readonly<Record<string, unknown>>;
  /** @throws RuleprintError for a request that is none: nothing was decided then */
  decide(request: Request, isTraced: boolean): Decided;
  /** Resolves when the decisions so far are recorded: before that nobody may learn of them. */
  record(): Promise<void>;
  close(): Promise<void>;
  /** Ends a run that failed. */
  fail(): Promise<void>;
}

/** Decides in memory, and signs where a key is given. */
export async function standaloneDecider(context: Context, policy: Policy): Promise<Decider> {
  const engine = new InMemoryPolicyEngine({ engineId: engineIdOf(context.input.value('engine-id')) });
  const installed = engine.install(policy);
  const receipts = await receiptsOf(context);
  return {
    facts: { policy: { version: installed.version, digest: installed.digest } },
    decide: (request, isTraced) => {
      const { event, trace } = isTraced ? engine.evaluateTraced(request) : { event: engine.evaluate(request), trace: undefined };
      const receipt = receipts?.sign(event);
      return { decision: event.decision, ...(receipt !== undefined && { receipt }), ...(trace && { trace }) };
    },
    record: async () => receipts?.record(),
    close: async () => receipts?.close(),
    fail: async () => receipts?.fail(),
  };
}

/** Decides as the engine of a ledger, with the policy that is in force there or one that is put in force now. */
export async function ledgerDecider(context: Context, folder: string, policy: Policy | undefined): Promise<Decider> {
  const { input } = context;
  const [{ cutJson, openWriter, readOwner }, { openEngine }, { inFolder }] = await Promise.all([
    import('./writer.js'),
    import('../ledger/engine.js'),
    import('./sources.js'),
  ]);
  const owner = await readOwner(context, input.value('sign') as string);
  const ledger = await openWriter(context, folder, owner, (input.value('durability') ?? 'group') as Durability);
  try {
    const before = ledger.last.seq;
    const engine = await inFolder(context.io, folder, () => openEngine({ ledger, ...(policy && { policy }) }));
    return new LedgerDecider(ledger, engine, { installed: ledger.last.seq > before, ...cutJson(ledger) });
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

class LedgerDecider implements Decider {
  readonly facts: Decider['facts'];
  readonly #ledger: Ledger;
  readonly #engine: LedgerEngine;

  constructor(ledger: Ledger, engine: LedgerEngine, facts: object) {
    this.#ledger = ledger;
    this.#engine = engine;
    const version = engine.policyVersion();
    const { engineId, ledgerId, opened } = ledger;
    this.facts = {
      policy: version === undefined ? null : { version, digest: engine.policyDigest() },
      ledger: { ledger_id: ledgerId, engine_id: engineId, begun: !opened.resumed, ...facts },
    };
  }

  decide(request: Request, isTraced: boolean): Decided {
    if (!isTraced) {
      const { event, receipt } = this.#engine.decide(request);
      return { decision: event.decision, receipt: receipt.hash, seq: receipt.seq };
    }
    // the signer answers at once, so nothing comes between
    const traced = this.#engine.evaluateTraced(request) as Awaited<ReturnType<LedgerEngine['evaluateTraced']>>;
    const { seq, hash } = this.#ledger.last;
    return { decision: traced.event.decision, receipt: hash, seq, trace: traced.trace };
  }

  /** An entry is recorded when the call returns. */
  async record(): Promise<void> {
    // what is on its way to the disk is for close to wait for
  }

  close(): Promise<void> {
    return this.#ledger.close();
  }

  async fail(): Promise<void> {
    // the error that ends the run is said already
    await this.#ledger.close().catch(() => undefined);
  }
}

type MakeReceipt = (event: AuditEvent) => { readonly bytes: Uint8Array; readonly hash: string };

/** Receipts on their way into a file, which is begun with the first of them. */
class Receipts {
  readonly #io: Io;
  readonly #name: string;
  readonly #make: MakeReceipt;
  #pending: Uint8Array[] = [];
  #file: NewFile | undefined;
  #recorded = 0;

  constructor(io: Io, name: string, make: MakeReceipt) {
    this.#io = io;
    this.#name = name;
    this.#make = make;
  }

  /** Signs a decision and gives the receipt hash. */
  sign(event: AuditEvent): string {
    const { bytes, hash } = this.#make(event);
    this.#pending.push(bytes);
    return hash;
  }

  async record(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    if (pending.length === 0) return;
    this.#file ??= await newFile(this.#io, this.#name);
    await this.#file.append(Buffer.concat(pending));
    this.#recorded += pending.length;
  }

  async close(): Promise<void> {
    this.#file ??= await newFile(this.#io, this.#name);
    await this.#file.close();
  }

  /** A run that fails leaves no file, but the receipts of decisions that are out stay. */
  async fail(): Promise<void> {
    if (this.#recorded === 0) await this.#file?.abandon();
  }
}

async function receiptsOf({ io, out, input }: Context): Promise<Receipts | undefined> {
  const keyFile = input.value('sign');
  const name = input.value('out');
  if (keyFile === undefined || name === undefined) return undefined;
  if (await isThere(io, name)) throw unreadable(`${fileName(name)} is there already`, 'ruleprint overwrites nothing: take another name, or move the file away');
  const [{ createSigner }, { signReceipt }, { receiptHash }] = await Promise.all([
    import('../cose/signer.js'),
    import('../receipt/issue.js'),
    import('../receipt/read.js'),
  ]);
  const signer = createSigner(await readSigningKey(io, out, keyFile));
  return new Receipts(io, name, (event) => {
    const bytes = signReceipt(event, signer);
    return { bytes, hash: receiptHash(bytes) };
  });
}
