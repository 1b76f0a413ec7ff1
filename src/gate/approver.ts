/**
 * Approvals: a human's yes or no as a signed statement, bound to one ask and its exact arguments (spec/gate.md, GAT-10 to GAT-12).
 * @module
 */
import type { PublicKey } from '../cose/keys.js';
import { checkSignature } from '../cose/sign1.js';
import type { AsyncSigner, Signer } from '../cose/signer.js';
import { isProblem } from '../cose/walk.js';
import type { ErrorCode } from '../errors.js';
import type { Call } from '../mapping/call.js';
import { checkName } from '../policy/text.js';
import { readEntry } from '../receipt/entry.js';
import { prepareStatement } from '../receipt/issue.js';
import type { ApprovalStatement } from '../receipt/statement.js';
import type { Verdict } from './verdict.js';

/** One ask. */
export interface Ask {
  /** The receipt hash of the decision that asks. */
  readonly hash: string;
  readonly argsDigest: string;
  readonly engineId: string;
  /** A copy, frozen: what was judged. It holds the arguments, which are for whoever answers and for no log. */
  readonly call: Call;
  readonly verdict: Verdict;
}

/** Asks a human; answers with a signed approval (a whole receipt), or with nothing where none was given. Bound to the ask's hash and digest. */
export interface Approver {
  /** The keys whose approvals count. None is the engine's own. */
  readonly keys: readonly PublicKey[];
  approve(ask: Ask, signal?: AbortSignal): Promise<Uint8Array | undefined>;
}

export interface LocalApproverOptions {
  /** Another key than the engine's. It names its public key. */
  readonly signer: Signer | AsyncSigner;
  /** Asks: `true` is yes, `false` no, anything else no answer. */
  readonly ask: (ask: Ask, signal?: AbortSignal) => unknown;
  /** Who answers, as a name (POL-8): `local` by default. */
  readonly approver?: string;
  /** For how long a yes is good, in milliseconds: 60,000 by default. */
  readonly expiresAfter?: number;
  /** Milliseconds since the Unix epoch; `Date.now` by default. */
  readonly now?: () => number;
}

/**
 * Makes approvals of a yes or no by whoever `ask` reaches. The key vouches for that way of asking, and for nothing more.
 *
 * @throws TypeError, RangeError for options that are none; RuleprintError for an approver that is no name
 * @example
 * const approver = localApprover({ signer: createSigner(approverKey), ask: async ({ verdict }) => (await prompt(verdict.message)) === 'yes' });
 * const gate = createGate({ engine, map, agent: 'builder', approver });
 */
export function localApprover({ signer, ask, approver = 'local', expiresAfter = 60_000, now = Date.now }: LocalApproverOptions): Approver {
  if (typeof signer?.sign !== 'function' || signer.key === undefined) throw new TypeError('"signer" expected a signer that names its key, see createSigner');
  if (typeof ask !== 'function') throw new TypeError('"ask" expected a function');
  if (!Number.isSafeInteger(expiresAfter) || expiresAfter < 1) throw new RangeError(`"expiresAfter" expected milliseconds from 1 on, got ${expiresAfter}`);
  checkName(approver);
  const approve = async (asked: Ask, signal?: AbortSignal): Promise<Uint8Array | undefined> => {
    const answer = await ask(asked, signal);
    if (typeof answer !== 'boolean' || signal?.aborted === true) return undefined;
    const time = now();
    const prepared = prepareStatement(
      {
        statement: 'approval',
        engine_id: asked.engineId,
        time,
        ask: asked.hash,
        args_digest: asked.argsDigest,
        approved: answer,
        expires: time + expiresAfter,
        approver,
      },
      signer,
    );
    return prepared.finish(await signer.sign(prepared.sigStructure));
  };
  return Object.freeze({ keys: Object.freeze([signer.key]), approve });
}

/** What the approver gives, as bytes of our own; nothing where the caller has stopped waiting. */
export async function answerOf(approver: Approver, ask: Ask, signal: AbortSignal | undefined): Promise<Uint8Array | undefined> {
  if (signal?.aborted === true) return undefined;
  let stop: () => void = () => undefined;
  const stopped = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
  });
  signal?.addEventListener('abort', stop, { once: true });
  try {
    const given: unknown = await Promise.race([approver.approve(ask, signal), stopped]);
    return given instanceof Uint8Array ? new Uint8Array(given) : undefined;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** What was given for an ask. `isAboutIt`: signed by an approver, for this ask, so that the chain takes it in whatever it says. */
export type Given = { readonly isAboutIt: true; readonly statement: ApprovalStatement } | { readonly isAboutIt: false; readonly code: ErrorCode };

/** Judges an approval but for what it says and when it ends (GAT-11). Never throws for what is in `bytes`. */
export function readApproval(bytes: Uint8Array, ask: Pick<Ask, 'hash' | 'argsDigest' | 'engineId'>, keys: readonly PublicKey[]): Given {
  const not = (code: ErrorCode): Given => ({ isAboutIt: false, code });
  const entry = readEntry(bytes);
  if (isProblem(entry) || entry.statement?.statement !== 'approval') return not('approval-missing');
  const { statement, parsed, kid } = entry;
  const key = keys.find((each) => each.kid === kid);
  if (key === undefined) return not('approval-key');
  if (checkSignature(parsed, key) !== undefined) return not('signature-invalid');
  if (statement.engine_id !== ask.engineId || statement.ask !== ask.hash || statement.args_digest !== ask.argsDigest) return not('approval-differs');
  return { isAboutIt: true, statement };
}
