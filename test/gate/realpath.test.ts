import { existsSync, linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { realPaths } from '../../src/gate/realpath.js';
import { createMapper } from '../../src/mapping/mapper.js';
import { shippedMappings } from '../../src/mapping/shipped.js';
import { codeOf } from '../policy/kit.js';

let root = '';
const real = (path: string): string => realPaths()(join(root, path)).replace(root, '');

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'ruleprint-realpath-')));
  mkdirSync(join(root, 'open'));
  mkdirSync(join(root, 'secret/deep'), { recursive: true });
  writeFileSync(join(root, 'secret/key'), 'k');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('real paths (MAP-16)', () => {
  it('are the written ones where nothing is a link', () => {
    expect(real('/secret/key')).toBe('/secret/key');
    expect(real('/secret/deep')).toBe('/secret/deep');
    expect(realPaths()('/')).toBe('/');
  });

  it('keep what is not there as written, below what is', () => {
    expect(real('/open/new/er/file')).toBe('/open/new/er/file');
    symlinkSync(join(root, 'secret'), join(root, 'open/link'));
    expect(real('/open/link/new/file')).toBe('/secret/new/file');
  });

  it('follow a link at the end, in the middle, relative, and links to links', () => {
    symlinkSync(join(root, 'secret/key'), join(root, 'open/a'));
    symlinkSync('../secret', join(root, 'open/b'));
    symlinkSync('b/./deep/../key', join(root, 'open/c'));
    expect(real('/open/a')).toBe('/secret/key');
    expect(real('/open/b/key')).toBe('/secret/key');
    expect(real('/open/c')).toBe('/secret/key');
  });

  it('follow a link that leads to nothing, because a write goes through it', () => {
    symlinkSync(join(root, 'secret/not-yet'), join(root, 'open/new'));
    expect(real('/open/new')).toBe('/secret/not-yet');
    expect(real('/open/new/below')).toBe('/secret/not-yet/below');
  });

  it('step out of where a link leads, and not of where it stands', () => {
    symlinkSync(join(root, 'secret/deep'), join(root, 'open/d'));
    symlinkSync('d/../key', join(root, 'open/e'));
    expect(real('/open/e')).toBe('/secret/key');
  });

  it('are refused for a circle of links', () => {
    symlinkSync(join(root, 'open/y'), join(root, 'open/x'));
    symlinkSync(join(root, 'open/x'), join(root, 'open/y'));
    expect(codeOf(() => real('/open/x'))).toBe('path-unknown');
  });

  it('take a name in another normal form as the disk has it, because server-filesystem does', () => {
    writeFileSync(join(root, 'secret/caf\u00e9'), 'k');
    expect(real('/secret/cafe\u0301')).toBe('/secret/caf\u00e9');
    expect(real('/secret/caf\u00e9')).toBe('/secret/caf\u00e9');
    expect(real('/secret/cafe\u0301x')).toBe('/secret/cafe\u0301x');
  });

  it('tell two files whose names differ in case where the disk does', () => {
    // two names of one file: what a disk that does not mind the case looks like from outside
    linkSync(join(root, 'secret/key'), join(root, 'secret/KEY'));
    expect(real('/secret/KEY')).toBe('/secret/KEY');
    expect(real('/secret/kEY')).toBe('/secret/kEY');
  });

  it.skipIf(!existsSync('/proc/self'))('are refused where they are another for each process', () => {
    for (const path of ['/proc/self/cwd/a', '/proc/self/root/etc/passwd', '/proc/thread-self/cwd', '/dev/fd/3', '/dev/stdin'])
      expect(codeOf(() => realPaths()(path))).toBe('path-unknown');
    symlinkSync('/proc/self/cwd', join(root, 'open/p'));
    expect(codeOf(() => real('/open/p/a'))).toBe('path-unknown');
  });

  it('cannot see a hard link, which is the file itself under another name', () => {
    linkSync(join(root, 'secret/key'), join(root, 'open/hard'));
    expect(real('/open/hard')).toBe('/open/hard');
  });
});

describe('a mapper with real paths (MAP-16)', () => {
  const table = shippedMappings.get('server-filesystem');
  if (table === undefined) throw new Error('no table');
  const mapper = createMapper(table, { server: 'fs', realpath: realPaths() });
  const paths = (tool: string, args: unknown): unknown =>
    mapper.map({ tool, args }).flatMap((action) => ('filesystem' in action ? [Object.values(action.filesystem)] : []));

  it('judges the real path beside the written one, so that a deny on either bites', () => {
    symlinkSync(join(root, 'secret/key'), join(root, 'open/a'));
    expect(paths('write_file', { path: join(root, 'open/a'), content: '' })).toEqual([
      [join(root, 'open/a'), 'write'],
      [join(root, 'secret/key'), 'write'],
    ]);
  });

  it('adds nothing where both are one, and keeps the mark of a subtree on the real one', () => {
    symlinkSync(join(root, 'secret'), join(root, 'open/s'));
    expect(paths('read_file', { path: join(root, 'secret/key') })).toEqual([[join(root, 'secret/key'), 'read']]);
    expect(paths('directory_tree', { path: join(root, 'open/s') })).toEqual([
      [join(root, 'open/s'), 'read'],
      [join(root, 'open/s/**'), 'read'],
      [join(root, 'secret'), 'read'],
      [join(root, 'secret/**'), 'read'],
    ]);
  });
});
