/**
 * Tool schemas, as tool servers and model APIs write them (spec/audit-run.md, AUR-1): the answer to MCP `tools/list`, or a list of OpenAI tools.
 * @module
 */
import { quote, refuse, RuleprintError } from '../../errors.js';
import { copyPlain, freezeDeep } from '../../policy/plain.js';
import { checkName } from '../../policy/text.js';
import type { OfferedTool } from '../transcript.js';

/** A tool as a model is told of it. */
export interface ToolSchema extends OfferedTool {
  /** JSON Schema of the arguments: an object. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What a schema does not say of its tool, or says wrongly. */
export interface ToolMarks {
  readonly isMutating?: boolean;
  readonly isEgress?: boolean;
}

/** Tools of one list. */
export const maxTools = 1_000;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a list of tools. Fields that are nothing to a model (titles, icons, output schemas) are left aside.
 *
 * @param marks - by name, in place of what the schema says
 * @returns frozen, in their order
 * @throws RuleprintError `tool-schema`, `duplicate-name`, and what is wrong with a name or with the data
 * @example
 * readTools({ tools: [{ name: 'read_file', inputSchema: { type: 'object' } }] })[0].name; // 'read_file'
 */
export function readTools(source: unknown, marks: Readonly<Record<string, ToolMarks>> = {}): readonly ToolSchema[] {
  const items = itemsOf(copyPlain(source));
  if (items.length > maxTools) refuse('limit', `expected at most ${maxTools} tools, got ${items.length}`, { evidence: { limit: 'tools', max: maxTools } });
  const names = new Set<string>();
  const tools = items.map((item, i) => {
    const tool = toolOf(item, `/${i}`);
    if (names.has(tool.name)) refuse('duplicate-name', `expected each tool once, got ${quote(tool.name)} again`, { where: { pointer: `/${i}` } });
    names.add(tool.name);
    return { ...tool, ...(Object.hasOwn(marks, tool.name) && marks[tool.name]) };
  });
  const stray = Object.keys(marks).find((name) => !names.has(name));
  if (stray !== undefined) refuse('tool-schema', `expected marks of tools that are there, got ${quote(stray)}`);
  return freezeDeep(tools);
}

/** What is recorded of tools. */
export function offeredOf(tools: readonly ToolSchema[]): readonly OfferedTool[] {
  return tools.map(({ schema: _, ...offered }) => offered);
}

function itemsOf(source: unknown): readonly unknown[] {
  if (Array.isArray(source)) return source;
  // a page of tools/list, bare or inside its JSON-RPC answer
  const page = isFields(source) && isFields(source['result']) ? source['result'] : source;
  if (!isFields(page) || !Array.isArray(page['tools'])) return refuse('tool-schema', 'expected a list of tools, or an object with one as "tools"');
  // what a model is not told of, it cannot misuse: half a list is another audit
  if (page['nextCursor'] !== undefined) refuse('tool-schema', 'expected all pages of tools/list as one, got one with a "nextCursor"');
  return page['tools'];
}

function toolOf(item: unknown, at: string): ToolSchema {
  if (!isFields(item)) refuse('tool-schema', 'expected an object for a tool', { where: { pointer: at } });
  const isWrapped = item['type'] === 'function' && item['function'] !== undefined;
  const tool = isWrapped ? item['function'] : item;
  if (!isFields(tool)) refuse('tool-schema', 'expected an object as "function"', { where: { pointer: `${at}/function` } });
  const { name, description, annotations } = tool;
  if (typeof name !== 'string') refuse('tool-schema', 'expected text as the name of a tool', { where: { pointer: `${at}/name` } });
  checkNameAt(name, `${at}/name`);
  if (description !== undefined && description !== null && typeof description !== 'string') {
    refuse('tool-schema', `expected text as the description of ${quote(name)}`, { where: { pointer: `${at}/description` } });
  }
  const schema = schemaOf(tool, name, at);
  return {
    name,
    ...(typeof description === 'string' && { description }),
    ...marksOf(annotations),
    parameters: isFields(schema['properties']) ? Object.keys(schema['properties']) : [],
    schema,
  };
}

function schemaOf(tool: Fields, name: string, at: string): Fields {
  const key = tool['inputSchema'] === undefined ? 'parameters' : 'inputSchema';
  const parameters = tool[key] ?? { type: 'object', properties: {} };
  if (!isFields(parameters) || (parameters['type'] !== undefined && parameters['type'] !== 'object')) {
    refuse('tool-schema', `expected a JSON Schema of type object for the arguments of ${quote(name)}`, { where: { pointer: `${at}/${key}` } });
  }
  return parameters;
}

/** MCP: a tool changes something unless it says that it only reads, and speaks of the outer world where it says so. */
function marksOf(annotations: unknown): ToolMarks {
  if (!isFields(annotations)) return {};
  return {
    ...(annotations['readOnlyHint'] !== undefined && { isMutating: annotations['readOnlyHint'] !== true }),
    ...(annotations['openWorldHint'] !== undefined && { isEgress: annotations['openWorldHint'] === true }),
  };
}

function checkNameAt(name: string, at: string): void {
  try {
    checkName(name);
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    throw new RuleprintError({ code: error.code, message: error.message, where: { pointer: at } }, { cause: error });
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
