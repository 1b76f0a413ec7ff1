/**
 * What all commands share: help, usage errors, where what is written, colour.
 * @module
 */
import { Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.js';
import type { Screen } from '../../src/cli/io.js';
import { run } from '../../src/cli/run.js';
import { read } from '../house/tree.js';
import { cli, io, newFolder, policyYaml, screen } from './cli.js';

const groups = commands.flatMap((row) => ('commands' in row ? [row] : []));
const names = commands.flatMap((row) => ('commands' in row ? row.commands.map(({ name }) => `${row.name} ${name}`) : [row.name]));

describe('ruleprint', () => {
  it('prints its version', async () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(await cli('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('lists every command in its help, and the exit codes', async () => {
    const { code, stdout, stderr } = await cli('--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: ruleprint /);
    for (const { name, summary } of commands) expect(stdout).toContain(`${name.padEnd(12)}${summary}\n`);
    for (const exitCode of [0, 1, 2, 3]) expect(stdout).toMatch(new RegExp(`^ {2}${exitCode} {2}`, 'm'));
  });

  it('prints its help on stderr where no command is named, because that is no result', async () => {
    const { code, stdout, stderr } = await cli();
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^Usage: ruleprint /);
  });

  it('names a command like an unknown one', async () => {
    expect(await cli('chek', 'policy.yaml')).toEqual({
      code: 2,
      stdout: '',
      stderr: "ruleprint: error: unknown command 'chek'\nruleprint: hint: did you mean check? see ruleprint --help\n",
    });
  });

  it.each(groups)('lists the commands of $name in its help, and prints it on stderr where none of them is named', async ({ name, commands: members }) => {
    const help = await cli(name, '--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toMatch(new RegExp(`^Usage: ruleprint ${name} `));
    for (const member of members) expect(help.stdout).toContain(`${member.name.padEnd(12)}${member.summary}\n`);
    const bare = await cli(name);
    expect({ ...bare, stderr: bare.stderr.trimEnd() }).toEqual({ code: 2, stdout: '', stderr: help.stdout.trimEnd() });
    expect(await cli('help', name)).toEqual(help);
  });

  it('names a command of a group like an unknown one', async () => {
    expect(await cli('ledger', 'shaw', 'audit')).toEqual({
      code: 2,
      stdout: '',
      stderr: "ruleprint: error: unknown command 'shaw'\nruleprint: hint: did you mean show? see ruleprint ledger --help\n",
    });
  });

  it('takes help in front of a command, and refuses it in front of what is none', async () => {
    expect(await cli('help', 'check')).toEqual(await cli('check', '--help'));
    expect(await cli('help', 'ledger', 'show')).toEqual(await cli('ledger', 'show', '--help'));
    expect(await cli('help')).toEqual(await cli('--help'));
    expect((await cli('help', 'nothing')).code).toBe(2);
  });
});

describe.each(names)('ruleprint %s', (name) => {
  const words = name.split(' ');

  it('has help with its options, the shape of its JSON and an example', async () => {
    const { code, stdout, stderr } = await cli(...words, '--help');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Usage: ruleprint ${name} `));
    expect(stdout).toMatch(/^ {2}--json +(print (the result as one JSON object|JSON lines, .*)|the same as --format json)$/m);
    expect(stdout).toMatch(/^With --json:\n {2}\{/m);
    expect(stdout).toMatch(new RegExp(`^Examples:\n {2}\\$ .*ruleprint ${name}`, 'm'));
  });

  it('gives examples that it understands', async () => {
    const examples = [...(await cli(...words, '--help')).stdout.matchAll(/^ {2}\$ (?:.*\| )?ruleprint (.*)$/gm)].map(([, typed = '']) => typed);
    expect(examples.length).toBeGreaterThan(0);
    for (const example of examples) {
      // in an empty folder files are missing, which is another error than a wrong option; demo and init are run elsewhere
      if (name === 'demo' || name === 'init') continue;
      const { code, stderr } = await cli(...example.replace(/ [<>] .*/, '').split(' '), { cwd: newFolder() });
      // a hook ends with 2 for every fault (GAT-18), so its usage is told by the words
      if (name === 'hook claude') expect({ example, stderr }).not.toMatchObject({ stderr: expect.stringMatching(/option|--help/) as string });
      else expect({ example, code, stderr }).not.toMatchObject({ code: 2 });
    }
  });

  it('refuses an unknown option with a hint, and prints nothing on stdout', async () => {
    const { code, stdout, stderr } = await cli(...words, '--jsonn');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(`ruleprint: error: unknown option '--jsonn'\nruleprint: hint: did you mean --json? see ruleprint ${name} --help\n`);
  });
});

describe('wrong usage', () => {
  const cases: readonly (readonly [args: readonly string[], message: string])[] = [
    [['check'], "missing required argument 'file'"],
    [['check', 'a.yaml', 'b.yaml'], "too many arguments for 'check': expected 1 argument but got 2"],
    [['check', 'a', '--format', 'xml'], "option '--format <format>' argument 'xml' is invalid: allowed choices are json, yaml"],
    [['check', 'a', '--format'], "option '--format <format>' argument missing"],
    [['check', 'a', '--format', 'json', '--format', 'yaml'], "option '--format <format>' argument 'yaml' is invalid: it is given twice"],
    [['decide'], "required option '--policy <file>' not specified"],
    [['verify', 'a.cbor'], "required option '--trust <file>' not specified"],
  ];

  it.each(cases)('%j', async (args, message) => {
    const { code, stdout, stderr } = await cli(...args);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: `ruleprint: error: ${message}\nruleprint: hint: see ruleprint ${args[0]} --help\n`,
    });
  });

  it('says why a file was taken for a policy', async () => {
    const { code, stderr } = await cli('verify', '--trust', 'trust.json', '--policies', 'policies', 'receipts.cbor');
    expect(code).toBe(2);
    expect(stderr).toContain('ruleprint: hint: files go before an option that takes several values');
  });

  it('escapes what was typed, because a file name can hold what steers a terminal', async () => {
    const { stderr } = await cli('check', '\x1b[2J\u202e.yaml');
    expect(stderr).toBe('ruleprint: error: cannot read \\u001b[2J\\u202e.yaml: no such file or folder\n');
    expect((await cli('\x1b[2Jcheck')).stderr).toContain("unknown command '\\u001b[2Jcheck'");
  });
});

describe('colour', () => {
  const cwd = newFolder({ 'policy.yaml': policyYaml });

  it('is there on a terminal alone', async () => {
    expect((await cli('check', 'policy.yaml', { cwd, terminal: true })).stdout).toContain('\x1b[');
    expect((await cli('check', 'policy.yaml', { cwd })).stdout).not.toContain('\x1b');
    expect((await cli('check', 'none.yaml', { cwd, terminal: true })).stderr).toContain('\x1b[31merror\x1b[39m');
  });

  it.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }])('is not there with %j', async (env) => {
    expect((await cli('check', 'policy.yaml', { cwd, terminal: true, env })).stdout).not.toContain('\x1b');
  });
});

describe('what cannot be written', () => {
  const cwd = newFolder({ 'policy.yaml': policyYaml });
  const failing = (code: string): Screen => new Writable({ write: (_chunk, _encoding, done) => done(Object.assign(new Error('no'), { code })) });

  it('is an error, because a result that is lost is none', async () => {
    const { stream, text } = screen(false);
    expect(await run(['check', 'policy.yaml'], { ...io(cwd), stdout: failing('ENOSPC'), stderr: stream })).toBe(3);
    expect(text()).toBe('ruleprint: error: cannot write the result: no space left on the device\n');
  });

  it('is none where the reader has gone', async () => {
    const { stream, text } = screen(false);
    expect(await run(['check', 'policy.yaml'], { ...io(cwd), stdout: failing('EPIPE'), stderr: stream })).toBe(0);
    expect(text()).toBe('');
  });

  it('does not throw where stderr is gone too', async () => {
    expect(await run(['check', 'none.yaml'], { ...io(cwd), stdout: failing('EPIPE'), stderr: failing('EPIPE') })).toBe(3);
    expect(await run(['check', 'none.yaml'], { ...io(cwd), stdout: failing('EIO'), stderr: failing('EIO') })).toBe(3);
  });
});
