/**
 * The fast way from an event of an engine of our own to its statement in a chain. It gives the bytes of `prepareStatement` for `decisionStatement`
 * (test/receipt/decided.test.ts holds the two together), without what an event of our own cannot need: it is frozen, canonical and in order.
 * @module
 */
import { admitInteger, encodeOrdered, type OrderedMap } from '../cose/cbor.js';
import { prepareSign1, type PreparedSign1 } from '../cose/sign1.js';
import type { Signer } from '../cose/signer.js';
import { type AuditEvent, isSealed } from '../engine/engine.js';
import { isHashText } from '../hash.js';
import type { Action, Decision } from '../policy/model.js';
import type { CallFacts } from './issue.js';
import { receiptType } from './profile.js';

/** Whether the fast way is open. What it does not take may be good too, and is for the long way to judge. */
export function isPlain(event: AuditEvent, { callId, argsDigest, mapping, enforced }: CallFacts): boolean {
  return (
    isSealed(event) &&
    Number.isSafeInteger(event.time) &&
    event.time >= 0 &&
    (callId === undefined || (typeof callId === 'string' && /^[!-~]{1,200}$/.test(callId))) &&
    (argsDigest === undefined || isHash(argsDigest)) &&
    (mapping === undefined || isHash(mapping)) &&
    (enforced === undefined || enforced === false)
  );
}

/** The statement of a plain event at its place in a chain, ready to be signed. */
export function preparePlain(event: AuditEvent, facts: CallFacts, seq: number, prev: string, signer: Pick<Signer, 'alg' | 'kid'>): PreparedSign1 {
  return prepareSign1(encodeOrdered(mapOf(event, facts, seq, prev)), signer, { typ: receiptType });
}

/** In the order of deterministic CBOR: shorter keys first. */
function mapOf(event: AuditEvent, { callId, argsDigest, mapping, enforced }: CallFacts, seq: number, prev: string): OrderedMap {
  const map: OrderedMap = new Map();
  map.set('seq', admitInteger(seq));
  map.set('prev', prev);
  map.set('time', admitInteger(event.time));
  map.set('agent', event.agent);
  map.set('actions', event.actions.map(actionMap));
  if (callId !== undefined) map.set('call_id', callId);
  if (mapping !== undefined) map.set('mapping', mapping);
  map.set('decision', decisionMap(event.decision));
  if (enforced !== undefined) map.set('enforced', enforced);
  map.set('engine_id', event.engineId);
  map.set('statement', 'decision');
  if (argsDigest !== undefined) map.set('args_digest', argsDigest);
  if (event.matchProfile !== undefined) map.set('match_profile', event.matchProfile);
  if (event.policyDigest !== undefined) map.set('policy_digest', event.policyDigest);
  if (event.policyVersion !== undefined) map.set('policy_version', admitInteger(event.policyVersion));
  return map;
}

function actionMap(action: Action): OrderedMap {
  if ('filesystem' in action) {
    const { path, method } = action.filesystem;
    return new Map([
      [
        'filesystem',
        new Map([
          ['path', path],
          ['method', method],
        ]),
      ],
    ]);
  }
  if ('network' in action) {
    const { host, port, method } = action.network;
    const fields: OrderedMap = new Map<string, string | number>([
      ['host', host],
      ['port', port],
    ]);
    if (method !== undefined) fields.set('method', method);
    return new Map([['network', fields]]);
  }
  if ('process' in action) return new Map([['process', new Map([['argv', action.process.argv]])]]);
  const { name, server } = action.tool;
  return new Map([
    [
      'tool',
      new Map([
        ['name', name],
        ['server', server],
      ]),
    ],
  ]);
}

function decisionMap({ rule, action, effect, reason }: Decision): OrderedMap {
  const map: OrderedMap = new Map();
  if (rule !== undefined) map.set('rule', rule);
  if (action !== undefined) map.set('action', action);
  map.set('effect', effect);
  if (reason !== undefined) map.set('reason', reason);
  return map;
}

function isHash(text: unknown): boolean {
  return typeof text === 'string' && isHashText(text);
}
