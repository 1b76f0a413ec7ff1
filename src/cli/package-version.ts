/**
 * Which version of the package this is.
 * @module
 */
import { readFileSync } from 'node:fs';

/** The version of the package that this file is in, wherever the build has put the file. */
export function packageVersion(): string {
  for (let folder = new URL('./', import.meta.url); ; folder = new URL('../', folder)) {
    const found = manifestIn(folder);
    if (found?.name === 'ruleprint') return found.version;
    if (folder.pathname === '/') return 'unknown';
  }
}

function manifestIn(folder: URL): { name: string; version: string } | undefined {
  try {
    return JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as { name: string; version: string };
  } catch {
    return undefined; // none in this folder
  }
}
