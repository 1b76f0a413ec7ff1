/**
 * `ruleprint init`: a folder to begin with.
 * @module
 */
import { join, resolve } from 'node:path';
import { generateKey } from '../../cose/keys.js';
import type { Command, Context } from '../command.js';
import { usage } from '../failure.js';
import { makeFolder, secretMode, writeNewFiles } from '../files.js';
import { exit, type ExitCode } from '../io.js';
import { ownCommand } from '../own-command.js';
import { asciiJson, count, shellWord } from '../printable.js';
import { samplePolicy } from '../sample-policy.js';
import { serverNameOf } from '../server-name.js';
import { defaultEngineId } from '../signing.js';
import { trustEntry, trustText } from '../trust-entry.js';

export const init: Command = {
  arguments: [],
  options: [
    { syntax: '--dir <folder>', about: 'where the files go (default: here); made where it is not there' },
    { syntax: '--mcp', about: 'draft the policy from the tools of the MCP server whose command stands behind --, which is started for that' },
    { syntax: '--server <name>', about: 'with --mcp: the name that rules know the server by (default: from its command)' },
  ],
  trailing: { syntax: 'SERVER COMMAND...', about: 'with --mcp: the program of the server and its arguments' },
  details: `Writes policy.yaml, trust.json, and keys that only you may read: key.jwk of the engine, auditor.jwk for checkpoints; with --mcp also approver.jwk,
for the answers to what rules ask, and prints what to put into the configuration of an MCP client. Overwrites nothing.`,
  json: '{ "files": { "policy", "key", "auditor", "trust", "approver"? }, "kid", "auditor_kid", "engine_id", "server"?: { "name", "tools", "config" } }',
  examples: ['ruleprint init', 'ruleprint init --dir sandbox', 'ruleprint init --dir gate --mcp -- npx -y @modelcontextprotocol/server-filesystem /srv/app'],
  run: async (context) => {
    const { io, out, input } = context;
    if (input.has('mcp')) return initMcp(context);
    if (input.trailing !== undefined || input.has('server')) throw usage('a server is for --mcp', 'ruleprint init --mcp -- node server.js');
    const folder = input.value('dir') ?? '.';
    const at = (name: string): string => join(folder, name);
    const files = { policy: at('policy.yaml'), key: at('key.jwk'), auditor: at('auditor.jwk'), trust: at('trust.json') };
    const [key, auditor] = [generateKey(), generateKey()];
    const keys = [trustEntry(key.public, defaultEngineId), trustEntry(auditor.public, defaultEngineId, 'auditor')];
    await makeFolder(io, folder);
    await writeNewFiles(io, [
      { file: files.policy, text: samplePolicy },
      { file: files.key, text: `${JSON.stringify(key.toJwk())}\n`, mode: secretMode },
      { file: files.auditor, text: `${JSON.stringify(auditor.toJwk())}\n`, mode: secretMode },
      { file: files.trust, text: trustText({ keys }) },
    ]);
    if (input.has('json')) {
      out.json({ files, kid: key.public.kid, auditor_kid: auditor.public.kid, engine_id: defaultEngineId });
      return exit.good;
    }
    const { strong, faint } = out.colours;
    const [policy, secret, auditorKey, trust] = [files.policy, files.key, files.auditor, files.trust].map(shellWord);
    const [ledger, checkpoint] = [at('audit'), at('checkpoint.cbor')].map(shellWord);
    const request = '{"agent":"builder","actions":[{"filesystem":{"path":"/srv/app/out/a.txt","method":"write"}}]}';
    out.line(`${strong(policy ?? '')}  the rules: read it, change it`);
    out.line(`${strong(secret ?? '')}  the key that signs receipts: only you may read it, keep it out of version control`);
    out.line(`${strong(auditorKey ?? '')}  the key that signs checkpoints: in earnest on another machine than the first`);
    out.line(`${strong(trust ?? '')}  who may sign for which engine: give it to whoever verifies`);
    out.line();
    out.line(faint('next:'));
    out.line(`  ruleprint check ${policy}`);
    out.line(`  echo '${request}' | ruleprint decide --policy ${policy} --sign ${secret} --ledger ${ledger}`);
    out.line(`  ruleprint ledger checkpoint ${ledger} --key ${auditorKey} --out ${checkpoint}`);
    out.line(`  ruleprint verify ${ledger} --trust ${trust} --checkpoint ${checkpoint}`);
    return exit.good;
  },
};

/** The same, with a policy for one server, and the line that puts the gate before it. */
async function initMcp({ io, out, input }: Context): Promise<ExitCode> {
  const [program, ...args] = input.trailing ?? [];
  if (program === undefined) throw usage('the command of the server is missing', 'it goes behind --: ruleprint init --mcp -- node server.js');
  const [{ askTools }, { serverPolicy }] = await Promise.all([import('../mcp-tools.js'), import('../server-policy.js')]);
  const command = [program, ...args] as const;
  const server = input.value('server') ?? serverNameOf(command);
  const found = await askTools(io, command, io.interruption());

  const folder = input.value('dir') ?? '.';
  const at = (name: string): string => join(folder, name);
  const files = { policy: at('policy.yaml'), key: at('key.jwk'), auditor: at('auditor.jwk'), approver: at('approver.jwk'), trust: at('trust.json') };
  const [key, auditor, approver] = [generateKey(), generateKey(), generateKey()];
  const keys = [
    trustEntry(key.public, defaultEngineId),
    trustEntry(auditor.public, defaultEngineId, 'auditor'),
    trustEntry(approver.public, defaultEngineId, 'approver'),
  ];
  const text = serverPolicy(server, found);
  await makeFolder(io, folder);
  await writeNewFiles(io, [
    { file: files.policy, text },
    { file: files.key, text: `${JSON.stringify(key.toJwk())}\n`, mode: secretMode },
    { file: files.auditor, text: `${JSON.stringify(auditor.toJwk())}\n`, mode: secretMode },
    { file: files.approver, text: `${JSON.stringify(approver.toJwk())}\n`, mode: secretMode },
    { file: files.trust, text: trustText({ keys }) },
  ]);
  // a client starts its servers wherever it likes, with a PATH of its own
  const absolute = (file: string): string => resolve(io.cwd, file);
  const options = [
    '--policy',
    absolute(files.policy),
    '--ledger',
    absolute(at('audit')),
    '--key',
    absolute(files.key),
    '--approver-key',
    absolute(files.approver),
  ];
  const [node, file] = ownCommand(io);
  const config = { command: node, args: [file, 'mcp', ...options, '--server', server, '--', ...command] };
  if (input.has('json')) {
    const about = { name: server, tools: found.tools.length, config };
    out.json({ files, kid: key.public.kid, auditor_kid: auditor.public.kid, engine_id: defaultEngineId, server: about });
    return exit.good;
  }
  const { strong, faint } = out.colours;
  out.line(`${strong(shellWord(files.policy))}  rules for the ${count(found.tools.length, 'tool')} of ${shellWord(server)}: read it, change it`);
  out.line(
    `${strong(shellWord(files.key))}, ${shellWord(files.auditor)}, ${shellWord(files.approver)}  keys: only you may read them, keep them out of version control`,
  );
  out.line(`${strong(shellWord(files.trust))}  who may sign for which engine: give it to whoever verifies`);
  out.line();
  out.line(faint('in the configuration of the MCP client, in place of the command of the server:'));
  out.line(`  ${asciiJson(config)}`);
  out.line();
  out.line(faint('afterwards:'));
  out.line(`  ruleprint verify ${shellWord(at('audit'))} --trust ${shellWord(files.trust)}`);
  return exit.good;
}
