/**
 * Digests: how far the way from a policy to its digest is from the bare hash of the same bytes.
 * @module
 */
import { createHash } from 'node:crypto';
import type { Policy } from '../src/index.js';
import { type BenchPolicy, teamPolicy, tenantPolicy } from './fixtures.js';
import type { Bench } from './main.js';

const sizes = [10, 100, 1_000, 10_000];
const judgedSize = 10_000;

export function benchDigest(bench: Bench): void {
  for (const size of sizes) {
    digestOf(`${size}`, `digest, ${size.toLocaleString('en')} rules with agents and methods`, teamPolicy(size), bench);
  }
  digestOf(`${judgedSize}-any`, `digest, ${judgedSize.toLocaleString('en')} rules for any agent`, tenantPolicy(judgedSize), bench);
}

function digestOf(name: string, title: string, plain: BenchPolicy, { library, report }: Bench): void {
  const { copyPolicy, policyDigest, policyPreimage } = library;
  const preimage = policyPreimage(copyPolicy(plain));
  const bareHash = (): string => createHash('sha256').update(preimage).digest('hex');
  const digest = policyDigest(copyPolicy(plain));
  if (digest !== `sha256:${bareHash()}`) throw new Error(`expected the hash of the preimage, sha256:${bareHash()}, got ${digest}`);

  /** A new policy for every call, so that a digest kept from the call before cannot pass for speed. */
  const onFresh = (call: (policy: Policy) => unknown) => {
    let fresh: Policy[] = [];
    return {
      prepare: (calls: number) => {
        fresh = Array.from({ length: calls }, () => copyPolicy(plain));
      },
      run: (i: number) => call(fresh[i] as Policy),
    };
  };
  report.race({
    id: `digest/${name}`,
    title: `${title}, ${preimage.length.toLocaleString('en')} bytes`,
    contenders: [
      { name: 'SHA-256 of the preimage', run: bareHash },
      { name: 'policyPreimage', ...onFresh(policyPreimage) },
      { name: 'policyDigest', ...onFresh(policyDigest) },
    ],
    targets: plain.rules.length === judgedSize ? { policyDigest: { atMost: 8 } } : {},
  });
}
