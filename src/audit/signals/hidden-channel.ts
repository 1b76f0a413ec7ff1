/**
 * hidden.channel (AUD-41): what an agent reads in a skill and a person does not see.
 * @module
 */
import { fromUtf8 } from '../../bytes.js';
import type { HiddenFile } from '../subject/names.js';
import type { TreeFile } from '../subject/tree.js';
import { type Hit, hit } from './hit.js';

/** Three or more in a row that take no place: joiners and single selectors have honest uses. */
const zeroWidth = /[\u00ad\u180e\u115f\u1160\u200b-\u200d\u2060-\u2064\u2800\u3164\uffa0\ufeff]{3,}|[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{3,}/u;
const direction = /[\u202a-\u202e\u2066-\u2069]/;
/** Tags but for those of a flag, which stand behind a black flag and end with a cancel tag. */
const tags = /(?<!\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{0,6})[\u{e0000}-\u{e007f}]/u;

/** Verbs with which a comment orders something that a skill has no business to order in secret; `use`, `see` and `update` begin honest comments. */
const verbs =
  "ignore|disregard|forget|override|bypass|send|post|upload|run|execute|forward|reveal|email|mail|delete|call|invoke|fetch|download|pretend|(?:do not|don't|never) (?:tell|mention|say|reveal|ask|show|disclose)";
const imperative = new RegExp(
  `^[ \\t]*(?:please[ \\t]+)?(?:${verbs})\\b|\\b(?:you|the (?:agent|assistant|model|ai)|agents?|assistants?) (?:must|should|shall|will|need to|have to|are to)\\b|\\b(?:ignore|disregard) (?:all|any|the|previous|prior|your)\\b`,
  'im',
);

/** The hits of a tree. `hidden` are the files that the subject names. */
export function hiddenChannel(files: readonly TreeFile[], hidden: readonly HiddenFile[]): readonly Hit[] {
  const hits = hidden.map(({ path, reason }) => hit('hidden.channel', 'high', { locus: `${path}: ${reason}` }, path));
  for (const { path, bytes } of files) {
    const text = fromUtf8(bytes);
    if (text === undefined) continue;
    for (const [what, found] of hiddenIn(text)) hits.push(hit('hidden.channel', 'high', { locus: `${path}: ${what}` }, found));
  }
  return hits;
}

function hiddenIn(text: string): readonly (readonly [what: string, found: string])[] {
  const found: [string, string][] = [];
  const look = (what: string, pattern: RegExp): void => {
    const [match] = pattern.exec(text) ?? [];
    if (match !== undefined) found.push([what, match]);
  };
  look('tags', tags);
  look('direction', direction);
  look('zero-width', zeroWidth);
  const comment = commentsIn(text).find((inside) => imperative.test(inside));
  if (comment !== undefined) found.push(['comment', comment]);
  return found;
}

/** What stands in comments of HTML, one that never ends included, and in the link references that serve as comments of Markdown: and in markup that is not shown: a renderer hides it, a model reads it. */
function commentsIn(text: string): readonly string[] {
  const comments: string[] = [];
  for (let at = text.indexOf('<!--'); at >= 0; ) {
    const end = text.indexOf('-->', at + 4);
    comments.push(text.slice(at + 4, end < 0 ? text.length : end));
    at = end < 0 ? -1 : text.indexOf('<!--', end + 3);
  }
  for (const [, inside = ''] of text.matchAll(/^\[(?:\/\/|comment|_)[^\]\n]{0,40}\]:[ \t]*(?:#|<#?>)[ \t]*["'(]([^\n]{0,2000})/gim)) comments.push(inside);
  // what a style sheet takes off the page, with what follows it
  for (const [, inside = ''] of text.matchAll(/<[^<>]{0,300}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0)[^<>]{0,300}>([^<]{0,1000})/gi))
    comments.push(inside);
  return comments;
}
