/**
 * From a call of a tool of the filesystem server to the actions that it would take.
 * @module
 */
import type { Action, FileMethod } from '../../policy/model.js';

export const serverName = 'filesystem';

/** For each tool which of its arguments are paths, and what it does there. A tool that is not here is not called. */
const table: Readonly<Record<string, readonly (readonly [argument: string, method: FileMethod])[]>> = {
  read_text_file: [['path', 'read']],
  write_file: [['path', 'write']],
  edit_file: [
    ['path', 'read'],
    ['path', 'write'],
  ],
  create_directory: [['path', 'write']],
  list_directory: [['path', 'read']],
  get_file_info: [['path', 'read']],
  move_file: [
    ['source', 'delete'],
    ['destination', 'write'],
  ],
};

export interface ToolCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, string>>;
}

/** The call itself first, then what it does to files. */
export function actionsOf({ tool, args }: ToolCall): Action[] {
  const rows = table[tool];
  if (rows === undefined) throw new TypeError(`"tool" expected one of ${Object.keys(table).join(', ')}, got ${tool}`);
  const files = rows.map(([argument, method]): Action => ({ filesystem: { path: args[argument] ?? '', method } }));
  return [{ tool: { server: serverName, name: tool } }, ...files];
}
