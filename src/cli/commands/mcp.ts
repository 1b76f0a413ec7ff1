/**
 * `ruleprint mcp`: a gate before an MCP server (spec/mcp.md). The client starts this command in place of the server's.
 * @module
 */
import { resolve } from 'node:path';
import type { DenyStyle } from '../../gate/mcp/answers.js';
import { CallJudge, ClientApprover } from '../../gate/mcp/call-judge.js';
import { PolicyFile } from '../../gate/mcp/reload.js';
import { withResources } from '../../gate/mcp/resources.js';
import { runStdioGate } from '../../gate/mcp/stdio.js';
import { shippedMappings } from '../../mapping/shipped.js';
import type { Mapping } from '../../mapping/table.js';
import type { Command, Context } from '../command.js';
import { systemReason, unreadable, usage } from '../failure.js';
import { fileName } from '../files.js';
import { gateOptions, openGate, type Opened, readApproverKey } from '../gating.js';
import type { ExitCode } from '../io.js';
import { printable } from '../printable.js';
import { type HttpTarget, httpTargetOf } from '../mcp-listen.js';
import { serverNameOf } from '../server-name.js';

export const mcp: Command = {
  arguments: [],
  options: [
    ...gateOptions,
    { syntax: '--server <name>', about: 'the name that rules know the server by (default: from its command); filesystem has a mapping table that ships' },
    { syntax: '--approver-key <file>', about: 'signs the answers of the user to what rules ask, another key than --key; without it an ask is denied' },
    {
      syntax: '--http <listen>',
      about: 'be a gate before a server over streamable HTTP: listen at this port, or address:port (loopback alone without --expose)',
    },
    { syntax: '--upstream <url>', about: 'with --http: the server; of the URL its origin counts, the paths of requests stay' },
    { syntax: '--allow-host <name...>', about: 'with --http: host names that clients use, beside localhost and its addresses' },
    { syntax: '--expose', about: 'with --http: listen at an address that others reach; needs --allow-host' },
    {
      syntax: '--deny-style <style>',
      about: 'answer a denied call by a result that the model can read (default), or by an error',
      choices: ['result', 'error'],
    },
  ],
  trailing: { syntax: 'SERVER COMMAND...', about: 'the program of the server and its arguments, as the client had them' },
  details: `Everything that is no call of a tool and no reading of a resource passes as it is, both ways. Standard error has one line for each decision:
names of tools and rules, and no arguments. The exit code is that of the server, or 128 and the number of the signal that ended it.
A policy file that changes is read again: a higher version comes in force, anything else is refused and the one before stays.`,
  json: '{ "line": what stands on the line } on stderr; nothing is printed to stdout but what the server says',
  jsonOption: 'print JSON lines, one for each line on stderr',
  examples: [
    'ruleprint mcp --policy policy.yaml -- npx -y @modelcontextprotocol/server-filesystem /srv/app',
    'ruleprint mcp --policy policy.yaml --ledger audit --key key.jwk --agent builder -- node server.js',
    'ruleprint mcp --policy policy.yaml --observe -- uvx mcp-server-fetch',
    'ruleprint mcp --policy policy.yaml --http 8080 --upstream http://localhost:3000/mcp',
  ],
  run: async (context) => {
    const { input } = context;
    const http = httpTargetOf(context);
    const command = http === undefined ? commandOf(context) : undefined;
    const server = input.value('server') ?? (command === undefined ? 'server' : serverNameOf(command));
    const approverKey = await readApproverKey(context);
    const approver = approverKey === undefined ? undefined : new ClientApprover(approverKey.signer);
    const opened = await openGate(context, {
      server,
      shipped: shippedFor(server),
      around: withResources,
      ...(approver && { approver: approver.approver }),
    });
    const { tell, flush } = tellerOf(context);
    const policyFile = watched(context, opened, tell);
    try {
      tell(`before server ${printable(server)}, mapping ${opened.map.digest}${opened.ledger === undefined ? ', nothing is recorded' : ''}`);
      const judge = new CallJudge({
        gate: opened.gate,
        server,
        tell,
        ...(approver && { approver }),
        denyStyle: (input.value('deny-style') ?? 'result') as DenyStyle,
      });
      if (command !== undefined) return await runServer(context, command, judge, tell);
      const { serveHttp } = await import('../mcp-http.js');
      return await serveHttp(context, http as HttpTarget, judge, tell);
    } finally {
      policyFile?.close();
      flush();
      await opened.close();
    }
  },
};

async function runServer({ io }: Context, command: readonly [string, ...string[]], judge: CallJudge, tell: (line: string) => void): Promise<ExitCode> {
  const { stdin, stdout, stderr, env, cwd } = io;
  try {
    return await runStdioGate({
      judge,
      command,
      cwd,
      env,
      stdin,
      stdout,
      stderr: stderr === process.stderr ? 'inherit' : stderr,
      tell,
      interruption: io.interruption(),
    });
  } catch (error) {
    throw unreadable(`cannot start ${fileName(command[0])}: ${systemReason(error)}`, 'the command of the server goes behind --, as the client had it', error);
  }
}

function commandOf({ input }: Context): readonly [string, ...string[]] {
  const [program, ...args] = input.trailing ?? [];
  if (program === undefined) throw usage('the command of the server is missing', 'it goes behind --: ruleprint mcp --policy policy.yaml -- node server.js');
  return [program, ...args];
}

function shippedFor(server: string): readonly Mapping[] {
  const table = shippedMappings.get(`server-${server}`) ?? shippedMappings.get(server);
  return table === undefined ? [] : [table];
}

/** Lines on standard error, in the same turn of the event loop but behind everything else in it: a call need not wait for who looks on. */
function tellerOf({ io, input }: Context): { tell: (line: string) => void; flush: () => void } {
  const asJson = input.has('json');
  let pending = '';
  const flush = (): void => {
    const text = pending;
    pending = '';
    if (text !== '' && !io.stderr.destroyed) io.stderr.write(text);
  };
  const tell = (line: string): void => {
    if (pending === '') setImmediate(flush);
    pending += asJson ? `${JSON.stringify({ line })}\n` : `ruleprint: ${line}\n`;
  };
  return { tell, flush };
}

function watched({ io, input }: Context, { engine, readPolicy: read }: Opened, tell: (line: string) => void): PolicyFile | undefined {
  const file = input.value('policy');
  if (file === undefined || read === undefined) return undefined;
  return new PolicyFile({ path: resolve(io.cwd, file), name: fileName(file), read, engine, tell });
}
