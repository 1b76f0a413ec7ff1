/**
 * How this very command is begun by another program, which may have another PATH and another Node, and starts it wherever it likes.
 * @module
 */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Io } from './io.js';

/** Node and the file that the command begins with, both in full. */
export function ownCommand({ program }: Io): readonly [node: string, file: string] {
  // beside the main module, and sooner at work
  const begin = fileURLToPath(new URL('./bin.cjs', program.url));
  return [process.execPath, existsSync(begin) ? begin : fileURLToPath(program.url)];
}
