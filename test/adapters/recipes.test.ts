/**
 * The pages of docs/ that need an agent SDK: their code is run with the real packages and models that need no key, and judged by the packages' types.
 * @module
 */
import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { blocksOf, Desk, firstOf } from '../docs/page.js';
import { sdkPages } from '../docs/sdk-pages.js';
import { take } from '../docs/take.js';
import { root } from '../house/tree.js';

const desks: Desk[] = [];
afterEach(() => {
  for (const desk of desks.splice(0)) desk.close();
});
async function newDesk(): Promise<Desk> {
  const desk = await Desk.open({ modules: join(root, 'test/adapters/node_modules') });
  desks.push(desk);
  return desk;
}

describe('the pages for agent SDKs', () => {
  it.each(sdkPages)('%s: allows, denies and asks as it shows, and the ledger is good', async (page) => {
    await take(page, await newDesk());
  });

  it.each(['ai5', 'ai7'])('docs/ai-sdk.md names versions that it runs with: %s', async (version) => {
    const desk = await newDesk();
    await take('docs/ai-sdk.md', desk);
    // another version of the SDK wants another version of models
    const model = desk.read('model.mjs');
    const old = model.replace("'v3'", "'v2'").replace('{ unified, raw: unified }', 'unified').replaceAll('{ total: 0 }', '0');
    writeFileSync(join(desk.folder, 'model.mjs'), version === 'ai5' ? old : model);
    writeFileSync(join(desk.folder, 'agent.mjs'), desk.read('agent.mjs').replace("from 'ai'", `from '${version}'`));
    const { code, output } = await desk.run('node agent.mjs');
    expect([code, output.split('\n').length, output]).toEqual([
      0,
      5,
      expect.stringMatching(/^read_file: ship it\nread_file: .*no-keys.*\ndelete_file: .*asks.*\ndone\n$/),
    ]);
  });

  it('hold code that fits the types of the SDKs', async () => {
    const desk = await newDesk();
    for (const page of sdkPages) {
      const name = page.slice('docs/'.length, -'.md'.length);
      for (const { language, marks, text } of [...firstOf(page), ...blocksOf(page)]) {
        if (language === 'js') desk.write(join(name, marks.get('file') ?? ''), text);
      }
      // what the reader puts there is theirs
      desk.write(join(name, 'model.d.mts'), 'export const model: any;\n');
    }
    symlinkSync(join(root, 'node_modules/@types'), join(desk.folder, 'types'));
    const compilerOptions = {
      ...{ allowJs: true, checkJs: true, strict: true, noImplicitAny: false, noEmit: true, skipLibCheck: true },
      ...{ target: 'es2023', module: 'nodenext', types: ['node'], typeRoots: ['types'], lib: ['es2023', 'esnext.disposable', 'dom', 'dom.iterable'] },
    };
    desk.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*/*.mjs', '*/*.mts'], exclude: ['node_modules', 'types'] }));
    const tsc = (): string => {
      try {
        return execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', '.'], { cwd: desk.folder, encoding: 'utf8' });
      } catch (error) {
        return (error as { stdout: string }).stdout;
      }
    };
    expect(tsc()).toBe('');
  });
});
