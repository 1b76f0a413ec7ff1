import { readdirSync, readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { describe, expect, it } from 'vitest';
import { render, type VectorFile as Made } from '../../vectors/generate/kit.js';
import { type Json, load, text, topics } from './load.js';

const folder = new URL('../../vectors/schema/', import.meta.url);
const schema = (name: string): Json => JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Json;
// strictTuples: a pair is said by minItems and maxItems; strictTypes: `integer` stands with other kinds of keys
const ajv = new Ajv({ allErrors: true, strict: true, strictTuples: false, allowUnionTypes: true });
for (const name of readdirSync(folder)) ajv.addSchema(schema(name) as object);

function validator(topic: string): ValidateFunction {
  const validate = ajv.getSchema(`${topic}.schema.json`);
  if (validate === undefined) throw new Error(`no schema for ${topic}`);
  return validate;
}

/** Every object of a schema that names properties. */
function shapes(value: Json): { readonly [key: string]: Json }[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return (value as readonly Json[]).flatMap(shapes);
  const fields = value as { readonly [key: string]: Json };
  return [...('properties' in fields && fields['type'] === 'object' ? [fields] : []), ...Object.values(fields).flatMap(shapes)];
}

describe.each(topics)('vectors: the file of %s', (topic) => {
  it('is what its schema says', () => {
    const validate = validator(topic);
    validate(load(topic));
    expect(validate.errors ?? []).toEqual([]);
  });

  it('is refused with a field that no schema knows, because a misspelt field would be a case that tests nothing', () => {
    const file = structuredClone(load(topic)) as unknown as { groups: { cases: { [key: string]: unknown }[] }[]; [key: string]: unknown };
    const validate = validator(topic);
    expect(validate({ ...file, extra: 1 })).toBe(false);
    for (const member of ['input', 'expect'] as const) {
      const one = structuredClone(file);
      const first = one.groups[0]?.cases[0] as { input: object; expect: object };
      first[member] = { ...first[member], extra: 1 };
      expect(validate(one)).toBe(false);
    }
  });

  it('names its schema and its spec', () => {
    expect(load(topic)).toMatchObject({ spec: 'ruleprint/1', schema: `schema/${topic}.schema.json` });
  });

  it('is written in its one form, in ASCII', () => {
    expect(text(topic)).toBe(render(load(topic) as unknown as Made));
    expect(text(topic)).toMatch(/^[\n -~]*$/);
  });

  it('explains each of its flags once, and no other', () => {
    const used = new Set(load(topic).groups.flatMap(({ cases }) => cases.flatMap(({ flags }) => flags)));
    expect([...used].sort()).toEqual(Object.keys(load(topic).notes).sort());
  });
});

describe('vectors: schemas', () => {
  it('take no unknown field anywhere', () => {
    const open = readdirSync(folder).flatMap((name) => shapes(schema(name)).filter((shape) => shape['additionalProperties'] !== false));
    expect(open).toEqual([]);
  });

  it('are one for each file, and one that they share', () => {
    expect(readdirSync(folder).sort()).toEqual(['common', ...topics].map((name) => `${name}.schema.json`).sort());
  });
});

describe('vectors: all files', () => {
  const all = topics.flatMap((topic) => load(topic).groups.flatMap(({ cases }) => cases));

  it('have ids that stand once over all of them', () => {
    const ids = all.map(({ id }) => id);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
  });

  it('have more refusals than other cases', () => {
    const refusals = all.filter(({ expect: expected }) => 'error' in expected || expected.ok === false);
    expect(all.length).toBeGreaterThan(300);
    expect(refusals.length).toBeGreaterThan(all.length / 2);
  });

  it('have a pair that differs by the digest alone', () => {
    const made = all.filter(({ id }) => /^receipt-[14]-/.test(id)).map(({ input }) => input.statement);
    expect(Object.keys(made[1]).filter((key) => !(key in made[0]))).toEqual(['policy_digest']);
    expect({ ...made[0], policy_digest: made[1].policy_digest }).toEqual(made[1]);
  });
});
