/**
 * Which transcripts a page holds: those that matter first, and no more than a page can carry.
 * @module
 */
import { RuleprintError } from '../../errors.js';
import type { AuditEpochStatement } from '../../receipt/audit-statements.js';
import { isSevere } from '../verdict.js';
import type { AuditView, Held } from '../evidence/view.js';
import type { RecordedEpoch } from '../run/lines.js';
import { conversation, epochFacts } from './epoch-data.js';
import { dataScript, type Html, safeJson } from './html.js';

/** Characters of transcripts in one page: 32 Mi. */
export const embedBudget = 33_554_432;

/** Characters that transcripts of hits and of invalid epochs may take, whatever the budget: 128 Mi, beyond which no browser opens the page with ease. */
export const embedCeiling = 134_217_728;

/** Why a transcript is not in the page. */
export type Missing = 'no-room' | 'none' | 'unreadable';

export interface Embedded {
  /** One element for each epoch, in the order of the statements. */
  readonly scripts: readonly Html[];
  readonly missing: ReadonlyMap<number, Missing>;
  readonly held: number;
}

export function embed(view: AuditView, budget: number = embedBudget): Embedded {
  const texts = new Map<number, string>();
  const missing = new Map<number, Missing>();
  let spent = 0;
  for (const { statement } of byWeight(view.epochs)) {
    const { epoch, outcome } = statement;
    const room = (outcome === 'clean' ? budget : Math.max(budget, embedCeiling)) - spent;
    // what the statement says of its size spares reading it; what it is, is counted
    if (statement.transcript_bytes > room) {
      missing.set(epoch, 'no-room');
      continue;
    }
    const recorded = readable(view, epoch);
    if (typeof recorded === 'string') {
      missing.set(epoch, recorded);
      continue;
    }
    const text = safeJson(conversation(recorded, view));
    if (text.length > room) {
      missing.set(epoch, 'no-room');
      continue;
    }
    spent += text.length;
    texts.set(epoch, text);
  }
  const scripts = view.epochs.map((held) => {
    const { epoch } = held.statement;
    const said = texts.get(epoch) ?? safeJson({ missing: missing.get(epoch) });
    return dataScript(`data-${epoch}`, `{"facts":${safeJson(epochFacts(held, view))},"said":${said}}`);
  });
  return { scripts, missing, held: texts.size };
}

function readable(view: AuditView, epoch: number): RecordedEpoch | Missing {
  try {
    return view.transcript(epoch) ?? 'none';
  } catch (error) {
    if (error instanceof RuleprintError) return 'unreadable'; // the page shows the rest; a verification says what is wrong
    throw error;
  }
}

/** Severe hits, other hits, broken rules, invalid ones, clean ones; each in the order of epochs. */
function byWeight(epochs: AuditView['epochs']): readonly Held<AuditEpochStatement>[] {
  const weight = ({ statement: { outcome, hits, violated } }: Held<AuditEpochStatement>): number => {
    if (outcome === 'hit') return hits.some(({ severity }) => isSevere(severity)) ? 0 : 1;
    return violated.length > 0 ? 2 : outcome === 'invalid' ? 3 : 4;
  };
  return [...epochs].sort((a, b) => weight(a) - weight(b));
}
