/**
 * The command as its own process: exit code, pipes that close, signals.
 * @module
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, newFolder, policyYaml, readRequest } from './cli.js';

const [program, ...args] = command;
const cwd = newFolder({ 'policy.yaml': policyYaml, 'bad.yaml': 'version: 0\nrules: []\n' });
const line = `${JSON.stringify(readRequest)}\n`;

describe('the process', () => {
  it.each([
    [['check', 'policy.yaml'], 0],
    [['check', 'bad.yaml'], 1],
    [['check'], 2],
    [['check', 'none.yaml'], 3],
  ])('of %j ends with %i', (words, code) => {
    expect(spawnSync(program, [...args, ...words], { cwd }).status).toBe(code);
  });

  it('answers a request while its input is still open, as a co-process', async () => {
    const child = spawn(program, [...args, 'decide', '--policy', 'policy.yaml'], { cwd });
    for (let i = 0; i < 2; i++) {
      child.stdin.write(line);
      const [answer] = (await once(child.stdout, 'data')) as [Buffer];
      expect(answer.toString()).toBe('{"effect":"allow","rule":"read-srv","action":0}\n');
    }
    child.stdin.end();
    expect(await once(child, 'close')).toEqual([0, null]);
  });

  it('stops quietly when its reader goes away, as with head', () => {
    const quoted = command.map((word) => `'${word}'`).join(' ');
    const { stdout, stderr, status } = spawnSync(
      'bash',
      ['-c', `set -o pipefail; yes '${line.trim()}' | ${quoted} decide --policy policy.yaml | head -n 3; echo "\${PIPESTATUS[1]}"`],
      {
        cwd,
        encoding: 'utf8',
        timeout: 15_000,
      },
    );
    expect(stderr).toBe('');
    expect(stdout.split('\n').slice(-2)).toEqual(['0', '']);
    expect(status).toBe(0);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends the demo on %s, and takes its folder and its server away', async (signal) => {
    const temporary = newFolder();
    // its own group, so that whatever it starts can be found
    const child = spawn(program, [...args, 'demo'], { cwd, env: { ...process.env, TMPDIR: temporary }, detached: true });
    const stderr: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
    await once(child.stdout, 'data');
    child.kill(signal);
    const [code] = (await once(child, 'close')) as [number];
    expect({ code, stderr: Buffer.concat(stderr).toString() }).toEqual({ code: signal === 'SIGINT' ? 130 : 143, stderr: 'ruleprint: error: interrupted\n' });
    expect(readdirSync(temporary).filter((name) => name.startsWith('ruleprint-'))).toEqual([]);
    const processes = execFileSync('ps', ['-A', '-o', 'pgid=,args='], { encoding: 'utf8' }).split('\n');
    expect(processes.filter((row) => row.trim().startsWith(`${child.pid} `) && row.includes('server-filesystem'))).toEqual([]);
  });

  it('loads nothing of receipts, keys and YAML libraries for its version', () => {
    const loaded = spawnSync(program, [...args, '--version'], { cwd, env: { ...process.env, NODE_DEBUG: 'esm' }, encoding: 'utf8' });
    expect(loaded.status).toBe(0);
    expect(loaded.stderr).not.toMatch(/noble|cli-progress|src\/(cose|receipt|policy)\//);
  });
});

describe('what is left', () => {
  it('is nothing in the folder that the commands ran in', () => {
    expect(readdirSync(join(cwd)).sort()).toEqual(['bad.yaml', 'policy.yaml']);
  });
});
