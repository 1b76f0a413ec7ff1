/**
 * Makes spec/policy.schema.json and spec/mapping.schema.json, the schemas for editors, from the shapes that the code judges by.
 *
 *   npm run schema          writes it
 *   npm run schema:check    makes it in memory and demands the committed bytes
 *
 * The schema says less than the code: nothing of UTF-8, of a pattern's own syntax, or of names that stand twice.
 * @module
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { mappingShape } from '../src/mapping/table.js';
import { policyShape } from '../src/policy/shape.js';
import type { Fields, ListShape, Shape } from '../src/shape.js';

type Schema = Readonly<Record<string, unknown>>;

/** JSON Schema draft 7, which every editor knows. */
export function schemaOf(shape: Shape): Schema {
  switch (shape.kind) {
    case 'text':
      return { type: 'string', description: shape.expected, ...shape.schema };
    case 'word':
      return shape.words.length === 1 ? { const: shape.words[0] } : { enum: shape.words };
    case 'integer':
      return { type: 'integer', minimum: shape.min, maximum: shape.max };
    case 'boolean':
      return shape.only === undefined ? { type: 'boolean' } : { const: shape.only };
    case 'list':
      return listSchema(shape);
    case 'object':
      return { ...objectSchema({ ...shape.fields, ...shape.optional }, shape.what), required: Object.keys(shape.fields) };
    case 'one':
      return { ...objectSchema(shape.of, shape.what), minProperties: 1, maxProperties: 1 };
    case 'word-or':
      return { anyOf: [{ const: shape.word }, schemaOf(shape.other)] };
    case 'record':
      return { type: 'object', description: shape.what, additionalProperties: schemaOf(shape.value) };
    case 'any':
      return {};
    case 'bytes':
      throw new TypeError('a policy holds no bytes: JSON has none');
  }
}

function listSchema(shape: ListShape): Schema {
  // where the last item has a shape of its own, that shape admits more: a schema cannot say "last"
  const items = schemaOf(shape.last ?? shape.item);
  return { type: 'array', description: shape.what, items, minItems: shape.min ?? 0, maxItems: shape.max, ...(shape.set && { uniqueItems: true }) };
}

function objectSchema(fields: Fields, what: string): Schema {
  const properties = Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, schemaOf(field)]));
  return { type: 'object', description: what, properties, additionalProperties: false };
}

const schemas: Readonly<Record<string, readonly [shape: Shape, source: string]>> = {
  policy: [policyShape, 'src/policy/shape.ts'],
  mapping: [mappingShape, 'src/mapping/table.ts'],
};

for (const [name, [shape, source]] of Object.entries(schemas)) {
  const file = fileURLToPath(new URL(`../spec/${name}.schema.json`, import.meta.url));
  const schema = { $schema: 'http://json-schema.org/draft-07/schema#', title: `ruleprint ${name}`, ...schemaOf(shape) };
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`ruleprint: error: spec/${name}.schema.json is not what ${source} makes`);
    console.error('ruleprint: hint: npm run schema');
    process.exitCode = 1;
  }
}
