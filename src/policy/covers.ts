/**
 * Does one pattern cover one input (spec/match.md): the questions of the match profile, each pattern and each input through its own door.
 * @module
 */
import { canonicalHost, hostPatternCovers, parseHostPattern } from './host.js';
import { checkArgument, checkName } from './text.js';
import { canonicalPath, parsePathGlob, pathGlobCovers, pathSegments } from './path.js';
import { argvGlobCovers, parseArgvGlob, parseNameGlob } from './text-glob.js';
import { wildcardCovers } from './wildcard.js';

/**
 * @throws RuleprintError the codes of path globs and of canonical paths
 * @example
 * pathCovers('/srv/**', '/srv/a/b'); // true
 */
export function pathCovers(pattern: string, path: string): boolean {
  return pathGlobCovers(parsePathGlob(pattern), pathSegments(canonicalPath(path)));
}

/**
 * @throws RuleprintError the codes of host patterns and of canonical hosts
 * @example
 * hostCovers('10.0.0.0/8', '0xa.1'); // true: 10.0.0.1
 */
export function hostCovers(pattern: string, host: string): boolean {
  return hostPatternCovers(parseHostPattern(pattern), canonicalHost(host));
}

/**
 * A tool's server or name against its pattern.
 *
 * @throws RuleprintError the codes of names and text globs
 */
export function textCovers(pattern: string, name: string): boolean {
  const glob = parseNameGlob(pattern);
  checkName(name);
  return wildcardCovers(glob, name);
}

/** @throws RuleprintError the codes of text globs and of arguments */
export function argvCovers(patterns: readonly string[], argv: readonly string[]): boolean {
  const glob = parseArgvGlob(patterns);
  for (const argument of argv) checkArgument(argument);
  return argvGlobCovers(glob, argv);
}
