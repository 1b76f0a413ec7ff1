/**
 * The conformance suite of the protocol against our server, direct and through the HTTP gate: an outside judge of what a gate must not change.
 * @module
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, demand, equal, here, newFolder, newGate, tool } from './check.js';

const suite = join(here, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
/** How many scenarios the active suite has, and how many pass direct. */
const scenarios = 30;

export const started = [];

/** Starts a program and waits for a line that has the place where it listens. */
export async function listening(command, pattern, options = {}) {
  const child = spawn(command[0], command.slice(1), { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  started.push(child);
  let said = '';
  return new Promise((resolve, reject) => {
    const hear = (chunk) => {
      said += chunk;
      const found = pattern.exec(said);
      if (found !== null) resolve({ child, at: found[1], said: () => said });
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.once('close', (code) => reject(new Error(`ended with ${code}: ${said}`)));
  });
}

/** Each scenario with the status of each of its checks. */
async function results(url) {
  const folder = newFolder();
  const child = spawn(process.execPath, [suite, 'server', '--url', url, '--output-dir', folder], { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  await once(child, 'close');
  const out = {};
  for (const name of readdirSync(folder).sort()) {
    const checks = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8'));
    const scenario = name.replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    // what is only told is not judged
    out[scenario] = checks.filter(({ status }) => status !== 'INFO').map(({ id, status }) => `${id} ${status}`);
  }
  return { out, said };
}

const passes = (checks) => checks.length > 0 && checks.every((line) => / (SUCCESS|SKIPPED)$/.test(line));

export async function conformance() {
  await check(
    `conformance 0.1.13: the ${scenarios} scenarios of the active suite pass direct, and the same through the HTTP gate`,
    async () => {
      const server = await listening([process.execPath, join(here, 'servers/conformance.js')], /^(\d+)\n/);
      const gate = newGate([tool('allow', 'conformance', '*')], { server: 'conformance' });
      const upstream = `http://localhost:${server.at}/mcp`;
      const words = gate.before([]).slice(0, -1);
      const front = await listening([...words, '--http', '127.0.0.1:0', '--upstream', upstream], /listening at http:\/\/127\.0\.0\.1:(\d+)/);
      const [direct, gated] = [await results(upstream), await results(`http://localhost:${front.at}/mcp`)];
      front.child.kill('SIGTERM');
      equal((await once(front.child, 'close'))[0], 143);
      server.child.kill();
      const failing = Object.entries(direct.out).filter(([, checks]) => !passes(checks));
      equal(failing, [], 'fails direct');
      equal(gated.out, direct.out, 'gated differs');
      demand(
        Object.keys(direct.out).some((name) => name.includes('dns-rebinding-protection')),
        'no scenario of DNS rebinding',
      );
      equal(Object.keys(direct.out).length, scenarios, `scenarios: ${Object.keys(direct.out).join(' ')}`);
      demand(gate.decisions().length >= 10, 'nothing was recorded');
    },
    120_000,
  );
}
