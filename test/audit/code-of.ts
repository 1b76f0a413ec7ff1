import { type ErrorCode, RuleprintError } from '../../src/errors.js';

/** The code of a refusal, or undefined where there is none. Another error goes on its way. */
export function codeOf(run: () => unknown): ErrorCode | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    return error.code;
  }
}
