/**
 * The tables of three glob libraries against the path globs of the match profile. Our language is smaller and its patterns are absolute, so a pattern and a path are both put
 * below `/` and only what is basic on both sides is compared. Every case falls in one group, the groups are counted, and each kind of disagreement has its name.
 *
 * @module
 */
import { expect, it } from 'vitest';
import { canonicalPath, parsePathGlob, pathGlobCovers, pathSegments } from '../../src/policy/path.js';
import { answerOf, load, outside, tally } from './outside.js';

interface GlobCase {
  readonly pattern: string;
  readonly path: string;
  readonly match: boolean;
}

interface PicomatchCase extends GlobCase {
  readonly basic: boolean;
  readonly options: { readonly dot?: boolean };
}

interface GlobsetCase extends GlobCase {
  readonly options: string | null;
}

interface DoublestarCase extends GlobCase {
  readonly pattern_error: string | null;
}

const absolute = (text: string): string => (text.startsWith('/') ? text : `/${text}`);

/** `agree`, why there is nothing to compare, or the name of the disagreement. */
function groupOf<C extends GlobCase>(one: C, disagreement: (one: C, ours: boolean) => string | undefined): string {
  const { pattern, path, match } = one;
  if (pattern === '' || path === '') return 'nothing there';
  if (pattern.startsWith('/') !== path.startsWith('/')) return 'only one is absolute';
  const glob = answerOf(() => parsePathGlob(absolute(pattern)));
  if ('code' in glob) return `pattern: ${glob.code}`;
  const canonical = answerOf(() => canonicalPath(absolute(path)));
  if ('code' in canonical) return `path: ${canonical.code}`;
  if (canonical.value !== absolute(path)) return 'path in another spelling';
  const ours = pathGlobCovers(glob.value, pathSegments(canonical.value));
  if (ours === match) return 'agree';
  return disagreement(one, ours) ?? `no name: ${JSON.stringify([pattern, path])}`;
}

const hasDotName = (path: string): boolean => path.split('/').some((segment) => segment.startsWith('.'));

const folderItself = 'the folder itself is below its ** for us';
const isFolderItself = (pattern: string, path: string): boolean => pattern.endsWith('/**') && pattern.split('/').length === path.split('/').length + 1;

outside('path globs beside picomatch', () => {
  const basic = load<{ cases: readonly PicomatchCase[] }>('vectors/glob/picomatch.json').cases.filter((one) => one.basic);

  const disagreement = ({ pattern, path, options }: PicomatchCase, ours: boolean): string | undefined => {
    if (ours && options.dot !== true && hasDotName(path)) return 'dot names are ordinary for us';
    if (pattern.includes('"')) return 'quotes are ordinary for us';
    return ours && isFolderItself(pattern, path) ? folderItself : undefined;
  };

  it('agree where both take the pattern and the path, dot names and quotes apart: 2,368 basic cases', () => {
    expect(tally(basic.map((one) => groupOf(one, disagreement)))).toEqual({
      agree: 1012,
      'dot names are ordinary for us': 53,
      'quotes are ordinary for us': 6,
      [folderItself]: 1,
      'only one is absolute': 176,
      'path in another spelling': 168,
      'pattern: pattern-not-canonical': 398,
      'pattern: pattern-syntax': 297,
      'pattern: path-dot-dot': 24,
      'pattern: path-leading-slashes': 2,
      'path: path-dot-dot': 218,
      'path: path-character': 12,
      'path: path-leading-slashes': 1,
    });
  });

  it('refuse as syntax only patterns with ** beside something else (MAT-9)', () => {
    const refused = basic.filter((one) => groupOf(one, disagreement) === 'pattern: pattern-syntax');
    expect(refused.filter(({ pattern }) => !pattern.split('/').some((segment) => segment.includes('**') && segment !== '**'))).toEqual([]);
  });
});

outside('path globs beside globset', () => {
  const { cases, pattern_errors: errors } = load<{ cases: readonly GlobsetCase[]; pattern_errors: readonly { readonly pattern: string }[] }>(
    'vectors/glob/globset.json',
  );

  const disagreement = ({ pattern, path, options }: GlobsetCase, ours: boolean): string | undefined => {
    if (!ours && options === 'CASEI') return 'case counts for us';
    if (!ours && options === null && path.split('/').length > pattern.split('/').length) return 'a star stays inside its segment for us';
    return ours && isFolderItself(pattern, path) ? folderItself : undefined;
  };

  it('agree where both take the pattern and the path, but for case, stars across slashes and the folder itself: 128 cases', () => {
    expect(tally(cases.map((one) => groupOf(one, disagreement)))).toEqual({
      agree: 66,
      'case counts for us': 3,
      'a star stays inside its segment for us': 2,
      [folderItself]: 2,
      'nothing there': 3,
      'only one is absolute': 5,
      'path in another spelling': 1,
      'pattern: pattern-syntax': 41,
      'pattern: pattern-not-canonical': 1,
      'path: path-character': 4,
    });
  });

  it('refuse all 10 patterns that it refuses', () => {
    expect(errors.map(({ pattern }) => answerOf(() => parsePathGlob(absolute(pattern))))).toEqual(new Array(10).fill({ code: 'pattern-syntax' }));
  });
});

outside('path globs beside doublestar', () => {
  const { cases } = load<{ cases: readonly DoublestarCase[] }>('vectors/glob/doublestar.json');

  const disagreement = ({ pattern, path }: DoublestarCase, ours: boolean): string | undefined =>
    !ours && pattern === '/*' && path === '/' ? 'a segment is never empty for us' : undefined;

  it('agree where both take the pattern and the path, but for one case: 166 cases', () => {
    expect(tally(cases.map((one) => groupOf(one, disagreement)))).toEqual({
      agree: 81,
      'a segment is never empty for us': 1,
      'nothing there': 3,
      'only one is absolute': 1,
      'path in another spelling': 3,
      'pattern: pattern-syntax': 68,
      'pattern: pattern-not-canonical': 7,
      'path: path-character': 1,
      'path: path-leading-slashes': 1,
    });
  });

  it('refuse all 10 patterns that it refuses', () => {
    const errors = cases.filter(({ pattern_error }) => pattern_error !== null);
    expect(errors.map(({ pattern }) => answerOf(() => parsePathGlob(absolute(pattern))))).toEqual(new Array(10).fill({ code: 'pattern-syntax' }));
  });
});
