#!/usr/bin/env node
/**
 * The command `ruleprint`. Everything is in ./run.ts; here alone the process gets its exit code.
 * @module
 */
import { processIo } from './io.js';
import { run } from './run.js';

process.exitCode = await run(process.argv.slice(2), processIo());
