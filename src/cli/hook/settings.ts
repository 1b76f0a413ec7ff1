/**
 * What `ruleprint hook claude` is told, and the short way to read it: a hook runs before every call of a tool, so it does not wait for the reader of
 * command lines where the words are plain.
 * @module
 */

export interface HookSettings {
  readonly policy?: string;
  readonly format?: string;
  readonly ledger?: string;
  readonly key?: string;
  readonly engineId?: string;
  readonly trust?: string;
  readonly agent?: string;
  readonly mapping?: readonly string[];
  readonly observe: boolean;
  readonly realpath: boolean;
  readonly resolve: boolean;
}

const valued = new Map<string, 'policy' | 'ledger' | 'key' | 'engineId' | 'trust' | 'agent'>([
  ['--policy', 'policy'],
  ['--ledger', 'ledger'],
  ['--key', 'key'],
  ['--engine-id', 'engineId'],
  ['--trust', 'trust'],
  ['--agent', 'agent'],
]);
const flags = new Map<string, 'observe' | 'realpath' | 'resolve'>([
  ['--observe', 'observe'],
  ['--realpath', 'realpath'],
  ['--resolve', 'resolve'],
]);

/** The settings, where every word is an option with its value and stands once; undefined where that is for the reader of command lines to judge. */
export function plainSettings(words: readonly string[]): HookSettings | undefined {
  const settings: { -readonly [K in keyof HookSettings]: HookSettings[K] } = { observe: false, realpath: false, resolve: false };
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as string;
    const flag = flags.get(word);
    const option = valued.get(word);
    if (flag !== undefined && !settings[flag]) settings[flag] = true;
    else if (option !== undefined && settings[option] === undefined) {
      const value = words[++i];
      if (value === undefined || value === '' || value.startsWith('-')) return undefined;
      settings[option] = value;
    } else return undefined;
  }
  return settings;
}
