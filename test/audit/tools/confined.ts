/**
 * Run under Node's permission model: false tools answer where nothing can be touched; and the walls are shown to stand.
 * @module
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect, Socket } from 'node:net';
import { calling, memoryGate, toolsWith } from './kit.js';

let sockets = 0;
Socket.prototype.connect = function connectNot(): never {
  sockets++;
  throw Object.assign(new Error('a socket'), { code: 'socket' });
};

const codeOf = (act: () => unknown): string => {
  try {
    act();
    return 'nothing stopped it';
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
};
const tried = [codeOf(() => writeFileSync('confined.txt', '')), codeOf(() => spawnSync(process.execPath, ['-e', '0'])), codeOf(() => connect(1, '127.0.0.1'))];
sockets = 0;

const { gate } = await memoryGate();
const tools = await toolsWith({ gate, script: [{ tool: 'read_file', counts: 'n', result: '{{count:n}} of {{args:/path}}' }] });
let answers = 0;
for (let i = 0; i < 100; i++) {
  for (const call of [calling('read_file', { path: '/etc/passwd' }), calling('send_mail', { to: 'http://example.com', run: 'rm -rf /' })]) {
    if ((await tools.call(call)).isAnswered) answers++;
  }
}
process.stdout.write(JSON.stringify({ tried, answers, sockets }));
