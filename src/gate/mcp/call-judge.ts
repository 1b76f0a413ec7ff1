/**
 * A gated call through the gate: forwarded, answered, or put to the client's user first (spec/mcp.md, MCP-7 to MCP-13). Knows nothing of pipes and sockets.
 * @module
 */
import { argsDigest } from '../../digest/args-digest.js';
import type { Signer } from '../../cose/signer.js';
import { checkName } from '../../policy/text.js';
import { type Approver, type Ask, localApprover } from '../approver.js';
import type { Gate } from '../gate.js';
import { denialOf, type DenyStyle } from './answers.js';
import { decisionLine } from './decision-line.js';
import { clientCapabilitiesKey, type GatedCall, isObject, type JsonObject, messageOf } from './message.js';
import { questionKey, questionOf, readAnswer, takesForms } from './question.js';
import { RequestStates, statePrefix } from './request-state.js';

/** How long a question of the gate, and the yes to a call that the server answers in several rounds, is good. */
export const questionLifetimeMs = 600_000;

/** The name that approvals carry: the gate vouches for the client, and for nobody behind it. */
export const approverName = 'mcp-client';

/** What a connection does for its calls. */
export interface Connection {
  /** Puts a question to the client's user and gives the result; absent where the client cannot ask. Only for the protocol of 2025. */
  readonly elicit?: (question: JsonObject, signal: AbortSignal) => Promise<unknown>;
}

export type Outcome =
  | {
      readonly kind: 'forward';
      /** Absent: as it came, because writing it again would change it. Only in observe mode. */
      readonly message?: string;
      /** The yes goes on where the server asks back: to be called with the `requestState` of its `input_required`. */
      readonly onInputRequired?: (state: string | undefined) => void;
    }
  | { readonly kind: 'answer'; readonly message: JsonObject };

type Answer = (ask: Ask) => Promise<boolean | undefined>;

/** Finds, for an ask of the gate, the call that it is about: by the signal that the call was checked with. */
export class ClientApprover {
  readonly approver: Approver;
  readonly #answers = new WeakMap<AbortSignal, Answer>();

  constructor(signer: Signer, now?: () => number) {
    const ask = async (asked: Ask, signal?: AbortSignal): Promise<boolean | undefined> => {
      const answer = signal === undefined ? undefined : this.#answers.get(signal);
      return answer?.(asked);
    };
    this.approver = localApprover({ signer, ask, approver: approverName, ...(now && { now }) });
  }

  register(signal: AbortSignal, answer: Answer): void {
    this.#answers.set(signal, answer);
  }
}

export interface CallJudgeOptions {
  readonly gate: Gate;
  /** As rules name it. */
  readonly server: string;
  /** That of the gate; without one every ask is denied. */
  readonly approver?: ClientApprover;
  readonly denyStyle?: DenyStyle;
  /** Hears one line for each decision. */
  readonly tell: (line: string) => void;
  readonly now?: () => number;
  /** How long a user may take to answer, in milliseconds: {@link questionLifetimeMs} by default. */
  readonly patience?: number;
}

export class CallJudge {
  readonly #gate: Gate;
  readonly #server: string;
  readonly #approver: ClientApprover | undefined;
  readonly #style: DenyStyle;
  readonly #tell: (line: string) => void;
  readonly #now: () => number;
  readonly #patience: number;
  readonly #states: RequestStates;
  /** Approved calls that their server has answered with a question of its own: by call and state, until when. */
  readonly #goOn = new Map<string, number>();

  constructor({ gate, server, approver, denyStyle = 'result', tell, now = Date.now, patience = questionLifetimeMs }: CallJudgeOptions) {
    this.#gate = gate;
    this.#server = server;
    this.#approver = approver;
    this.#style = denyStyle;
    this.#tell = tell;
    this.#now = now;
    this.#patience = patience;
    this.#states = new RequestStates(questionLifetimeMs, now);
  }

  /** Never rejects, as the gate never does. */
  async decide(call: GatedCall, signal: AbortSignal, { elicit }: Connection): Promise<Outcome> {
    const { tool, args, id } = call;
    const params = withoutOurs(call.params);
    // MCP-6: written before it is judged, from the very values that are judged
    const message = written(call, params);
    const cannotBeSent = call.losesNumbers || message === undefined;
    const asked: { question?: JsonObject } = {};
    this.#approver?.register(signal, async (ask) => {
      const put = call.isStateless ? await this.#answerOfRetry(call, ask) : await this.#ask(call, ask, signal, elicit);
      if (typeof put !== 'object') return put;
      asked.question = put;
      return undefined;
    });
    const callId = isName(String(id)) ? { callId: String(id) } : {};
    // MCP-6: what cannot be sent as it was judged has no digest, and so is denied as unmapped
    const given = cannotBeSent ? Number.NaN : args;
    const verdict = await this.#gate.checkAsync({ tool, server: this.#server, ...(given !== undefined && { args: given }), ...callId }, { signal });
    if (asked.question !== undefined && verdict.effect === 'ask' && !verdict.allowed && !signal.aborted) {
      this.#tell(`${decisionLine(tool, verdict, this.#gate.mode)}: the client is asked`);
      return { kind: 'answer', message: { id, result: asked.question } };
    }
    this.#tell(decisionLine(tool, verdict, this.#gate.mode));
    if (!verdict.allowed) return { kind: 'answer', message: denialOf(call, verdict, this.#style) };
    return {
      kind: 'forward',
      ...(message !== undefined && !cannotBeSent && { message }),
      ...(verdict.release !== undefined && call.isStateless && { onInputRequired: (state: string | undefined) => this.#rememberYes(call, state) }),
    };
  }

  /** 2025: a request of the gate's own to the client, while the call waits. */
  async #ask(call: GatedCall, ask: Ask, signal: AbortSignal, elicit: Connection['elicit']): Promise<boolean | undefined> {
    if (elicit === undefined) return undefined;
    const tooLate = AbortSignal.timeout(this.#patience);
    return readAnswer(await elicit(questionOf(call, this.#server, ask), AbortSignal.any([signal, tooLate])));
  }

  /** 2026: the answer that came with the call, or the result that asks for one; undefined where the client cannot ask. */
  async #answerOfRetry(call: GatedCall, ask: Ask): Promise<boolean | JsonObject | undefined> {
    const { requestState: state, inputResponses: responses, _meta: meta } = call.params;
    const about = {
      server: this.#server,
      tool: call.tool,
      argsDigest: argsDigest(call.args),
      rule: ask.verdict.rule ?? '',
      policyDigest: ask.verdict.policyDigest ?? '',
    };
    if (typeof state === 'string' && state.startsWith(statePrefix) && this.#states.take(state, about)) {
      return isObject(responses) ? readAnswer(responses[questionKey]) : undefined;
    }
    if (this.#takeYes(call, about.argsDigest)) return true;
    if (!isObject(meta) || !takesForms(meta[clientCapabilitiesKey])) return undefined;
    return {
      resultType: 'input_required',
      inputRequests: { [questionKey]: { method: 'elicitation/create', params: questionOf(call, this.#server, ask) } },
      requestState: this.#states.make({ ask: ask.hash, ...about }),
    };
  }

  /** MCP-13 */
  #rememberYes(call: GatedCall, state: string | undefined): void {
    const now = this.#now();
    for (const [key, until] of this.#goOn) if (until <= now) this.#goOn.delete(key);
    this.#goOn.set(this.#keyOf(call, argsDigest(call.args), state), now + questionLifetimeMs);
  }

  #takeYes(call: GatedCall, digest: string): boolean {
    const { requestState: state, inputResponses: responses } = call.params;
    if (state === undefined && responses === undefined) return false;
    const key = this.#keyOf(call, digest, typeof state === 'string' ? state : undefined);
    const until = this.#goOn.get(key);
    this.#goOn.delete(key);
    return until !== undefined && until > this.#now();
  }

  #keyOf({ method, tool }: GatedCall, digest: string, state: string | undefined): string {
    return JSON.stringify([method, tool, digest, state ?? null]);
  }
}

/** What the gate put into the conversation is not for the server. */
function withoutOurs(params: JsonObject): JsonObject {
  const { requestState: state, inputResponses: responses } = params;
  const isOurState = typeof state === 'string' && state.startsWith(statePrefix);
  const hasAnswer = isObject(responses) && Object.hasOwn(responses, questionKey);
  if (!isOurState && !hasAnswer) return params;
  const { requestState: _state, inputResponses: _responses, ...rest } = params;
  const { [questionKey]: _answer, ...others } = isObject(responses) ? responses : {};
  return {
    ...rest,
    ...(Object.keys(others).length > 0 && { inputResponses: others }),
    ...(!isOurState && state !== undefined && { requestState: state }),
  };
}

/** Undefined for what is nested too deep to be written: it is judged as what it is, and no gate lets it through. */
function written(call: GatedCall, params: JsonObject): string | undefined {
  try {
    return messageOf(call, params);
  } catch {
    return undefined; // a RangeError: the stack
  }
}

function isName(text: string): boolean {
  try {
    checkName(text);
    return true;
  } catch {
    return false; // no name: the receipt goes without
  }
}
