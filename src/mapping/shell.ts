/**
 * From shell text to actions (spec/mapping.md, "Shell text"): what is known from the text alone, and else the text as the one argument of a shell.
 * @module
 */
import { forEachChild, parse, type Command, type Redirection, type SyntaxNode, type Word } from 'unbash';
import { unlessRefused } from '../errors.js';
import type { Action, FileMethod } from '../policy/model.js';
import { canonicalHost } from '../policy/host.js';
import { canonicalPath } from '../policy/path.js';
import { type Runner, runnerOf } from './shell-runners.js';

export interface ShellOptions {
  /** Absolute: what relative files of redirections are relative to. */
  readonly cwd?: string;
}

/**
 * The actions of shell text: the argv of each simple command and the file of each redirection, in order. Where anything is not known from the text,
 * `["sh", "-c", text]` stands in front of what was recognised all the same. Never throws for what is in the text.
 *
 * @example
 * mapShell('git status && rm -rf x');
 * // [{ process: { argv: ['git', 'status'] } }, { process: { argv: ['rm', '-rf', 'x'] } }]
 */
export function mapShell(text: string, { cwd }: ShellOptions = {}): readonly Action[] {
  if (typeof text !== 'string') throw new TypeError('"text" expected shell text');
  const reading = new Reading(cwd);
  reading.script(text, 0);
  const found = reading.actions();
  const whole: Action = { process: { argv: ['sh', '-c', text] } };
  return reading.isKnown && found.length > 0 ? found : [whole, ...found];
}

/** What runs as it stands, whatever its parts are. Every other kind of node is a doubt. */
const transparent: ReadonlySet<string> = new Set([
  'Script',
  'Statement',
  'CompoundList',
  'AndOr',
  'Pipeline',
  'Negation',
  'Subshell',
  'BraceGroup',
  'If',
  'Elif',
  'While',
  'Redirected',
  'Command',
  'Redirect',
  'FileDescriptor',
  'Word',
  'Literal',
  'SingleQuoted',
  'DoubleQuoted',
]);

/** A script in a script in a script: as deep as this is read. */
const maxScripts = 8;
/** More are refused anyway, and a text can hold very many. */
const maxFound = 1_000;

/** Files of redirections wait until it is known whether a command changes the folder. */
type Found = Action | { readonly file: string; readonly methods: readonly FileMethod[] };

class Reading {
  isKnown = true;
  readonly #cwd: string | undefined;
  readonly #found: Found[] = [];
  #staysInFolder = true;

  constructor(cwd: string | undefined) {
    this.#cwd = cwd;
  }

  /** Reads a text to its end. Control characters and a first line with an interpreter are doubts of their own. */
  script(text: string, depth: number): void {
    if (depth > 0 || /[^\P{Cc}\n\t]|^#!/u.test(text) || !text.isWellFormed()) this.isKnown = false;
    if (depth > maxScripts) return;
    let root: SyntaxNode;
    try {
      root = parse(text);
    } catch {
      this.isKnown = false; // whatever a parser throws: the text is not known
      return;
    }
    this.#walk(root, depth);
  }

  actions(): readonly Action[] {
    return this.#found.flatMap((found) => ('file' in found ? this.#fileActions(found) : [found]));
  }

  /** Without calling itself: whoever writes the text chooses how deep it is. */
  #walk(root: SyntaxNode, depth: number): void {
    const open: SyntaxNode[] = [root];
    try {
      for (let node = open.pop(); node !== undefined; node = open.pop()) {
        this.#visit(node, depth);
        const children: SyntaxNode[] = [];
        forEachChild(node, (child) => void children.push(child));
        open.push(...children.reverse());
      }
    } catch {
      this.isKnown = false; // parts are parsed when they are visited, and a parser may fail there too
    }
  }

  #visit(node: SyntaxNode, depth: number): void {
    if (!transparent.has(node.type)) this.isKnown = false;
    if (node.type === 'Script' && node.errors !== undefined && node.errors.length > 0) this.isKnown = false;
    if (node.type === 'Word' && !isStatic(node)) this.isKnown = false;
    if (node.type === 'Command') this.#command(node, depth);
    if (node.type === 'Redirect') this.#redirect(node);
    // where a shell knows no arithmetic, two brackets are two subshells
    if (node.type === 'ArithmeticCommand') this.script(node.body, depth + 1);
  }

  #command(command: Command, depth: number): void {
    const { name, args } = command;
    if (name !== undefined) this.#runs([name.value, ...args.map(wordOf)], isSpelledOut(name), depth);
    for (const { argv, isNamed } of otherCommands(command)) {
      this.isKnown = false;
      if (argv.length > 0) this.#runs(argv, isNamed, depth);
    }
  }

  /** A command of which perhaps not even the name is known: then it may be anything that runs its arguments. */
  #runs(argv: readonly string[], isNamed: boolean, depth: number): void {
    const [name = '', ...args] = argv;
    if (isNamed) this.#put({ process: { argv } });
    const runner: Runner | undefined = isNamed ? runnerOf(name, args) : { changesFolder: true, runs: true };
    if (runner === undefined) return;
    if (runner.changesFolder) this.#staysInFolder = false;
    if (runner.runs !== true && runner.scripts === undefined && runner.isDoubt !== true) return;
    this.isKnown = false;
    for (const script of runner.scripts ?? []) this.script(script, depth + 1);
    if (runner.runs !== true || depth >= maxScripts) return;
    // where the options of the runner end is not known: what stands behind each of them may be what runs
    args.forEach((arg, i) => {
      if (!/^-|^\w+=/.test(arg)) this.#runsBehind(args.slice(i), depth + 1);
    });
  }

  #runsBehind(argv: readonly string[], depth: number): void {
    this.#put({ process: { argv } });
    const [name = '', ...args] = argv;
    for (const script of runnerOf(name, args)?.scripts ?? []) this.script(script, depth);
  }

  #redirect({ operator, target }: Extract<Redirection, { type: 'Redirect' }>): void {
    // `>! file` writes to `file` in zsh, and to `!` in bash
    if (target === undefined || !isStatic(target) || target.text.startsWith('!')) {
      this.isKnown = false;
      return;
    }
    const file = target.value;
    const isCopy = isCopying(operator);
    if (isCopy && /^(?:\d+|-)$/.test(file)) return;
    if (operator === '<&' || (isCopy && /^(?:\d+-$|-)/.test(file))) {
      this.isKnown = false;
      return;
    }
    const methods: readonly FileMethod[] = operator === '<' ? ['read'] : operator === '<>' ? ['read', 'write'] : ['write'];
    this.#put({ file, methods });
    const [, host, port] = /^\/+dev\/+(?:tcp|udp)\/([^/]+)\/(\d{1,5})$/.exec(file) ?? [];
    if (host !== undefined && port !== undefined) this.#connection(host, Number(port));
  }

  /** What bash makes of `/dev/tcp/host/port`. */
  #connection(host: string, port: number): void {
    this.isKnown = false;
    const name = unlessRefused(undefined, () => canonicalHost(host));
    if (name !== undefined && port >= 1 && port <= 65_535) this.#put({ network: { host: name, port } });
  }

  #fileActions({ file, methods }: Extract<Found, { file: string }>): readonly Action[] {
    const base = file.startsWith('/') ? '' : this.#staysInFolder ? this.#cwd : undefined;
    // only the shell knows the links that a `..` steps out of
    const path =
      base === undefined || file === '' ? undefined : unlessRefused(undefined, () => canonicalPath(base === '' ? file : `${base === '/' ? '' : base}/${file}`));
    if (path === undefined) {
      this.isKnown = false;
      return [];
    }
    return methods.map((method) => ({ filesystem: { path, method } }));
  }

  #put(found: Found): void {
    if (this.#found.length < maxFound) this.#found.push(found);
  }
}

function isCopying(operator: Redirection['operator']): boolean {
  return operator === '>&' || operator === '<&';
}

type Part = Command['args'][number];

function wordOf(part: Part): string {
  return part.type === 'Word' ? part.value : part.text;
}

/**
 * The commands that some shell finds where the parser found one; none where all find that one. sh ends a command in front of `&>`, and begins another
 * behind the file; bash ends the operator of `>&-` at the dash, and what is joined to it is a word.
 */
function otherCommands({ prefix, name, suffix }: Command): readonly { readonly argv: readonly string[]; readonly isNamed: boolean }[] {
  let last: { argv: string[]; isNamed: boolean } = { argv: [], isNamed: false };
  const commands = [last];
  let isOther = false;
  const put = (word: string, isName: boolean): void => {
    if (last.argv.length === 0) last.isNamed = isName;
    isOther ||= commands.length > 1;
    last.argv.push(word);
  };
  for (const part of [...prefix, ...(name === undefined ? [] : [name]), ...suffix]) {
    if (part.type === 'Word' || part.type === 'Assignment') put(wordOf(part), part.type === 'Word' && isSpelledOut(part));
    if (part.type !== 'Redirect') continue;
    const { operator, target } = part;
    if (operator === '&>' || operator === '&>>') {
      last = { argv: [], isNamed: false };
      commands.push(last);
    } else if (isCopying(operator) && target !== undefined && /^-./s.test(target.value)) {
      put(target.value.slice(1), isSpelledOut(target));
      isOther = true;
    }
  }
  return isOther ? commands : [];
}

/** Whether a word is itself: nothing in it is expanded, by any shell that may read it. */
function isStatic({ text, parts }: Word): boolean {
  // a tilde is a folder, also behind `=` and `:`; `=name` is a path in zsh
  if (/(?:^|[=:])~|^=/.test(text.replaceAll('\\\n', '')) || continuesDollar.test(text)) return false;
  return (parts ?? []).every(
    (part) =>
      part.type === 'Literal' || part.type === 'SingleQuoted' || (part.type === 'DoubleQuoted' && part.parts.every((child) => child.type === 'Literal')),
  );
}

/** Whether the name of a command can be read, by bash at least: other shells read some quotes as something else, so the text may still be a doubt. */
function isSpelledOut({ text, parts }: Word): boolean {
  if (continuesDollar.test(text)) return false;
  return (parts ?? []).every(
    (part) => readable.has(part.type) && (!('parts' in part) || (part.parts as readonly { type: string }[]).every((child) => child.type === 'Literal')),
  );
}

/** A shell takes out a backslash and the line feed behind it before it looks for what a dollar sign begins; the parser looks first. */
const continuesDollar = /\$\\\n/;

const readable: ReadonlySet<string> = new Set(['Literal', 'SingleQuoted', 'DoubleQuoted', 'AnsiCQuoted', 'LocaleString']);
