/**
 * Our SARIF logs judged by the schema of SARIF 2.1.0 as editors and GitHub have it.
 *
 * @module
 */
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { occurrenceOf } from '../../src/finding/identity.js';
import { findingFromObservation } from '../../src/finding/finding.js';
import { renderSarif } from '../../src/finding/sarif.js';
import { changeStates } from '../../src/finding/model.js';
import { agentFinding, changed, repositoryFinding, secret, secretObservation, wideWrite } from '../finding/kit.js';
import { load, outside } from './outside.js';

/** The two formats that the schema asks for, as RFC 3986 has them. */
const uri = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/;
const uriReference = /^(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/;

outside('SARIF logs by the schema', () => {
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { uri, 'uri-reference': uriReference, 'date-time': true } });
  const validate = ajv.compile(load<object>('vectors/sarif/sarif-schema-2.1.0.schemastore.json'));
  const options = { tool: { version: '0.1.0' }, rules: [wideWrite, secret] };
  const faults = (text: string): unknown => (validate(JSON.parse(text)) ? [] : validate.errors);

  it('are valid where nothing was found', () => {
    expect(faults(renderSarif([], options))).toEqual([]);
  });

  it('are valid with findings about agents, about files and about digests, suppressed or not', () => {
    const digest = findingFromObservation({ ...secretObservation, evidence: [{ adapter: 'policy', document_digest: `sha256:${'0'.repeat(64)}` }] }, secret, {
      remediation: 'x',
      occurrence: occurrenceOf('secret', 'x'),
    });
    const odd = findingFromObservation({ ...secretObservation, evidence: [{ adapter: 'policy', path: 'a b/http:/é?#%.yaml', line_start: 2 }] }, secret, {
      remediation: 'x',
    });
    const suppressions = new Map([[agentFinding.id, { reason: 'known' }]]);
    expect(faults(renderSarif([agentFinding, repositoryFinding, digest, odd], { ...options, suppressions, standIn: 'policy.yaml' }))).toEqual([]);
  });

  it.each(changeStates.filter((state) => state !== 'unknown' && state !== 'not-compared'))('are valid with findings that were %s', (state) => {
    expect(faults(renderSarif([changed(agentFinding, { change_state: state })], options))).toEqual([]);
  });

  it('are refused by this schema where they are damaged, so that it is seen to judge', () => {
    const text = renderSarif([agentFinding], options);
    for (const [from, to] of [
      ['"startLine": 3', '"startLine": 0'],
      ['"uri": "policies', '"uri": "a b'],
      ['"level": "error",\n          "message"', '"level": "fatal",\n          "message"'],
      ['"columnKind"', '"columnKinds"'],
    ] as const) {
      expect(text).toContain(from);
      expect(faults(text.replace(from, to))).not.toEqual([]);
    }
  });
});
