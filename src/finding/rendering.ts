/**
 * What all renderings share: the same findings, in the same order, redacted (spec/finding.md, "Renderings").
 * @module
 */
import { compareUtf8 } from '../bytes.js';
import { RuleprintError } from '../errors.js';
import { createFinding } from './finding.js';
import type { Finding } from './model.js';
import { redactedFinding, redactor } from './redaction.js';

export interface RenderOptions {
  /** Findings that somebody has decided to live with, by id, with the reason. Given, every finding says whether it is one. */
  readonly suppressions?: ReadonlyMap<string, { readonly reason: string }>;
  /** Texts that must not come out, beside what looks like a secret: canaries, say. */
  readonly secrets?: readonly string[];
}

/** A finding made ready to be shown. */
export interface Shown {
  readonly finding: Finding;
  /** Undefined where nobody asked for suppressions; null where this one is not suppressed. */
  readonly suppression: { readonly reason: string } | null | undefined;
}

/**
 * Judges the findings once more, puts them in order and redacts them (FND-11, FND-12).
 *
 * @throws RuleprintError as createFinding; `duplicate-item` for two findings with one id
 */
export function prepare(findings: readonly Finding[], { suppressions, secrets = [] }: RenderOptions): readonly Shown[] {
  const redact = redactor(secrets);
  const seen = new Set<string>();
  const good = findings.map((given, i) => {
    const finding = createFinding(given);
    if (seen.has(finding.id)) {
      // FND-12: whoever suppresses by id would silence both
      throw new RuleprintError({ code: 'duplicate-item', message: `the finding ${finding.id} stands twice`, where: { pointer: `/${i}/id` } });
    }
    seen.add(finding.id);
    return finding;
  });
  return good.sort(inReportOrder).map((finding) => {
    const given = suppressions?.get(finding.id);
    const suppression = suppressions && (given === undefined ? null : { reason: redact(given.reason) });
    return { finding: redactedFinding(finding, redact), suppression };
  });
}

/** By rule, path, line, column, id. */
function inReportOrder(a: Finding, b: Finding): number {
  const [x, y] = [placeOf(a), placeOf(b)];
  return compareUtf8(a.rule_id, b.rule_id) || compareUtf8(x.path, y.path) || x.line - y.line || x.column - y.column || compareUtf8(a.id, b.id);
}

function placeOf({ evidence }: Finding): { path: string; line: number; column: number } {
  const first = evidence.find(({ path }) => path !== undefined);
  return { path: first?.path ?? '', line: first?.line_start ?? 0, column: first?.column_start ?? 0 };
}
