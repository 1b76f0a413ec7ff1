/**
 * Receipts: signing and verifying beside the bare native call on the same message, and where the rest goes.
 * @module
 */
import { sign, verify } from 'node:crypto';
import { type BenchKey, benchKeys, cutReceipt, tenantPolicy, tenantRequests } from './fixtures.js';
import type { Bench } from './main.js';

/** Of the bare native call: all that is not the signature itself has to fit into six tenths of it. */
const target = { atMost: 1.6 };
const sequenceLength = 100;

export function benchReceipt(bench: Bench): void {
  for (const key of benchKeys()) receiptsOf(key, bench);
}

function receiptsOf({ name, privateKey, publicKey }: BenchKey, { library, report }: Bench): void {
  const { parsePolicy, InMemoryPolicyEngine, importPrivateKey, createSigner, parseTrustStore } = library;
  const { signReceipt, verifyReceipt, verifyReceipts, readReceipt, receiptHash, verifySign1 } = library;

  const plain = tenantPolicy(100);
  const policies = [parsePolicy(JSON.stringify(plain), { format: 'json' })] as const;
  const request = tenantRequests(plain)['last path allow'];
  const engine = new InMemoryPolicyEngine({ engineId: 'bench', now: () => 1_796_000_000_000 });
  engine.install(policies[0]);
  const event = engine.evaluate(request);

  const key = importPrivateKey(privateKey.export({ format: 'jwk' }));
  const signer = createSigner(key);
  const trust = parseTrustStore(JSON.stringify({ keys: [{ role: 'engine', engine_ids: ['bench'], key: publicKey.export({ format: 'jwk' }) }] }));
  const receipt = signReceipt(event, signer, { callId: 'call-0' });

  const algorithm = name === 'Ed25519' ? null : 'sha256';
  const dsaEncoding = 'ieee-p1363';
  const bareVerify = (message: Uint8Array, signature: Uint8Array): boolean => verify(algorithm, message, { key: publicKey, dsaEncoding }, signature);
  const { message, signature } = cutReceipt(receipt);
  if (!bareVerify(message, signature)) throw new Error(`node:crypto refuses a receipt that was signed with ${name}`);
  const judged = verifyReceipt(receipt, { trust, policies });
  if (!judged.ok) throw new Error(`a receipt that was signed with ${name} does not verify: ${JSON.stringify(judged.problems)}`);

  report.race({
    id: `sign/${name}`,
    title: `sign, ${name}, receipt of ${receipt.length} bytes`,
    contenders: [
      { name: 'node:crypto sign', run: () => sign(algorithm, message, { key: privateKey, dsaEncoding }) },
      { name: 'signReceipt', run: () => signReceipt(event, signer, { callId: 'call-0' }) },
      { name: 'evaluate and signReceipt', run: () => signReceipt(engine.evaluate(request), signer, { callId: 'call-0' }) },
    ],
    targets: { signReceipt: target },
  });

  const keys = [{ kid: signer.kid, key: key.public }];
  const profile = { typ: 'application/ruleprint+cose' };
  if (!verifySign1(receipt, keys, profile).ok) throw new Error(`the COSE layer refuses a receipt that was signed with ${name}`);
  report.race({
    id: `verify/${name}`,
    title: `verify, ${name}, receipt of ${receipt.length} bytes`,
    contenders: [
      { name: 'node:crypto verify', run: () => bareVerify(message, signature) },
      { name: 'verifyReceipt', run: () => verifyReceipt(receipt, { trust }) },
      { name: 'verifyReceipt with a policy', run: () => verifyReceipt(receipt, { trust, policies }) },
      { name: 'verifySign1', run: () => verifySign1(receipt, keys, profile) },
      { name: 'readReceipt, no signature', run: () => readReceipt(receipt) },
      { name: 'receiptHash', run: () => receiptHash(receipt) },
    ],
    targets: { verifyReceipt: target },
  });

  const receipts = Array.from({ length: sequenceLength }, (_, i) => signReceipt(event, signer, { callId: `call-${i}` }));
  const sequence = Buffer.concat(receipts);
  const cuts = receipts.map(cutReceipt);
  const all = verifyReceipts(sequence, { trust, policies });
  if (!all.ok || all.receipts !== sequenceLength) throw new Error(`a sequence signed with ${name} does not verify: ${JSON.stringify(all.problems)}`);
  report.race({
    id: `verify-sequence/${name}`,
    title: `verify, ${name}, a sequence of ${sequenceLength} receipts`,
    contenders: [
      { name: 'node:crypto verify, each', run: () => cuts.every((cut) => bareVerify(cut.message, cut.signature)) },
      { name: 'verifyReceipts', run: () => verifyReceipts(sequence, { trust }) },
      { name: 'verifyReceipts with a policy', run: () => verifyReceipts(sequence, { trust, policies }) },
    ],
    targets: { verifyReceipts: target },
  });
}
