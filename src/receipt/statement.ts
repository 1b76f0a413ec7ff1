/**
 * Statements: the payload of a receipt (spec/receipt.md, spec/ledger.md, spec/receipt.cddl), named as on the wire.
 * @module
 */
import { type Problem, refuse } from '../errors.js';
import { isHashText } from '../hash.js';
import { limits } from '../limits.js';
import { type Action, type Decision, type Effect, effects, fileMethods, reasons } from '../policy/model.js';
import { checkArgument, checkHttpMethod, checkName, checkText } from '../policy/text.js';
import { checkShape, integer, list, object, one, pointer, type Shape, text, word } from '../shape.js';
import { auditConflict } from './audit-conflict.js';
import { type AuditStatement, auditShapes } from './audit-statements.js';

/** For a statement by another key: which engine it is about. Times are milliseconds since the Unix epoch. */
export interface Said {
  readonly engine_id: string;
  readonly time: number;
}

/** Standalone: neither; seq 0: no prev; else both. */
export interface Chained extends Said {
  readonly seq?: number;
  readonly prev?: string;
}

/** What an install puts in force, and what a decision cites: three fields that are absent each for itself. */
export interface InForce {
  readonly policy_version?: number;
  readonly policy_digest?: string;
  readonly match_profile?: string;
}

export interface DecisionStatement extends Chained, InForce {
  readonly statement: 'decision';
  readonly agent: string;
  readonly actions: readonly Action[];
  readonly decision: Decision;
  readonly args_digest?: string;
  readonly call_id?: string;
  readonly mapping?: string;
  readonly enforced?: false;
}

export interface GenesisStatement extends Chained {
  readonly statement: 'genesis';
  /** 16 bytes. */
  readonly ledger_id: Uint8Array;
}

export interface InstallStatement extends Chained, InForce {
  readonly statement: 'install';
  readonly policy_version: number;
  readonly replaces?: string;
  readonly authorization?: string;
}

export interface ReleaseStatement extends Chained {
  readonly statement: 'release';
  readonly ask: string;
  readonly approval: string;
}

export interface RecordStatement extends Chained {
  readonly statement: 'record';
  /** A whole receipt by another key. */
  readonly recorded: Uint8Array;
}

export interface AuthorizationStatement extends Said {
  readonly statement: 'authorization';
  readonly policy_version: number;
  readonly policy_digest: string;
  readonly replaces?: string;
}

export interface ApprovalStatement extends Said {
  readonly statement: 'approval';
  readonly ask: string;
  readonly args_digest: string;
  readonly approved: boolean;
  readonly expires: number;
  readonly approver: string;
}

export interface CheckpointStatement extends Said {
  readonly statement: 'checkpoint';
  readonly ledger_id: Uint8Array;
  readonly seq: number;
  readonly receipt_hash: string;
}

export const verdicts = ['confirmed', 'refuted', 'expected_pass'] as const;
export type FindingVerdict = (typeof verdicts)[number];

/** What a harness says that it saw (spec/finding.md, "Finding receipts"). */
export interface ReportedFinding {
  readonly action: 'reported';
  readonly finding_id: string;
  readonly stable_id: string;
  readonly harness: string;
  readonly test_id: string;
  readonly verdict: FindingVerdict;
  /** The receipt hash of the decision that it is about. */
  readonly cited_receipt: string;
  readonly repro: {
    readonly tool: { readonly server: string; readonly name: string };
    readonly args_digest: string;
    readonly expected_decision: Effect;
    readonly actual_decision: Effect;
  };
  readonly detected_at: number;
  readonly args_salt?: string;
  readonly plan?: string;
  readonly note?: string;
}

export interface FindingStatement extends Said {
  readonly statement: 'finding';
  readonly x_finding: ReportedFinding;
}

export type EngineStatement = DecisionStatement | GenesisStatement | InstallStatement | ReleaseStatement | RecordStatement;
export type OtherStatement = AuthorizationStatement | ApprovalStatement | FindingStatement | CheckpointStatement | AuditStatement;
export type Statement = EngineStatement | OtherStatement;
export type StatementName = Statement['statement'];

const uint = integer(0, Number.MAX_SAFE_INTEGER);
const name = text('a name', checkName);
const hash = text('a hash', (value) => {
  if (!isHashText(value)) refuse('bad-value', 'expected "sha256:" and 64 lower-case hex digits');
});
const bounded = text('text', (value) => checkText(value, limits.requestStringBytes));
const httpMethod = text('an HTTP method', (value) => {
  checkText(value, limits.requestStringBytes);
  checkHttpMethod(value);
});
const ledgerId: Shape = { kind: 'bytes', size: 16 };

export { hash as hashShape, uint as uintShape };

const tool = object('a tool action', { server: name, name });

/** Paths and hosts are only bounded here: whether they are canonical is for re-decision (RCP-23). */
const action: Shape = one('an action', {
  filesystem: object('a filesystem action', { path: bounded, method: word(...fileMethods) }),
  network: object('a network action', { host: bounded, port: integer(1, 65_535) }, { method: httpMethod }),
  process: object('a process action', { argv: list('a list of arguments', text('an argument', checkArgument), { min: 1, max: limits.argvItems }) }),
  tool,
});

const effect = word(...effects);
const xFinding = object(
  'a reported finding',
  {
    action: word('reported'),
    finding_id: name,
    stable_id: hash,
    harness: name,
    test_id: name,
    verdict: word(...verdicts),
    cited_receipt: hash,
    repro: object('what was tested', { tool, args_digest: hash, expected_decision: effect, actual_decision: effect }),
    detected_at: uint,
  },
  { args_salt: bounded, plan: hash, note: name },
);

const said = { engine_id: name, time: uint };
const chain = { seq: uint, prev: hash };

/** Fields in the order of the grammar: first those that must be there. */
const shapes: Readonly<Record<StatementName, Shape>> = {
  decision: object(
    'a decision',
    {
      statement: word('decision'),
      ...said,
      agent: name,
      actions: list('a list of actions', action, { max: limits.actions }),
      decision: object('an outcome', { effect: word(...effects) }, { rule: name, action: uint, reason: word(...reasons) }),
    },
    {
      ...chain,
      policy_version: uint,
      policy_digest: hash,
      match_profile: name,
      args_digest: hash,
      call_id: name,
      mapping: hash,
      enforced: { kind: 'boolean', only: false },
    },
  ),
  genesis: object('a genesis', { statement: word('genesis'), ...said, ledger_id: ledgerId }, chain),
  install: object(
    'an install',
    { statement: word('install'), ...said, policy_version: uint },
    { ...chain, policy_digest: hash, match_profile: name, replaces: hash, authorization: hash },
  ),
  release: object('a release', { statement: word('release'), ...said, ask: hash, approval: hash }, chain),
  record: object('a record', { statement: word('record'), ...said, recorded: { kind: 'bytes' } }, chain),
  authorization: object('an authorization', { statement: word('authorization'), ...said, policy_version: uint, policy_digest: hash }, { replaces: hash }),
  approval: object('an approval', {
    statement: word('approval'),
    ...said,
    ask: hash,
    args_digest: hash,
    approved: { kind: 'boolean' },
    expires: uint,
    approver: name,
  }),
  finding: object('a finding', { statement: word('finding'), ...said, x_finding: xFinding }),
  checkpoint: object('a checkpoint', { statement: word('checkpoint'), ...said, ledger_id: ledgerId, seq: uint, receipt_hash: hash }),
  ...auditShapes,
};

/** The closed list of statements. */
export const statements = Object.keys(shapes) as readonly StatementName[];

/** Judges a decoded payload (RCP-19): the statement, or every problem that it has, with JSON pointers into it. */
export function readStatement(payload: unknown): Statement | readonly Problem[] {
  const problem = (code: Problem['code'], message: string, at = ''): readonly Problem[] => [{ code, message, where: { pointer: at } }];
  if (!(payload instanceof Map)) return problem('wrong-type', 'expected a map');
  const kind: unknown = payload.get('statement');
  if (kind === undefined) return problem('missing-key', 'expected a field "statement"');
  if (typeof kind !== 'string') return problem('wrong-type', 'expected text', '/statement');
  if (!isStatement(kind)) return problem('unknown-statement', `expected ${statements.join(', ')}`, '/statement');
  const statement = plain(payload) as Statement;
  const problems = statementProblems(statement);
  return problems.length > 0 ? problems : statement;
}

/** What is wrong with a statement: its fields, or, where these are good, that they do not agree. */
export function statementProblems(statement: Statement): readonly Problem[] {
  const problems: Problem[] = [];
  checkShape(shapes[statement.statement], statement, (found, path) => problems.push({ ...found, where: { pointer: pointer(path) } }));
  if (problems.length > 0) return problems;
  const conflict = fieldConflict(statement);
  return conflict === undefined ? [] : [{ code: 'field-conflict', message: conflict, where: { pointer: '' } }];
}

function isStatement(kind: string): kind is StatementName {
  return Object.hasOwn(shapes, kind);
}

/** Text keys as own properties of an object without a prototype, all levels. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  const out = Object.create(null) as Record<string, unknown>;
  for (const [key, member] of value) out[String(key)] = plain(member);
  return out;
}

/** What does not agree between the fields of a statement (RCP-19, LED-1), or undefined. */
export function fieldConflict(statement: Statement): string | undefined {
  switch (statement.statement) {
    case 'decision':
      return decisionConflict(statement) ?? chainConflict(statement);
    case 'genesis':
      if (statement.seq !== 0) return 'expected a genesis at seq 0';
      return chainConflict(statement);
    case 'install':
    case 'release':
    case 'record':
      if (statement.seq === undefined || statement.seq === 0) return `expected ${statement.statement} at a seq above 0`;
      return chainConflict(statement);
    case 'audit-plan':
    case 'audit-epoch':
    case 'audit-report':
      return auditConflict(statement);
    default:
      return undefined;
  }
}

function chainConflict({ seq, prev }: Chained): string | undefined {
  return (prev !== undefined) === (seq !== undefined && seq !== 0) ? undefined : 'expected prev exactly where seq is there and is not 0';
}

const unjudged: readonly (string | undefined)[] = ['unmapped', 'not-canonical', 'fault'];

function decisionConflict(statement: DecisionStatement): string | undefined {
  const { actions, decision } = statement;
  const { effect, rule, reason, action: index } = decision;
  if ((rule === undefined) === (reason === undefined)) return 'expected exactly one of rule and reason';
  if (reason !== undefined && effect !== 'deny') return `expected deny with the reason ${reason}, got ${effect}`;
  const needsIndex = rule !== undefined || reason === 'no-rule';
  if (needsIndex !== (index !== undefined)) {
    return needsIndex ? 'expected the index of the action that decided' : `expected no action index with the reason ${reason}`;
  }
  if (index !== undefined && index >= actions.length) return `expected an action index below ${actions.length}, got ${index}`;
  if (unjudged.includes(reason)) {
    if (actions.length > 1 || (actions[0] !== undefined && !('tool' in actions[0]))) return `expected at most one tool action with the reason ${reason}`;
  } else if (actions.length === 0) return 'expected at least one action';
  if (statement.policy_version === undefined) {
    if (statement.policy_digest !== undefined || statement.match_profile !== undefined) return 'expected no digest and no profile without a policy version';
    if (reason !== 'no-policy' && !unjudged.includes(reason)) return 'expected a policy version';
  } else if (reason === 'no-policy') return 'expected no policy version with the reason no-policy';
  return undefined;
}
