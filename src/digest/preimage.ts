/**
 * The preimage of a policy, byte by byte (spec/digest.md). Every tag is written out here and comes from nowhere else (DIG-5).
 * @module
 */
import { compareUtf8 } from '../bytes.js';
import type { ActionPattern, AgentMatcher, MethodMatcher, Policy, PortMatcher, Rule } from '../policy/model.js';

/**
 * One growing buffer: many small updates of a hash cost a dozen times more than one hash over one buffer.
 * Owned by one call; what leaves is a copy.
 */
class Preimage {
  #bytes = new Uint8Array(4096);
  #length = 0;
  readonly #encoder = new TextEncoder();

  /** `u32be(byte length of UTF-8(x)) || UTF-8(x)` (DIG-6). */
  field(text: string): void {
    this.#reserve(4 + 3 * text.length);
    const start = this.#length + 4;
    const written = this.#writeText(text, start);
    this.#length = start + written;
    this.#putU32(start - 4, written);
  }

  u32(value: number): void {
    this.#reserve(4);
    this.#putU32(this.#length, value);
    this.#length += 4;
  }

  bytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }

  /** Short ASCII is most of a policy, and a loop beats the encoder there. */
  #writeText(text: string, start: number): number {
    const bytes = this.#bytes;
    if (text.length < 48) {
      let i = 0;
      for (; i < text.length; i++) {
        const unit = text.charCodeAt(i);
        if (unit > 0x7f) break;
        bytes[start + i] = unit;
      }
      if (i === text.length) return i;
    }
    return this.#encoder.encodeInto(text, bytes.subarray(start)).written;
  }

  #putU32(at: number, value: number): void {
    const bytes = this.#bytes;
    bytes[at] = value >>> 24;
    bytes[at + 1] = value >>> 16;
    bytes[at + 2] = value >>> 8;
    bytes[at + 3] = value;
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
  }
}

/** The bytes that the policy digest hashes. `policy` came through the door of policies. */
export function preimageOfPolicy(policy: Policy): Uint8Array {
  const out = new Preimage();
  out.field('ruleprint/policy-digest/1'); // DIG-4: the version is not in it
  out.u32(policy.rules.length);
  for (const rule of policy.rules) putRule(out, rule); // DIG-1: as they stand
  return out.bytes();
}

/** The bytes that a rule digest hashes. */
export function preimageOfRule(rule: Rule): Uint8Array {
  const out = new Preimage();
  out.field('ruleprint/rule-digest/1');
  putRule(out, rule);
  return out.bytes();
}

function putRule(out: Preimage, rule: Rule): void {
  out.field(rule.name);
  out.field(rule.effect);
  putAgents(out, rule.agents);
  putAction(out, rule.action);
}

function putAgents(out: Preimage, agents: AgentMatcher): void {
  if (agents === 'any') return out.field('agents:any');
  out.field('agents:one_of');
  putSet(out, agents.one_of);
}

function putAction(out: Preimage, action: ActionPattern): void {
  if ('filesystem' in action) {
    out.field('action:filesystem');
    out.field(action.filesystem.path);
    putMethods(out, action.filesystem.methods);
  } else if ('network' in action) {
    out.field('action:network');
    out.field(action.network.host);
    putPorts(out, action.network.ports);
    putMethods(out, action.network.methods);
  } else if ('process' in action) {
    out.field('action:process');
    out.u32(action.process.argv.length);
    for (const item of action.process.argv) out.field(item);
  } else {
    out.field('action:tool');
    out.field(action.tool.server);
    out.field(action.tool.name);
  }
}

function putPorts(out: Preimage, ports: PortMatcher): void {
  if (ports === 'any') return out.field('ports:any');
  out.field('ports:range');
  out.u32(ports.from); // DIG-3: as written
  out.u32(ports.to);
}

function putMethods(out: Preimage, methods: MethodMatcher): void {
  if (methods === 'any') return out.field('methods:any');
  out.field('methods:one_of');
  putSet(out, methods);
}

/** Sorted by UTF-8 bytes: two spellings of one set are one policy (DIG-2). */
function putSet(out: Preimage, items: readonly string[]): void {
  out.u32(items.length);
  const sorted = items.length === 1 ? items : [...items].sort(compareUtf8);
  for (const item of sorted) out.field(item);
}
