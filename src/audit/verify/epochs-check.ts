/**
 * The checks *epochs* and *receipts* (AUE-24, AUE-25): every started epoch stands in the ledger once, in its place, as the plan fixes it, and each of its calls is a
 * decision of the same chain.
 * @module
 */
import type { AuditEpochStatement, AuditPlanStatement } from '../../receipt/audit-statements.js';
import { cellsOf, sizeFault } from '../evidence/plan.js';
import type { Scanned } from '../evidence/scan.js';
import type { AuditView, Held } from '../evidence/view.js';
import { schedule } from '../run/schedule.js';
import type { Answers } from './answers.js';

/** AUE-24. Gives how many epochs the plan has. */
export function checkEpochs({ plan, epochs, report }: AuditView, answers: Answers): number {
  const cells = cellsOf(plan.statement);
  // AUE-34: the schedule of a plan that is too large would fill the memory
  if (sizeFault(cells) !== undefined) {
    answers.open('epochs', 'rests on plan');
    return cells.reduce((sum, cell) => sum + cell.epochs, 0);
  }
  const scheduled = schedule(cells);
  const isGood = (
    good: boolean,
    code: 'epoch-gap' | 'epoch-again' | 'epoch-differs' | 'epoch-before-plan' | 'epoch-beyond',
    message: string,
    epoch: number,
  ) => {
    if (!good) answers.fail('epochs', code, message, { epoch });
  };
  let next = 0;
  for (const { statement, seq } of epochs) {
    const { epoch, model, scenario, arm } = statement;
    if (epoch < next) isGood(false, 'epoch-again', `expected epoch ${next}, got epoch ${epoch} again`, epoch);
    else if (epoch > next) isGood(false, 'epoch-gap', `expected epoch ${next}, got epoch ${epoch}`, epoch);
    next = Math.max(next, epoch + 1);
    const cell = scheduled[epoch];
    isGood(cell !== undefined, 'epoch-beyond', `expected at most ${scheduled.length} epochs`, epoch);
    if (cell !== undefined) {
      const isPlanned = cell.model === model && cell.scenario === scenario && cell.arm === arm && statement.variant === 0;
      isGood(isPlanned, 'epoch-differs', `expected model ${cell.model}, scenario ${cell.scenario}, ${cell.arm}`, epoch);
    }
    isGood(seq > plan.seq, 'epoch-before-plan', 'expected the plan before the epoch', epoch);
    isGood(report === undefined || seq < report.seq, 'epoch-before-plan', 'expected the report behind the epoch', epoch);
  }
  if (next < scheduled.length) answers.note('epochs', `${next} of ${scheduled.length}`);
  return scheduled.length;
}

/** AUE-25. */
export function checkReceipts({ plan, epochs, report }: AuditView, { decisions }: Scanned, answers: Answers): void {
  const cited = new Set<string>();
  /** Of each epoch: the index of a call that a kill may have left behind, or -1 where none was. */
  const killed = new Map<number, number>();
  for (const held of epochs) {
    for (const [i, call] of held.statement.calls.entries()) {
      const where = { epoch: held.statement.epoch, pointer: `/calls/${i}` };
      if (cited.has(call.receipt)) answers.fail('receipts', 'call-again', 'expected a receipt of its own for each call', where);
      cited.add(call.receipt);
      const decision = decisions.get(call.receipt);
      if (decision === undefined || decision.seq < plan.seq || decision.seq > held.seq) {
        answers.fail('receipts', 'call-missing', 'expected the receipt of the call between the plan and the epoch', where);
        continue;
      }
      const { statement } = decision;
      const isOfCall =
        statement.call_id === `epoch-${held.statement.epoch}/${i}` &&
        statement.decision.effect === call.decision &&
        statement.args_digest === call.args_digest &&
        statement.policy_digest === call.policy_digest &&
        isUnder(plan, call.policy_digest, statement.mapping);
      if (!isOfCall) answers.fail('receipts', 'call-differs', 'expected the receipt of this call, under the policy and the mapping of the plan', where);
    }
    killed.set(held.statement.epoch, held.statement.failure === 'harness' ? held.statement.calls.length : -1);
  }
  for (const [hash, { seq, statement }] of decisions) {
    if (seq < plan.seq || cited.has(hash)) continue;
    const of = placeOf(statement.call_id);
    // epochs that are under way have no statement yet
    if (of === undefined || (report === undefined && !killed.has(of.epoch))) continue;
    // a kill between the receipt of a call and its line leaves one, the next of its epoch (AUR-13)
    if (killed.get(of.epoch) === of.index) killed.set(of.epoch, -1);
    else answers.fail('receipts', 'call-uncited', 'expected every call of the audit in an epoch, got one that none names', { epoch: of.epoch, seq });
  }
}

/** AUE-35: whoever promised is whoever says that it was kept. */
export function checkKey({ plan, epochs, report }: AuditView, { kids, findings }: Scanned, answers: Answers): void {
  const kid = kids.get(plan.hash);
  const differ = (what: string, epoch?: number): void =>
    answers.fail('epochs', 'harness-differs', `expected the key that signed the plan on ${what}`, epoch === undefined ? {} : { epoch });
  for (const { hash, statement } of epochs) if (kids.get(hash) !== kid) differ('the epoch', statement.epoch);
  if (report !== undefined && kids.get(report.hash) !== kid) differ('the report');
  if (findings.some(({ hash, statement }) => statement.x_finding.plan === plan.hash && kids.get(hash) !== kid)) differ('every finding');
}

function isUnder(
  { statement: plan }: Held<AuditPlanStatement>,
  policy: AuditEpochStatement['calls'][number]['policy_digest'],
  mapping: string | undefined,
): boolean {
  return policy === plan.policy_digest && mapping === plan.mapping;
}

function placeOf(callId: string | undefined): { readonly epoch: number; readonly index: number } | undefined {
  const [, epoch, index] = /^epoch-(\d{1,15})\/(\d{1,15})$/.exec(callId ?? '') ?? [];
  return epoch === undefined || index === undefined ? undefined : { epoch: Number(epoch), index: Number(index) };
}
