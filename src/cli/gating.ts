/**
 * A gate as the command line opens it: policy, ledger, keys and mapping tables from files.
 * @module
 */
import { homedir } from 'node:os';
import { resolve } from 'node:path';
import type { PublicKey } from '../cose/keys.js';
import { createSigner, type Signer } from '../cose/signer.js';
import { InMemoryPolicyEngine } from '../engine/in-memory.js';
import type { PolicyEngine } from '../engine/engine.js';
import type { Approver } from '../gate/approver.js';
import { createGate, type Gate } from '../gate/gate.js';
import { realPaths } from '../gate/realpath.js';
import { systemResolve } from '../gate/resolve.js';
import type { LedgerEngine } from '../ledger/engine.js';
import type { Ledger } from '../ledger/ledger.js';
import { createMapper, type Mapper, type MapperOptions } from '../mapping/mapper.js';
import { parseMapping } from '../mapping/parse.js';
import { type Mapping, mappingFormat } from '../mapping/table.js';
import type { CommandOption, Context } from './command.js';
import { usage } from './failure.js';
import { fileName, maxDocumentBytes, readBytes, textFormats } from './files.js';
import { readPolicy } from './policies.js';
import { engineIdOf, readSigningKey } from './signing.js';

/** What each command asks for that puts a gate somewhere. */
export const gateOptions: readonly CommandOption[] = [
  { syntax: '--policy <file>', about: 'the policy in JSON or YAML (required, but for a ledger that has one in force)' },
  { syntax: '--format <format>', about: 'the format of the policy, where its file name does not tell', choices: textFormats },
  { syntax: '--ledger <folder>', about: 'write each decision into this ledger, which is begun where there is none; needs --key' },
  { syntax: '--key <file>', about: "the engine's private key: JWK, PEM or COSE_Key" },
  { syntax: '--engine-id <id>', about: 'the engine whose ledger it is (default: engine)' },
  { syntax: '--trust <file>', about: 'a trust store with the public keys that the engine had before, where it had others' },
  { syntax: '--agent <id>', about: 'whose calls these are, as rules name it (default: agent)' },
  { syntax: '--mapping <file...>', about: 'mapping tables: which arguments of which tools are files, hosts, programs; in place of the ones that ship' },
  { syntax: '--observe', about: 'hold nothing back: show and record what the rules would do' },
  { syntax: '--realpath', about: 'judge the real paths too, links resolved, where the tools run on this machine' },
  { syntax: '--resolve', about: 'judge the addresses that host names resolve to, too' },
];

export interface Opened {
  readonly gate: Gate;
  readonly engine: PolicyEngine | LedgerEngine;
  readonly map: Mapper;
  readonly ledger: Ledger | undefined;
  /** Reads the policy file again; absent where none was given. */
  readonly readPolicy: (() => ReturnType<typeof readPolicy>) | undefined;
  close(): Promise<void>;
}

export interface Wanted {
  /** The name that rules know the tools by, where a call names no server. */
  readonly server: string;
  /** The tables that ship for it. */
  readonly shipped: readonly Mapping[];
  /** What is put around the mapper of the tables. */
  readonly around?: (mapper: Mapper, options: MapperOptions) => Mapper;
  readonly approver?: Approver;
}

/** Opens what the options of {@link gateOptions} name. */
export async function openGate(context: Context, { server, shipped, around = (mapper) => mapper, approver }: Wanted): Promise<Opened> {
  const { io, input } = context;
  checkUsage(context);
  const agent = input.value('agent') ?? 'agent';
  const policyFile = input.value('policy');
  const format = input.value('format');
  const read = policyFile === undefined ? undefined : () => readPolicy(io, policyFile, format);
  const policy = await read?.();
  const tables = await tablesOf(context, shipped);
  const options = await mapperOptionsOf(context, server, tables);
  const map = around(createMapper(tables, options), options);
  const folder = input.value('ledger');
  const { engine, ledger } = folder === undefined ? memoryEngine(context) : await ledgerEngine(context, folder);
  try {
    if (approver?.keys.some(({ kid }) => kid === ledger?.kid))
      throw usage('--approver-key is the key of the engine', 'an engine that approves its own asks has asked nobody');
    if (policy !== undefined) {
      if ('reload' in engine) engine.reload(policy);
      else engine.install(policy);
    }
    const gate = createGate({
      engine,
      map,
      agent,
      mode: input.has('observe') ? 'observe' : 'enforce',
      ...(approver && { approver }),
      ...(input.has('resolve') && { resolve: systemResolve() }),
    });
    return { gate, engine, map, ledger, readPolicy: read, close: async () => ledger?.close() };
  } catch (error) {
    await ledger?.close();
    throw error;
  }
}

function checkUsage({ input }: Context): void {
  const has = (name: string): boolean => input.has(name);
  if (!has('policy') && !has('ledger')) throw usage("required option '--policy <file>' not specified");
  if (input.value('policy') === '-') throw usage('the policy cannot come from stdin: the calls do');
  if (has('ledger') && !has('key')) throw usage('--ledger needs --key', 'every entry of a ledger is signed by its engine: ruleprint init makes a key');
  for (const name of ['key', 'trust', 'engine-id']) if (has(name) && !has('ledger')) throw usage(`--${name} is for a ledger: it needs --ledger`);
}

function memoryEngine({ input }: Context): { engine: InMemoryPolicyEngine; ledger?: undefined } {
  return { engine: new InMemoryPolicyEngine({ engineId: engineIdOf(input.value('engine-id')) }) };
}

async function ledgerEngine(context: Context, folder: string): Promise<{ engine: LedgerEngine; ledger: Ledger }> {
  const [{ openWriter, readOwner }, { openEngine }, { inFolder }] = await Promise.all([
    import('./writer.js'),
    import('../ledger/engine.js'),
    import('./sources.js'),
  ]);
  const owner = await readOwner(context, context.input.value('key') as string);
  const ledger = await openWriter(context, folder, owner);
  try {
    return { ledger, engine: await inFolder(context.io, folder, () => openEngine({ ledger })) };
  } catch (error) {
    await ledger.close();
    throw error;
  }
}

async function tablesOf({ io, input }: Context, shipped: readonly Mapping[]): Promise<readonly Mapping[]> {
  const files = input.values('mapping');
  const tables: Mapping[] = [];
  for (const file of files ?? []) tables.push(parseMapping(await readBytes(io, file, maxDocumentBytes), { file: fileName(file) }));
  if (files !== undefined) return tables;
  // without a table a call is the call of its tool and nothing more
  return shipped.length > 0 ? shipped : [{ format: mappingFormat, tools: {} }];
}

async function mapperOptionsOf({ io, input }: Context, server: string, tables: readonly Mapping[]): Promise<MapperOptions> {
  const home = io.env['HOME'] || homedir();
  // the parser of shell strings takes its time to load
  const hasShell = tables.some(({ tools }) => Object.values(tools).some(({ actions }) => actions.some((row) => 'shell' in row)));
  const shell = hasShell ? (await import('../mapping/shell.js')).mapShell : undefined;
  return { server, cwd: resolve(io.cwd), home, ...(shell && { shell }), ...(input.has('realpath') && { realpath: realPaths() }) };
}

/** A key that signs approvals: another one than the engine's, whose asks it answers. */
export async function readApproverKey({ io, out, input }: Context): Promise<{ signer: Signer; key: PublicKey } | undefined> {
  const file = input.value('approver-key');
  if (file === undefined) return undefined;
  if (!input.has('ledger')) throw usage('--approver-key is for a ledger: it needs --ledger', 'an approval is kept beside the ask that it answers');
  const key = await readSigningKey(io, out, file);
  return { signer: createSigner(key), key: key.public };
}
