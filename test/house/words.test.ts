/**
 * What may not stand in a tracked file, and how long a source file may be.
 * @module
 */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { at, files, read, root } from './tree.js';

const texts = files.filter((file) => !/\.(cose|cbor|bin|tgz|png)$/.test(file)).map((file) => ({ file, text: read(file) }));

function lines(pattern: RegExp, among = texts): string[] {
  return among.flatMap(({ file, text }) => text.split('\n').flatMap((line, i) => (pattern.test(line) ? [at(file, i + 1)] : [])));
}

describe('tracked files', () => {
  it('hold no path of the machine that they were written on', () => {
    expect(lines(new RegExp(`(?<![\\w.])/${'wo'}${'rk'}/|/ho${'me'}/(?:user|ubuntu|node)/`))).toEqual([]);
  });

  it('name no registry, because every user has their own', () => {
    const configured = execFileSync('npm', ['config', 'get', 'registry'], { cwd: root, encoding: 'utf8' }).trim();
    const host = URL.canParse(configured) ? new URL(configured).hostname : '';
    expect(texts.filter(({ text }) => host !== '' && text.includes(host)).map(({ file }) => file)).toEqual([]);
    expect(lines(/https?:\/\/[^/\s"'`]*(?:registry|artifactory|nexus|verdaccio)[^/\s"'`]*/)).toEqual([]);
    const locks = texts.filter(({ file }) => file.endsWith('package-lock.json'));
    expect(locks.map(({ file }) => file)).toContain('package-lock.json');
    expect(lines(/"resolved": "https?:/, locks)).toEqual([]);
  });

  it('hold no conflict marker', () => {
    expect(lines(/^(<{7}|>{7}|={7})( |$)/)).toEqual([]);
  });

  it('end with a line feed and have no carriage return', () => {
    const text = texts.filter(({ file }) => /\.(ts|mjs|js|json|md|cddl|sh)$/.test(file));
    expect(text.filter((one) => !one.text.endsWith('\n') || one.text.includes('\r')).map(({ file }) => file)).toEqual([]);
  });
});

describe('source files', () => {
  const sources = texts.filter(({ file }) => /^src\/.*\.ts$/.test(file));

  it('open with what they are, and @module', () => {
    // a shebang may stand in front
    expect(sources.filter(({ text }) => !/^(#!.*\n)?\/\*\*\n \* \S[\s\S]*?@module[\s\S]*?\*\//.test(text)).map(({ file }) => file)).toEqual([]);
  });

  it('are at most 400 lines, or say why not in their head', () => {
    const long = sources.filter(({ text }) => text.split('\n').length > 401 && !/^[\s\S]*?\*\//.exec(text)?.[0].includes('Long because'));
    expect(long.map(({ file, text }) => `${file}: ${text.split('\n').length - 1} lines`)).toEqual([]);
  });

  it('leave nothing open', () => {
    expect(lines(/\b(TODO|FIXME|XXX)\b/, sources)).toEqual([]);
  });

  it('switch off no check of the compiler', () => {
    expect(lines(/@ts-(ignore|nocheck|expect-error)/, sources)).toEqual([]);
  });
});
