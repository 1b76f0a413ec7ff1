/**
 * Every vector file of the folder is judged by a suite here or waits with its reason: what is added is noticed, and what is left out is on record.
 * (What lies beside `cases.json` and `vectors/` is for other suites than these.)
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { filesBelow, folder, isPresent, outside, root } from './outside.js';

/** Folders and files that are judged: by which suite, and how many files there are (licences not counted). */
const judged: Readonly<Record<string, readonly [suite: string, files: number]>> = {
  'cases.json': ['cases.test.ts', 1], // and ledger.test.ts
  'vectors/agent-manifest/': ['cose-messages.test.ts', 18],
  'vectors/cbor-appendix-a/': ['cbor.test.ts', 1],
  'vectors/cbor-invalid/': ['cbor.test.ts', 1],
  'vectors/cose-wg-examples/': ['cose-messages.test.ts', 21],
  'vectors/ed25519-edge/': ['ed25519-edge.test.ts', 2],
  'vectors/glob/': ['globs.test.ts', 3],
  'vectors/gluecose/': ['cose-messages.test.ts', 14],
  'vectors/ipld-negative/': ['cbor.test.ts', 2],
  'vectors/jcs/': ['canonical-json.test.ts', 12],
  'vectors/json-parsing/': ['json.test.ts', 1],
  'vectors/path-containment/': ['paths.test.ts', 1],
  'vectors/sarif/': ['sarif.test.ts', 1],
  'vectors/wpt-url/toascii.json': ['hosts.test.ts', 1],
  'vectors/wpt-url/urltestdata.json': ['hosts.test.ts', 1],
  'vectors/wycheproof/': ['signatures.test.ts', 3],
};

/** What waits, and for what. */
const waiting: Readonly<Record<string, string>> = {
  'vectors/draft-farley/': 'receipts in JSON of another design, to be read beside the ledger chapter',
  'vectors/raucle/': 'receipts and capabilities in JSON of another design, to be read beside the ledger chapter',
  'vectors/wpt-url/percent-encoding.json': 'encodings of URL queries: a host has no percent sign (MAT-12)',
};

const isCase = (file: string): boolean => !/(^|\/)(LICEN[CS]E[^/]*|NOTICE[^/]*|SOURCES\.md|SHA256SUMS)$/.test(file);

if (!isPresent) {
  process.stderr.write(
    'the cases that others wrote are not beside this repository (../shared/outside, or the folder that RULEPRINT_OUTSIDE names): suite skipped\n',
  );
}

outside('the folder of outside cases', () => {
  const files = ['cases.json', ...filesBelow('vectors').filter(isCase)];
  const prefixes = [...Object.keys(judged), ...Object.keys(waiting)];

  it('holds no file that is neither judged nor waiting', () => {
    expect(files.filter((file) => prefixes.filter((prefix) => file.startsWith(prefix)).length !== 1)).toEqual([]);
  });

  it.each(Object.entries(judged))('has all files of %s for its suite', (prefix, [suite, count]) => {
    expect(existsSync(join(root, 'test/outside', suite))).toBe(true);
    expect(files.filter((file) => file.startsWith(prefix))).toHaveLength(count);
  });

  it.each(Object.entries(waiting))('lets %s wait: %s', (prefix) => {
    expect(existsSync(join(folder, prefix))).toBe(true);
    expect(files.some((file) => file.startsWith(prefix))).toBe(true);
  });
});
