/**
 * The second SDK generation, client and server, in both protocol eras: direct and behind the gate; questions of the gate and of the server.
 * @module
 */
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { check, demand, equal, here, newGate, text, tool } from './check.js';

const server = [process.execPath, join(here, 'servers/modern.js')];
const eras = { 2025: { mode: 'legacy' }, 2026: { mode: 'auto' } };

/** A client that answers questions by the function given. */
async function connect(command, era, answer) {
  const capabilities = answer === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name: 'test', version: '1' }, { capabilities, versionNegotiation: eras[era] });
  const asked = [];
  if (answer !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      return answer(params);
    });
  }
  const transport = new StdioClientTransport({ command: command[0], args: command.slice(1), stderr: 'ignore' });
  await client.connect(transport);
  return { client, asked };
}

async function outcome(work) {
  try {
    return JSON.parse(JSON.stringify(await work));
  } catch (error) {
    return { error: error.code, message: error.message };
  }
}

/** What a client sees of the server. */
async function transcript(command, era) {
  const { client } = await connect(command, era, async () => ({ action: 'accept', content: { confirm: true } }));
  try {
    return {
      version: client.getNegotiatedProtocolVersion?.(),
      server: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      tools: await outcome(client.listTools()),
      echo: await outcome(client.callTool({ name: 'echo', arguments: { message: 'a\u2028b\u{1f642}' } })),
      structured: await outcome(client.callTool({ name: 'structured', arguments: { n: 2.5 } })),
      wrong: await outcome(client.callTool({ name: 'structured', arguments: { n: 'x' } })),
      deploy: await outcome(client.callTool({ name: 'deploy', arguments: { env: 'test' } })),
      unknown: await outcome(client.callTool({ name: 'nothing', arguments: {} })),
      resources: await outcome(client.listResources()),
    };
  } finally {
    await client.close();
  }
}

export async function modern() {
  for (const era of [2025, 2026]) {
    await check(`second generation, ${era}: the same direct and gated`, async () => {
      const gate = newGate([tool('allow', 'modern', '*')], { server: 'modern' });
      const direct = await transcript(server, era);
      demand(direct.version === undefined || String(direct.version).startsWith(String(era)), `spoke ${direct.version}`);
      demand(direct.deploy.content?.[0]?.text === 'deployed to test', `no deploy: ${JSON.stringify(direct.deploy)}`);
      equal(await transcript(gate.before(server), era), direct);
      demand(gate.decisions().length > 0, 'nothing was recorded');
    });

    await check(`second generation, ${era}: a denial is a result that the client takes`, async () => {
      const gate = newGate([tool('deny', 'modern', 'structured'), tool('allow', 'modern', '*')], { server: 'modern' });
      const log = join(gate.folder, 'log');
      const { client } = await connect(gate.before([...server, log]), era);
      await client.listTools(); // with the schemas of results, which a failed one need not meet
      const { isError, _meta, content } = await client.callTool({ name: 'structured', arguments: { n: 1 } });
      await client.callTool({ name: 'echo', arguments: { message: 'x' } });
      await client.close();
      equal([isError, _meta?.['ruleprint/decision']?.effect], [true, 'deny']);
      demand(content[0].text.startsWith('denied by policy'), content[0].text);
      equal(text(log), 'echo {"message":"x"}\n');
    });

    for (const [word, answer, runs] of [
      ['yes', async () => ({ action: 'accept', content: { approve: true } }), true],
      ['no', async () => ({ action: 'decline' }), false],
      ['nobody to ask', undefined, false],
    ]) {
      await check(`second generation, ${era}: an ask with ${word}`, async () => {
        const gate = newGate([tool('ask', 'modern', 'echo')], { server: 'modern' });
        const log = join(gate.folder, 'log');
        const { client, asked } = await connect(gate.before([...server, log]), era, answer);
        const called = await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
        const again = answer === undefined ? undefined : client.callTool({ name: 'echo', arguments: { message: 'hello' } });
        await again;
        await client.close();
        equal(called.isError === true, !runs);
        equal(asked.length, answer === undefined ? 0 : 2); // each call is asked about by itself
        if (runs) equal(text(log), 'echo {"message":"hello"}\n'.repeat(2));
        if (answer !== undefined) demand(asked[0].includes('{"message":"hello"}'), asked[0]);
        equal(gate.decisions().length > 0, true);
      });
    }
  }

  await check('second generation, 2026: a server that asks back after our approval keeps working, and is approved once', async () => {
    const gate = newGate([tool('ask', 'modern', 'deploy')], { server: 'modern' });
    const log = join(gate.folder, 'log');
    const answer = async (params) =>
      params.message.startsWith('Rule') ? { action: 'accept', content: { approve: true } } : { action: 'accept', content: { confirm: true } };
    const { client, asked } = await connect(gate.before([...server, log]), 2026, answer);
    const { content } = await client.callTool({ name: 'deploy', arguments: { env: 'production' } });
    await client.close();
    equal(content[0].text, 'deployed to production');
    equal(
      asked.map((message) => message.split(/[ ?]/, 3)[0]),
      ['Rule', 'Deploy'],
    );
    equal(text(log), 'asked {"env":"production"}\ndeploy {"env":"production"}\n');
    gate.decisions();
  });
}
