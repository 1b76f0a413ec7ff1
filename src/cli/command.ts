/**
 * What a command is: its words as plain data, and the function that does it.
 * @module
 */
import type { ExitCode, Io } from './io.js';
import type { Output } from './output.js';

export interface CommandArgument {
  /** `<file>`, `[file]` or `<file...>`. */
  readonly syntax: string;
  readonly about: string;
}

export interface CommandOption {
  /** `--policy <file>`, `--trace`, `--policies <path...>`. */
  readonly syntax: string;
  readonly about: string;
  readonly isRequired?: boolean;
  readonly choices?: readonly string[];
}

export interface Command {
  readonly arguments: readonly CommandArgument[];
  readonly options: readonly CommandOption[];
  /** What it takes behind `--`: words of another command line, none of them read here. */
  readonly trailing?: CommandArgument;
  /** What it does beyond its summary: lines for its help. */
  readonly details?: string;
  /** The shape of what `--json` prints. */
  readonly json: string;
  /** What `--json` does, where it is not "print the result as one JSON object". */
  readonly jsonOption?: string;
  readonly examples: readonly string[];
  readonly run: (context: Context) => Promise<ExitCode>;
}

/** A row of the list of commands; the rest is loaded when it is wanted, so that no command waits for the others' imports. */
export interface CommandEntry {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<Command>;
}

/** A row that stands for several commands, each called by two words. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly CommandEntry[];
}

export interface Context {
  readonly io: Io;
  readonly out: Output;
  readonly input: Input;
}

/** The command line, read. Options are named without their dashes. */
export class Input {
  readonly arguments: readonly string[];
  /** What stands behind `--`; undefined where there is no `--`, or the command takes none. */
  readonly trailing: readonly string[] | undefined;
  readonly #options: Readonly<Record<string, unknown>>;

  constructor(positional: readonly string[], options: Readonly<Record<string, unknown>>, trailing?: readonly string[]) {
    this.arguments = positional;
    this.trailing = trailing;
    this.#options = options;
  }

  /** Whether an option was given, with or without a value. */
  has(name: string): boolean {
    return this.#options[name] !== undefined;
  }

  /** The value of an option, or undefined where it is not given or has none. */
  value(name: string): string | undefined {
    const value = this.#options[name];
    return typeof value === 'string' ? value : undefined;
  }

  /** All values of an option that takes several, or undefined where it is not given. */
  values(name: string): readonly string[] | undefined {
    return this.#options[name] as readonly string[] | undefined;
  }
}
