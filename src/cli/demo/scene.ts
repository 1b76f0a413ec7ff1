/**
 * What the demo plays: a folder with files, two policies, and the calls of an agent with what must become of each.
 * @module
 */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemReason, unreadable } from '../failure.js';
import { fileName } from '../files.js';
import type { Io } from '../io.js';
import { serverName, type ToolCall } from './mapping.js';

export const agent = 'demo-agent';
export const engineId = 'demo-engine';

export const note = 'buy milk';
export const newNote = 'buy oat milk';

/** Where it plays. All paths are real paths: a temporary folder may be a link, and a rule does not see links. */
export interface Stage {
  readonly folder: string;
  readonly notes: string;
  readonly archive: string;
  readonly key: string;
  /** What the file of notes holds now. */
  readNotes(): Promise<string>;
  remove(): Promise<void>;
}

export async function buildStage(io: Io): Promise<Stage> {
  const temporary = io.env['TMPDIR'] || tmpdir();
  const made = await mkdtemp(join(temporary, 'ruleprint-demo-')).catch((error: unknown) => {
    throw unreadable(`cannot make a folder in ${fileName(temporary)}: ${systemReason(error)}`, undefined, error);
  });
  const remove = (): Promise<void> => rm(made, { recursive: true, force: true });
  try {
    const folder = await realpath(made);
    const [notes, archive, key] = ['notes.txt', 'old-notes.txt', 'keys/deploy.key'].map((name) => join(folder, name)) as [string, string, string];
    await mkdir(join(folder, 'keys'));
    await writeFile(notes, note);
    await writeFile(key, 'not for agents');
    return { folder, notes, archive, key, readNotes: () => readFile(notes, 'utf8'), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** The first policy lets the agent read, the second lets it write too. As text, the way a person writes it. */
export function policyText(folder: string, version: 1 | 2): string {
  const methods = version === 1 ? '[read]' : '[read, write]';
  return `version: ${version}
rules:
  - name: no-keys
    effect: deny
    agents: any
    action: { filesystem: { path: ${pattern(folder, '/keys/**')}, methods: any } }
  - name: use-files
    effect: allow
    agents: { one_of: ["${agent}"] }
    action: { filesystem: { path: ${pattern(folder, '/**')}, methods: ${methods} } }
  - name: call-file-tools
    effect: allow
    agents: { one_of: ["${agent}"] }
    action: { tool: { server: "${serverName}", name: "*" } }
`;
}

/** A folder and a pattern below it, quoted for YAML. What has a meaning in a pattern is escaped in the folder's own name. */
function pattern(folder: string, below: string): string {
  return JSON.stringify(folder.replace(/[*?[\]{}()!@+]/g, '\\$&') + below);
}

/** A call, what it is about in a few words, and what must come of it. */
export interface Scene extends ToolCall {
  readonly words: string;
  readonly expect: { readonly effect: 'allow' | 'deny'; readonly rule?: string; readonly action: number };
  /** What the file of notes holds afterwards. */
  readonly notesAfter: string;
}

/** Before and after the second policy is installed. */
export function scenesOf({ notes, archive, key }: Stage): readonly [before: readonly Scene[], after: readonly Scene[]] {
  const write: ToolCall & { words: string } = { tool: 'write_file', args: { path: notes, content: newNote }, words: 'notes.txt' };
  const noRule = { effect: 'deny', action: 1 } as const;
  // where all actions are allowed the rule of the first one is cited: the call of the tool
  const allowed = { effect: 'allow', rule: 'call-file-tools', action: 0 } as const;
  return [
    [
      { tool: 'read_text_file', args: { path: notes }, words: 'notes.txt', expect: allowed, notesAfter: note },
      { ...write, expect: noRule, notesAfter: note },
      { tool: 'read_text_file', args: { path: '/etc/passwd' }, words: '/etc/passwd', expect: noRule, notesAfter: note },
    ],
    [
      { ...write, expect: allowed, notesAfter: newNote },
      { tool: 'move_file', args: { source: notes, destination: archive }, words: 'notes.txt to old-notes.txt', expect: noRule, notesAfter: newNote },
      {
        tool: 'write_file',
        args: { path: key, content: '' },
        words: 'keys/deploy.key',
        expect: { effect: 'deny', rule: 'no-keys', action: 1 },
        notesAfter: newNote,
      },
    ],
  ];
}
