/**
 * Whether the recorded actions follow from the raw arguments: the axis *mapping* (MAP-19, MAP-20).
 *
 * What makes actions of a call is handed in as mappers: a verifier brings no tables and no parser of its own.
 * @module
 */
import { argsDigest } from '../digest/args-digest.js';
import { type ErrorCode, RuleprintError, unlessRefused } from '../errors.js';
import type { Call } from '../mapping/call.js';
import type { Mapper } from '../mapping/mapper.js';
import { refusalReason } from '../mapping/refusal.js';
import type { Action } from '../policy/model.js';
import { canonicalRequest } from '../policy/request.js';
import { type Judgement, notChecked, pass } from './report.js';
import type { DecisionStatement, Statement } from './statement.js';

/** A call as whoever kept it says that it was. */
export interface RawCall extends Call {
  /** What its arguments were digested with. */
  readonly salt?: string;
  /** The digest by which it is to be found, where that of its arguments is not meant to be. */
  readonly argsDigest?: string;
  /** The hash of the receipt about it, where that is known: then the digests in findings about it are made again too. */
  readonly receipt?: string;
}

export const needsArguments = notChecked('needs the raw arguments and the mapping table');

/** Mappers and calls made ready to be looked up. */
export class Remapping {
  readonly #mappers: ReadonlyMap<string, Mapper>;
  readonly #byId = new Map<string, RawCall[]>();
  readonly #byDigest = new Map<string, RawCall[]>();

  constructor(mappers: Iterable<Mapper>, calls: Iterable<RawCall>) {
    this.#mappers = new Map(Array.from(mappers, (mapper) => [mapper.digest, mapper]));
    for (const call of calls) {
      if (call.callId !== undefined) put(this.#byId, call.callId, call);
      const digest = digestOf(call);
      if (digest !== undefined) put(this.#byDigest, digest, call);
      if (call.argsDigest !== undefined && call.argsDigest !== digest) put(this.#byDigest, call.argsDigest, call);
    }
  }

  /** Answers the axis for one statement. */
  judge(statement: Statement, judgement: Judgement): void {
    if (statement.statement !== 'decision') return judgement.answer('mapping', pass);
    const { mapping, decision } = statement;
    if (decision.reason === 'fault') return judgement.answer('mapping', { status: 'pass', reason: 'a fault is not made again' });
    if (mapping === undefined) return judgement.answer('mapping', notChecked('the receipt names no mapping'));
    const mapper = this.#mappers.get(mapping);
    if (mapper === undefined) return found(judgement, 'mapping-missing', `no mapping at hand has the digest ${mapping}`, 'not-checked');
    const calls = this.#callsOf(statement, mapper);
    if (calls.length === 0) return found(judgement, 'args-missing', 'no call at hand is that of the receipt', 'not-checked');
    const { args_digest: digest } = statement;
    const same = digest === undefined ? calls : calls.filter((call) => digestOf(call) === digest);
    if (same.length === 0) return found(judgement, 'args-digest-differs', `expected arguments with the digest ${digest}, got others`);
    const answers = same.map((call) => compare(statement, mapper, call));
    const answer = answers.find(({ status }) => status === 'pass') ?? answers.find(({ status }) => status === 'not-checked');
    if (answer === undefined) return found(judgement, 'actions-differ', 'the mapping makes other actions of the call than the receipt has');
    judgement.answer('mapping', answer);
  }

  /** By digest, where tool and digest agree; else by call id. */
  #callsOf({ args_digest: digest, call_id: id, actions }: DecisionStatement, mapper: Mapper): readonly RawCall[] {
    const byDigest = digest === undefined ? [] : (this.#byDigest.get(digest) ?? []);
    const alike = byDigest.filter((call) => (id === undefined || call.callId === undefined || call.callId === id) && isOfTool(call, mapper, actions));
    if (alike.length > 0) return alike;
    return id === undefined ? [] : (this.#byId.get(id) ?? []);
  }
}

function put<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}

function found(judgement: Judgement, code: ErrorCode, message: string, status: 'fail' | 'not-checked' = 'fail'): void {
  judgement.found('mapping', { code, message, where: {} }, status);
}

function digestOf({ args, salt }: RawCall): string | undefined {
  return unlessRefused(undefined, () => argsDigest(args, salt));
}

/** Where the call does not say its server and the mapper does not either, it is the recorded one. */
function named(call: RawCall, mapper: Mapper, actions: readonly Action[]): RawCall {
  const [tool] = actions;
  if (call.server !== undefined || tool === undefined || !('tool' in tool) || mapper.toolAction(call) !== undefined) return call;
  return { ...call, server: tool.tool.server };
}

function isOfTool(call: RawCall, mapper: Mapper, actions: readonly Action[]): boolean {
  return actions.length === 0 || isSame(mapper.toolAction(named(call, mapper, actions)), actions[0]);
}

type Answer = Judgement['answers']['mapping'] & object;

function compare(statement: DecisionStatement, mapper: Mapper, raw: RawCall): Answer {
  const call = named(raw, mapper, statement.actions);
  const { reason } = statement.decision;
  let made: readonly Action[];
  try {
    argsDigest(call.args, call.salt);
    made = canonicalRequest({ agent: statement.agent, actions: mapper.map(call) }).actions;
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    const isRefused = refusalReason(error) === reason && statement.actions.every((action) => isSame(action, mapper.toolAction(call)));
    return isRefused ? pass : { status: 'fail' };
  }
  if (reason === 'unmapped' || reason === 'not-canonical') {
    // the addresses of a name, or the links of a path, may have been what could not be found out
    const other = reason === 'unmapped' ? 'network' : 'filesystem';
    return made.some((action) => other in action) ? notChecked('the call can be mapped; a resolver or a disk may have refused it') : { status: 'fail' };
  }
  return compareActions(made, statement.actions);
}

function compareActions(made: readonly Action[], recorded: readonly Action[]): Answer {
  const beyond = recorded.slice(made.length);
  const isGood = made.every((action, i) => isSame(action, recorded[i])) && beyond.every((action) => made.some((one) => isBeside(action, one)));
  if (!isGood) return { status: 'fail' };
  return beyond.length === 0 ? pass : { status: 'pass', reason: `${beyond.length} more actions are on real paths or addresses` };
}

/** MAP-20: a real path or an address of an action that the table makes. More actions make a decision stricter, never looser. */
function isBeside(action: Action, made: Action): boolean {
  if ('filesystem' in action) return 'filesystem' in made && action.filesystem.method === made.filesystem.method;
  if (!('network' in action) || !('network' in made)) return false;
  return action.network.port === made.network.port && action.network.method === made.network.method;
}

function isSame(a: Action | undefined, b: Action | undefined): boolean {
  return a !== undefined && b !== undefined && textOf(a) === textOf(b);
}

function textOf(action: Action): string {
  if ('filesystem' in action) return JSON.stringify(['filesystem', action.filesystem.path, action.filesystem.method]);
  if ('network' in action) return JSON.stringify(['network', action.network.host, action.network.port, action.network.method ?? null]);
  if ('process' in action) return JSON.stringify(['process', action.process.argv]);
  return JSON.stringify(['tool', action.tool.server, action.tool.name]);
}

/** The options of a verifier that ask for the axis: both, or the axis is open. */
export interface MappingOptions {
  /** Mappings at hand, see `createMapper`; with the calls they ask for the axis mapping. */
  readonly mappings?: Iterable<Mapper>;
  /** The calls as they were kept. */
  readonly calls?: Iterable<RawCall>;
}

export function remappingOf({ mappings, calls }: MappingOptions): Remapping | undefined {
  return mappings === undefined || calls === undefined ? undefined : new Remapping(mappings, calls);
}
