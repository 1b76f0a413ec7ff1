/**
 * The question to the client's user, in both protocol eras, and how an answer is read (spec/mcp.md, MCP-11).
 * @module
 */
import { quote } from '../../errors.js';
import type { Ask } from '../approver.js';
import { type GatedCall, isObject, type JsonObject } from './message.js';

/** Under this key the question of the gate stands among those of an `input_required` result. */
export const questionKey = 'ruleprint-approval';

/** So much of the arguments is shown; what is approved are all of them, by their digest. */
const shownLength = 1_000;

/** The params of an `elicitation/create`. The arguments are shown because nobody can approve what they do not see. */
export function questionOf({ tool, args, method }: GatedCall, server: string, ask: Pick<Ask, 'argsDigest' | 'verdict'>): JsonObject {
  const what = method === 'tools/call' ? `the tool ${quote(tool)} of ${quote(server)}` : `a resource of ${quote(server)}`;
  const written = ascii(JSON.stringify(args ?? {}));
  const shown = written.length <= shownLength ? written : `${written.slice(0, shownLength)} … (${written.length - shownLength} more characters)`;
  const message = `Rule ${quote(ask.verdict.rule ?? '')} asks before ${what} is used.\nArguments: ${shown}\nDigest: ${ask.argsDigest}`;
  return {
    message,
    requestedSchema: {
      type: 'object',
      properties: { approve: { type: 'boolean', title: 'Approve', description: 'Let this one call go ahead' } },
      required: ['approve'],
    },
  };
}

/** Yes or no; undefined where the user gave no answer, or what came is none. */
export function readAnswer(result: unknown): boolean | undefined {
  if (!isObject(result)) return undefined;
  if (result['action'] === 'decline') return false;
  if (result['action'] !== 'accept' || !isObject(result['content'])) return undefined;
  const { approve } = result['content'];
  return typeof approve === 'boolean' ? approve : undefined;
}

/** Whether declared capabilities take a question with a form. An empty `elicitation` is one of the time before there were others. */
export function takesForms(capabilities: unknown): boolean {
  if (!isObject(capabilities) || !isObject(capabilities['elicitation'])) return false;
  const kinds = capabilities['elicitation'];
  return isObject(kinds['form']) || !Object.hasOwn(kinds, 'url');
}

/** Whoever chose the arguments cannot turn the direction of the text or hide a part of it. */
function ascii(text: string): string {
  return text.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
