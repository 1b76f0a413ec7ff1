/**
 * Takes the statements of one audit into its ledger, each once, whatever was taken in before a kill (spec/audit-evidence.md).
 * @module
 */
import type { AsyncSigner, Signer } from '../../cose/signer.js';
import type { Appended, AppendedRecord, Ledger } from '../../ledger/ledger.js';
import type { AuditEpochStatement, AuditPlanStatement, AuditReportStatement } from '../../receipt/audit-statements.js';
import { prepareStatement } from '../../receipt/issue.js';
import type { FindingStatement, OtherStatement } from '../../receipt/statement.js';
import { refuse } from '../../errors.js';
import { stableText } from '../transcript.js';
import type { Scanned } from './scan.js';
import type { Held } from './view.js';

/** The statements of one plan in one ledger. */
export class Sealer {
  readonly #ledger: Ledger;
  readonly #signer: Signer | AsyncSigner;
  readonly #epochs = new Map<number, Held<AuditEpochStatement>>();
  /** Ids of findings. */
  readonly #findings: Set<string>;
  readonly plan: Held<AuditPlanStatement>;
  report: Held<AuditReportStatement> | undefined;

  private constructor(ledger: Ledger, signer: Signer | AsyncSigner, plan: Held<AuditPlanStatement>, before: Scanned) {
    this.#ledger = ledger;
    this.#signer = signer;
    this.plan = plan;
    const isOurs = ({ statement }: Held<{ readonly plan: string }>): boolean => statement.plan === plan.hash;
    for (const epoch of before.epochs.filter(isOurs)) this.#epochs.set(epoch.statement.epoch, epoch);
    this.#findings = new Set(before.findings.flatMap(({ statement: { x_finding } }) => (x_finding.plan === plan.hash ? [x_finding.finding_id] : [])));
    this.report = before.reports.find(isOurs);
  }

  /**
   * Begins with a plan, or goes on with it where the ledger has it. It survives loss of power before any epoch begins.
   *
   * @throws RuleprintError `run-differs` where the ledger has another plan
   */
  static async begin(ledger: Ledger, signer: Signer | AsyncSigner, plan: AuditPlanStatement, before: Scanned): Promise<Sealer> {
    const [known] = before.plans;
    if (known === undefined) {
      const { appended, held } = await record(ledger, signer, plan);
      await appended.durable;
      return new Sealer(ledger, signer, held, before);
    }
    if (stableText({ ...known.statement, time: 0 }) !== stableText({ ...plan, time: 0 })) {
      refuse('run-differs', 'expected the plan that the ledger holds, got another', { hint: 'take another folder, or the options of before' });
    }
    return new Sealer(ledger, signer, known, before);
  }

  /** The statements of epochs, in their order. */
  get epochs(): readonly Held<AuditEpochStatement>[] {
    return [...this.#epochs.values()].sort((a, b) => a.statement.epoch - b.statement.epoch);
  }

  get findings(): number {
    return this.#findings.size;
  }

  /** Takes in an epoch and its findings. What is there already is left as it is. */
  async epoch(statement: AuditEpochStatement, findings: readonly FindingStatement[]): Promise<void> {
    if (!this.#epochs.has(statement.epoch)) this.#epochs.set(statement.epoch, (await record(this.#ledger, this.#signer, statement)).held);
    for (const finding of findings) {
      if (this.#findings.has(finding.x_finding.finding_id)) continue;
      await record(this.#ledger, this.#signer, finding);
      this.#findings.add(finding.x_finding.finding_id);
    }
  }

  async conclude(statement: AuditReportStatement): Promise<Held<AuditReportStatement>> {
    const { appended, held } = await record(this.#ledger, this.#signer, statement);
    await appended.durable;
    this.report = held;
    return held;
  }
}

async function record<S extends OtherStatement>(
  ledger: Ledger,
  signer: Signer | AsyncSigner,
  statement: S,
): Promise<{ readonly appended: Appended; readonly held: Held<S> }> {
  const prepared = prepareStatement(statement, signer);
  const appended: AppendedRecord = ledger.record(prepared.finish(await signer.sign(prepared.sigStructure)));
  await appended.recorded;
  return { appended, held: { statement, hash: appended.recordedHash, seq: appended.seq } };
}
