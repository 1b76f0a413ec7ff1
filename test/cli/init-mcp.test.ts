import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parsePolicy } from '../../src/index.js';
import { root } from '../house/tree.js';
import { cli, command, jsonOf, newFolder, textIn } from './cli.js';

const filesystem = [process.execPath, join(root, 'node_modules/@modelcontextprotocol/server-filesystem/dist/index.js')];

/** A server that lists these tools. */
function serverOf(tools: readonly object[], { pages = 1, era = 2025 } = {}): string[] {
  const folder = newFolder();
  const file = join(folder, 'server.mjs');
  writeFileSync(
    file,
    `const tools = ${JSON.stringify(tools)};
     let text = '';
     process.stdout.write('hello, I am a server\\n');
     process.stdin.on('data', (chunk) => {
       text += chunk;
       for (let end = text.indexOf('\\n'); end >= 0; end = text.indexOf('\\n')) {
         const { id, method, params } = JSON.parse(text.slice(0, end));
         text = text.slice(end + 1);
         const page = Number(params?.cursor ?? 0);
         const answers = {
           initialize: ${era === 2025 ? '{ result: { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: {} } }' : '{ error: { code: -32601, message: "" } }'},
           'tools/list': ${era === 2025 ? '' : "params._meta?.['io.modelcontextprotocol/protocolVersion'] === undefined ? { error: { code: -1, message: '' } } : "}{ result: { tools: page === 0 ? tools : [{ name: 'page-' + page }], ...(page + 1 < ${pages} && { nextCursor: String(page + 1) }) } },
         };
         if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answers[method] }) + '\\n');
       }
     });`,
  );
  return [process.execPath, file];
}

describe('ruleprint init --mcp', () => {
  it('drafts a policy from the tools of the real filesystem server, and the line to paste works', async () => {
    const cwd = newFolder();
    const made = jsonOf(await cli('init', '--json', '--dir', 'gate', '--mcp', { cwd }, '--', ...filesystem, cwd));
    const { name, tools, config } = made['server'] as { name: string; tools: number; config: { command: string; args: string[] } };
    expect([name, tools]).toEqual(['filesystem', 14]);
    const { rules } = parsePolicy(textIn(cwd, 'gate/policy.yaml'), { format: 'yaml' });
    const effects = Object.fromEntries(rules.map((rule) => [rule.name, rule.effect]));
    expect(effects).toMatchObject({ 'tool-read_text_file': 'allow', 'tool-write_file': 'ask', 'read-files': 'allow', 'change-files': 'ask' });
    expect(rules.find((rule) => rule.name === 'read-files')?.action).toEqual({ filesystem: { path: `${cwd}/**`, methods: ['read'] } });
    expect(config.args.slice(-4)).toEqual(['--', ...filesystem, cwd]);
    // a client has a PATH of its own, and an alias is known to the shell alone
    expect([config.command, config.args[0], config.args[1]]).toEqual([process.execPath, command.at(-1), 'mcp']);
    for (const key of ['key', 'auditor', 'approver']) expect(statSync(join(cwd, 'gate', `${key}.jwk`)).mode & 0o777).toBe(0o600);
    expect((await cli('check', 'gate/policy.yaml', { cwd })).code).toBe(0);
  });

  it('takes the hints of a server for hints: what does not say that it reads is asked for', async () => {
    const cwd = newFolder();
    const hinted = (name: string, annotations?: object): object => ({ name, ...(annotations && { annotations }) });
    const tools = [
      hinted('a', { readOnlyHint: true }),
      hinted('b', { readOnlyHint: false }),
      hinted('c'),
      hinted('d*?', { readOnlyHint: 'true' }),
      hinted('e', { destructiveHint: true }),
    ];
    expect((await cli('init', '--mcp', '--server', 's*', { cwd }, '--', ...serverOf(tools))).code).toBe(0);
    const text = textIn(cwd, 'policy.yaml');
    expect(text).toContain('# readOnlyHint');
    expect(parsePolicy(text, { format: 'yaml' }).rules.map(({ effect, action }) => [effect, action])).toEqual(
      ['a', 'b', 'c', 'd\\*\\?', 'e'].map((name, i) => [i === 0 ? 'allow' : 'ask', { tool: { server: 's\\*', name } }]),
    );
  });

  it('reads all pages, of servers of both eras', async () => {
    for (const era of [2025, 2026]) {
      const cwd = newFolder();
      expect((await cli('init', '--mcp', { cwd }, '--', ...serverOf([{ name: 'first' }], { pages: 3, era }))).code).toBe(0);
      expect(parsePolicy(textIn(cwd, 'policy.yaml'), { format: 'yaml' }).rules.map(({ name }) => name)).toEqual(['tool-first', 'tool-page-1', 'tool-page-2']);
    }
  });

  it('lets no name of a tool out of its place in the text', async () => {
    const cwd = newFolder();
    const names = ['a"\n  - name: b', 'c # d', 'e: f', "g'", 'h\u2028i', 'j\\', '{k}', '- l', 'm\u0000', '🙂', ''];
    const titled = names.map((name) => ({ name, title: `t\n- name: x\n${name}` }));
    expect((await cli('init', '--mcp', '--server', 's', { cwd }, '--', ...serverOf(titled))).code).toBe(0);
    const { rules } = parsePolicy(textIn(cwd, 'policy.yaml'), { format: 'yaml' });
    expect(rules.map(({ name }) => name)).toEqual(['c # d', 'e: f', "g'", 'h\u2028i', 'j\\', '{k}', '- l', '🙂'].map((name) => `tool-${name}`));
  });

  it.each([
    [['init', '--mcp'], 'the command of the server is missing', 2],
    [['init', '--', 'node'], 'a server is for --mcp', 2],
    [['init', '--mcp', '--', '/nowhere/server'], 'cannot start /nowhere/server', 3],
    [['init', '--mcp', '--', process.execPath, '-e', '0'], 'ended before it had listed its tools', 3],
  ])('says what is wrong: %j', async (words, message, code) => {
    const cwd = newFolder();
    const ran = await cli(...words, { cwd });
    expect([ran.code, ran.stderr]).toEqual([code, expect.stringContaining(message)]);
  });
});
