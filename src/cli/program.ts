/**
 * The command line, read by commander: the one file that knows it.
 * @module
 */
import { Command as Program, CommanderError, InvalidArgumentError, Option } from 'commander';
import { type Command, type CommandEntry, type CommandGroup, type CommandOption, Input } from './command.js';
import { printable } from './printable.js';

/** What the command line asks for: a command, or only text (help, the version, or why it makes no sense). */
export type Asked =
  | { readonly kind: 'command'; readonly command: Command; readonly input: Input }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'usage'; readonly message: string; readonly hint: string }
  | { readonly kind: 'nothing'; readonly help: string };

const exitCodes = `
Exit codes:
  0  good
  1  verified as bad, or asked and not checkable; an invalid policy in check, a bad request in decide, rules that differ in diff
  2  wrong usage
  3  a file that cannot be read or written

Results go to stdout, everything else to stderr. A file name of - is stdin.`;

/** Reads the command line. Loads the one command that it names, and no other. */
export async function readCommandLine(
  argv: readonly string[],
  entries: readonly (CommandEntry | CommandGroup)[],
  version: string,
  columns: number,
): Promise<Asked> {
  // `help check` is `check --help`
  const given = argv[0] !== 'help' ? argv : [...argv.slice(1), ...(argv.length === 1 || named(entries, argv.slice(1)) ? ['--help'] : [])];
  const found = named(entries, beforeDashes(given));
  const command = await found?.entry?.load();
  // another command line is cut off before anything reads it: its --help is not ours
  const words = command?.trailing === undefined ? given : beforeDashes(given);
  const trailing = words.length === given.length ? undefined : given.slice(words.length + 1);

  let printed = '';
  let refused = '';
  let asked: Asked | undefined;
  const screen = {
    writeOut: (text: string) => {
      printed += text;
    },
    writeErr: () => undefined,
    outputError: (text: string) => {
      refused = text;
    },
    getOutHelpWidth: () => columns,
  };
  const quiet = (program: Program): Program => program.exitOverride().configureOutput(screen).helpOption('-h, --help', 'print this help').helpCommand(false);
  const addTo = (program: Program, { name, summary }: CommandEntry | CommandGroup): Program => quiet(program.command(name).description(summary));
  const addCommand = (program: Program, entry: CommandEntry): void => {
    const sub = addTo(program, entry);
    if (command === undefined || entry !== found?.entry) return;
    describe(sub, command).action(() => {
      const input = new Input(sub.args, byWrittenName(sub), trailing);
      // not left to commander, which would say it before it names an option that is misspelt
      const missing = command.options.find(({ isRequired, syntax }) => isRequired && !input.has(nameOf(syntax)));
      if (missing !== undefined) sub.error(`error: required option '${missing.syntax}' not specified`);
      asked = { kind: 'command', command, input };
    });
  };

  const program = quiet(new Program('ruleprint'));
  program.description('Decide what an agent may do by rules, and sign each decision into a receipt that anyone can check again offline, rules included.');
  program.version(version, '--version', 'print the version').addHelpText('after', exitCodes);
  let group: Program | undefined;
  for (const entry of entries) {
    if (!('commands' in entry)) addCommand(program, entry);
    else {
      const sub = addTo(program, entry);
      for (const each of entry.commands) addCommand(sub, each);
      if (entry === found?.group) group = sub;
    }
  }
  // a group is no command: its help says which ones it has
  if (words.length === 0 || (group !== undefined && words.length === 1))
    return { kind: 'nothing', help: group?.helpInformation() ?? program.helpInformation() + exitCodes };
  try {
    program.parse([...words], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'text', text: printed };
    return { kind: 'usage', ...usageOf(refused === '' ? error.message : refused, found?.name, command) };
  }
  return asked ?? { kind: 'nothing', help: program.helpInformation() + exitCodes };
}

interface Named {
  /** As it is typed. */
  readonly name: string;
  readonly group?: CommandGroup;
  readonly entry?: CommandEntry;
}

/** What the words name. Neither ruleprint nor a group has an option with a value, so the first words without dashes are the command. */
function named(entries: readonly (CommandEntry | CommandGroup)[], words: readonly string[]): Named | undefined {
  const [first, second] = words.filter((word) => !word.startsWith('-'));
  const row = entries.find(({ name }) => name === first);
  if (row === undefined) return undefined;
  if (!('commands' in row)) return { name: row.name, entry: row };
  const entry = row.commands.find(({ name }) => name === second);
  return { group: row, name: entry === undefined ? row.name : `${row.name} ${entry.name}`, ...(entry && { entry }) };
}

/** The words up to the first `--`. */
function beforeDashes(words: readonly string[]): readonly string[] {
  const at = words.indexOf('--');
  return at < 0 ? words : words.slice(0, at);
}

function describe(program: Program, command: Command): Program {
  for (const { syntax, about } of command.arguments) program.argument(syntax, about);
  const { trailing } = command;
  if (trailing !== undefined) {
    const operands = command.arguments.map(({ syntax }) => ` ${syntax}`).join('');
    program.usage(`[options]${operands} -- ${trailing.syntax}`).addHelpText('after', `\nBehind --:\n  ${trailing.syntax}  ${trailing.about}`);
  }
  const json = { syntax: '--json', about: command.jsonOption ?? 'print the result as one JSON object' };
  for (const option of [...command.options, json]) program.addOption(optionOf(option));
  const examples = command.examples.map((example) => `  $ ${example}`).join('\n');
  const details = command.details === undefined ? '' : `\n${command.details}\n`;
  return program.addHelpText('after', `${details}\nWith --json:\n  ${command.json.replaceAll('\n', '\n  ')}\n\nExamples:\n${examples}`);
}

function optionOf({ syntax, about, isRequired, choices }: CommandOption): Option {
  const option = new Option(syntax, isRequired ? `${about} (required)` : about);
  if (choices !== undefined) option.choices([...choices]);
  // the last of two would win in silence
  if (!option.variadic && syntax.includes('<')) option.argParser(once(choices));
  return option;
}

function once(choices: readonly string[] | undefined): (value: string, previous: string | undefined) => string {
  return (value, previous) => {
    if (previous !== undefined) throw new InvalidArgumentError('It is given twice.');
    if (choices?.includes(value) === false) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    return value;
  };
}

/** `--policy <file>` is `policy`. */
function nameOf(syntax: string): string {
  return /^--([\w-]+)/.exec(syntax)?.[1] ?? syntax;
}

/** Options by the names that they have on the command line. */
function byWrittenName(program: Program): Record<string, unknown> {
  return Object.fromEntries(program.options.map((option) => [option.name(), program.getOptionValue(option.attributeName())]));
}

/** A message of commander in our form: one line, lower case, no period, what the user typed escaped. */
function usageOf(raw: string, name: string | undefined, command: Command | undefined): { message: string; hint: string } {
  const text = raw.trim().replace(/^error: /, '');
  const [, similar] = /\n\(Did you mean (?:one of )?(.+)\?\)$/.exec(text) ?? [];
  const message = text
    .replace(/\n\(Did you mean .+\?\)$/, '')
    .replace(/\. (?=[A-Z])/g, ': ')
    .replace(/\.$/, '');
  const help = `see ruleprint ${name === undefined ? '' : `${name} `}--help`;
  const sentence = printable(message).replace(/: (It|Allowed|Expected)\b/g, (start) => start.toLowerCase());
  if (similar !== undefined) return { message: sentence, hint: `did you mean ${printable(similar)}? ${help}` };
  const mayHaveSwallowed = (sign: string): boolean =>
    message.startsWith('missing required argument') && command?.options.some(({ syntax }) => syntax.includes(sign)) === true;
  if (mayHaveSwallowed('...')) return { message: sentence, hint: `files go before an option that takes several values; ${help}` };
  if (mayHaveSwallowed('[')) return { message: sentence, hint: `it goes before an option whose value may be left off; ${help}` };
  return { message: sentence, hint: help };
}
