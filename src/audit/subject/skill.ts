/**
 * The head of a skill: the frontmatter of its SKILL.md, by the published rules of agentskills (AUD-17).
 * @module
 */
import { type Problems, quote, refuse, RuleprintError } from '../../errors.js';
import { checkDocument } from '../../policy/door.js';
import { textOf } from '../../policy/document.js';
import { readYaml } from '../../policy/yaml.js';
import { object, type Shape, text } from '../../shape.js';

/** The closed set of fields. */
export interface Frontmatter {
  readonly name: string;
  readonly description: string;
  readonly license?: string;
  readonly compatibility?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly 'allowed-tools'?: string;
}

export interface Skill {
  readonly frontmatter: Frontmatter;
  /** What stands after the frontmatter: what an agent is told. */
  readonly body: string;
}

/** Reads SKILL.md. `folder` is the name of its folder, which its own name must equal. Throws all problems. */
export function parseSkill(source: string | Uint8Array, folder?: string): Skill {
  const result = checkSkill(source, folder);
  if ('problems' in result) throw new RuleprintError(result.problems);
  return result.skill;
}

/** The same, with the problems as an answer. */
export function checkSkill(source: string | Uint8Array, folder?: string): { readonly skill: Skill } | { readonly problems: Problems } {
  let whole: string;
  let end: number;
  try {
    whole = textOf(source, 'yaml');
    end = endOfFrontmatter(whole);
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    return { problems: error.problems };
  }
  // the first fence becomes a comment of its length, so that every place is that of the file
  const head = `#--${whole.slice(3, end)}`;
  const options = { format: 'yaml', file: 'SKILL.md' } as const;
  const result = checkDocument(head, options, readYaml, frontmatterShape(folder), (value) => ({ frontmatter: value as Frontmatter }));
  if ('problems' in result) return result;
  const body = whole.slice(whole.indexOf('\n', end) < 0 ? whole.length : whole.indexOf('\n', end) + 1);
  return { skill: Object.freeze({ frontmatter: frozen(result.frontmatter), body }) };
}

/** The offset of the second fence. */
function endOfFrontmatter(whole: string): number {
  const hint = 'begin SKILL.md with a line ---, then YAML, then a line ---';
  if (!/^---\r?\n/.test(whole))
    refuse('skill-frontmatter', 'expected a first line of ---', { where: { file: 'SKILL.md', line: 1, column: 1, offset: 0 }, hint });
  const fence = /\n---(?=\r?\n|$)/.exec(whole);
  if (fence === null) refuse('skill-frontmatter', 'expected a line of --- after the frontmatter', { where: { file: 'SKILL.md' }, hint });
  return fence.index + 1;
}

function frontmatterShape(folder: string | undefined): Shape {
  return object(
    'the frontmatter',
    { name: text('a name', (name) => checkSkillName(name, folder)), description: text('a description', (one) => checkLength('description', one, 1024)) },
    {
      license: text('a license', (one) => checkLength('license', one, 4096)),
      compatibility: text('text', (one) => checkLength('compatibility', one, 500)),
      metadata: { kind: 'record', what: 'the metadata', value: text('text in quotes') },
      'allowed-tools': text('tool names with a space between them', (one) => void allowedTools(one)),
    },
  );
}

/** 1 to 64 letters a-z, digits and single hyphens, not at an end: that of its folder. The published text says so; one reader of it takes more, we do not. */
function checkSkillName(name: string, folder: string | undefined): void {
  if (name.length > 64 || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name)) {
    refuse('bad-value', `expected 1 to 64 of a-z, 0-9 and single hyphens, got ${quote(name)}`);
  }
  if (folder !== undefined && name !== folder) refuse('bad-value', `expected the name of the folder, ${quote(folder)}, got ${quote(name)}`);
}

function checkLength(what: string, value: string, max: number): void {
  const length = [...value].length;
  if (length > max || value.trim() === '') refuse('bad-value', `expected a ${what} of 1 to ${max} characters, got ${value.trim() === '' ? 0 : length}`);
}

/**
 * The tools that a skill names. Between names stand spaces, which the rules say, or commas, which people write; not inside the parentheses of a pattern, so that
 * `Bash(git add:*)` stays one token and keeps its pattern.
 */
export function allowedTools(value: string): readonly string[] {
  const tokens: string[] = [];
  let token = '';
  let depth = 0;
  for (const char of value) {
    if (char === '(') depth++;
    if (char === ')') depth--;
    if (depth < 0) break;
    if (depth === 0 && /[\s,]/.test(char)) {
      if (token !== '') tokens.push(token);
      token = '';
    } else token += char;
  }
  if (depth !== 0) refuse('bad-value', `expected parentheses in pairs, got ${quote(value)}`);
  return token === '' ? tokens : [...tokens, token];
}

function frozen(frontmatter: Frontmatter): Frontmatter {
  if (frontmatter.metadata) Object.freeze(frontmatter.metadata);
  return Object.freeze(frontmatter);
}
