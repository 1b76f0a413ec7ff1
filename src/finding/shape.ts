/**
 * The shape of a finding, field by field (spec/finding.md, FND-1 to FND-6).
 * @module
 */
import { quote, refuse } from '../errors.js';
import { isHashText } from '../hash.js';
import { limits } from '../limits.js';
import { checkName, checkText } from '../policy/text.js';
import { integer, list, object, type Path, type Shape, text, word } from '../shape.js';
import { changeStates, type Evidence, type Finding, schemaVersion, targetTypes } from './model.js';
import { confidences, severities } from './severity.js';

const position = integer(1, Number.MAX_SAFE_INTEGER);
const name = text('a name', checkName);

/** Text for people, one line: as a name, and without the line breaks that a name may hold (FND-2). */
export function checkSafeText(value: string): void {
  checkName(value);
  if (/[\u2028\u2029]/.test(value)) refuse('control-character', 'expected one line of text');
}

const safeText = text('text', checkSafeText);

const identifier = text('an identifier', (value) => {
  if (!/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,254}$/.test(value)) {
    refuse('bad-value', `expected up to 255 letters, digits and . _ : / -, a letter or digit in front, got ${quote(value)}`);
  }
});

const numeric = '(?:0|[1-9][0-9]*)';
const prerelease = `(?:${numeric}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`;
const semanticVersion = new RegExp(`^${numeric}\\.${numeric}\\.${numeric}(?:-${prerelease}(?:\\.${prerelease})*)?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`);

const version = text('a semantic version', (value) => {
  checkText(value, limits.semanticVersionBytes);
  if (!semanticVersion.test(value)) refuse('bad-value', `expected a semantic version like 1.0.0, got ${quote(value)}`);
});

const hash = text('a hash', (value) => {
  if (!isHashText(value)) refuse('bad-value', 'expected "sha256:" and 64 lower-case hex digits');
});

const id = text('a finding id', (value) => {
  if (!/^ruleprint:finding:sha256:[0-9a-f]{64}$/.test(value)) {
    refuse('bad-value', `expected "ruleprint:finding:sha256:" and 64 lower-case hex digits, got ${quote(value)}`);
  }
});

/** FND-5: of printable ASCII that a URI may hold, so that a link is what it looks like. */
const url = text('an https address', (value) => {
  checkText(value, limits.documentationUrlBytes);
  if (!/^https:\/\/[A-Za-z0-9][A-Za-z0-9.-]*(?::[0-9]{1,5})?(?:[/?#](?:[A-Za-z0-9._~:/?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?$/.test(value)) {
    refuse('bad-value', `expected an address that begins with https://, got ${quote(value)}`);
  }
});

/** FND-4. */
export function checkPath(value: string): void {
  checkName(value);
  // a leading slash makes an empty segment
  const isRelative = !/^[A-Za-z]:/.test(value) && !value.includes('\\');
  if (!isRelative || value.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')) {
    refuse('bad-value', `expected a path from the root of the repository, without . and .., got ${quote(value)}`, {
      hint: 'a report must not show where the repository lies on a machine',
    });
  }
}

const path = text('a path', checkPath);

const evidence = list(
  'a list of evidence',
  object(
    'a piece of evidence',
    { adapter: identifier },
    {
      path,
      line_start: position,
      line_end: position,
      column_start: position,
      column_end: position,
      parser: identifier,
      schema_id: identifier,
      document_digest: hash,
    },
  ),
  { min: 1, max: limits.evidence },
);

const capabilityPath = object('a capability path', {
  agent_id: name,
  target_id: name,
  target_type: word(...targetTypes),
  hops: list('a list of hops', object('a hop', { edge_id: name }), { min: 1, max: limits.hops }),
});

export const observationShape: Shape = object('an observation', { rule_id: identifier, message: safeText, evidence });

export const findingShape: Shape = object(
  'a finding',
  {
    schema_version: word(schemaVersion),
    id,
    rule_id: identifier,
    rule_version: version,
    message: safeText,
    severity: word(...severities),
    confidence: word(...confidences),
    evidence,
    change_state: word(...changeStates),
    remediation: safeText,
    documentation_url: url,
  },
  { affected_agent: name, capability_path: capabilityPath },
);

export const ruleShape: Shape = object(
  'a rule',
  { id: identifier, version, title: safeText, help: safeText, severity: word(...severities), confidence: word(...confidences), documentationUrl: url },
  { tags: list('a list of tags', identifier, { max: limits.ruleTags, set: true }) },
);

/** What does not agree between the fields of a finding, or undefined (FND-3, FND-4). */
export function findingConflict({ affected_agent: agent, capability_path: capability, evidence: all }: Finding): { message: string; path: Path } | undefined {
  if ((agent === undefined) !== (capability === undefined)) {
    return { message: 'expected both affected_agent and capability_path, or neither', path: [agent === undefined ? 'capability_path' : 'affected_agent'] };
  }
  if (capability !== undefined && capability.agent_id !== agent) {
    return { message: 'expected the agent of the capability path to be affected_agent', path: ['capability_path', 'agent_id'] };
  }
  for (const [i, one] of all.entries()) {
    const message = evidenceConflict(one);
    if (message !== undefined) return { message, path: ['evidence', i] };
  }
  return undefined;
}

function evidenceConflict(one: Evidence): string | undefined {
  const { path: at, line_start: line, line_end: lastLine = line, column_start: column, column_end: lastColumn, document_digest: digest } = one;
  if (at === undefined && digest === undefined) return 'expected a path or a document_digest';
  if (at === undefined && line !== undefined) return 'expected no line without a path';
  if (line === undefined) {
    return lastLine === undefined && column === undefined && lastColumn === undefined ? undefined : 'expected no line_end and no column without line_start';
  }
  if (lastLine !== undefined && lastLine < line) return 'expected line_end at or behind line_start';
  if (column === undefined) return lastColumn === undefined ? undefined : 'expected no column_end without column_start';
  if (lastColumn !== undefined && lastLine === line && lastColumn < column) return 'expected column_end at or behind column_start';
  return undefined;
}
