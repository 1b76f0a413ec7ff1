/**
 * A tool call as a runtime hands it over (spec/mapping.md).
 * @module
 */

/** One call of one tool. The arguments are the agent's: plain JSON data, read once. */
export interface Call {
  readonly tool: string;
  /** The tool server; by default that of the mapper. */
  readonly server?: string;
  /** The raw arguments; absent is `{}`. */
  readonly args?: unknown;
  readonly callId?: string;
  readonly agent?: string;
  /** Absolute: what relative paths are relative to. */
  readonly cwd?: string;
}
