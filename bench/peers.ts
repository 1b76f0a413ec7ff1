/**
 * What a peer is to the bench, and which of them are installed.
 *
 * Peers are timed at their best: patterns are compiled and requests put in the peer's own shape beforehand, and of a
 * rule they get only its pattern and its effect. ruleprint takes the request as it comes: it checks it, makes it
 * canonical, looks at agents, methods and ports too, and names the rule that decided.
 *
 * They live in a folder of their own, in JavaScript, so that neither `npm ci` nor the type check needs them.
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import type { BenchPolicy, BenchRequest } from './fixtures.js';

export interface Peer {
  readonly name: string;
  readonly packageName: string;
  readonly version: string;
  build(policy: BenchPolicy): Built | Promise<Built>;
}

export interface Built {
  /** The request in the peer's own shape; not timed. */
  prepare(request: BenchRequest): unknown;
  decide(prepared: unknown): 'allow' | 'deny';
}

const files = { casbin: 'casbin', cedar: '@cedar-policy/cedar-wasm', casl: '@casl/ability', picomatch: 'picomatch' } as const;

export const howToInstall = 'npm ci --prefix bench/peers';

export async function loadPeers(): Promise<{ peers: readonly Peer[]; missing: readonly string[] }> {
  const peers: Peer[] = [];
  const missing: string[] = [];
  for (const [file, packageName] of Object.entries(files)) {
    // from its own folder or not at all: the tools of the main tree bring a picomatch of another version
    const manifest = new URL(`peers/node_modules/${packageName}/package.json`, import.meta.url);
    if (!existsSync(manifest)) {
      missing.push(packageName);
      continue;
    }
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    const { name, build } = (await import(new URL(`peers/${file}.mjs`, import.meta.url).href)) as Pick<Peer, 'name' | 'build'>;
    peers.push({ name, packageName, version, build });
  }
  return { peers, missing };
}
