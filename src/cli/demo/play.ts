/**
 * The demo itself: map, decide, sign, then act; replace the policy in the middle; verify everything; tamper. It checks itself.
 * @module
 */
import { concat, utf8 } from '../../bytes.js';
import { generateKey } from '../../cose/keys.js';
import { createSigner } from '../../cose/signer.js';
import { policyDigest } from '../../digest/digest.js';
import { InMemoryPolicyEngine } from '../../engine/in-memory.js';
import type { Decision } from '../../policy/model.js';
import { parsePolicy } from '../../policy/parse.js';
import { signReceipt } from '../../receipt/issue.js';
import { readReceipt } from '../../receipt/read.js';
import type { Report } from '../../receipt/report.js';
import { parseTrustStore } from '../../receipt/trust.js';
import { verifyReceipts } from '../../receipt/verify.js';
import { trustEntry, trustText } from '../trust-entry.js';
import { actionsOf } from './mapping.js';
import { agent, engineId, note, policyText, type Scene, scenesOf, type Stage } from './scene.js';
import type { Connection, ToolResult } from './server.js';

export interface Play {
  readonly calls: readonly PlayedCall[];
  readonly policies: readonly PlayedPolicy[];
  readonly trust: string;
  readonly receipts: Uint8Array;
  readonly report: Report;
  readonly tampered: Tampered;
  /** What was not as promised. */
  readonly failures: readonly string[];
}

export interface PlayedPolicy {
  readonly version: number;
  readonly digest: string;
  readonly text: string;
}

export interface PlayedCall extends Scene {
  readonly decision: Decision;
  readonly policyVersion: number | undefined;
  readonly policyDigest: string | undefined;
  readonly receiptHash: string;
  readonly isSent: boolean;
  /** What the server answered. */
  readonly answer?: string;
}

export interface Tampered {
  readonly receipt: number;
  /** In the receipt. */
  readonly offset: number;
  readonly before: number;
  readonly after: number;
  readonly report: Report;
}

/** Hears of each step when it is done. */
export interface Audience {
  installed(policy: PlayedPolicy): Promise<void>;
  called(call: PlayedCall): Promise<void>;
}

export async function play(stage: Stage, server: Connection, audience: Audience): Promise<Play> {
  const failures: string[] = [];
  const demand = (isMet: boolean, failure: string): void => {
    if (!isMet) failures.push(failure);
  };
  const key = generateKey();
  const signer = createSigner(key);
  const engine = new InMemoryPolicyEngine({ engineId });
  const receipts: Uint8Array[] = [];
  const calls: PlayedCall[] = [];
  const policies: PlayedPolicy[] = [];

  const install = async (version: 1 | 2): Promise<void> => {
    const text = policyText(stage.folder, version);
    const policy = parsePolicy(text, { format: 'yaml' });
    engine.install(policy);
    policies.push({ version, digest: policyDigest(policy), text });
    await audience.installed(policies.at(-1) as PlayedPolicy);
  };

  const perform = async (scene: Scene): Promise<void> => {
    const event = engine.evaluate({ agent, actions: actionsOf(scene) });
    const receipt = signReceipt(event, signer, { callId: `call-${receipts.length}` });
    receipts.push(receipt); // recorded before anything acts on it
    const result = event.decision.effect === 'allow' ? await server.call(scene.tool, scene.args) : undefined;
    const answer = result && textOf(result);
    const call: PlayedCall = {
      ...scene,
      decision: event.decision,
      policyVersion: event.policyVersion,
      policyDigest: event.policyDigest,
      receiptHash: readReceipt(receipt).hash,
      isSent: result !== undefined,
      ...(answer !== undefined && { answer }),
    };
    calls.push(call);
    const name = `${scene.tool} ${scene.words}`;
    demand(isAsExpected(event.decision, scene.expect), `${name}: another decision than expected: ${JSON.stringify(event.decision)}`);
    demand(result?.isError !== true, `${name}: the server refused it: ${answer}`);
    if (scene.tool === 'read_text_file' && result !== undefined) demand(answer === note, `${name}: the server answered something else: ${answer}`);
    demand((await stage.readNotes()) === scene.notesAfter, `${name}: notes.txt does not hold ${scene.notesAfter}`);
    await audience.called(call);
  };

  const [before, after] = scenesOf(stage);
  await install(1);
  for (const scene of before) await perform(scene);
  await install(2);
  for (const scene of after) await perform(scene);

  // from here on: what anyone can do who has the receipts, the trust store and the texts of the policies
  const trust = trustText({ keys: [trustEntry(key.public, engineId)] });
  const options = { trust: parseTrustStore(trust), policies: policies.map(({ text }) => parsePolicy(text, { format: 'yaml' })) };
  const sequence = concat(...receipts);
  const report = verifyReceipts(sequence, options);
  demand(report.ok && report.receipts === calls.length, `the receipts do not verify: ${report.problems.map(({ code }) => code).join(', ')}`);
  receipts.forEach((receipt, i) => {
    const expected = policies[i < before.length ? 0 : 1]?.digest;
    const { statement } = readReceipt(receipt);
    demand(statement.statement === 'decision' && statement.policy_digest === expected, `receipt ${i} does not cite ${expected}`);
  });
  demand(policies[0]?.digest !== policies[1]?.digest, 'the two policies share a digest');

  const tampered = tamper(receipts, stage, (bytes) => verifyReceipts(bytes, options));
  const problem = tampered.report.problems[0];
  demand(!tampered.report.ok && problem?.code === 'signature-invalid', `the changed receipt was not refused: ${problem?.code}`);
  demand(problem?.where.receipt === tampered.receipt, 'another receipt than the changed one was refused');
  return { calls, policies, trust, receipts: sequence, report, tampered, failures };
}

/** Flips one bit: the last letter of the path in the receipt of the denied write. */
function tamper(receipts: readonly Uint8Array[], stage: Stage, verify: (bytes: Uint8Array) => Report): Tampered {
  const receipt = 1;
  const changed = new Uint8Array(receipts[receipt] as Uint8Array);
  const path = utf8(stage.notes);
  const offset = Buffer.from(changed).indexOf(path) + path.length - 1;
  const before = changed[offset] as number;
  const after = before ^ 1;
  changed[offset] = after;
  const report = verify(concat(...receipts.map((bytes, i) => (i === receipt ? changed : bytes))));
  return { receipt, offset, before, after, report };
}

function isAsExpected(decision: Decision, expect: Scene['expect']): boolean {
  return decision.effect === expect.effect && decision.rule === expect.rule && decision.action === expect.action;
}

function textOf({ content }: ToolResult): string {
  return content.map(({ text = '' }) => text).join(' ');
}
