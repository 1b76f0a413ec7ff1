/**
 * Holds reports to the schema that is published for them.
 * @module
 */
import { Ajv, type ValidateFunction } from 'ajv';
import { expect } from 'vitest';
import type { Report } from '../../src/receipt/report.js';
import { read } from '../house/tree.js';

export const reportSchema = JSON.parse(read('spec/report.schema.json')) as {
  properties: { axes: { required: string[]; properties: object }; problems: { maxItems: number } };
  definitions: Record<string, { enum?: string[] }>;
};

export const validateReport: ValidateFunction = new Ajv({ allErrors: true, strict: true }).compile(reportSchema);

export function checkedReport(value: unknown): Report {
  expect({ isReport: validateReport(value), errors: validateReport.errors }).toEqual({ isReport: true, errors: null });
  return value as Report;
}
