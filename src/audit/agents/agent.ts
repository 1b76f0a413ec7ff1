/**
 * The port of an agent (spec/audit-run.md, "Agents"): what it is told in a turn, and what it replies. Agents keep nothing between turns: all that they know is in
 * the turn, so that epochs run side by side and a run goes on where another stopped.
 * @module
 */
import type { Parsed } from '../transcript.js';
import type { ToolSchema } from '../tools/schema.js';

export interface AgentCall {
  /** Unique in the conversation. */
  readonly id: string;
  readonly name: string;
  /** The arguments as the model wrote them. */
  readonly raw: string;
  readonly parsed: Parsed;
  /** An object, where there is one; of a call that is not `ok` it is there for those who judge, and given to no tool. */
  readonly args?: Readonly<Record<string, unknown>>;
}

/** Why a reply is not what the model meant: the epoch ends with it, and what is there is still judged. */
export type ReplyFailure = 'malformed-args' | 'truncated';

export interface AgentReply {
  readonly text: string;
  readonly reasoning?: string;
  readonly calls: readonly AgentCall[];
  readonly failure?: ReplyFailure;
  /** Tries on the wire: 1 where the first answer came. */
  readonly attempts?: number;
  /** As the server says. */
  readonly model?: string;
  readonly fingerprint?: string;
  readonly finishReason?: string;
  readonly usage?: { readonly promptTokens: number; readonly completionTokens: number };
}

export type TurnMessage =
  | { readonly role: 'system' | 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly reply: AgentReply }
  | { readonly role: 'tool'; readonly callId: string; readonly name: string; readonly text: string; readonly isError: boolean };

export interface AgentTurn {
  readonly messages: readonly TurnMessage[];
  readonly tools: readonly ToolSchema[];
  /** The seed of the epoch: 0 to 2^31-1. */
  readonly seed: number;
  readonly epoch: number;
  /** Among the turns of the epoch, from 0. */
  readonly index: number;
  /** Aborted where the epoch has no more time. */
  readonly signal?: AbortSignal;
}

export interface Agent {
  /** @throws RuleprintError where no reply came: `agent-transport`, `agent-http`, `agent-timeout`, `agent-reply`, `replay-missing` */
  next(turn: AgentTurn): Promise<AgentReply>;
}

/** All that an agent has been shown in a turn, and not said itself. */
export function shownIn({ messages }: Pick<AgentTurn, 'messages'>): readonly string[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? [] : [message.text]));
}

/** The calls that were made before this turn. */
export function callsIn({ messages }: Pick<AgentTurn, 'messages'>): readonly AgentCall[] {
  return messages.flatMap((message) => (message.role === 'assistant' ? message.reply.calls : []));
}
