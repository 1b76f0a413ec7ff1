/**
 * Which way imports run, and who may lean on what: the walls of CONTRIBUTING.md as one list.
 * @module
 */
import { describe, expect, it } from 'vitest';
import { at, files, type Import, importsOf, read } from './tree.js';

/** Each layer and the layers that it may import; a layer may import itself. */
const layers: Readonly<Record<string, readonly string[]>> = {
  base: [],
  policy: ['base'],
  digest: ['base', 'policy'],
  decide: ['base', 'policy'],
  engine: ['base', 'policy', 'digest', 'decide'],
  // beside the stack: knows nothing of policies, and meets them first in receipt
  cose: ['base'],
  // calls to actions, without a signature in sight
  mapping: ['base', 'policy', 'digest'],
  // mapping: what a mapper is, and why it refuses; tables and parsers are handed in
  receipt: ['base', 'policy', 'digest', 'decide', 'engine', 'cose', 'mapping'],
  ledger: ['base', 'policy', 'digest', 'decide', 'engine', 'cose', 'receipt', 'mapping'],
  gate: ['base', 'policy', 'digest', 'decide', 'engine', 'cose', 'receipt', 'ledger', 'mapping'],
  finding: ['base', 'policy', 'digest', 'decide', 'engine', 'cose', 'receipt', 'ledger'],
  lint: ['base', 'policy', 'digest', 'decide', 'finding'],
  // the calls of an audit go through a gate, and what they show becomes findings
  audit: ['base', 'policy', 'digest', 'decide', 'engine', 'cose', 'receipt', 'ledger', 'mapping', 'gate', 'finding'],
  testing: ['base', 'policy', 'digest', 'decide', 'engine', 'cose', 'receipt'],
  cli: ['base', 'policy', 'digest', 'decide', 'engine', 'cose', 'receipt', 'ledger', 'mapping', 'gate', 'finding', 'lint', 'audit'],
};

/** The files of the bottom row. */
const baseFiles = ['errors', 'bytes', 'hash', 'pure-sha256', 'native', 'shape', 'limits'].map((name) => `src/${name}.ts`);

/** The package entries: they alone may import an `index.ts`, and nobody imports src/index.ts. */
const entries = [
  'src/index.ts',
  'src/receipt/index.ts',
  'src/cose/index.ts',
  'src/ledger/index.ts',
  'src/gate/index.ts',
  'src/finding/index.ts',
  'src/lint/index.ts',
  'src/audit/index.ts',
  'src/testing/index.ts',
];

/** The one place that may import each package from outside. `bundled` ones are taken into dist, `peer` ones are the user's. */
const packages: readonly { readonly name: string; readonly in: string; readonly kind: 'dependency' | 'bundled' | 'peer' }[] = [
  { name: '@noble/hashes', in: 'src/pure-sha256.ts', kind: 'dependency' },
  { name: '@noble/curves', in: 'src/cose/', kind: 'dependency' },
  { name: 'cbor-x', in: 'src/cose/cbor.ts', kind: 'bundled' },
  { name: 'jsonc-parser', in: 'src/policy/', kind: 'dependency' },
  { name: 'yaml', in: 'src/policy/', kind: 'dependency' },
  { name: 'unbash', in: 'src/mapping/', kind: 'dependency' },
  { name: 'commander', in: 'src/cli/', kind: 'dependency' },
  { name: 'cli-progress', in: 'src/cli/', kind: 'dependency' },
  { name: 'fast-check', in: 'src/testing/', kind: 'peer' },
];

/** What of the ledger meets the machine: the disk, the process, the clock and the random source. The rest runs anywhere. */
const onTheMachine = ['file-store', 'lock', 'owner', 'open'].map((name) => `src/ledger/${name}.ts`);

/** What of the audit meets the machine: the disk of a subject, the model's address and the evidence folder; its judgements are pure. */
const auditOnTheMachine = /^src\/audit\/(subject\/read-folder|agents\/http|run|audit|evidence\/folder|evidence\/read|verify)/;

const sources = files.filter((file) => /^src\/.*\.ts$/.test(file));
const imports = sources.flatMap(importsOf);
const inside = imports.filter((one) => one.specifier.startsWith('.'));
const outside = imports.filter((one) => !one.specifier.startsWith('.'));

function layerOf(file: string): string | undefined {
  if (baseFiles.includes(file)) return 'base';
  if (file === 'src/index.ts') return 'entry';
  const folder = /^src\/([^/]+)\//.exec(file)?.[1];
  return folder !== undefined && folder in layers ? folder : undefined;
}

const show = (one: Import): string => `${at(one.from, one.line)} imports ${one.specifier}`;
const packageName = (specifier: string): string => (specifier.startsWith('@') ? specifier.split('/', 2).join('/') : (specifier.split('/')[0] ?? specifier));

/** Files that are reached from one by imports which move code. */
function reached(from: string): Set<string> {
  const seen = new Set<string>();
  const todo = [from];
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    for (const one of inside) if (one.from === file && !one.typeOnly && !seen.has(one.to)) todo.push(one.to);
    seen.add(file);
  }
  return seen;
}

describe('layers', () => {
  it('knows the layer of every source file, because a file outside the list has no wall around it', () => {
    expect(sources.filter((file) => layerOf(file) === undefined)).toEqual([]);
  });

  it('lets imports run one way', () => {
    const wrong = inside.filter((one) => {
      const from = layerOf(one.from);
      const to = layerOf(one.to);
      if (from === 'entry' || from === undefined || from === to) return false;
      return to === undefined || !layers[from]?.includes(to);
    });
    expect(wrong.map(show)).toEqual([]);
  });

  it('has no circle of files', () => {
    const circles = inside.filter((one) => !one.typeOnly && reached(one.to).has(one.from));
    expect(circles.map(show)).toEqual([]);
  });

  it('names a source file in every relative import', () => {
    // or a mapping table, which is data
    expect(inside.filter((one) => !sources.includes(one.to) && !/^src\/mapping\/tables\/[a-z-]+\.json$/.test(one.to)).map(show)).toEqual([]);
  });

  it('lets only entries import an index', () => {
    const wrong = inside.filter((one) => one.to.endsWith('/index.ts') && (one.to === 'src/index.ts' || !entries.includes(one.from)));
    expect(wrong.map(show)).toEqual([]);
  });

  it('has no index but the entries', () => {
    expect(sources.filter((file) => file.endsWith('/index.ts') && !entries.includes(file))).toEqual([]);
  });
});

describe('walls', () => {
  it('imports node: modules in src/cli, src/gate and where a ledger meets the machine, types of node:crypto apart, because everything else also runs in a browser', () => {
    const mayImport = (file: string): boolean => /^src\/(cli|gate)\//.test(file) || onTheMachine.includes(file) || auditOnTheMachine.test(file);
    const wrong = outside.filter((one) => one.specifier.startsWith('node:') && !mayImport(one.from) && !(one.specifier === 'node:crypto' && one.typeOnly));
    expect(wrong.map(show)).toEqual([]);
  });

  it('imports no module that is neither node: nor on the list', () => {
    const known = packages.map((row) => row.name);
    const wrong = outside.filter((one) => !one.specifier.startsWith('node:') && !known.includes(packageName(one.specifier)));
    expect(wrong.map(show)).toEqual([]);
  });

  it.each(packages)('imports $name in one place', (row) => {
    const importers = [...new Set(outside.filter((one) => packageName(one.specifier) === row.name).map((one) => one.from))];
    if (row.kind === 'peer') expect(importers.filter((file) => !file.startsWith(row.in))).toEqual([]);
    else {
      expect(importers).toHaveLength(1);
      expect(importers[0]?.startsWith(row.in)).toBe(true);
    }
  });

  it('lists in package.json exactly what source imports, pinned to one version', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
    const named = (kind: string): string[] => packages.flatMap((row) => (row.kind === kind ? [row.name] : [])).sort();
    expect(Object.keys(manifest['dependencies'] ?? {}).sort()).toEqual(named('dependency'));
    expect(Object.keys(manifest['peerDependencies'] ?? {}).sort()).toEqual(named('peer'));
    for (const name of named('bundled')) expect(manifest['devDependencies']).toHaveProperty([name]);
    for (const version of [...Object.values(manifest['dependencies'] ?? {}), ...Object.values(manifest['devDependencies'] ?? {})]) {
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  it('verifies without engine state and without a signer, because a verifier trusts neither', () => {
    const verifiers = sources.filter((file) => /^src\/(receipt|cose|ledger)\/(verify|report|axes|trust|source)[^/]*\.ts$/.test(file));
    expect(verifiers.length).toBeGreaterThan(0);
    const wrong = verifiers.flatMap((file) =>
      [...reached(file)]
        .filter((to) => /^src\/engine\/|\/(sign|issue|signer|ledger|commit)\.ts$/.test(to) || onTheMachine.includes(to))
        .map((to) => `${file} reaches ${to}`),
    );
    expect(wrong).toEqual([]);
  });

  it('reads the clock in the engine, the opening of a ledger, the gate and the command line alone, because everywhere else the time is an argument', () => {
    const wrong = sources.filter(
      (file) =>
        !/^src\/(cli\/|gate\/|engine\/in-memory\.ts$|ledger\/(open|lock)\.ts$)/.test(file) && /\bDate\b|\bperformance\b/.test(withoutComments(read(file))),
    );
    expect(wrong).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$|(?<=[;,{}()\s])\/\/ .*$/gm, '');
}
