/**
 * What a statement says, in words for people and as plain JSON. Whoever signed it chose the text: all of it is escaped.
 * @module
 */
import { hex } from '../bytes.js';
import { RuleprintError } from '../errors.js';
import type { Action, Decision } from '../policy/model.js';
import { readReceipt, type UnverifiedReceipt } from '../receipt/read.js';
import type { InForce, Statement } from '../receipt/statement.js';
import type { Colours } from './output.js';
import { asciiJson, printable } from './printable.js';

const longest = 160;

/** An action in a few words. */
export function actionText(action: Action): string {
  if ('filesystem' in action) return `${action.filesystem.method} ${printable(action.filesystem.path)}`;
  if ('network' in action) {
    const { host, port, method = '(no method)' } = action.network;
    return `${printable(method)} ${printable(host)} port ${port}`;
  }
  if ('process' in action) return `run ${asciiJson(action.process.argv)}`;
  return `tool ${printable(action.tool.name)} of ${printable(action.tool.server)}`;
}

export function effectText(effect: Decision['effect'], colours: Colours): string {
  const paint = effect === 'allow' ? colours.good : effect === 'deny' ? colours.bad : colours.open;
  return paint(effect);
}

/** By what a decision was made. */
export function becauseText({ rule, reason }: Decision): string {
  return rule === undefined ? (reason ?? '') : `rule ${asciiJson(rule)}`;
}

/** A hash by its beginning: enough to tell it from others on a screen. */
export function shortHash(hash: string): string {
  return `${hash.slice(0, 'sha256:'.length + 12)}...`;
}

export function timeText(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms}` : date.toISOString();
}

function versionText({ policy_version: version, policy_digest: digest }: InForce): string {
  if (version === undefined) return 'no policy';
  return `version ${version}, ${digest === undefined ? 'no digest' : shortHash(digest)}`;
}

/** One line on a statement, without its kind, engine and time. */
export function statementText(statement: Statement, colours: Colours): string {
  const { faint, strong } = colours;
  switch (statement.statement) {
    case 'decision': {
      const { agent, actions, decision, enforced } = statement;
      const effect = `${effectText(decision.effect, colours)}${' '.repeat(5 - decision.effect.length)}`;
      const asked = shortened(`${printable(agent)}: ${actions.map(actionText).join('; ')}`);
      const observed = enforced === undefined ? [] : ['only observed'];
      return [effect, asked, becauseText(decision), ...observed, faint(versionText(statement))].join('  ');
    }
    case 'genesis':
      return `ledger ${hex(statement.ledger_id)} of engine ${asciiJson(statement.engine_id)}`;
    case 'install': {
      const { replaces, authorization } = statement;
      const rest = [
        ...(replaces === undefined ? [] : [`replaces ${shortHash(replaces)}`]),
        ...(authorization === undefined ? [] : [`authorized by ${shortHash(authorization)}`]),
      ];
      return [strong(versionText(statement)), ...rest].join('  ');
    }
    case 'release':
      return `ask ${shortHash(statement.ask)}  approval ${shortHash(statement.approval)}`;
    case 'record':
      return recordText(statement.recorded, colours);
    case 'authorization':
      return versionText(statement);
    case 'approval': {
      const { ask, approved, approver, expires } = statement;
      return `${approved ? colours.good('yes') : colours.bad('no')} by ${asciiJson(approver)} to ask ${shortHash(ask)}, until ${timeText(expires)}`;
    }
    case 'finding': {
      const { harness, test_id: test, verdict, repro, cited_receipt: cited } = statement.x_finding;
      const paint = verdict === 'confirmed' ? colours.bad : colours.good;
      const said = `expected ${repro.expected_decision}, decided ${repro.actual_decision}`;
      return `${paint(verdict)}  ${asciiJson(harness)} ${asciiJson(test)}  ${said}  cites ${shortHash(cited)}`;
    }
    case 'audit-plan': {
      const { subject, grade, models, scenarios, cells } = statement;
      const epochs = cells.reduce((sum, cell) => sum + cell.epochs, 0);
      return `${grade} of ${subject.kind} ${asciiJson(subject.name)} ${shortHash(subject.digest)}  ${models.length} models, ${scenarios.length} scenarios, ${epochs} epochs`;
    }
    case 'audit-epoch': {
      const { epoch, scenario, arm, model, outcome, calls, hits } = statement;
      const paint = outcome === 'clean' ? colours.good : colours.bad;
      const signals = [...new Set(hits.map(({ signal }) => signal))].map(asciiJson).join(', ');
      return `epoch ${epoch}  ${paint(outcome)}  ${asciiJson(scenario)}, model ${model}, ${arm}  ${calls.length} calls${signals && `  ${signals}`}`;
    }
    case 'audit-report': {
      const { verdict, started, planned, plan } = statement;
      return `${(verdict === 'pass' ? colours.good : colours.bad)(verdict)}  ${started} of ${planned} epochs  plan ${shortHash(plan)}`;
    }
    case 'checkpoint':
      return `up to seq ${statement.seq}, ${shortHash(statement.receipt_hash)}`;
  }
}

function recordText(recorded: Uint8Array, colours: Colours): string {
  const inner = readRecorded(recorded);
  if (inner === undefined) return colours.bad('no receipt');
  const { statement, kid, hash } = inner;
  return `${statement.statement}: ${statementText(statement, colours)}  ${colours.faint(`${shortHash(hash)} by key ${kid.slice(0, 12)}...`)}`;
}

/** The receipt that a record holds, or undefined where it is none. */
export function readRecorded(recorded: Uint8Array): UnverifiedReceipt | undefined {
  try {
    return readReceipt(recorded);
  } catch (error) {
    if (error instanceof RuleprintError) return undefined;
    throw error;
  }
}

/** A statement as JSON: bytes in hex, and in place of a whole receipt what it says. */
export function statementJson(statement: Statement): Record<string, unknown> {
  const fields = Object.entries(statement).map(([name, value]) => [name, value instanceof Uint8Array ? bytesJson(name, value) : value] as const);
  return Object.fromEntries(fields);
}

function bytesJson(name: string, bytes: Uint8Array): unknown {
  const inner = name === 'recorded' ? readRecorded(bytes) : undefined;
  return inner === undefined ? hex(bytes) : receiptJson(inner);
}

export function receiptJson({ hash, alg, kid, statement }: UnverifiedReceipt): Record<string, unknown> {
  return { hash, alg, kid, statement: statementJson(statement) };
}

function shortened(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 3)}...` : text;
}
