/**
 * The pages of docs/ as a reader takes them: their blocks, and a folder in which these are run one after another by a shell.
 *
 * What the first line of a block says, behind its three backticks:
 *   sh                   is run; exit=N where it ends with another code than 0; background where it goes on while the reader does
 *   text, json output    what the block before it has shown: all of it, where … stands for anything in a line, and alone for any lines
 *   LANGUAGE file=NAME   is put into that file
 *   json client          the configuration of an MCP client: its servers are started as the client does it
 *   json settings        the settings of Claude Code: their hooks are run as Claude Code does it
 *   yaml workflow        the steps of a workflow are run
 *   text picture         is looked at
 * A comment `first: page.md#heading` at the top of a page: the blocks of that section are run before it.
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { files, read, root } from '../house/tree.js';

/** No recipes: reports on runs of minutes, and the help pages of rules, which test/lint/help.test.ts and test/finding hold to their rules. */
const others = ['docs/crash.md', 'docs/live-audit.md', 'docs/lint.md', 'docs/findings.md'];

export const pages: readonly string[] = files.filter((file) => /^docs\/[^/]*\.md$/.test(file) && !others.includes(file));

export interface Block {
  readonly page: string;
  readonly line: number;
  /** Of the heading that it stands under. */
  readonly heading: string;
  readonly language: string;
  readonly marks: ReadonlyMap<string, string>;
  readonly text: string;
}

export function blocksOf(page: string): readonly Block[] {
  const blocks: Block[] = [];
  let heading = '';
  let open: { line: number; info: string; lines: string[] } | undefined;
  for (const [i, line] of read(page).split('\n').entries()) {
    if (open === undefined) {
      const [, title] = /^#+ (.*)$/.exec(line) ?? [];
      if (title !== undefined) heading = slug(title);
      if (line.startsWith('```')) open = { line: i + 1, info: line.slice(3), lines: [] };
    } else if (line !== '```') open.lines.push(line);
    else {
      blocks.push({ page, line: open.line, heading, ...infoOf(open.info), text: open.lines.map((each) => `${each}\n`).join('') });
      open = undefined;
    }
  }
  if (open !== undefined) throw new Error(`${page} ends within a block`);
  return blocks;
}

function infoOf(info: string): Pick<Block, 'language' | 'marks'> {
  const [language = '', ...marks] = info.split(' ');
  return { language, marks: new Map(marks.map((mark) => [mark.replace(/=.*/, ''), mark.replace(/^[^=]*=?/, '')])) };
}

/** The anchor of a heading. */
export function slug(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** The blocks that a page begins with, which stand on another one. */
export function firstOf(page: string): readonly Block[] {
  const [, file, heading] = /^<!-- first: ([\w-]+\.md)#([\w-]+) -->$/m.exec(read(page)) ?? [];
  if (file === undefined) return [];
  const found = blocksOf(`docs/${file}`).filter((block) => block.heading === heading);
  if (found.length === 0) throw new Error(`${page} begins with ${file}#${heading}, which has no blocks`);
  return found;
}

/** What a block shows, as what it must have been. */
export function matches(shown: string, actual: string): boolean {
  const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const lines = shown
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => (line === '…' ? '(?:.*\\n)*?' : `${line.split('…').map(escaped).join('.*')}\\n`));
  return new RegExp(`^${lines.join('')}$`).test(actual);
}

export interface Ran {
  readonly code: number | null;
  readonly output: string;
}

/** What stands on the pages for what differs from machine to machine. */
const home = '/home/you';
const packed = `ruleprint-${(JSON.parse(read('package.json')) as { version: string }).version}.tgz`;

/** A reader's folder, with the built command on the PATH and the packages of `modules` to import. */
export class Desk {
  readonly folder: string;
  readonly #place: string;
  readonly #children: ChildProcess[] = [];
  readonly #ports = new Map<string, string>();

  private constructor(place: string) {
    this.#place = place;
    this.folder = join(place, 'you');
  }

  static async open({ modules, ports = [] }: { readonly modules: string; readonly ports?: readonly string[] }): Promise<Desk> {
    for (const file of ['dist/cli/bin.cjs', 'dist/gate.js']) if (!existsSync(join(root, file))) throw new Error(`${file} is not there: npm run build`);
    const desk = new Desk(realpathSync(mkdtempSync(join(tmpdir(), 'ruleprint-docs-'))));
    mkdirSync(join(desk.folder, 'node_modules'), { recursive: true });
    for (const name of namesIn(modules)) {
      mkdirSync(dirname(join(desk.folder, 'node_modules', name)), { recursive: true });
      symlinkSync(join(modules, name), join(desk.folder, 'node_modules', name));
    }
    symlinkSync(root, join(desk.folder, 'node_modules/ruleprint'));
    desk.#commands();
    for (const port of ports) desk.#ports.set(port, String(await freePort()));
    return desk;
  }

  /** `ruleprint`, and `npx` and `npm` that fetch nothing: of what is not there they know nothing. */
  #commands(): void {
    const bin = join(this.#place, 'bin');
    mkdirSync(bin);
    const command = (name: string, text: string): void => {
      writeFileSync(join(bin, name), `#!/bin/sh\n${text}`);
      chmodSync(join(bin, name), 0o755);
    };
    const node = `exec '${process.execPath}'`;
    command('ruleprint', `${node} '${join(root, 'dist/cli/bin.cjs')}' "$@"\n`);
    command(
      'npx',
      `case "$1 $2" in
'-y @modelcontextprotocol/server-filesystem') shift 2; ${node} '${join(root, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js')}' "$@" ;;
'ruleprint '*) shift; exec ruleprint "$@" ;;
*) echo "npx: not here: $*"; exit 127 ;;
esac
`,
    );
    command(
      'npm',
      `[ "$1" = install ] || { echo "npm: not here: $*"; exit 127; }
shift
for name in "$@"; do
  case "$name" in
  --global|--no-save) ;;
  */${packed}) ;;
  *) [ -e "node_modules/$name" ] || { echo "npm: not here: $name"; exit 127; } ;;
  esac
done
`,
    );
  }

  get env(): Record<string, string> {
    const path = [join(this.#place, 'bin'), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter);
    return { PATH: path, HOME: this.folder, LANG: 'C.UTF-8' };
  }

  /** What is on the page, for this folder. */
  here(text: string): string {
    const ported = [...this.#ports].reduce((result, [shown, real]) => result.replaceAll(shown, real), text);
    return ported.replaceAll(home, this.folder).replaceAll('/opt/ruleprint', root);
  }

  /** What was shown, as the page has it. */
  #there(text: string): string {
    const ported = [...this.#ports].reduce((result, [shown, real]) => result.replaceAll(`:${real}`, `:${shown}`), text);
    return ported.replaceAll(this.folder, home).replaceAll(process.execPath, '/usr/bin/node').replaceAll(root, '/opt/ruleprint');
  }

  write(name: string, text: string): void {
    mkdirSync(dirname(join(this.folder, name)), { recursive: true });
    writeFileSync(join(this.folder, name), this.here(text));
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  /** Has a shell run it, both its outputs as one, as on a terminal. */
  async run(script: string, stdin = ''): Promise<Ran> {
    const { child, output } = this.#start(script);
    child.stdin?.on('error', () => undefined); // it did not want any
    child.stdin?.end(stdin);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, output: output() };
  }

  /** The same for what goes on: until it has shown that. */
  async begin(script: string, shown: string): Promise<Ran> {
    const { child, output } = this.#start(script);
    while (!matches(shown, output()) && child.exitCode === null) {
      await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), once(child, 'close')]);
    }
    return { code: child.exitCode, output: output() };
  }

  #start(script: string): { child: ChildProcess; output: () => string } {
    // a group of its own, so that what it leaves running ends with it
    const child = spawn('sh', ['-euc', `exec 2>&1\n${this.here(script)}`], { cwd: this.folder, env: this.env, detached: true });
    this.#children.push(child);
    const chunks: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
    return { child, output: () => this.#there(Buffer.concat(chunks).toString()) };
  }

  close(): void {
    for (const { pid } of this.#children) {
      try {
        if (pid !== undefined) process.kill(-pid, 'SIGKILL');
      } catch {
        // it has ended
      }
    }
    rmSync(this.#place, { recursive: true, force: true });
  }
}

/** The packages that a lock file has at its top. */
function namesIn(modules: string): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(modules, '../package-lock.json'), 'utf8')) as { packages: Record<string, object> };
  return Object.keys(packages)
    .filter((path) => /^node_modules\/(@[^/]+\/)?[^/]+$/.test(path))
    .map((path) => path.slice('node_modules/'.length))
    .filter((name) => existsSync(join(modules, name)));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
