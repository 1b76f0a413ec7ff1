/**
 * The policy that `ruleprint init --mcp` drafts: each tool of the server, with the server's hints as comments.
 * @module
 */
import { quote } from '../errors.js';
import { checkName } from '../policy/text.js';
import { draftText, type Drafted, exactly, exactPath } from './draft.js';
import type { FoundTools, ServerTool } from './mcp-tools.js';

const longAbout = 60;

/** What reads is allowed, everything else is asked for: a start, for a person to change. */
export function serverPolicy(server: string, { tools, folders }: FoundTools): string {
  const named = tools.filter(({ name }) => isName(name));
  const odd = tools.length - named.length;
  const head = [
    `What agents may do with the MCP server ${quote(server, '"')}. Drafted from what the server says of its tools: read it, change it.`,
    'Deny wins over ask, and ask over allow, wherever the rules stand; what no rule allows is denied.',
    'Tools that say that they only read are allowed, all others are asked for. What a server says of itself is a hint and no proof.',
    ...(folders.length > 0 ? ['A call needs its tool and the files that it works on: the rules for files are at the end.'] : []),
    ...(odd > 0 ? [`${odd} of its tools have names that no rule can hold, and are denied.`] : []),
    '',
    'An engine takes only a higher version than the one it has: raise it with every change.',
  ];
  return draftText(head, 1, [...named.map((tool) => toolRule(server, tool)), ...folders.filter(isPath).flatMap(folderRules)]);
}

function toolRule(server: string, { name, title, isReadOnly, hints }: ServerTool): Drafted {
  const about = [...(title === undefined ? [] : [quote(title.slice(0, longAbout), '')]), ...hints].join(', ');
  return {
    rule: { name: `tool-${name}`, effect: isReadOnly ? 'allow' : 'ask', agents: 'any', action: { tool: { server: exactly(server), name: exactly(name) } } },
    ...(about !== '' && { comments: [about] }),
  };
}

function folderRules(folder: string, i: number): readonly Drafted[] {
  const path = `${exactPath(folder.replace(/\/+$/, ''))}/**`;
  const n = i === 0 ? '' : `-${i + 1}`;
  return [
    {
      rule: { name: `read-files${n}`, effect: 'allow', agents: 'any', action: { filesystem: { path, methods: ['read'] } } },
      comments: ['reading includes listing'],
    },
    {
      rule: { name: `change-files${n}`, effect: 'ask', agents: 'any', action: { filesystem: { path, methods: ['write', 'delete'] } } },
      comments: ['writing includes creating'],
    },
  ];
}

/** With the word that the rule's name begins with. */
function isName(name: string): boolean {
  try {
    checkName(`tool-${exactly(name)}`);
    return name !== '';
  } catch {
    return false; // in no rule
  }
}

function isPath(folder: string): boolean {
  return !/[\\\0]|\/\.{1,2}(?:\/|$)|\/\//.test(folder) && isName(folder);
}
