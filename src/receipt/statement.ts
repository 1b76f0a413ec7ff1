/**
 * Statements: the payload of a receipt (spec/receipt.md, spec/receipt.cddl), named as on the wire.
 * @module
 */
import { refuse, type Problem } from '../errors.js';
import { isHashText } from '../hash.js';
import { limits } from '../limits.js';
import { effects, fileMethods, reasons, type Action, type Decision } from '../policy/model.js';
import { checkArgument, checkHttpMethod, checkName, checkText } from '../policy/text.js';
import { checkShape, integer, list, object, one, pointer, text, word, type Shape } from '../shape.js';

/** The closed list of statements. */
export const statements = ['decision'] as const;
export type StatementName = (typeof statements)[number];

export interface DecisionStatement {
  readonly statement: 'decision';
  readonly engine_id: string;
  /** Milliseconds since the Unix epoch. */
  readonly time: number;
  readonly seq?: number;
  readonly prev?: string;
  readonly agent: string;
  readonly actions: readonly Action[];
  readonly decision: Decision;
  readonly policy_version?: number;
  readonly policy_digest?: string;
  readonly match_profile?: string;
  readonly args_digest?: string;
  readonly call_id?: string;
  readonly mapping?: string;
  readonly enforced?: false;
}

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
const argument = text('an argument', checkArgument);

/** Paths and hosts are only bounded here: whether they are canonical is for re-decision (RCP-23). */
const action: Shape = one('an action', {
  filesystem: object('a filesystem action', { path: bounded, method: word(...fileMethods) }),
  network: object('a network action', { host: bounded, port: integer(1, 65_535) }, { method: httpMethod }),
  process: object('a process action', { argv: list('a list of arguments', argument, { min: 1, max: limits.argvItems }) }),
  tool: object('a tool action', { server: name, name }),
});

/** Fields in the order of the grammar. */
const shapes: Readonly<Record<StatementName, Shape>> = {
  decision: object(
    'a decision',
    {
      statement: word('decision'),
      engine_id: name,
      time: uint,
      agent: name,
      actions: list('a list of actions', action, { max: limits.actions }),
      decision: object('an outcome', { effect: word(...effects) }, { rule: name, action: uint, reason: word(...reasons) }),
    },
    {
      seq: uint,
      prev: hash,
      policy_version: uint,
      policy_digest: hash,
      match_profile: name,
      args_digest: hash,
      call_id: name,
      mapping: hash,
      enforced: { kind: 'boolean', only: false },
    },
  ),
};

/** Judges a decoded payload (RCP-19): the statement, or every problem that it has, with JSON pointers into it. */
export function readStatement(payload: unknown): DecisionStatement | readonly Problem[] {
  const problem = (code: Problem['code'], message: string, at = ''): readonly Problem[] => [{ code, message, where: { pointer: at } }];
  if (!(payload instanceof Map)) return problem('wrong-type', 'expected a map');
  const kind: unknown = payload.get('statement');
  if (kind === undefined) return problem('missing-key', 'expected a field "statement"');
  if (typeof kind !== 'string') return problem('wrong-type', 'expected text', '/statement');
  if (!isStatement(kind)) return problem('unknown-statement', `expected ${statements.join(', ')}`, '/statement');
  const statement = plain(payload) as unknown as DecisionStatement;
  const problems = statementProblems(statement);
  return problems.length > 0 ? problems : statement;
}

/** What is wrong with a statement: its fields, or, where these are good, that they do not agree. */
export function statementProblems(statement: DecisionStatement): readonly Problem[] {
  const problems: Problem[] = [];
  checkShape(shapes[statement.statement], statement, (found, path) => problems.push({ ...found, where: { pointer: pointer(path) } }));
  if (problems.length > 0) return problems;
  const conflict = decisionConflict(statement);
  return conflict === undefined ? [] : [{ code: 'field-conflict', message: conflict, where: { pointer: '' } }];
}

function isStatement(text: string): text is StatementName {
  return (statements as readonly string[]).includes(text);
}

/** Text keys as own properties of an object without a prototype, all levels. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!(value instanceof Map)) return value;
  const out = Object.create(null) as Record<string, unknown>;
  for (const [key, member] of value) out[String(key)] = plain(member);
  return out;
}

const unjudged: readonly (string | undefined)[] = ['unmapped', 'not-canonical', 'fault'];

/** What does not agree between the fields of a decision (RCP-19), or undefined. */
function decisionConflict(statement: DecisionStatement): string | undefined {
  const { actions, decision, seq, prev } = statement;
  const { effect, rule, reason, action: index } = decision;
  if ((rule === undefined) === (reason === undefined)) return 'expected exactly one of rule and reason';
  if (reason !== undefined && effect !== 'deny') return `expected deny with the reason ${reason}, got ${effect}`;
  const needsIndex = rule !== undefined || reason === 'no-rule';
  if (needsIndex !== (index !== undefined))
    return needsIndex ? 'expected the index of the action that decided' : `expected no action index with the reason ${reason}`;
  if (index !== undefined && index >= actions.length) return `expected an action index below ${actions.length}, got ${index}`;
  if (unjudged.includes(reason)) {
    if (actions.length > 1 || (actions[0] !== undefined && !('tool' in actions[0]))) return `expected at most one tool action with the reason ${reason}`;
  } else if (actions.length === 0) return 'expected at least one action';
  if (statement.policy_version === undefined) {
    if (statement.policy_digest !== undefined || statement.match_profile !== undefined) return 'expected no digest and no profile without a policy version';
    if (reason !== 'no-policy' && !unjudged.includes(reason)) return 'expected a policy version';
  } else if (reason === 'no-policy') return 'expected no policy version with the reason no-policy';
  if ((prev !== undefined) !== (seq !== undefined && seq !== 0)) return 'expected prev exactly where seq is there and is not 0';
  return undefined;
}
