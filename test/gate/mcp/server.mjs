// A server that writes down every byte it gets, and answers each request. What else it does, its arguments say.
import { appendFileSync } from 'node:fs';

const [log, ...does] = process.argv.slice(2);
const has = (word) => does.includes(word);
process.stderr.write('server: started\n');
if (has('deaf')) process.stdin.pause();
if (has('stubborn')) process.on('SIGTERM', () => undefined);
let pending = '';
let asked = 0;
process.stdin.setEncoding('utf8');
process.stdin.on('end', () => {
  if (has('says-goodbye')) process.stdout.write('{"jsonrpc":"2.0","method":"notifications/goodbye"}\n', () => process.exit(7));
});
if (!has('deaf'))
  process.stdin.on('data', (text) => {
    appendFileSync(log, text);
    pending += text;
    for (let end = pending.indexOf('\n'); end >= 0; end = pending.indexOf('\n')) {
      const line = pending.slice(0, end);
      pending = pending.slice(end + 1);
      answer(line);
    }
  });

function answer(line) {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return;
  }
  const { id, method, params } = message;
  if (id === undefined || method === undefined) return;
  if (method === 'test/die') process.exit(Number(params?.code ?? 3));
  if (method === 'test/kill') process.kill(process.pid, params.signal);
  // half a line first: what the gate has to say must wait for its end
  if (method === 'test/half') {
    process.stdout.write('{"jsonrpc":"2.0","id":');
    setTimeout(() => process.stdout.write(`${JSON.stringify(id)},"result":{}}\n`), 300);
    return;
  }
  if (method === 'test/odd') {
    process.stdout.write(`{ "result":{"b":9007199254740993,"a":1.0} , "id":${JSON.stringify(id)},"jsonrpc":"2.0"}\r\n`);
    return;
  }
  if (method === 'test/big') {
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(params.size) } })}\n`);
    return;
  }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { n: asked++ } })}\n`);
}
