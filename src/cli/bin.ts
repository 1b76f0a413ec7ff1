#!/usr/bin/env node
/**
 * Where the command `ruleprint` begins. A hook runs before every call of a tool: for it nothing is loaded but what it needs. Built as CommonJS,
 * which Node begins with sooner.
 * @module
 */
const words = process.argv.slice(2);
const obey = async (): Promise<number> => {
  await import('./main.js');
  return Number(process.exitCode ?? 0);
};

if (words[0] !== 'hook') void obey();
else {
  try {
    (require('./hook/main.js') as typeof import('./hook/main.js')).hook(words.slice(1), obey);
  } catch (error) {
    // whoever waits for a hook takes every code but 2 for leave to go ahead (GAT-18)
    process.stderr.write(`ruleprint: error: the call is not judged: ${String((error as { code?: unknown }).code)}\n`);
    process.exitCode = 2;
  }
}
