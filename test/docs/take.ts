/**
 * Takes a page as its reader does, block by block.
 * @module
 */
import { expect } from 'vitest';
import { type Block, type Desk, firstOf, matches, blocksOf } from './page.js';

/** What is done with blocks that are neither run, nor shown, nor written. */
export type Special = (block: Block, desk: Desk) => Promise<void> | void;

/** @returns how many blocks were run or compared */
export async function take(page: string, desk: Desk, special: Readonly<Record<string, Special>> = {}): Promise<number> {
  const blocks = blocksOf(page);
  for (const block of firstOf(page)) await step(block, undefined, desk, special);
  let taken = 0;
  for (const [i, block] of blocks.entries()) if (await step(block, blocks[i + 1], desk, special)) taken++;
  return taken;
}

async function step(block: Block, next: Block | undefined, desk: Desk, special: Readonly<Record<string, Special>>): Promise<boolean> {
  const { page, line, language, marks, text } = block;
  const where = `${page}:${line}`;
  const file = marks.get('file');
  if (file !== undefined) {
    desk.write(file, text);
    return true;
  }
  if (language === 'sh') {
    const shown = next !== undefined && isOutput(next) ? next.text : undefined;
    const isBackground = marks.has('background');
    if (isBackground && shown === undefined) throw new Error(`${where} goes on, and does not show what until`);
    const { code, output } = isBackground ? await desk.begin(text, shown ?? '') : await desk.run(text);
    if (shown !== undefined && !matches(shown, output)) expect(output, `${where} shows something else`).toBe(shown);
    expect({ where, code, output }).toEqual({ where, code: isBackground ? null : Number(marks.get('exit') ?? 0), output });
    return true;
  }
  if (isOutput(block)) return true; // compared with the block before
  if (language === 'text' && marks.has('picture')) return false;
  const [name = ''] = marks.keys();
  const does = special[`${language} ${name}`];
  if (does === undefined) throw new Error(`${where}: nothing is known to do with a block of "${language} ${[...marks.keys()].join(' ')}"`);
  await does(block, desk);
  return true;
}

function isOutput({ language, marks }: Block): boolean {
  return (language === 'text' && marks.size === 0) || (language === 'json' && marks.has('output'));
}
