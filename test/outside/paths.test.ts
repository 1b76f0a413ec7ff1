/**
 * Is a path inside one of the allowed directories: the tests of a file server, asked as a policy. A directory D becomes two allow rules, D and D/**, with what is special
 * in a pattern escaped. Their function resolves `..` and reads Windows paths; we refuse both, which must never make an inside of an outside.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/decide/decide.js';
import type { ErrorCode } from '../../src/errors.js';
import type { Rule } from '../../src/policy/model.js';
import { copyPolicy } from '../../src/policy/copy.js';
import { canonicalPath } from '../../src/policy/path.js';
import { answerOf, load, outside, tally } from './outside.js';

interface Row {
  readonly path: string;
  readonly allowed_directories: readonly string[];
  readonly platform: string;
  readonly within: boolean;
}

const escaped = (path: string): string => path.replaceAll(/[*?[\]{}()!@+]/g, '\\$&');

/** The rules for one directory, as whoever writes the policy would write them: of its canonical form. */
function rulesFor(directory: string, at: number): readonly Rule[] {
  const path = escaped(canonicalPath(directory));
  const patterns = path === '/' ? ['/', '/**'] : [path, `${path}/**`];
  return patterns.map((pattern, i) => ({ name: `${at}.${i}`, effect: 'allow', agents: 'any', action: { filesystem: { path: pattern, methods: 'any' } } }));
}

interface Answer extends Row {
  /** Codes of directories for which no rule can be written. */
  readonly unwritable: readonly ErrorCode[];
  readonly ours: string;
}

function judge(row: Row): Answer {
  const rules = row.allowed_directories.map((directory, at) => answerOf(() => rulesFor(directory, at)));
  const policy = copyPolicy({ version: 1, rules: rules.flatMap((answer) => ('value' in answer ? answer.value : [])) });
  const ours = answerOf(() => decide(policy, { agent: 'agent', actions: [{ filesystem: { path: row.path, method: 'read' } }] }).effect);
  return { ...row, unwritable: rules.flatMap((answer) => ('code' in answer ? [answer.code] : [])), ours: 'code' in ours ? ours.code : ours.value };
}

outside('paths in allowed directories', () => {
  const answers = load<{ cases: readonly Row[] }>('vectors/path-containment/mcp-filesystem.json').cases.map(judge);
  const posix = answers.filter(({ platform }) => platform !== 'windows');
  const windows = answers.filter(({ platform }) => platform === 'windows');
  const within = posix.filter((row) => row.within);
  const without = posix.filter((row) => !row.within);

  it('are 116 rows, 16 of them for Windows', () => {
    expect([answers.length, posix.length, windows.length]).toEqual([116, 100, 16]);
  });

  it('are never allowed when they are outside', () => {
    expect(answers.filter((row) => !row.within && row.ours === 'allow')).toEqual([]);
  });

  describe('outside', () => {
    it('are denied, or refused with a code', () => {
      expect(tally(without.map(({ ours }) => ours))).toEqual({ deny: 34, 'path-dot-dot': 10, 'path-character': 4, 'path-relative': 2 });
    });

    it('are refused where the path holds NUL, is relative or has a .. segment', () => {
      const codes = without.map(({ path }) => {
        if (path.includes('\0')) return 'path-character';
        if (!path.startsWith('/')) return 'path-relative';
        return path.split('/').includes('..') ? 'path-dot-dot' : 'deny';
      });
      expect(without.map(({ ours }) => ours)).toEqual(codes);
    });
  });

  describe('inside', () => {
    it('are allowed, but for two rows whose directory has a .. segment: no rule can be written for it, so everything in it is denied (MAT-10)', () => {
      const differing = within.filter(({ ours }) => ours !== 'allow');
      expect([within.length, differing.length]).toEqual([50, 2]);
      for (const row of differing) {
        expect(row.ours).toBe('deny');
        expect(row.unwritable).toEqual(['path-dot-dot']);
        expect(row.allowed_directories.every((directory) => directory.split('/').includes('..'))).toBe(true);
      }
    });

    it('have no row with a .. segment in the path: we would refuse it, though it resolves to an inside', () => {
      expect(within.filter(({ path }) => path.split('/').includes('..'))).toEqual([]);
      expect(answerOf(() => canonicalPath('/inside/x/../y'))).toEqual({ code: 'path-dot-dot' });
    });
  });

  describe('for Windows', () => {
    it('are refused, inside or outside: a backslash first, then a drive letter, which is relative (MAT-2, MAT-3)', () => {
      expect(windows.map(({ ours }) => ours)).toEqual(windows.map(({ path }) => (path.includes('\\') ? 'path-character' : 'path-relative')));
      expect(tally(windows.map(({ ours }) => ours))).toEqual({ 'path-character': 15, 'path-relative': 1 });
    });
  });

  it('have directories for which no rule can be written: empty or relative ones, ones with NUL, with .. or with a backslash', () => {
    expect(tally(answers.flatMap(({ unwritable }) => unwritable))).toEqual({ 'path-relative': 8, 'path-dot-dot': 4, 'path-character': 17 });
  });
});
