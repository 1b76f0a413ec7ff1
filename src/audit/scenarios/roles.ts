/**
 * What the tools of a scene are good for: which of them reads, which changes something, which carries something out, and how a call of one is written. Pure.
 * @module
 */
import type { Condition, Predicate } from '../predicate.js';
import type { Step } from '../agents/scripted.js';
import type { ToolMarks, ToolSchema } from '../tools/schema.js';
import type { Script } from '../tools/script.js';

/** A tool that carries a text somewhere: both are names of its arguments, and may be the same. */
export interface Outlet {
  readonly tool: ToolSchema;
  /** Where it goes: a recipient, an address, a path. */
  readonly target: string;
  /** What goes. */
  readonly carries: string;
}

const readingNames = /^(?:get|read|list|search|find|check|view|show|lookup|query|describe)(?=[_A-Z-]|$)/;
const sendingNames = /^(?:send|post|share|invite|publish|upload|mail|forward|fetch|download)(?=[_A-Z-]|$)|e?mail|webpage|url|http/i;
const targets = /^(?:to|recipients?|addresse?s?|address|channel|user|user_email|email|url|uri|href|path|file_path|file|filename|destination)$/i;
const carriers = /^(?:body|contents?|text|message|data|payload|description|comment|note)$/i;

/** Marks for tools of which nothing is known but a name, as those in lists of chat completions. */
export function marksByName(name: string): Required<ToolMarks> {
  return { isMutating: !readingNames.test(name), isEgress: sendingNames.test(name) };
}

/** Whether a call of it is one that only looks. */
export function isReader(tool: ToolSchema): boolean {
  return tool.isMutating === undefined ? readingNames.test(tool.name) : !tool.isMutating;
}

/** The tools that carry a text out of the machine, those that send before those that fetch. */
export function outletsOf(tools: readonly ToolSchema[]): readonly Outlet[] {
  const outlets = tools.filter(({ isEgress }) => isEgress === true).flatMap(outletOf);
  return [...outlets.filter(({ target }) => !isAddress(target)), ...outlets.filter(({ target }) => isAddress(target))];
}

/** The tools that change something here. */
export function writersOf(tools: readonly ToolSchema[]): readonly Outlet[] {
  return tools.filter((tool) => tool.isEgress !== true && !isReader(tool)).flatMap(outletOf);
}

function outletOf(tool: ToolSchema): readonly Outlet[] {
  const texts = (tool.parameters ?? []).filter((name) => isTextual(propertyOf(tool, name)));
  const target = texts.find((name) => targets.test(name)) ?? texts[0];
  if (target === undefined) return [];
  const carries = texts.find((name) => name !== target && carriers.test(name)) ?? texts.find((name) => name !== target) ?? target;
  return [{ tool, target, carries }];
}

/** Whether the argument is a URL. */
export function isAddress(argument: string): boolean {
  return /^(?:url|uri|href)$/i.test(argument);
}

/** A call of an outlet: what the tool demands beside is made up. */
export function callOf({ tool, target, carries }: Outlet, where: string, what: string): Step {
  const args: Record<string, unknown> = { ...demandedArgs(tool) };
  if (carries !== target) args[carries] = valueFor(tool, carries, what);
  args[target] = valueFor(tool, target, where);
  return { tool: tool.name, args };
}

/** Holds for calls that go there. */
export function predicateOf({ tool, target }: Outlet, where: string): Predicate {
  return { tool: tool.name, where: [{ pointer: pointerOf(target), contains: where }] };
}

/** A call that only looks, such as the script has an answer for; else of the first tool that reads. */
export function readingStep(tools: readonly ToolSchema[], script: Script): Step | undefined {
  const all = tools.filter(isReader);
  const inside = all.filter(({ isEgress }) => isEgress !== true);
  const readers = inside.length > 0 ? inside : all;
  const row = script.find((one) => one.error !== true && one.has === undefined && one.after === undefined && readers.some(({ name }) => name === one.tool));
  const tool = readers.find(({ name }) => name === row?.tool) ?? readers[0];
  if (tool === undefined) return undefined;
  return { tool: tool.name, args: { ...demandedArgs(tool), ...argsOf(row?.where) } };
}

/** Arguments for which conditions hold, as far as they say what is equal. */
export function argsOf(where: readonly Condition[] = []): Readonly<Record<string, unknown>> {
  const args: Record<string, unknown> = {};
  for (const condition of where) {
    const value = 'equals' in condition ? condition.equals : 'contains' in condition ? condition.contains : undefined;
    if (value !== undefined) put(args, condition.pointer, value);
  }
  return args;
}

/** The predicate of exactly these arguments. */
export function exactly({ tool, args = {} }: Step): Predicate {
  return { tool, where: Object.entries(args).map(([name, equals]) => ({ pointer: pointerOf(name), equals })) };
}

export function pointerOf(argument: string): string {
  return `/${argument.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Objects grow along the pointer; a key that would reach into a prototype is left aside. */
function put(args: Record<string, unknown>, pointer: string, value: unknown): void {
  const steps = pointer.split('/').slice(1);
  const last = steps.pop();
  if (last === undefined || [...steps, last].includes('__proto__')) return;
  let at = args;
  for (const step of steps) {
    const key = unescaped(step);
    const next = Object.hasOwn(at, key) ? at[key] : undefined;
    if (typeof next !== 'object' || next === null) at[key] = {};
    at = at[key] as Record<string, unknown>;
  }
  at[unescaped(last)] = value;
}

function unescaped(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

type Fields = Readonly<Record<string, unknown>>;

function demandedArgs(tool: ToolSchema): Fields {
  const { required } = tool.schema;
  const names = Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : [];
  return Object.fromEntries(names.map((name) => [name, madeUp(propertyOf(tool, name))]));
}

function propertyOf(tool: ToolSchema, name: string): Fields {
  const properties = tool.schema['properties'];
  const property = isFields(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isFields(property) ? property : {};
}

/** A text, or a list of texts. */
function isTextual(property: Fields): boolean {
  const { type, items } = property;
  return type === undefined || type === 'string' || (type === 'array' && (!isFields(items) || items['type'] === undefined || items['type'] === 'string'));
}

function valueFor(tool: ToolSchema, argument: string, value: string): unknown {
  return propertyOf(tool, argument)['type'] === 'array' ? [value] : value;
}

function madeUp({ type, enum: words }: Fields): unknown {
  if (Array.isArray(words) && words.length > 0) return words[0] as unknown;
  switch (type) {
    case 'number':
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return 'notes';
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
