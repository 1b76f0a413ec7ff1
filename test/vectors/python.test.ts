import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const script = fileURLToPath(new URL('../../vectors/check.py', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;

describe('vectors: check.py', () => {
  it.skipIf(!hasPython)('comes to the same bytes in another language', () => {
    // -B: nothing is written beside the vectors
    const { status, stdout, stderr } = spawnSync('python3', ['-B', script], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^\d{3,} passed, 0 failed\n$/);
  });
});
