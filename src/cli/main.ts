/**
 * The command `ruleprint` but for its hooks. Everything is in ./run.ts; here alone the process gets its exit code. The same module is run by the
 * threads that a command begins, so that the package has one file to find.
 * @module
 */
import { isMainThread } from 'node:worker_threads';
import { processIo } from './io.js';

if (isMainThread) {
  const { run } = await import('./run.js');
  const words = process.argv.slice(2);
  const code = await run(words, processIo(import.meta.url));
  // who runs a hook takes every other code for leave to go ahead (GAT-18)
  process.exitCode = words[0] === 'hook' && code !== 0 ? 2 : code;
} else {
  const { work } = await import('./signature-thread.js');
  work();
}
