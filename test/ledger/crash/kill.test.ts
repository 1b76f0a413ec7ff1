import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../folders.js';
import { buildWriter, killWriters } from './processes.js';

let writer = '';
beforeAll(async () => {
  writer = await buildWriter();
});
afterAll(() => rmSync(dirname(writer), { recursive: true, force: true }));

describe('kill -9 of a writing process (LED-5)', () => {
  it('leaves everything that was recorded, in a chain that verifies', { timeout: 60_000 }, async () => {
    const found = await killWriters(writer, newFolder(), 20_261_130, 10, 60);
    expect(found.wrong).toEqual([]);
    expect(found.recorded).toBeGreaterThan(20);
  });
});
