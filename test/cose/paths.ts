/**
 * Tests of signatures run twice, since the verdict must not depend on what the runtime has.
 * @module
 */
import { afterEach, beforeEach, describe } from 'vitest';
import { native } from '../../src/native.js';

/** Runs the tests of `body` with native crypto, and again without. */
export function describeBothPaths(name: string, body: () => void): void {
  describe.each(['native', 'pure'])(`${name}, %s crypto`, (path) => {
    const whole = native.crypto;
    beforeEach(() => {
      if (path === 'pure') native.crypto = undefined;
    });
    afterEach(() => {
      native.crypto = whole;
    });
    body();
  });
}

/** What `work` gives with native crypto, and what it gives without. */
export function onBothPaths<T>(work: () => T): { readonly native: T; readonly pure: T } {
  const whole = native.crypto;
  try {
    const byNative = work();
    native.crypto = undefined;
    return { native: byNative, pure: work() };
  } finally {
    native.crypto = whole;
  }
}
