/**
 * One hook of Claude Code: a call on stdin, an answer on stdout (spec/gate.md, GAT-18). It loads what a decision needs and no more.
 * @module
 */
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { fromUtf8 } from '../../bytes.js';
import { importPrivateKey, type PublicKey } from '../../cose/keys.js';
import { createSigner } from '../../cose/signer.js';
import { InMemoryPolicyEngine } from '../../engine/in-memory.js';
import { refuse, RuleprintError } from '../../errors.js';
import { claudeOutput } from '../../gate/adapters/claude.js';
import { createGate, type Gate } from '../../gate/gate.js';
import { judge } from '../../gate/guard.js';
import { realPaths } from '../../gate/realpath.js';
import { systemResolve } from '../../gate/resolve.js';
import { openEngine } from '../../ledger/engine.js';
import type { Ledger } from '../../ledger/ledger.js';
import { openLedger } from '../../ledger/open.js';
import { limits } from '../../limits.js';
import { createMapper } from '../../mapping/mapper.js';
import { parseMapping } from '../../mapping/parse.js';
import { mapShell } from '../../mapping/shell.js';
import { shippedMapping } from '../../mapping/shipped.js';
import type { Mapping } from '../../mapping/table.js';
import type { Policy } from '../../policy/model.js';
import { parsePolicy } from '../../policy/parse.js';
import { parseTrustStore } from '../../receipt/trust.js';
import { usage } from '../failure.js';
import { fileName, formatOf } from '../files.js';
import type { HookSettings } from './settings.js';

/** The name that rules know Claude Code's own tools by. */
export const claudeServer = 'claude';

/** Of one call: longer than any that a host sends. */
export const maxInputBytes = 16_777_216;

/** What a process has that a hook runs in. */
export interface HookPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long to wait for hooks that were there before, in milliseconds: as `openLedger` by default. */
  readonly lockTimeout?: number;
}

/**
 * Judges the call that stands in `input`, and gives what goes to stdout: JSON, or nothing where the host is to decide as without a hook. The receipt is
 * recorded, and as durable as the disk makes it, when the promise resolves.
 *
 * @throws RuleprintError, Failure, or what the disk throws: then there is no answer
 */
export async function judgeHook(place: HookPlace, settings: HookSettings, input: Uint8Array): Promise<string> {
  checkSettings(settings);
  const call = callIn(input);
  const { gate, ledger } = await openGate(place, settings);
  try {
    const { verdict, isAllowed } = await judge(
      gate,
      { tool: call.tool, cwd: call.cwd ?? place.cwd, ...(call.callId !== undefined && { callId: call.callId }) },
      call.args,
    );
    const output = claudeOutput(gate, verdict, isAllowed);
    await ledger?.close();
    return output.hookSpecificOutput === undefined ? '' : `${JSON.stringify(output)}\n`;
  } finally {
    await ledger?.close().catch(() => undefined); // closed above, or failed: the lock goes in any case
  }
}

function checkSettings({ policy, ledger, key, trust, engineId }: HookSettings): void {
  if (policy === undefined && ledger === undefined) throw usage("required option '--policy <file>' not specified");
  if (policy === '-') throw usage('the policy cannot come from stdin: the call does');
  if (ledger !== undefined && key === undefined)
    throw usage('--ledger needs --key', 'every entry of a ledger is signed by its engine: ruleprint init makes a key');
  if (ledger !== undefined) return;
  for (const [name, value] of Object.entries({ key, trust, 'engine-id': engineId })) {
    if (value !== undefined) throw usage(`--${name} is for a ledger: it needs --ledger`);
  }
}

interface HookCall {
  readonly tool: string;
  readonly args: unknown;
  readonly callId?: string;
  readonly cwd?: string;
}

/** What the host says, as far as the gate needs it. Whatever is not as the host writes it is a fault, and no call. */
function callIn(input: Uint8Array): HookCall {
  if (input.length > maxInputBytes) refuse('limit', `expected at most ${maxInputBytes} bytes of hook input`);
  const text = fromUtf8(input);
  if (text === undefined) return refuse('utf8', 'expected hook input in UTF-8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refuse('syntax', 'expected the JSON of a PreToolUse hook on stdin'); // what the parser says would show the input
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('wrong-type', 'expected an object as hook input');
  const { hook_event_name: event, tool_name: tool, tool_input: args, tool_use_id: callId, cwd } = value as Record<string, unknown>;
  if (event !== 'PreToolUse') return refuse('bad-value', 'expected the event PreToolUse', { hint: 'set the hook under PreToolUse' });
  if (typeof tool !== 'string' || !Object.hasOwn(value, 'tool_input')) return refuse('missing-key', 'expected tool_name and tool_input in the hook input');
  if (cwd !== undefined && typeof cwd !== 'string') return refuse('wrong-type', 'expected cwd to be text');
  return { tool, args, ...(typeof callId === 'string' && { callId }), ...(cwd !== undefined && { cwd }) };
}

async function openGate(place: HookPlace, settings: HookSettings): Promise<{ gate: Gate; ledger?: Ledger }> {
  const { agent = 'agent', observe, realpath, resolve: resolves } = settings;
  const policy = settings.policy === undefined ? undefined : policyIn(place, settings.policy, settings.format);
  const tables = settings.mapping?.map((file) => tableIn(place, file)) ?? [shippedMapping('claude')];
  const map = createMapper(tables, { server: claudeServer, home: place.env['HOME'] || homedir(), shell: mapShell, ...(realpath && { realpath: realPaths() }) });
  const { engine, ledger } = await openEngineOf(place, settings, policy);
  try {
    const gate = createGate({ engine, map, agent, mode: observe ? 'observe' : 'enforce', ...(resolves && { resolve: systemResolve() }) });
    return { gate, ...(ledger && { ledger }) };
  } catch (error) {
    await ledger?.close();
    throw error;
  }
}

async function openEngineOf(
  place: HookPlace,
  { ledger: folder, key, engineId = 'engine', trust }: HookSettings,
  policy: Policy | undefined,
): Promise<{ engine: Parameters<typeof createGate>[0]['engine']; ledger?: Ledger }> {
  if (folder === undefined || key === undefined) {
    const engine = new InMemoryPolicyEngine({ engineId });
    if (policy !== undefined) engine.install(policy);
    return { engine };
  }
  const signer = createSigner(keyIn(place, key));
  const keys = trust === undefined ? [] : earlierKeys(place, trust, engineId);
  // this process writes one entry: it looks at the end of the ledger alone, and syncs once, at its close
  const { cwd, lockTimeout } = place;
  const ledger = await openLedger(resolve(cwd, folder), {
    engineId,
    signer,
    keys,
    durability: 'none',
    check: 'end',
    ...(lockTimeout !== undefined && { lockTimeout }),
  });
  try {
    return { engine: openEngine({ ledger, ...(policy && { policy }) }), ledger };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

/** Keys that the engine signed with before. */
function earlierKeys(place: HookPlace, file: string, engineId: string): readonly PublicKey[] {
  const { keys } = parseTrustStore(bytesIn(place, file), { file: fileName(file) });
  return [...keys.values()].filter(({ role, engineIds }) => role === 'engine' && engineIds.has(engineId)).map(({ key }) => key);
}

function policyIn(place: HookPlace, file: string, said: string | undefined): Policy {
  return parsePolicy(bytesIn(place, file), { format: formatOf(file, said), file: fileName(file) });
}

function tableIn(place: HookPlace, file: string): Mapping {
  return parseMapping(bytesIn(place, file), { file: fileName(file) });
}

function keyIn(place: HookPlace, file: string): ReturnType<typeof importPrivateKey> {
  const bytes = bytesIn(place, file);
  const text = fromUtf8(bytes);
  try {
    // a COSE_Key is a map in CBOR, whose first byte begins neither of the two texts
    return importPrivateKey(text !== undefined && /^\s*[{-]/.test(text) ? text : new Uint8Array(bytes));
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    throw new RuleprintError({ ...error.problems[0], where: { file: fileName(file) } }, { cause: error });
  }
}

function bytesIn({ cwd }: HookPlace, file: string): Uint8Array {
  const bytes = readFileSync(resolve(cwd, file));
  if (bytes.length > limits.jsonBytes) refuse('limit', `expected at most ${limits.jsonBytes} bytes`, { where: { file: fileName(file) } });
  return bytes;
}
