import { context, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { AsyncLocalStorage } from 'node:async_hooks';
import { afterAll, describe, expect, it } from 'vitest';
import type { Context, ContextManager } from '@opentelemetry/api';
import { ROOT_CONTEXT } from '@opentelemetry/api';
import { createGate, type Gate } from '../../src/gate/gate.js';
import { tracedGate } from '../../src/gate/otel.js';
import { InMemoryPolicyEngine } from '../../src/index.js';
import { gateWith, mapper, policyOf } from '../gate/kit.js';

/** As context-async-hooks does it. */
class Contexts implements ContextManager {
  readonly #storage = new AsyncLocalStorage<Context>();
  active = (): Context => this.#storage.getStore() ?? ROOT_CONTEXT;
  with: ContextManager['with'] = (active, fn, self, ...args) => this.#storage.run(active, () => fn.call(self as never, ...args));
  bind: ContextManager['bind'] = (_, target) => target;
  enable = (): this => this;
  disable = (): this => this;
}

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
context.setGlobalContextManager(new Contexts());
const tracer = provider.getTracer('test');

afterAll(() => provider.shutdown());

async function spanOf(gate: Gate, judge: (traced: Gate) => unknown): Promise<ReadableSpan['attributes']> {
  exporter.reset();
  const span = tracer.startSpan('execute_tool read');
  await context.with(trace.setSpan(context.active(), span), async () => judge(tracedGate(gate, trace)));
  span.end();
  return (exporter.getFinishedSpans()[0] as ReadableSpan).attributes;
}

describe('tracedGate', () => {
  it('puts tool, effect, rule, policy and receipt on the active span, and no argument', async () => {
    const { gate } = await gateWith();
    const call = { tool: 'read', callId: 'c1', args: { path: '/srv/keys/canary' } };
    for (const judge of [(traced: Gate) => traced.check(call), (traced: Gate) => traced.checkAsync(call)]) {
      const attributes = await spanOf(gate, judge);
      expect(attributes).toEqual({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'read',
        'gen_ai.tool.call.id': 'c1',
        'ruleprint.effect': 'deny',
        'ruleprint.allowed': false,
        'ruleprint.rule': 'no-keys',
        'ruleprint.policy.version': 1,
        'ruleprint.policy.digest': expect.stringMatching(/^sha256:/),
        'ruleprint.receipt.hash': expect.stringMatching(/^sha256:/),
      });
    }
  });

  it('leaves off a digest and a receipt that are not there (GAT-19)', async () => {
    const engine = new InMemoryPolicyEngine({ engineId: 'e' });
    engine.install(policyOf());
    const withoutDigest = {
      engineId: 'e',
      install: () => ({ version: 1 }),
      evaluateTraced: () => Promise.reject(new Error('no')),
      evaluate: (request: never) => {
        const { policyDigest: _, ...event } = engine.evaluate(request);
        return event;
      },
    };
    const attributes = await spanOf(createGate({ engine: withoutDigest, map: mapper, agent: 'builder' }), (traced) =>
      traced.check({ tool: 'read', args: { path: '/srv/a' } }),
    );
    expect(attributes).toMatchObject({ 'ruleprint.effect': 'allow' });
    expect(Object.keys(attributes)).not.toContain('ruleprint.policy.digest');
    expect(Object.keys(attributes)).not.toContain('ruleprint.receipt.hash');
  });

  it('gives the same verdict without a span, and with one that throws', async () => {
    const { gate } = await gateWith();
    expect(tracedGate(gate, trace).check({ tool: 'read', args: { path: '/srv/a' } }).allowed).toBe(true);
    const throwing = {
      getActiveSpan: () => ({
        setAttributes: () => {
          throw new Error('full');
        },
      }),
    };
    expect(tracedGate(gate, throwing).check({ tool: 'read', args: { path: '/etc' } }).allowed).toBe(false);
  });
});
