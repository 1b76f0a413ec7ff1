/**
 * The far side of the remote engine: it decides, and says nothing of a digest.
 * @module
 */
import { parentPort } from 'node:worker_threads';
import type { AuditEvent, Installed, TracedEvent } from '../../src/engine/engine.js';
import { InMemoryPolicyEngine } from '../../src/engine/in-memory.js';
import { RuleprintError } from '../../src/errors.js';
import type { Answer, Call, Message } from './remote-engine.js';

const engines = new Map<number, InMemoryPolicyEngine>();

parentPort?.on('message', ({ id, engine: number, engineId, call }: Message) => {
  const engine = engines.get(number) ?? new InMemoryPolicyEngine({ engineId });
  engines.set(number, engine);
  parentPort?.postMessage(answerOf(id, engine, call));
});

function answerOf(id: number, engine: InMemoryPolicyEngine, call: Call): Answer {
  try {
    if ('install' in call) return { id, value: withoutDigests(engine.install(call.install)) };
    if ('evaluate' in call) return { id, value: withoutDigest(engine.evaluate(call.evaluate)) };
    const { event, trace } = engine.evaluateTraced(call.evaluateTraced);
    return { id, value: { event: withoutDigest(event), trace } satisfies TracedEvent };
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    return { id, problems: error.problems };
  }
}

function withoutDigest({ policyDigest: _, ...event }: AuditEvent): AuditEvent {
  return event;
}

function withoutDigests({ version }: Installed): Installed {
  return { version };
}
