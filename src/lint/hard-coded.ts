/**
 * Secrets in the text of a policy, comments included. A finding about one says its kind and its place, never the secret: neither in words nor in
 * what an id could be tried against, where it is short enough to be guessed (spec/lint.md, LNT-8).
 * @module
 */
import { occurrenceOf } from '../finding/identity.js';
import { secretsIn } from '../finding/redaction.js';
import { placer } from '../policy/document.js';
import { lintRule } from './rule.js';

export const hardCodedSecret = lintRule({
  id: 'policy.hard-coded-secret',
  title: 'A secret in the text of a policy',
  help: 'The text holds what has the shape of a secret: a key, a token, a password in a URL. Policies are read by many, and their texts lie beside ledgers for whoever verifies. Taking it out is not enough once the file was shared.',
  remediation: 'revoke the secret, and take it out of the policy',
  severity: 'critical',
  confidence: 'medium',
  *look() {
    // about the text and not about a rule: see hardCodedIn
  },
});

/** One secret, wherever it stands in the text. */
export interface HardCoded {
  readonly message: string;
  readonly occurrence: string;
  readonly places: readonly { readonly line: number; readonly column: number }[];
}

/** Below this a secret could be found by trying, so its hash is in no id. */
const guessable = 20;

export function hardCodedIn(text: string): readonly HardCoded[] {
  const place = placer(text);
  const found = new Map<string, HardCoded & { readonly places: { line: number; column: number }[] }>();
  for (const { kind, start, end } of secretsIn(text)) {
    const secret = text.slice(start, end);
    const { line, column } = place(start);
    const lineStart = start - (column - 1);
    const lineEnd = text.indexOf('\n', end) < 0 ? text.length : text.indexOf('\n', end);
    // what stands around a short one says which it is
    const content = secret.length >= guessable ? secret : `${text.slice(lineStart, start)}\n${text.slice(end, lineEnd)}`;
    const occurrence = occurrenceOf(kind, content);
    const same = found.get(occurrence);
    if (same !== undefined) same.places.push({ line, column });
    else found.set(occurrence, { message: `the policy holds a secret in its text: ${kind.replaceAll('-', ' ')}`, occurrence, places: [{ line, column }] });
  }
  return [...found.values()];
}
