import { describe, expect, it } from 'vitest';
import { policyDigest } from '../../src/digest/digest.js';
import type { Problem } from '../../src/errors.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { checkPolicy } from '../../src/policy/parse.js';
import { bytesOf, load, refusal } from './load.js';

interface Input {
  readonly format: 'json' | 'yaml';
  readonly document?: string;
  readonly document_hex?: string;
}

interface Refusal {
  readonly error: string;
  readonly where?: object;
  readonly more?: readonly Refusal[];
}

function answer({ format, document, document_hex }: Input, expected: Refusal): unknown {
  const result = checkPolicy(document ?? bytesOf(document_hex ?? ''), { format });
  if ('policy' in result) return { policy: result.policy, policy_digest: policyDigest(result.policy) };
  const wanted = [expected, ...(expected.more ?? [])];
  const [first, ...more] = result.problems.map((problem: Problem, i) => refusal(problem, wanted[i] ?? {}));
  return more.length === 0 ? first : { ...first, more };
}

for (const group of load('policy').groups) {
  describe(`vectors: policy, ${group.name}`, () => {
    it.each(group.cases)('$id: $comment', ({ input, expect: expected }) => {
      expect(answer(input, expected)).toEqual(expected);
    });
  });
}

const taken = load('policy').groups.flatMap(({ cases }) => cases.filter(({ expect: expected }) => 'policy' in expected));

describe('vectors: policy', () => {
  it.each(taken)('$id is taken as an object and as bytes too', ({ input, expect: expected }) => {
    expect(copyPolicy(expected.policy)).toEqual(expected.policy);
    expect(answer({ format: input.format, document_hex: Buffer.from(input.document).toString('hex') }, expected)).toEqual(expected);
  });
});
