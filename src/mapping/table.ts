/**
 * What a mapping table is (spec/mapping.md): plain readonly data, named as on the wire.
 * @module
 */

/** The format of this version; a table of another is refused. */
export const mappingFormat = 'ruleprint-mapping/1';

/** Which arguments of the tools of one server become which actions. */
export interface Mapping {
  readonly format: typeof mappingFormat;
  /** Whose tools these are; absent: those of every server that no other table names. */
  readonly server?: string;
  readonly tools: Readonly<Record<string, unknown>>;
}
