/**
 * Findings as JSON (spec/finding.md, FND-14), and read again.
 * @module
 */
import { RuleprintError } from '../errors.js';
import { readJson } from '../policy/json.js';
import { checkDocument } from '../policy/door.js';
import { limits } from '../limits.js';
import { list, object, text, word } from '../shape.js';
import { asciiJson } from './ascii.js';
import { createFinding } from './finding.js';
import { type Finding, schemaVersion } from './model.js';
import { prepare, type RenderOptions } from './rendering.js';
import { findingShape } from './shape.js';

/**
 * One object: `schema_version`, `findings` and, where suppressions were asked for, `suppressed`, which names some of them with the reason. In ASCII.
 *
 * @throws RuleprintError as createFinding; `duplicate-item` for two findings with one id
 */
export function renderJson(findings: readonly Finding[], options: RenderOptions = {}): string {
  const shown = prepare(findings, options);
  const suppressed = shown.flatMap(({ finding, suppression }) => (suppression ? [{ id: finding.id, reason: suppression.reason }] : []));
  const report = {
    schema_version: schemaVersion,
    findings: shown.map(({ finding }) => finding),
    ...(options.suppressions !== undefined && { suppressed }),
  };
  return `${asciiJson(report, 2)}\n`;
}

const suppressedShape = list('a list of suppressed findings', object('a suppressed finding', { id: text('a finding id'), reason: text('a reason') }), {
  max: limits.findings,
});
const reportShape = object(
  'a report of findings',
  { schema_version: word(schemaVersion), findings: list('a list of findings', findingShape, { max: limits.findings, uniqueBy: 'id' }) },
  { suppressed: suppressedShape },
);

/**
 * Reads a report that renderJson made, a baseline say, through the strict door.
 *
 * @throws RuleprintError the codes of documents and of findings, with file, line and column where the text has them
 */
export function parseFindings(source: string | Uint8Array, { file }: { readonly file?: string } = {}): readonly Finding[] {
  const options = { format: 'json' as const, ...(file !== undefined && { file }) };
  const result = checkDocument(source, options, readJson, reportShape, (value) => ({ value }));
  if ('problems' in result) throw new RuleprintError(result.problems);
  const { findings } = result.value as { findings: readonly unknown[] };
  return findings.map((finding, i) => {
    try {
      return createFinding(finding);
    } catch (error) {
      if (!(error instanceof RuleprintError)) throw error;
      const where = { ...(file !== undefined && { file }), pointer: `/findings/${i}${error.where.pointer ?? ''}` };
      throw new RuleprintError({ ...error.problems[0], where }, { cause: error });
    }
  });
}
