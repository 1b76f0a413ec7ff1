/**
 * From a tool call to the actions that it would take (spec/mapping.md).
 * @module
 */
import type { Action } from '../policy/model.js';
import type { Call } from './call.js';
import type { Mapping } from './table.js';

/** The real path, in true case, of an absolute canonical path: links resolved for the longest part that is there. Throws where it cannot tell. */
export type Realpath = (path: string) => string;

export interface MapperOptions {
  /** The server of calls that name none; by default that of the only table. */
  readonly server?: string;
  /** Absolute: what relative paths are relative to where the call has no `cwd`. */
  readonly cwd?: string;
  /** Absolute: what `~` stands for. */
  readonly home?: string;
  /** Gives the actions on real paths, which are judged beside those on the written ones. */
  readonly realpath?: Realpath;
}

export interface Mapper {
  /** `sha256:…` of the mapping table or tables (DIG). */
  readonly digest: string;
  /**
   * The actions of a call: `actions[0]` is the tool action, the derived ones follow, without repeats, in canonical form.
   *
   * @throws RuleprintError for a call that does not fit its table; `refusalReason` says which reason its receipt has
   */
  map(call: Call): readonly Action[];
  /** The tool action alone, for the receipt of a call that is not mapped; undefined where it is not canonical. */
  toolAction(call: Call): Action | undefined;
}

/** Makes a mapper of one table, or of several for several servers. */
export function createMapper(_tables: Mapping | readonly Mapping[], _options: MapperOptions = {}): Mapper {
  throw new Error('not made yet');
}

/** The reason of the receipt of a call that `map` refused. */
export function refusalReason(_error: unknown): 'unmapped' | 'not-canonical' | 'fault' {
  throw new Error('not made yet');
}
