/**
 * The schema for editors takes every good policy, and refuses what a shape can see.
 * @module
 */
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { shippedMappings } from '../../src/mapping/shipped.js';
import { checkPolicy } from '../../src/policy/parse.js';
import { read } from './tree.js';

const schema = JSON.parse(read('spec/policy.schema.json')) as object;
const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(schema);
const accepts = (policy: unknown): boolean => 'policy' in checkPolicy(JSON.stringify(policy), { format: 'json' });

const rule = { name: 'a', effect: 'allow', agents: 'any', action: { tool: { server: '*', name: '*' } } };
const withAction = (action: unknown): unknown => ({ version: 1, rules: [{ ...rule, action }] });

const good: Readonly<Record<string, unknown>> = {
  'no rules': { version: 1, rules: [] },
  'the highest version': { version: Number.MAX_SAFE_INTEGER, rules: [] },
  'named agents': { version: 1, rules: [{ ...rule, agents: { one_of: ['a', 'b'] } }] },
  'a filesystem pattern': withAction({ filesystem: { path: '/srv/**', methods: ['read', 'write', 'delete', 'execute'] } }),
  'a network pattern': withAction({ network: { host: '*.example.com', ports: { from: 443, to: 1 }, methods: ['GET'] } }),
  'a process pattern with rest': withAction({ process: { argv: ['git', '**'] } }),
  'a tool pattern': withAction({ tool: { server: 'fs', name: 'read_*' } }),
};

const bad: Readonly<Record<string, unknown>> = {
  'no version': { rules: [] },
  'version 0': { version: 0, rules: [] },
  'a version that is text': { version: '1', rules: [] },
  'an unknown field': { version: 1, rules: [], mode: 'strict' },
  'an unknown field of a rule': { version: 1, rules: [{ ...rule, note: '' }] },
  'an unknown effect': { version: 1, rules: [{ ...rule, effect: 'audit' }] },
  'no agents': { version: 1, rules: [{ ...rule, agents: { one_of: [] } }] },
  'an agent twice': { version: 1, rules: [{ ...rule, agents: { one_of: ['a', 'a'] } }] },
  'another word than any': { version: 1, rules: [{ ...rule, agents: 'all' }] },
  'no kind of action': withAction({}),
  'two kinds of action': withAction({ process: { argv: ['a'] }, tool: { server: 'a', name: 'b' } }),
  'a port beyond 65535': withAction({ network: { host: '**', ports: { from: 0, to: 65_536 }, methods: 'any' } }),
  'a lower-case HTTP method': withAction({ network: { host: '**', ports: 'any', methods: ['get'] } }),
  'an unknown file method': withAction({ filesystem: { path: '/', methods: ['list'] } }),
  'an empty argv': withAction({ process: { argv: [] } }),
};

describe('spec/policy.schema.json', () => {
  it.each(Object.keys(good))('takes what the code takes: %s', (what) => {
    expect({ code: accepts(good[what]), schema: validate(good[what]), errors: validate.errors }).toEqual({ code: true, schema: true, errors: null });
  });

  it.each(Object.keys(bad))('refuses with the code: %s', (what) => {
    expect({ code: accepts(bad[what]), schema: validate(bad[what]) }).toEqual({ code: false, schema: false });
  });
});

describe('spec/mapping.schema.json', () => {
  const judge = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(JSON.parse(read('spec/mapping.schema.json')) as object);
  const tables = (
    JSON.parse(read('vectors/mapping.json')) as { groups: { name: string; cases: { id: string; input: { document: string }; expect: object }[] }[] }
  ).groups
    .filter(({ name }) => name === 'tables')
    .flatMap(({ cases }) => cases);
  /** What a schema cannot see: the text below the data, and names. */
  const unseen = ['table-key-twice', 'table-proto', 'table-tool-name', 'table-lone-surrogate'];

  it.each(tables.filter(({ id }) => !unseen.includes(id)))('judges as the code does (MAP-1): $id', ({ input, expect: expected }) => {
    expect(judge(JSON.parse(input.document))).toBe(!('error' in expected));
  });

  it.each([...shippedMappings])('takes the shipped table %s', (_name, table) => {
    expect(judge(table)).toBe(true);
  });
});
