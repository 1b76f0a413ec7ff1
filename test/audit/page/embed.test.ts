/** Which transcripts a page holds. */
import { beforeAll, describe, expect, it } from 'vitest';
import { RuleprintError } from '../../../src/errors.js';
import type { AuditView } from '../../../src/audit/evidence/view.js';
import { embed, embedBudget, embedCeiling } from '../../../src/audit/page/embed.js';
import { reportPage } from '../../../src/audit/page/page.js';
import { auditOf } from './kit.js';
import { failing } from './samples.js';

let view: AuditView;
beforeAll(async () => {
  view = await auditOf(failing);
});

const epochsOf = (outcome: string): readonly number[] => view.epochs.flatMap(({ statement }) => (statement.outcome === outcome ? [statement.epoch] : []));
const missingOf = (embedded: ReturnType<typeof embed>): readonly number[] => [...embedded.missing.keys()].sort((a, b) => a - b);

describe('embedded transcripts', () => {
  it('are all of them where they fit', () => {
    const embedded = embed(view);
    expect(embedded.held).toBe(view.epochs.length);
    expect(missingOf(embedded)).toEqual([]);
    expect([embedBudget, embedCeiling]).toEqual([32 * 1024 * 1024, 128 * 1024 * 1024]);
  });

  it('are those of hits and invalid epochs where the budget is spent, and the page names the others', () => {
    const embedded = embed(view, 0);
    expect(missingOf(embedded)).toEqual(epochsOf('clean'));
    expect([...embedded.missing.values()].every((why) => why === 'no-room')).toBe(true);
    const page = reportPage(view, { budget: 0 });
    expect(page).toContain('Not in this page, for its size');
    expect(page).toContain(`${embedded.held} of ${view.epochs.length}`);
    expect(page.match(/ gone" data-epoch="/g)).toHaveLength(epochsOf('clean').length);
  });

  it('take no more than the budget, and as many as fit', () => {
    const sizes = (budget: number): number => embed(view, budget).held - embed(view, 0).held;
    const one = embed(view, 0)
      .scripts.map(({ html }) => html.length)
      .reduce((sum, size) => sum + size, 0);
    const half = embed(view, one / 2);
    expect(half.held).toBeGreaterThanOrEqual(embed(view, 0).held);
    expect(sizes(embedBudget)).toBe(epochsOf('clean').length);
    const grown = half.scripts.map(({ html }) => html.length).reduce((sum, size) => sum + size, 0) - one;
    expect(grown).toBeLessThanOrEqual(one / 2);
  });

  it('stop at the ceiling even for hits, without reading what cannot fit', () => {
    const read: number[] = [];
    const huge: AuditView = {
      ...view,
      epochs: view.epochs.map((held) => ({ ...held, statement: { ...held.statement, transcript_bytes: embedCeiling + 1 } })),
      transcript: (epoch) => {
        read.push(epoch);
        return view.transcript(epoch);
      },
    };
    expect(embed(huge).held).toBe(0);
    expect(read).toEqual([]);
  });

  it('say which are not there, and which are not as a run writes them', () => {
    const broken: AuditView = {
      ...view,
      transcript: (epoch) => {
        if (epoch === 1) throw new RuleprintError({ code: 'run-damaged', message: 'expected a line as a run writes it', where: {} });
        return epoch === 2 ? undefined : view.transcript(epoch);
      },
    };
    expect([...embed(broken).missing]).toEqual(
      expect.arrayContaining([
        [1, 'unreadable'],
        [2, 'none'],
      ]),
    );
    const page = reportPage(broken);
    expect(page).toMatch(/Without a transcript<\/th><td>epoch 2</);
    expect(page).toMatch(/not as a run writes it<\/th><td>epoch 1</);
  });

  it('refuse a budget that is no number of characters', () => {
    expect(() => reportPage(view, { budget: -1 })).toThrow(RangeError);
    expect(() => reportPage(view, { budget: Number.NaN })).toThrow(RangeError);
  });
});
