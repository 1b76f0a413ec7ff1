/**
 * The shipped table against the path code of the real server: where both take a path, it is the same one.
 * @module
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { realPaths } from '../../src/gate/realpath.js';
import { createMapper } from '../../src/mapping/mapper.js';
import { shippedMapping } from '../../src/mapping/shipped.js';
import { outcome, runs } from './agreement.js';

interface Library {
  readonly setAllowedDirectories: (folders: readonly string[]) => void;
  readonly validatePath: (path: string) => Promise<string>;
}

let library: Library;
let folder = '';

beforeAll(async () => {
  const root = dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json'));
  library = (await import(pathToFileURL(join(root, 'dist/lib.js')).href)) as Library;
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'ruleprint-server-')));
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  writeFileSync(join(folder, 'a/b/c'), '');
  writeFileSync(join(folder, 'a/caf\u00e9'), '');
  symlinkSync(join(folder, 'a/b'), join(folder, 'link'));
  symlinkSync('../link/c', join(folder, 'a/file'));
  symlinkSync(join(folder, 'a/new'), join(folder, 'dangling'));
  library.setAllowedDirectories([folder, homedir()]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const segment = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'c',
    '..',
    '.',
    '',
    ' ',
    'a ',
    ' b',
    '~',
    'link',
    'file',
    'dangling',
    'new',
    '"',
    "'",
    'A',
    '\\',
    'C:',
    '%2e%2e',
    'caf\u00e9',
    'cafe\u0301',
    '\u00a0',
    '...',
    '\0',
  ),
  fc.string({ unit: fc.constantFrom('a', '.', ' ', '~', '/', '\\', ':', '"', '\t', '\n'), maxLength: 4 }),
);
const path = fc
  .tuple(fc.constantFrom('@/', '@', '@//', '~/', '~', '', '/', ' @/', '"@/', '//@/', '@/a/../../@/'), fc.array(segment, { maxLength: 6 }))
  .map(([front, segments]) => front + segments.join('/'));

describe('server-filesystem against its table', () => {
  it('acts on a path that is among the actions, or on none (MAP-9 to MAP-11, MAP-16)', async () => {
    const mapper = createMapper(shippedMapping('server-filesystem'), { server: 'fs', home: homedir(), realpath: realPaths() });
    let both = 0;
    await fc.assert(
      fc.asyncProperty(path, async (text) => {
        const written = text.replaceAll('@', folder);
        const mapped = outcome(() => mapper.map({ tool: 'write_file', args: { path: written, content: '' } }));
        const acted = await library.validatePath(written).catch(() => undefined);
        if (acted === undefined || 'code' in mapped) return;
        both++;
        expect(JSON.stringify(mapped.ok)).toContain(JSON.stringify({ filesystem: { path: acted, method: 'write' } }));
      }),
      runs(20),
    );
    expect(both).toBeGreaterThan(0);
  });
});
