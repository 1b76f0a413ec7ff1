// A server of the second SDK generation: the same tools in both protocol eras.
import { appendFileSync } from 'node:fs';
import { acceptedContent, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const [log] = process.argv.slice(2);
const ran = (name, args) => {
  if (log !== undefined) appendFileSync(log, `${name} ${JSON.stringify(args)}\n`);
};

serveStdio(() => {
  const server = new McpServer({ name: 'modern', version: '1.0.0' }, { capabilities: { tools: {} } });
  server.registerTool('echo', { description: 'Echoes', inputSchema: z.object({ message: z.string() }) }, async ({ message }) => {
    ran('echo', { message });
    return { content: [{ type: 'text', text: message }] };
  });
  server.registerTool('structured', { inputSchema: z.object({ n: z.number() }), outputSchema: z.object({ twice: z.number() }) }, async ({ n }) => {
    ran('structured', { n });
    return { content: [{ type: 'text', text: String(2 * n) }], structuredContent: { twice: 2 * n } };
  });
  // asks back, in the way of each era
  const answer = z.object({ confirm: z.boolean() });
  server.registerTool('deploy', { inputSchema: z.object({ env: z.string() }) }, async ({ env }, context) => {
    const given = acceptedContent(context.mcpReq.inputResponses, 'confirm', answer);
    if (given?.confirm !== true) {
      ran('asked', { env });
      return inputRequired({
        inputRequests: { confirm: inputRequired.elicit({ message: `Deploy to ${env}?`, requestedSchema: answer }) },
        requestState: `state-of-${env}`,
      });
    }
    ran('deploy', { env });
    return { content: [{ type: 'text', text: `deployed to ${env}` }] };
  });
  return server;
});
