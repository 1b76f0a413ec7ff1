/**
 * SARIF logs of the linter judged by the schema of SARIF 2.1.0 as editors and GitHub have it.
 *
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, it } from 'vitest';
import { renderSarif } from '../../src/finding/sarif.js';
import { compareWith } from '../../src/lint/baseline.js';
import { lintPolicy } from '../../src/lint/lint.js';
import { allLintRules } from '../../src/lint/registry.js';
import { load, outside } from './outside.js';

/** The two formats that the schema asks for, as RFC 3986 has them. */
const uri = /^[A-Za-z][A-Za-z0-9+.-]*:(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/;
const uriReference = /^(?:[A-Za-z0-9._~:/?#@!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*$/;
const samples = new URL('../lint/', import.meta.url);
const lint = (file: string) => lintPolicy(readFileSync(new URL(file, samples)), { format: 'yaml', path: `policies/${file}` });

outside('SARIF logs of the linter by the schema', () => {
  const ajv = new Ajv({ strict: false, allErrors: true, formats: { uri, 'uri-reference': uriReference, 'date-time': true } });
  const validate = ajv.compile(load<object>('vectors/sarif/sarif-schema-2.1.0.schemastore.json'));
  const faults = (text: string): unknown => (validate(JSON.parse(text)) ? [] : validate.errors);
  const options = { tool: { version: '0.1.0' }, rules: allLintRules, category: 'ruleprint-lint' };

  it('are valid for a policy with one of each defect', () => {
    const found = lint('one-of-each.yaml');
    expect(found.length).toBeGreaterThan(20);
    expect(faults(renderSarif(found, options))).toEqual([]);
  });

  it('are valid for all policies with planted defects together, some suppressed, against a baseline', () => {
    const found = readdirSync(new URL('planted', samples)).flatMap((file) => lint(`planted/${file}`));
    const suppressions = new Map(found.slice(0, 3).map(({ id }) => [id, { reason: 'known' }]));
    const compared = compareWith(found.slice(5), found.slice(0, 30), new Set(allLintRules.map(({ id }) => id)));
    expect(faults(renderSarif(compared, { ...options, suppressions }))).toEqual([]);
  });
});
