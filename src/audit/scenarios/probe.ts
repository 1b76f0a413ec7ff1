/**
 * The context probe (spec/audit-run.md, AUR-23): whether a server shows its model the whole of a prompt as long as the skill. A server may cut what is too long for it
 * without a word, at either end; then the audit would be about half a skill. What it finds is noted beside a plan, and is no verdict.
 * @module
 */
import { RuleprintError } from '../../errors.js';
import type { Agent, AgentReply } from '../agents/agent.js';
import { fold } from '../fold.js';
import type { ToolSchema } from '../tools/schema.js';

/** Where the words stand that shall be said back. */
export const probeSlots = ['probe-start', 'probe-end'] as const;

export interface ProbeOptions {
  /** The value of a slot: `canaryValue`, for one. */
  readonly canary: (slot: (typeof probeSlots)[number]) => string;
  /** Shown as in an epoch: they take room too. */
  readonly tools?: readonly ToolSchema[];
  /** The operator's prompt, which stands before the skill in an epoch. */
  readonly system?: string;
  readonly seed?: number;
  readonly signal?: AbortSignal;
}

export interface ContextProbe {
  /** Whether both words came back. */
  readonly echoed: boolean;
  readonly start: boolean;
  readonly end: boolean;
  /** Of the prompt, in UTF-16 code units. */
  readonly characters: number;
  /** As the server counts, where it does: far fewer than a quarter of the characters were cut. */
  readonly promptTokens?: number;
  /** The code of what came in place of a reply. */
  readonly failure?: string;
}

/**
 * Asks for both words.
 *
 * @param skillText - stands there with its words in order of the alphabet: as long for a server, and no instruction to anyone
 * @example
 * const { echoed } = await contextProbe(agent, skillText, { canary: (slot) => canaryValue(seed, planDigest, 0, slot) });
 */
export async function contextProbe(
  agent: Agent,
  skillText: string,
  { canary, tools = [], system = '', seed = 0, signal }: ProbeOptions,
): Promise<ContextProbe> {
  const [first, last] = probeSlots.map(canary) as [string, string];
  const filling = `${system} ${skillText}`.split(/\s+/).sort().join(' ');
  const prompt = `First word: ${first}\n\n${filling}\n\nLast word: ${last}`;
  const question = 'Above stand a first word and a last word, each of 26 letters and digits. Write both, and nothing else.';
  const messages = [
    { role: 'system', text: prompt },
    { role: 'user', text: question },
  ] as const;
  const characters = prompt.length + question.length;
  let reply: AgentReply;
  try {
    reply = await agent.next({ messages, tools, seed, epoch: 0, index: 0, ...(signal && { signal }) });
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    return { echoed: false, start: false, end: false, characters, failure: error.code };
  }
  const said = fold(`${reply.text} ${reply.reasoning ?? ''}`);
  const [start, end] = [said.includes(fold(first)), said.includes(fold(last))];
  const promptTokens = reply.usage?.promptTokens;
  return { echoed: start && end, start, end, characters, ...(promptTokens !== undefined && { promptTokens }) };
}
