// The server that the conformance suite asks for, over streamable HTTP, with sessions and resumable streams. Prints its port.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
  UnsubscribeRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const text = (value) => ({ content: [{ type: 'text', text: value }] });
const empty = { type: 'object', properties: {} };
const elicit = (extra, message, requestedSchema) =>
  extra.sendRequest(
    { method: 'elicitation/create', params: { message, requestedSchema } },
    { parse: (value) => value, safeParse: (data) => ({ success: true, data }) },
  );

const image = { type: 'image', data: png, mimeType: 'image/png' };
const titled = (first) => ['value1', 'value2', 'value3'].map((value, i) => ({ const: value, title: `${['First', 'Second', 'Third'][i]} ${first}` }));
const enums = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
};
const defaults = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
};
const asked = async (extra, message, properties, required) => {
  const { action, content } = await elicit(extra, message, { type: 'object', properties, ...(required && { required }) });
  return `action=${action}, content=${JSON.stringify(content ?? {})}`;
};

const tools = {
  test_simple_text: { run: () => text('This is a simple text response for testing.') },
  test_image_content: { run: () => ({ content: [image] }) },
  test_audio_content: { run: () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }) },
  test_embedded_resource: {
    run: () => ({
      content: [{ type: 'resource', resource: { uri: 'test://embedded-resource', mimeType: 'text/plain', text: 'This is an embedded resource content.' } }],
    }),
  },
  test_multiple_content_types: {
    run: () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        image,
        { type: 'resource', resource: { uri: 'test://mixed-content-resource', mimeType: 'application/json', text: '{"test":"data","value":123}' } },
      ],
    }),
  },
  test_tool_with_logging: {
    run: async (_args, extra) => {
      const log = (data) => extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data } });
      await log('Tool execution started');
      await sleep(50);
      await log('Tool processing data');
      await sleep(50);
      await log('Tool execution completed');
      return text('Tool with logging executed');
    },
  },
  test_error_handling: {
    run: () => {
      throw new Error('This tool intentionally returns an error for testing');
    },
  },
  test_tool_with_progress: {
    run: async (_args, extra) => {
      const progressToken = extra._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined) await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
        await sleep(50);
      }
      return text('Tool with progress executed');
    },
  },
  test_sampling: {
    inputSchema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    run: async ({ prompt }, extra) => {
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
      const { content } = await extra.sendRequest(
        { method: 'sampling/createMessage', params: { messages, maxTokens: 100 } },
        { parse: (value) => value, safeParse: (data) => ({ success: true, data }) },
      );
      return text(`LLM response: ${content.text ?? ''}`);
    },
  },
  test_elicitation: {
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    run: async ({ message }, extra) => {
      const properties = { username: { type: 'string', description: "User's response" }, email: { type: 'string', description: "User's email address" } };
      return text(`User response: ${await asked(extra, message, properties, ['username', 'email'])}`);
    },
  },
  test_elicitation_sep1034_defaults: { run: async (_args, extra) => text(`Elicitation completed: ${await asked(extra, 'Defaults', defaults)}`) },
  test_elicitation_sep1330_enums: { run: async (_args, extra) => text(`Elicitation completed: ${await asked(extra, 'Enums', enums)}`) },
  test_reconnection: {
    run: async (_args, extra) => {
      extra.closeSSEStream?.();
      await sleep(100);
      return text('Reconnection test completed');
    },
  },
  json_schema_2020_12_tool: {
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
    run: (args) => text(JSON.stringify(args)),
  },
};

const resources = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: png },
  'test://watched-resource': { mimeType: 'text/plain', text: 'watched' },
};

const user = (content) => ({ role: 'user', content });
const prompts = {
  test_simple_prompt: { run: () => [user({ type: 'text', text: 'This is a simple prompt for testing.' })] },
  test_prompt_with_arguments: {
    arguments: [
      { name: 'arg1', description: 'First test argument', required: true },
      { name: 'arg2', description: 'Second test argument', required: true },
    ],
    run: ({ arg1, arg2 }) => [user({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` })],
  },
  test_prompt_with_embedded_resource: {
    arguments: [{ name: 'resourceUri', description: 'URI of the resource', required: true }],
    run: ({ resourceUri }) => [
      user({ type: 'resource', resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' } }),
      user({ type: 'text', text: 'Please process the embedded resource above.' }),
    ],
  },
  test_prompt_with_image: { run: () => [user(image), user({ type: 'text', text: 'Please analyze the image above.' })] },
};

function makeServer() {
  const capabilities = { tools: {}, resources: { subscribe: true }, prompts: {}, logging: {}, completions: {} };
  const server = new Server({ name: 'conformance', version: '1.0.0' }, { capabilities });
  const on = (schema, handler) => server.setRequestHandler(schema, handler);
  on(ListToolsRequestSchema, () => ({
    tools: Object.entries(tools).map(([name, { inputSchema = empty }]) => ({ name, description: `Tests ${name}`, inputSchema })),
  }));
  on(CallToolRequestSchema, async ({ params }, extra) => {
    const tool = tools[params.name];
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, 'no such tool');
    try {
      return await tool.run(params.arguments ?? {}, extra);
    } catch (error) {
      return { isError: true, ...text(error.message) };
    }
  });
  on(ListResourcesRequestSchema, () => ({
    resources: Object.entries(resources).map(([uri, { mimeType }]) => ({ uri, name: uri, description: `Tests ${uri}`, mimeType })),
  }));
  on(ListResourceTemplatesRequestSchema, () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template', description: 'Tests templates', mimeType: 'application/json' }],
  }));
  on(ReadResourceRequestSchema, ({ params: { uri } }) => {
    const [, id] = /^test:\/\/template\/([^/]+)\/data$/.exec(uri) ?? [];
    if (id !== undefined)
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) }] };
    if (resources[uri] === undefined) throw new McpError(-32002, 'no such resource');
    return { contents: [{ uri, ...resources[uri] }] };
  });
  on(SubscribeRequestSchema, () => ({}));
  on(UnsubscribeRequestSchema, () => ({}));
  on(SetLevelRequestSchema, () => ({}));
  on(ListPromptsRequestSchema, () => ({
    prompts: Object.entries(prompts).map(([name, prompt]) => ({
      name,
      description: `Tests ${name}`,
      ...(prompt.arguments && { arguments: prompt.arguments }),
    })),
  }));
  on(GetPromptRequestSchema, ({ params }) => ({ messages: prompts[params.name].run(params.arguments ?? {}) }));
  on(CompleteRequestSchema, () => ({ completion: { values: ['paris', 'park', 'party'], total: 150, hasMore: false } }));
  return server;
}

/** Events in memory, for clients that come back to a stream. */
class Events {
  #events = [];

  async storeEvent(stream, message) {
    const id = `${stream}:${this.#events.length}`;
    this.#events.push({ id, stream, message });
    return id;
  }

  async getStreamIdForEventId(id) {
    return this.#events.find((event) => event.id === id)?.stream;
  }

  async replayEventsAfter(last, { send }) {
    const at = this.#events.findIndex(({ id }) => id === last);
    const stream = this.#events[at]?.stream;
    for (const event of this.#events.slice(at + 1)) if (event.stream === stream && Object.keys(event.message).length > 0) await send(event.id, event.message);
    return stream;
  }
}

const transports = new Map();
const local = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

const http = createServer(async (request, response) => {
  const { host, origin } = request.headers;
  // the server's own protection against DNS rebinding, by name and port
  const isLocal = host === `localhost:${port()}` || host === `127.0.0.1:${port()}`;
  if (!isLocal || (origin !== undefined && !local.test(origin.replace(/^https?:\/\//, '')))) {
    response.writeHead(403).end();
    return;
  }
  const id = request.headers['mcp-session-id'];
  let transport = transports.get(id);
  if (id !== undefined && transport === undefined) {
    response.writeHead(404).end();
    return;
  }
  if (transport === undefined) {
    transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: new Events(),
      retryInterval: 100,
      onsessioninitialized: (session) => void transports.set(session, transport),
      onsessionclosed: (session) => void transports.delete(session),
    });
    await makeServer().connect(transport);
  }
  await transport.handleRequest(request, response);
});
const port = () => http.address().port;
http.listen(0, '127.0.0.1', () => console.log(port()));
