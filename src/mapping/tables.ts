// biome-ignore-all lint/correctness/useImportExtensions: the tables are JSON files, and no build writes .js beside them
/**
 * The tables that come with the package, as data (spec/mapping.md, "Shipped tables").
 * @module
 */
import { copyMapping } from './parse.js';
import type { Mapping } from './table.js';
import claude from './tables/claude.json' with { type: 'json' };
import fetch from './tables/fetch.json' with { type: 'json' };
import serverFilesystem from './tables/server-filesystem.json' with { type: 'json' };
import shell from './tables/shell.json' with { type: 'json' };

const tables: Readonly<Record<string, unknown>> = { claude, fetch, 'server-filesystem': serverFilesystem, shell };

/** `claude`, `fetch`, `server-filesystem`, `shell`. */
export const shippedMappings: readonly string[] = Object.keys(tables);

/**
 * A table that comes with the package.
 *
 * @throws RangeError for a name that is none of `shippedMappings`
 */
export function shippedMapping(name: string): Mapping {
  if (!Object.hasOwn(tables, name)) throw new RangeError(`"name" expected one of ${shippedMappings.join(', ')}, got ${name}`);
  return copyMapping(tables[name]);
}

/** A table for a server by another name; its digest is another then. */
export function mappingFor(server: string, mapping: Mapping): Mapping {
  return copyMapping({ ...mapping, server });
}
