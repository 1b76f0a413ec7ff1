/**
 * The preimage of a policy, byte by byte (spec/digest.md). Every tag is written out here and comes from nowhere else (DIG-5).
 * @module
 */
import { compareUtf8 } from '../bytes.js';
import type { ActionPattern, AgentMatcher, MethodMatcher, Policy, PortMatcher, Rule } from '../policy/model.js';

const encoder = new TextEncoder();

/**
 * One growing buffer: many small updates of a hash cost a dozen times more than one hash over one buffer. Owned by one call.
 */
class Preimage {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;

  /** `size` is a guess at how many bytes it will be. */
  constructor(size: number) {
    this.#bytes = new Uint8Array(size);
  }

  /** A field whose bytes are known. */
  tag(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

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

  /** What has been written so far: a view, good as long as nothing more is written. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
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
    return encoder.encodeInto(text, bytes.subarray(start)).written;
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

/** The bytes of the field of a tag, made once: a policy has several a rule. */
function tag(text: string): Uint8Array {
  const out = new Preimage(64);
  out.field(text);
  return out.bytes();
}

// DIG-5: written out here, and nowhere else
const policyTag = tag('ruleprint/policy-digest/1');
const ruleTag = tag('ruleprint/rule-digest/1');
const effectTags = { allow: tag('allow'), ask: tag('ask'), deny: tag('deny') };
const anyAgent = tag('agents:any');
const oneOfAgents = tag('agents:one_of');
const filesystemTag = tag('action:filesystem');
const networkTag = tag('action:network');
const processTag = tag('action:process');
const toolTag = tag('action:tool');
const anyPort = tag('ports:any');
const portRange = tag('ports:range');
const anyMethod = tag('methods:any');
const oneOfMethods = tag('methods:one_of');

/** The bytes that the policy digest hashes. `policy` came through the door of policies. */
export function preimageOfPolicy(policy: Policy): Uint8Array {
  const out = new Preimage(64 + 256 * policy.rules.length);
  out.tag(policyTag); // DIG-4: the version is not in it
  out.u32(policy.rules.length);
  for (const rule of policy.rules) putRule(out, rule); // DIG-1: as they stand
  return out.bytes();
}

/** The bytes that a rule digest hashes. */
export function preimageOfRule(rule: Rule): Uint8Array {
  const out = new Preimage(256);
  out.tag(ruleTag);
  putRule(out, rule);
  return out.bytes();
}

function putRule(out: Preimage, rule: Rule): void {
  out.field(rule.name);
  out.tag(effectTags[rule.effect]);
  putAgents(out, rule.agents);
  putAction(out, rule.action);
}

function putAgents(out: Preimage, agents: AgentMatcher): void {
  if (agents === 'any') return out.tag(anyAgent);
  out.tag(oneOfAgents);
  putSet(out, agents.one_of);
}

function putAction(out: Preimage, action: ActionPattern): void {
  if ('filesystem' in action) {
    out.tag(filesystemTag);
    out.field(action.filesystem.path);
    putMethods(out, action.filesystem.methods);
  } else if ('network' in action) {
    out.tag(networkTag);
    out.field(action.network.host);
    putPorts(out, action.network.ports);
    putMethods(out, action.network.methods);
  } else if ('process' in action) {
    out.tag(processTag);
    out.u32(action.process.argv.length);
    for (const item of action.process.argv) out.field(item);
  } else {
    out.tag(toolTag);
    out.field(action.tool.server);
    out.field(action.tool.name);
  }
}

function putPorts(out: Preimage, ports: PortMatcher): void {
  if (ports === 'any') return out.tag(anyPort);
  out.tag(portRange);
  out.u32(ports.from); // DIG-3: as written
  out.u32(ports.to);
}

function putMethods(out: Preimage, methods: MethodMatcher): void {
  if (methods === 'any') return out.tag(anyMethod);
  out.tag(oneOfMethods);
  putSet(out, methods);
}

/** Sorted by UTF-8 bytes: two spellings of one set are one policy (DIG-2). */
function putSet(out: Preimage, items: readonly string[]): void {
  out.u32(items.length);
  const sorted = isSorted(items) ? items : [...items].sort(compareUtf8);
  for (const item of sorted) out.field(item);
}

function isSorted(items: readonly string[]): boolean {
  for (let i = 1; i < items.length; i++) {
    if (compareUtf8(items[i - 1] as string, items[i] as string) > 0) return false;
  }
  return true;
}
