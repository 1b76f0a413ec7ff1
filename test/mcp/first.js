/**
 * The first SDK generation: all that server-everything can do, server-filesystem and server-memory, direct and behind the gate.
 * @module
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
  LoggingMessageNotificationSchema,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { check, demand, equal, files, here, newFolder, newGate, text, tool } from './check.js';

const serverOf = (name, ...args) => [process.execPath, join(here, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js'), ...args];

/** What a client with every capability that there is offers. */
const everything = {
  sampling: {},
  elicitation: { form: {} },
  roots: { listChanged: true },
  tasks: { list: {}, cancel: {}, requests: { sampling: { createMessage: {} }, elicitation: { create: {} } } },
};

async function connect(command, capabilities = {}, env = {}) {
  const client = new Client({ name: 'test', version: '1' }, { capabilities });
  const heard = { logs: [], elicitations: [], samplings: [] };
  if (capabilities.elicitation) {
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      heard.elicitations.push(params.message);
      return { action: 'accept', content: params.message.startsWith('Rule') ? { approve: true } : { color: 'red' } };
    });
  }
  if (capabilities.sampling) {
    client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => {
      heard.samplings.push(params.messages);
      return { model: 'm', role: 'assistant', content: { type: 'text', text: 'sampled' } };
    });
  }
  if (capabilities.roots) client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [{ uri: 'file:///srv/root', name: 'root' }] }));
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => void heard.logs.push(params));
  const transport = new StdioClientTransport({ command: command[0], args: command.slice(1), stderr: 'ignore', env: { ...process.env, ...env } });
  await client.connect(transport);
  return { client, heard };
}

async function outcome(work) {
  try {
    return settled(await work);
  } catch (error) {
    return { error: error.code ?? error.name, message: error.message };
  }
}

/** What differs from run to run is left out. */
function settled(value) {
  return JSON.parse(
    JSON.stringify(value, (key, member) => (/^(taskId|createdAt|lastUpdatedAt|uptime)$/.test(key) ? '*' : member)).replace(
      /[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{32}|\d{1,2}:\d\d:\d\d [AP]M|\d{4}-\d\d-\d\dT[\d:.]+Z/g,
      '*',
    ),
  );
}

/** All of section 1.3 of what was measured: what must pass untouched. */
async function transcript(command) {
  const { client, heard } = await connect(command, everything);
  const call = (name, args = {}, options) => outcome(client.callTool({ name, arguments: args }, undefined, options));
  try {
    await new Promise((resolve) => setTimeout(resolve, 400)); // tools that depend on the client's capabilities come after it is heard
    const progress = [];
    const out = {
      server: client.getServerVersion(),
      capabilities: client.getServerCapabilities(),
      instructions: client.getInstructions(),
      ping: await outcome(client.ping()),
      tools: await outcome(client.listTools()),
      resources: await outcome(client.listResources()),
      templates: await outcome(client.listResourceTemplates()),
      read: await outcome(client.readResource({ uri: 'demo://resource/static/document/features.md' })),
      readDynamic: await outcome(client.readResource({ uri: 'demo://resource/dynamic/blob/2' })).then(({ contents }) => contents?.[0]?.mimeType),
      readUnknown: await outcome(client.readResource({ uri: 'demo://nothing' })),
      subscribe: await outcome(client.subscribeResource({ uri: 'demo://resource/dynamic/text/1' })),
      unsubscribe: await outcome(client.unsubscribeResource({ uri: 'demo://resource/dynamic/text/1' })),
      prompts: await outcome(client.listPrompts()),
      prompt: await outcome(client.getPrompt({ name: 'args-prompt', arguments: { city: 'Oslo' } })),
      complete: await outcome(client.complete({ ref: { type: 'ref/prompt', name: 'completable-prompt' }, argument: { name: 'department', value: 'E' } })),
      level: await outcome(client.setLoggingLevel('debug')),
      echo: await call('echo', { message: 'a\u2028b\u2029 \u{1f642} 1e400 {"method":"tools/call"}' }),
      annotated: await call('get-annotated-message', { messageType: 'error', includeImage: true }),
      sum: await call('get-sum', { a: 0.1, b: 1e21 }),
      links: await call('get-resource-links', { count: 2 }),
      reference: await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 }),
      structured: await call('get-structured-content', { location: 'Chicago' }),
      image: await call('get-tiny-image'),
      roots: await call('get-roots-list'),
      elicitation: await call('trigger-elicitation-request'),
      sampling: await call('trigger-sampling-request', { prompt: 'hi', maxTokens: 10 }),
      unknownTool: await call('nothing'),
      wrongArguments: await call('get-sum', { a: 'x' }),
      unknownMethod: await outcome(client.request({ method: 'nothing/here', params: { a: 1 } }, ResultSchema)),
      operation: await call('trigger-long-running-operation', { duration: 2, steps: 4 }, { onprogress: ({ progress: at }) => progress.push(at) }),
      cancelled: await cancelled(client),
      task: await task(client),
      rootsChanged: await outcome(client.sendRootsListChanged()),
      after: await call('echo', { message: 'still there' }),
    };
    return { ...out, hasProgress: progress.length > 0, heard: settled({ elicitations: heard.elicitations, samplings: heard.samplings }) };
  } finally {
    await client.close();
  }
}

async function cancelled(client) {
  const controller = new AbortController();
  setTimeout(() => controller.abort('enough'), 200);
  return outcome(client.callTool({ name: 'trigger-long-running-operation', arguments: { duration: 5, steps: 5 } }, undefined, { signal: controller.signal }));
}

/** A call that becomes a task, and asks in the middle of it. */
async function task(client) {
  const stream = client.experimental.tasks.callToolStream({ name: 'simulate-research-query', arguments: { topic: 'gates', ambiguous: true } }, undefined, {
    task: { ttl: 60_000 },
  });
  const seen = [];
  for await (const message of stream)
    if (message.type !== 'taskStatus') seen.push(settled(message.type === 'error' ? { type: 'error', message: message.error.message } : message));
  return seen;
}

export async function first() {
  await check('server-everything: all that it can do is the same direct and gated', async () => {
    const gate = newGate([tool('allow', 'everything', '*')], { server: 'everything' });
    // what is allowed is judged with the tool; sum has a number that no digest takes, and is not called with it below
    const [direct, through] = await Promise.all([transcript(serverOf('everything')), transcript(gate.before(serverOf('everything')))]);
    demand(direct.tools.tools.length >= 18, `only ${direct.tools.tools.length} tools`);
    demand(
      direct.task.some(({ type }) => type === 'result'),
      JSON.stringify(direct.task),
    );
    // MCP-6: an integer beyond 2^53-1 is refused, because it cannot be sent as it was judged
    demand(direct.sum.isError !== true && through.sum.isError === true, JSON.stringify([direct.sum, through.sum]));
    equal({ ...through, sum: undefined }, { ...direct, sum: undefined });
    demand(gate.decisions().length >= 15, 'not everything was recorded');
  });

  await check('server-everything: get-env, which says that it only reads, is denied, and a task of it is an error', async () => {
    const gate = newGate([tool('deny', 'everything', 'get-env'), tool('deny', 'everything', 'simulate*'), tool('allow', 'everything', '*')], {
      server: 'everything',
    });
    const { client } = await connect(gate.before(serverOf('everything')), everything, { CANARY: 'canary-4711' });
    await new Promise((resolve) => setTimeout(resolve, 400));
    const { tools } = await client.listTools();
    equal(tools.find(({ name }) => name === 'get-env').annotations?.readOnlyHint ?? true, true);
    const result = await client.callTool({ name: 'get-env', arguments: {} });
    equal([result.isError, JSON.stringify(result).includes('canary')], [true, false]);
    const seen = await task(client);
    equal([seen.at(-1).type, seen.at(-1).message.includes('denied')], ['error', true]);
    await client.close();
    gate.decisions();
  });

  await check('server-everything: a question of the gate beside those of the server (2025)', async () => {
    const gate = newGate([tool('ask', 'everything', 'trigger-elicitation-request')], { server: 'everything' });
    const { client, heard } = await connect(gate.before(serverOf('everything')), everything);
    await new Promise((resolve) => setTimeout(resolve, 400));
    const { isError } = await client.callTool({ name: 'trigger-elicitation-request', arguments: {} });
    await client.close();
    equal(isError ?? false, false);
    equal(heard.elicitations.length, 2);
    demand(heard.elicitations[0].startsWith('Rule'), heard.elicitations[0]);
    gate.decisions();
  });

  await check('server-filesystem: paths decide, for every tool', async () => {
    const folder = newFolder({ 'a.txt': 'alpha', 'b.txt': 'beta' });
    mkdirSync(join(folder, 'secret'));
    writeFileSync(join(folder, 'secret/key'), 'canary-key');
    const rules = [
      tool('allow', 'filesystem', '*'),
      files('allow', `${folder}/**`, 'read'),
      files('allow', `${folder}/out/**`, 'write'),
      files('deny', `${folder}/secret/**`, 'read', 'write', 'delete', 'execute'),
    ];
    const gate = newGate(rules, { server: 'filesystem' });
    const direct = await connect(serverOf('filesystem', folder));
    const gated = await connect(gate.before(serverOf('filesystem', folder)));
    const at = (name) => join(folder, name);
    const allowed = [
      ['read_file', { path: at('a.txt') }],
      ['read_text_file', { path: at('a.txt'), head: 1 }],
      ['read_media_file', { path: at('a.txt') }],
      ['read_multiple_files', { paths: [at('a.txt'), at('b.txt')] }],
      ['list_directory', { path: at('out') }],
      ['get_file_info', { path: at('a.txt') }],
      ['list_allowed_directories', {}],
    ];
    const denied = [
      ['read_text_file', { path: at('secret/key') }],
      ['read_text_file', { path: at('x/../secret/key') }],
      ['read_text_file', { path: '/etc/passwd' }],
      ['read_multiple_files', { paths: [at('a.txt'), at('secret/key')] }],
      ['write_file', { path: at('a.txt'), content: 'x' }],
      ['edit_file', { path: at('a.txt'), edits: [{ oldText: 'alpha', newText: 'x' }] }],
      ['create_directory', { path: at('new') }],
      ['directory_tree', { path: at('secret') }],
      ['search_files', { path: '/', pattern: '*' }],
      ['move_file', { source: at('a.txt'), destination: at('out/a.txt') }],
      ['move_file', { source: at('secret/key'), destination: at('out/key') }],
    ];
    mkdirSync(at('out'));
    for (const [name, args] of allowed) {
      const call = { name, arguments: args };
      equal(await outcome(gated.client.callTool(call)), await outcome(direct.client.callTool(call)), name);
    }
    for (const [name, args] of denied) {
      const result = await gated.client.callTool({ name, arguments: args });
      equal([name, result.isError, result._meta?.['ruleprint/decision']?.effect], [name, true, 'deny']);
      demand(!JSON.stringify(result).includes('canary'), `${name} gave the key away`);
    }
    equal((await gated.client.callTool({ name: 'write_file', arguments: { path: at('out/c.txt'), content: 'c' } })).isError ?? false, false);
    await Promise.all([direct.client.close(), gated.client.close()]);
    equal([text(at('out/c.txt')), text(at('a.txt'))], ['c', 'alpha']);
    gate.decisions();
  });

  await check('server-filesystem: --realpath sees a link that leads out of what is allowed', async () => {
    const outer = newFolder({ 'target.txt': 'before' });
    mkdirSync(join(outer, 'in'));
    symlinkSync(join(outer, 'target.txt'), join(outer, 'in/link'));
    const rules = [tool('allow', 'filesystem', '*'), files('allow', `${outer}/in/**`, 'read', 'write')];
    const write = { name: 'write_file', arguments: { path: join(outer, 'in/link'), content: 'after' } };
    const outcomes = [];
    for (const options of [['--realpath'], []]) {
      const gate = newGate(rules, { server: 'filesystem', options });
      const { client } = await connect(gate.before(serverOf('filesystem', outer)));
      outcomes.push((await client.callTool(write)).isError ?? false);
      await client.close();
      gate.decisions();
    }
    equal(outcomes, [true, false]);
  });

  await check('server-memory: all of its tools are the same direct and gated', async () => {
    const talk = async (command, env) => {
      const { client } = await connect(command, {}, env);
      const entity = (name) => ({ name, entityType: 'thing', observations: ['first'] });
      const calls = [
        ['create_entities', { entities: [entity('a'), entity('b')] }],
        ['create_relations', { relations: [{ from: 'a', to: 'b', relationType: 'knows' }] }],
        ['add_observations', { observations: [{ entityName: 'a', contents: ['second'] }] }],
        ['search_nodes', { query: 'second' }],
        ['open_nodes', { names: ['a'] }],
        ['delete_observations', { deletions: [{ entityName: 'a', observations: ['first'] }] }],
        ['delete_relations', { relations: [{ from: 'a', to: 'b', relationType: 'knows' }] }],
        ['delete_entities', { entityNames: ['b'] }],
        ['read_graph', {}],
      ];
      const seen = [await outcome(client.listTools())];
      for (const [name, args] of calls) seen.push([name, await outcome(client.callTool({ name, arguments: args }))]);
      await client.close();
      return seen;
    };
    const gate = newGate([tool('allow', 'memory', '*')], { server: 'memory' });
    const direct = await talk(serverOf('memory'), { MEMORY_FILE_PATH: join(newFolder(), 'm.jsonl') });
    equal(await talk(gate.before(serverOf('memory')), { MEMORY_FILE_PATH: join(newFolder(), 'm.jsonl') }), direct);
    equal(gate.decisions().length, 9);
  });

  await check('a thousand calls at once of a real client: each is answered, and none that is denied runs', async () => {
    const gate = newGate([tool('deny', 'everything', 'get-sum'), tool('allow', 'everything', '*')], { server: 'everything' });
    const { client } = await connect(gate.before(serverOf('everything')));
    const results = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) =>
        client.callTool(i % 4 === 0 ? { name: 'get-sum', arguments: { a: i, b: 1 } } : { name: 'echo', arguments: { message: String(i) } }),
      ),
    );
    await client.close();
    results.forEach((result, i) => {
      if (i % 4 === 0) equal(result.isError, true);
      else equal(result.content[0].text, `Echo: ${i}`);
    });
    const effects = gate.decisions().map((entry) => entry.statement?.decision?.effect ?? entry.decision?.effect);
    equal([effects.length, effects.filter((effect) => effect === 'deny').length], [1_000, 250]);
  });
}
