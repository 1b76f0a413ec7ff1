/**
 * Mapping tables and raw calls from files: what the axis *mapping* is answered from (MAP-19).
 * @module
 */
import { type Problem, refuse, RuleprintError } from '../errors.js';
import { limits } from '../limits.js';
import { parseArgumentLines } from '../mapping/arguments.js';
import { createMapper, type Mapper, type MapperOptions } from '../mapping/mapper.js';
import { parseMapping } from '../mapping/parse.js';
import { shippedMappings } from '../mapping/shipped.js';
import type { Mapping } from '../mapping/table.js';
import { isHashText } from '../hash.js';
import { canonicalPath } from '../policy/path.js';
import { checkName, checkText } from '../policy/text.js';
import type { RawCall } from '../receipt/re-map.js';
import { checkShape, object, pointer, text } from '../shape.js';
import { fileName, maxDocumentBytes, readBytes } from './files.js';
import type { Io } from './io.js';

/** A table by its file, or by the name of one that ships. */
export async function readMapping(io: Io, file: string): Promise<Mapping> {
  return shippedMappings.get(file) ?? parseMapping(await readBytes(io, file, maxDocumentBytes), { file: fileName(file) });
}

/** A mapper of each table, and one of all of them: a receipt cites the one or the other (DIG-12). */
export async function readMappers(io: Io, files: readonly string[], home: string | undefined): Promise<readonly Mapper[]> {
  const tables: Mapping[] = [];
  for (const file of files) tables.push(await readMapping(io, file));
  const hasShell = tables.some(({ tools }) => Object.values(tools).some(({ actions }) => actions.some((row) => 'shell' in row)));
  const options: MapperOptions = {
    ...(home !== undefined && { home }),
    ...(hasShell && { shell: (await import('../mapping/shell.js')).mapShell }),
  };
  const servers = new Set(tables.map(({ server }) => server));
  const together = tables.length > 1 && servers.size === tables.length ? [createMapper(tables, options)] : [];
  return [...tables.map((table) => createMapper(table, options)), ...together];
}

const hash = text('a hash', (value) => (isHashText(value) ? undefined : refuse('bad-value', 'expected "sha256:" and 64 hex digits')));
const callShape = object(
  'a call',
  { tool: text('a name', checkName) },
  {
    server: text('a name', checkName),
    args: { kind: 'any' },
    salt: text('text', (value) => void checkText(value, limits.requestStringBytes)),
    cwd: text('an absolute path', (value) => void canonicalPath(value)),
    call_id: text('a name', checkName),
    args_digest: hash,
    receipt: hash,
  },
);

/** The calls of a file of JSON lines. */
export async function readCalls(io: Io, file: string): Promise<readonly RawCall[]> {
  const inFile = (problem: Problem, line?: number): Problem => ({
    ...problem,
    where: { file: fileName(file), ...problem.where, ...(line !== undefined && { line, column: 1 }) },
  });
  try {
    return parseArgumentLines(await readBytes(io, file)).map(({ line, value }) => {
      const problems: Problem[] = [];
      checkShape(callShape, value, (problem, path) => problems.push(inFile({ ...problem, where: { pointer: pointer(path) } }, line)));
      const [first, ...rest] = problems;
      if (first !== undefined) throw new RuleprintError([first, ...rest]);
      return callOf(value);
    });
  } catch (error) {
    if (!(error instanceof RuleprintError) || error.where.file !== undefined) throw error;
    throw new RuleprintError(inFile(error.problems[0]), { cause: error });
  }
}

function callOf({ call_id: callId, args_digest: argsDigest, ...rest }: Readonly<Record<string, unknown>>): RawCall {
  return { ...rest, ...(callId !== undefined && { callId }), ...(argsDigest !== undefined && { argsDigest }) } as unknown as RawCall;
}
