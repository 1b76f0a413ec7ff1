/**
 * The spec has a lint too: ids, citations, words, links.
 * @module
 */
import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';
import { at, files, read, root } from './tree.js';

const chapters = files.filter((file) => /^(spec\/.*|SPEC)\.md$/.test(file));
const prose = files.filter((file) => file.endsWith('.md'));

/** Requirements that no test can cite, each with the reason. */
const uncited: Readonly<Record<string, string>> = {};

interface Requirement {
  readonly id: string;
  readonly where: string;
  readonly text: string;
}

/** `**XXX-n**` is where a requirement stands; it runs to the next one or to the end of its paragraph. */
function requirementsOf(file: string): Requirement[] {
  const text = read(file);
  return [...text.matchAll(/\*\*([A-Z]{3}-\d+)\*\*/g)].map(({ 0: mark, 1: id = '', index }) => {
    const rest = text.slice(index + mark.length);
    const end = rest.search(/\*\*[A-Z]{3}-\d+\*\*|\n\s*\n|\n#/);
    // what stands before the mark in its own sentence belongs to it too
    const before =
      text
        .slice(0, index)
        .split(/\n\s*\n|\*\*[A-Z]{3}-\d+\*\*|\n[-*] |\n\d+\. /)
        .at(-1) ?? '';
    return { id, where: at(file, text.slice(0, index).split('\n').length), text: before + (end < 0 ? rest : rest.slice(0, end)) };
  });
}

const requirements = chapters.flatMap(requirementsOf);

describe('requirements', () => {
  it('have ids that stand once', () => {
    const first = new Map<string, string>();
    const twice = requirements.filter(({ id, where }) => {
      const stands = first.has(id);
      if (!stands) first.set(id, where);
      return stands;
    });
    expect(requirements.length).toBeGreaterThan(50);
    expect(twice.map(({ id, where }) => `${where} ${id} stands at ${first.get(id)} too`)).toEqual([]);
  });

  // the cases of test/outside have ids of their own, some spelled alike
  it('are cited only where they exist', () => {
    const known = new Set(requirements.map(({ id }) => id));
    const prefixes = new Set([...known].map((id) => id.slice(0, 3)));
    const citing = files.filter((file) => /^(src|test|spec|vectors)\/.*\.(ts|md|json|cddl)$/.test(file) && !/^test\/(house|outside)\//.test(file));
    const unknown = citing.flatMap((file) =>
      [...read(file).matchAll(/\b([A-Z]{3})-\d+\b/g)]
        .filter(([id, prefix]) => prefixes.has(prefix ?? '') && !known.has(id))
        .map(([id]) => `${file} cites ${id}`),
    );
    expect([...new Set(unknown)]).toEqual([]);
  });

  it('that say MUST are each cited by a test or a vector, because what nothing checks is a wish', () => {
    const texts = files.filter((file) => /^(test|vectors)\//.test(file) && !/^test\/(house|reference|outside)\//.test(file)).map(read);
    const cited = new Set(texts.flatMap((text) => text.match(/\b[A-Z]{3}-\d+\b/g) ?? []));
    const missing = requirements.filter(({ id, text }) => /\bMUST\b/.test(text) && !cited.has(id) && !(id in uncited));
    expect(missing.map(({ id, where }) => `${where} ${id}`)).toEqual([]);
  });

  it('are on the list of exceptions only while they exist and nothing cites them', () => {
    expect(Object.keys(uncited).filter((id) => !requirements.some((one) => one.id === id))).toEqual([]);
  });
});

describe('words', () => {
  it.each(chapters)('%s says MUST NOT and leaves nothing open', (file) => {
    const wrong = read(file)
      .split('\n')
      .flatMap((line, i) => (/\b(MUST|SHOULD|SHALL) not\b|\bTODO\b|\bFIXME\b|\bTBD\b/.test(line) ? [at(file, i + 1)] : []));
    expect(wrong).toEqual([]);
  });
});

describe('links', () => {
  it.each(prose)('%s links to what is there', (file) => {
    const text = read(file)
      .replace(/^```[\s\S]*?^```/gm, '')
      .replace(/`[^`\n]*`/g, '');
    const broken = [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target = '']) => {
      if (/^(https?|mailto):/.test(target)) return [];
      const [path = '', anchor] = target.split('#');
      const to = path === '' ? file : normalize(join(dirname(file), path));
      if (!existsSync(join(root, to))) return [`${target}: no such file`];
      if (anchor === undefined || !to.endsWith('.md') || !statSync(join(root, to)).isFile()) return [];
      return anchorsOf(to).includes(anchor) ? [] : [`${target}: no such heading`];
    });
    expect(broken).toEqual([]);
  });
});

/** Heading anchors, spelled as GitHub spells them. */
function anchorsOf(file: string): string[] {
  return [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
