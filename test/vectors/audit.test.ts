import { describe, expect, it } from 'vitest';
import { canaryCommitment, canaryValue } from '../../src/audit/canary.js';
import { rateTest, shareOf, upperBound } from '../../src/audit/statistics.js';
import { hiddenFiles } from '../../src/audit/subject/names.js';
import { interchangeHash, type TreeFile, treeDigest, treePreimage } from '../../src/audit/subject/tree.js';
import { RuleprintError } from '../../src/errors.js';
import { bytesOf, type Case, casesOf, type Fields, hexOf, read, refusal } from './load.js';

function filesOf(input: Case['input']): readonly TreeFile[] {
  return input.files.map(({ path, executable, bytes_hex }: Fields) => ({
    path: read(path as never),
    isExecutable: executable,
    bytes: bytesOf(bytes_hex as string),
  }));
}

describe('vectors: audit, trees', () => {
  const digests = new Map(casesOf('audit', 'trees').map(({ id, expect: { tree_digest } }) => [id, tree_digest as string]));

  it.each(casesOf('audit', 'trees'))('$id: $comment', ({ id, input, expect: expected }) => {
    const files = filesOf(input);
    const sharing = [...digests].filter(([other, digest]) => other !== id && digest === expected.tree_digest).map(([other]) => other);
    expect({
      preimage_hex: hexOf(treePreimage(files)),
      tree_digest: treeDigest(files),
      interchange_hash: interchangeHash(files),
      hidden: hiddenFiles(files),
      ...(expected.same_digest_as && { same_digest_as: sharing }),
      ...(expected.other_digest_than && { other_digest_than: expected.other_digest_than }),
    }).toEqual(expected);
    for (const other of expected.other_digest_than ?? []) expect(digests.get(other) ?? expected.tree_digest).not.toBe(expected.tree_digest);
  });
});

describe('vectors: audit, no trees', () => {
  it.each(casesOf('audit', 'no trees'))('$id: $comment', ({ input, expect: expected }) => {
    let got: unknown;
    try {
      got = treeDigest(filesOf(input));
    } catch (error) {
      if (!(error instanceof RuleprintError)) throw error;
      got = refusal(error, expected);
    }
    expect(got).toEqual(expected);
  });
});

describe('vectors: audit, numbers', () => {
  it.each(casesOf('audit', 'bounds'))('$id: $comment', ({ input: { k, n, alpha, tests }, expect: expected }) => {
    expect({ upper_bound: upperBound(k, n, shareOf(alpha, tests)) }).toEqual(expected);
  });

  it.each(casesOf('audit', 'rates'))('$id: $comment', ({ input: { with_skill, baseline, alpha, difference, tests }, expect: expected }) => {
    const { p, isFailed } = rateTest(with_skill, baseline, { alpha, difference }, tests);
    expect({ p, failed: isFailed }).toEqual(expected);
  });
});

describe('vectors: audit, canaries', () => {
  it.each(casesOf('audit', 'canaries'))('$id: $comment', ({ input: { seed_hex, plan_digest, epoch, slot }, expect: expected }) => {
    const seed = bytesOf(seed_hex);
    expect({ canary: canaryValue(seed, plan_digest, epoch, slot), commitment: canaryCommitment(seed) }).toEqual(expected);
  });
});
