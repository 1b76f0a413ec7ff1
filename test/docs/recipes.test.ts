/**
 * Every block of docs/ is run, or parsed and run as its reader would, and what the pages show comes out. The pages that need an agent SDK are taken in
 * test/adapters/recipes.test.ts.
 * @module
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, type TestContext } from 'vitest';
import { parse } from 'yaml';
import { read, root } from '../house/tree.js';
import { type Block, Desk, blocksOf, firstOf, matches, pages } from './page.js';
import { sdkPages } from './sdk-pages.js';
import { take } from './take.js';

async function newDesk({ onTestFinished: finished }: TestContext): Promise<Desk> {
  const desk = await Desk.open({ modules: join(root, 'node_modules'), ports: ['3000', '8080'] });
  finished(() => desk.close());
  return desk;
}

interface ClientConfig {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
}

/** The servers of a client's configuration, wherever it keeps them. */
function serversIn(block: Block, desk: Desk): readonly ClientConfig[] {
  const { mcpServers, servers } = JSON.parse(desk.here(block.text)) as Record<string, Record<string, ClientConfig>>;
  return Object.values(mcpServers ?? servers ?? {}).map(({ command, ...rest }) => ({
    ...rest,
    ...(command && { command: command.replace('/usr/bin/node', process.execPath) }),
  }));
}

interface Result {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly _meta?: object;
}

async function resultsOf(config: ClientConfig, desk: Desk, calls: readonly object[]): Promise<readonly Result[]> {
  const client = join(root, 'test/docs/client.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [client, JSON.stringify(config), JSON.stringify(calls)], {
    cwd: '/',
    env: desk.env,
    timeout: 30_000,
  });
  return JSON.parse(stdout) as readonly Result[];
}

const fileCalls = (desk: Desk): readonly object[] => [
  { name: 'read_text_file', arguments: { path: `${desk.folder}/files/plan.txt` } },
  { name: 'read_text_file', arguments: { path: '/etc/passwd' } },
  { name: 'write_file', arguments: { path: `${desk.folder}/files/plan.txt`, content: 'later' } },
];

describe('docs', () => {
  it('has a page for each way to put a gate somewhere, and the first page leads to all of them', () => {
    const first = read('docs/README.md');
    expect(pages.filter((page) => page !== 'docs/README.md' && !first.includes(`](${page.slice('docs/'.length)})`))).toEqual([]);
    expect(pages.length).toBeGreaterThanOrEqual(12);
    expect(read('README.md').includes('](docs/README.md)')).toBe(true);
  });

  it('says on each page what the thing does not do', () => {
    expect(pages.filter((page) => page !== 'docs/README.md' && !read(page).includes('\n## What it does not do\n'))).toEqual([]);
  });

  it('has no page that neither this test nor that of the adapters takes, and every block is of a kind that is taken', () => {
    const kinds = new Set(['sh', 'text', 'text picture', 'json output', 'json client', 'yaml workflow']);
    const odd = pages
      .flatMap((page) => blocksOf(page))
      .filter(({ language, marks }) => !marks.has('file') && !kinds.has(language === 'sh' ? 'sh' : [language, ...marks.keys()].slice(0, 2).join(' ')));
    expect(odd.map(({ page, line }) => `${page}:${line}`)).toEqual([]);
    expect(sdkPages.filter((page) => !pages.includes(page))).toEqual([]);
  });
});

describe('what a page shows', () => {
  it.each([
    ['a\nb\n', 'a\nb\n', true],
    ['a…c\n', 'abc\n', true],
    ['a…c\n', 'a\nc\n', false],
    ['…\nc\n', 'a\nb\nc\n', true],
    ['a\n…\n', 'a\n', true],
    ['a.c\n', 'abc\n', false],
    ['a\n', 'a\nb\n', false],
  ])('is all that comes out, but for …: %j %j', (shown, actual, expected) => {
    expect(matches(shown, actual)).toBe(expected);
  });
});

describe.concurrent('docs/README.md', () => {
  it('names the packed file as it is named', async (context) => {
    expect(await take('docs/README.md', await newDesk(context))).toBe(1);
  });
});

describe.concurrent('docs/mcp-clients.md', () => {
  it('gates the real filesystem server by the configuration of each client, and the ledger is good', async (context) => {
    const desk = await newDesk(context);
    let configs = 0;
    await take('docs/mcp-clients.md', desk, {
      'json client': async (block) => {
        for (const config of serversIn(block, desk)) {
          const [read, other, write] = await resultsOf(config, desk, fileCalls(desk));
          if (block.marks.has('before')) {
            expect([read?.content[0]?.text, write?.isError]).toEqual(['ship it\n', undefined]);
            desk.write('files/plan.txt', 'ship it\n');
            continue;
          }
          configs++;
          expect(read?.content[0]?.text).toBe('ship it\n');
          expect(other).toMatchObject({ isError: true, _meta: { 'ruleprint/decision': { effect: 'deny', reason: 'no-rule', policy_version: 1 } } });
          expect(write).toMatchObject({ isError: true, _meta: { 'ruleprint/decision': { effect: 'ask', rule: 'tool-write_file', code: 'approval-missing' } } });
          expect(desk.read('files/plan.txt')).toBe('ship it\n');
        }
      },
    });
    expect(configs).toBe(2);
  }, 60_000);

  it('shows the line that init prints', async (context) => {
    const desk = await newDesk(context);
    const blocks = blocksOf('docs/mcp-clients.md');
    const { output } = await desk.run(blocks[0]?.text ?? '');
    const printed = JSON.parse(/^ {2}(\{.*\})$/m.exec(output)?.[1] ?? '') as ClientConfig;
    for (const block of blocks.filter(({ marks }) => marks.has('client') && !marks.has('before'))) {
      const { mcpServers, servers } = JSON.parse(block.text) as Record<string, Record<string, ClientConfig>>;
      expect(Object.values(mcpServers ?? servers ?? {})[0]).toMatchObject(printed);
    }
  });
});

describe.concurrent('docs/mcp-http.md', () => {
  it('gates a server that listens, for curl and for a real client', async (context) => {
    const desk = await newDesk(context);
    if ((await desk.run('command -v curl')).code !== 0) context.skip('no curl here');
    await take('docs/mcp-http.md', desk, {
      'json client': async (block) => {
        // the page calls it with curl below, and counts the entries: here it is reached, no more
        for (const config of serversIn(block, desk)) expect(await resultsOf(config, desk, [])).toEqual([]);
      },
    });
  }, 60_000);
});

describe.concurrent('docs/claude-code.md', () => {
  it('denies what the settings to paste are to deny, when they are run as Claude Code does it', async (context) => {
    const desk = await newDesk(context);
    await take('docs/claude-code.md', desk);
    const { output } = await desk.run('ruleprint hook claude --policy policy.json --ledger audit --key key.jwk --print-settings');
    const { hooks } = JSON.parse(output) as { hooks: { PreToolUse: { matcher: string; hooks: { command: string; onFailure: string }[] }[] } };
    const [{ command, onFailure } = { command: '', onFailure: '' }] = hooks.PreToolUse[0]?.hooks ?? [];
    expect(onFailure).toBe('block');
    const input = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'git status\nrm -rf build' }, tool_use_id: '2', cwd: '/srv/app' };
    const ran = await desk.run(command.replace('/usr/bin/node', process.execPath), JSON.stringify(input));
    expect(JSON.parse(ran.output)).toMatchObject({ hookSpecificOutput: { permissionDecision: 'deny' } });
  }, 60_000);
});

describe.concurrent('docs/function.md', () => {
  it('guards functions, so that what is denied throws (GAT-17), has a human answer, and is verified with the raw calls', async (context) => {
    const desk = await newDesk(context);
    await take('docs/function.md', desk);
  }, 60_000);
});

describe.concurrent('docs/ci.md', () => {
  it('has a job whose steps pass on a good ledger and fail on a changed one', async (context) => {
    const desk = await newDesk(context);
    const steps: string[] = [];
    await take('docs/ci.md', desk, {
      'yaml workflow': async (block) => {
        const { jobs } = parse(block.text) as { jobs: Record<string, { steps: { run?: string; uses?: string }[] }> };
        for (const { run, uses } of jobs['verify']?.steps ?? []) {
          if (run === undefined) expect(uses).toMatch(/^actions\/[\w-]+@v\d+$/);
          else steps.push(run);
        }
        for (const run of steps) expect(await desk.run(run)).toMatchObject({ code: 0 });
      },
    });
    expect(steps).toHaveLength(2);
    // the page has changed a byte meanwhile
    expect(await desk.run(steps[1] ?? '')).toMatchObject({ code: 1 });
  }, 60_000);
});

describe('pages that begin on another page', () => {
  it('find there what they begin with', () => {
    for (const page of sdkPages) expect(firstOf(page).length).toBeGreaterThan(0);
  });
});

describe.concurrent('README.md', () => {
  it('gates the real filesystem server, shows an allow and a deny, and verifies the ledger', async (context) => {
    const desk = await newDesk(context);
    const blocks = blocksOf('README.md').filter(({ heading, text }) => heading === 'in-front-of-an-agent' && !text.startsWith('alias '));
    const { code, output } = await desk.run(
      blocks
        .filter(({ language }) => language === 'sh')
        .map(({ text }) => text)
        .join(''),
    );
    expect([code, output]).toEqual([0, expect.stringContaining('ship it')]);
    const shown = blocks.at(-1)?.text.split('\n') ?? [];
    const lines = shown.filter((line) => line !== '' && line !== '…');
    expect(lines).toHaveLength(3);
    for (const line of lines)
      expect(
        output.split('\n').some((one) => matches(line.replace(/sha256:\w+…/, 'sha256:…'), `${one}\n`)),
        `${line}\n${output}`,
      ).toBe(true);
  }, 60_000);
});
