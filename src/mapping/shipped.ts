/**
 * The tables that come with the package, as data (spec/mapping.md, "Shipped tables").
 * @module
 */
import type { shippedNames } from './names.js';
import { copyMapping } from './parse.js';
import type { Mapping } from './table.js';
// biome-ignore lint/correctness/useImportExtensions: a table is a JSON file
import claude from './tables/claude.json' with { type: 'json' };
// biome-ignore lint/correctness/useImportExtensions: a table is a JSON file
import fetch from './tables/fetch.json' with { type: 'json' };
// biome-ignore lint/correctness/useImportExtensions: a table is a JSON file
import serverFilesystem from './tables/server-filesystem.json' with { type: 'json' };
// biome-ignore lint/correctness/useImportExtensions: a table is a JSON file
import shell from './tables/shell.json' with { type: 'json' };

const tables: Readonly<Record<(typeof shippedNames)[number], unknown>> = { claude, fetch, 'server-filesystem': serverFilesystem, shell };

/** By name: `claude`, `fetch`, `server-filesystem`, `shell`. */
export const shippedMappings: ReadonlyMap<string, Mapping> = /* @__PURE__ */ (() =>
  new Map(Object.entries(tables).map(([name, table]) => [name, copyMapping(table)])))();

/** One of them, without the work of the others: a hook has time for no more. */
export function shippedMapping(name: 'claude' | 'fetch' | 'server-filesystem' | 'shell'): Mapping {
  return copyMapping(tables[name]);
}

/** A table for a server by another name; its digest is another then. */
export function mappingFor(server: string, mapping: Mapping): Mapping {
  return copyMapping({ ...mapping, server });
}
