#!/usr/bin/env node
/**
 * The command `ruleprint`. Everything is in ./run.ts; here alone the process gets its exit code. The same module is run by the threads that a
 * command begins, so that the package has one file to find.
 * @module
 */
import { isMainThread } from 'node:worker_threads';
import { processIo } from './io.js';

if (isMainThread) {
  const { run } = await import('./run.js');
  process.exitCode = await run(process.argv.slice(2), processIo(import.meta.url));
} else {
  const { work } = await import('./signature-thread.js');
  work();
}
