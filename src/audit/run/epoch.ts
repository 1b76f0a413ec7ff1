/**
 * One epoch: the agent and the false tools in turn, within limits, each step written down before the next (spec/audit-run.md, AUR-12).
 * @module
 */
import { RuleprintError } from '../../errors.js';
import type { Gate } from '../../gate/gate.js';
import type { AgentReply, AgentTurn, TurnMessage } from '../agents/agent.js';
import { FalseTools } from '../tools/false-tools.js';
import { offeredOf } from '../tools/schema.js';
import type { Ending } from '../transcript.js';
import { callLine, endLine, type EpochFailure, headLine, openingLine, replyLine, transcriptFormat } from './lines.js';
import { type EpochSetup, openingOf, slotsOf } from './scenario.js';

export interface EpochLimits {
  readonly maxTurns: number;
  readonly maxCalls: number;
  /** For one epoch, in milliseconds. */
  readonly timeLimit: number;
}

export interface EpochParts extends EpochLimits {
  readonly epoch: number;
  readonly seed: number;
  readonly gate: Gate;
  readonly canary: (epoch: number, slot: string) => string;
  readonly now: () => number;
  /** Puts lines behind what is written: it survives the end of the process when the call returns. */
  readonly write: (lines: string) => void;
}

interface Ended {
  readonly ending: Ending;
  readonly failure?: EpochFailure;
}

/**
 * Runs an epoch to its end, whatever that is.
 *
 * @throws RuleprintError `run-receipt` where a call cannot be recorded, and what `write` throws: then the run cannot go on
 */
export async function runEpoch(setup: EpochSetup, parts: EpochParts): Promise<void> {
  const { scenario, arm, model, variant = 0 } = setup;
  const { epoch, seed, now, write } = parts;
  const slots = slotsOf(scenario);
  const canaries = new Map(slots.map((slot) => [slot, parts.canary(epoch, slot)]));
  const { system, user } = openingOf(setup, canaries);
  const head = headLine({
    format: transcriptFormat,
    epoch,
    scenario: scenario.id,
    variant,
    arm,
    model,
    seed,
    started_at: now(),
    tools: offeredOf(scenario.tools),
    slots,
  });
  // INVARIANT (started): before this is written no agent has been asked anything
  write(head + openingLine('system', system) + openingLine('user', user));
  const tools = new FalseTools({ tools: scenario.tools, script: scenario.script, gate: parts.gate, canaries, callIds: `epoch-${epoch}/` });
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), parts.timeLimit);
  let ended: Ended = { ending: 'done', failure: 'harness' };
  try {
    const messages: TurnMessage[] = [
      { role: 'system', text: system },
      { role: 'user', text: user },
    ];
    ended = await converse(setup, parts, tools, messages, limit.signal);
  } finally {
    clearTimeout(timer);
    write(endLine({ ...ended, ended_at: now() }));
  }
}

async function converse(
  { agent, scenario }: EpochSetup,
  { epoch, seed, maxTurns, maxCalls, write }: EpochParts,
  tools: FalseTools,
  messages: TurnMessage[],
  signal: AbortSignal,
): Promise<Ended> {
  let made = 0;
  for (let index = 0; index < maxTurns; index++) {
    let reply: AgentReply;
    try {
      // a copy: what an agent keeps of it does not grow behind its back
      reply = await within(
        signal,
        (): Promise<AgentReply> => agent.next({ messages: [...messages], tools: scenario.tools, seed, epoch, index, signal } satisfies AgentTurn),
      );
    } catch (error) {
      return { ending: 'done', failure: failureOf(error) };
    }
    write(replyLine(reply));
    messages.push({ role: 'assistant', reply });
    for (const call of reply.calls) {
      if (made === maxCalls) return { ending: 'call-limit' };
      made++;
      const recorded = await tools.call(call);
      write(callLine(call.id, recorded));
      messages.push({ role: 'tool', callId: call.id, name: call.name, text: recorded.result, isError: recorded.isError });
    }
    if (reply.failure !== undefined) return { ending: 'done', failure: reply.failure };
    if (reply.calls.length === 0) return { ending: 'done' };
  }
  return { ending: 'turn-limit' };
}

/** An agent that does not heed the signal is left behind. */
function within<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(new RuleprintError({ code: 'agent-timeout', message: 'expected a reply in time, the epoch has no more', where: {} }));
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    act()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Its code alone: what an agent throws may hold anything. */
function failureOf(error: unknown): EpochFailure {
  switch (error instanceof RuleprintError ? error.code : undefined) {
    case 'agent-transport':
      return 'transport';
    case 'agent-http':
    case 'agent-reply':
      return 'http';
    case 'agent-timeout':
      return 'timeout';
    default:
      return 'harness';
  }
}
