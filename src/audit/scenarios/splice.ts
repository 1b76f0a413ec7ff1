/**
 * Puts an order into the text of a skill: how skills are made that are known to be bad (spec/audit-run.md, AUR-21). Pure.
 * @module
 */
import { parseSkill } from '../subject/skill.js';

/** In the description, which is shown before a skill is chosen, or before a line of the body, counted from 0. */
export type SplicePlace = 'description' | number;

/**
 * The text of a SKILL.md with a text more in it. Nothing else of it changes, but that a description becomes one line in quotes.
 *
 * @param at - by default in the middle of the body, between two paragraphs
 * @throws RuleprintError as `parseSkill`, also where the description becomes longer than a description may be
 * @example
 * spliced('---\nname: a\ndescription: b\n---\nText.\n', ' More.', 'description'); // '---\nname: a\ndescription: "b More."\n---\nText.\n'
 */
export function spliced(skillText: string, injection: string, at?: SplicePlace): string {
  const { frontmatter, body } = parseSkill(skillText);
  const head = skillText.slice(0, skillText.length - body.length);
  if (at === 'description') {
    const entry = `description: ${JSON.stringify(frontmatter.description + injection)}`;
    // the entry reaches to the next line that is not indented
    const text = head.replace(/^description:.*(?:\r?\n(?=[ \t]|\r?\n).*)*/m, () => entry) + body;
    parseSkill(text);
    return text;
  }
  const lines = body.split('\n');
  if (at !== undefined && (!Number.isSafeInteger(at) || at < 0 || at > lines.length)) {
    throw new RangeError(`"at" expected a line from 0 to ${lines.length}`);
  }
  lines.splice(at ?? middleOf(lines), 0, injection);
  return head + lines.join('\n');
}

/** The first empty line outside of code that is not before the middle; else the end. */
function middleOf(lines: readonly string[]): number {
  let isCode = false;
  const at = lines.findIndex((line, i) => {
    if (/^ {0,3}(?:```|~~~)/.test(line)) isCode = !isCode;
    return !isCode && i >= Math.floor(lines.length / 2) && line.trim() === '';
  });
  return at < 0 ? lines.length : at;
}
