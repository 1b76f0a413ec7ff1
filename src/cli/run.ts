/**
 * One run of the command line, from its words to its exit code.
 * @module
 */
import { RuleprintError } from '../errors.js';
import { commands } from './commands.js';
import { Failure, systemReason } from './failure.js';
import { exit, type ExitCode, type Io } from './io.js';
import { Output } from './output.js';
import { packageVersion } from './package-version.js';
import { printable } from './printable.js';
import { problemLines } from './problem-lines.js';
import { readCommandLine } from './program.js';

/**
 * Runs a command. Writes to the streams of `io` alone, never ends the process, never rejects.
 *
 * @param argv the words after the name of the program
 */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  const out = new Output(io);
  let code: ExitCode;
  try {
    code = await obey(argv, io, out);
    await out.flush();
  } catch (error) {
    code = tell(error, out);
  }
  // where stderr itself is gone there is nobody left to tell
  await out.flush().catch(() => undefined);
  return code;
}

async function obey(argv: readonly string[], io: Io, out: Output): Promise<ExitCode> {
  const asked = await readCommandLine(argv, commands, packageVersion(), Math.min(io.stdout.columns ?? 100, 120));
  switch (asked.kind) {
    case 'command':
      return asked.command.run({ io, out, input: asked.input });
    case 'text':
      out.raw(asked.text);
      return exit.good;
    case 'nothing':
      out.aside(asked.help);
      return exit.usage;
    case 'usage':
      out.error(asked.message);
      out.hint(asked.hint);
      return exit.usage;
  }
}

/** Says on stderr why there is no result. */
function tell(error: unknown, out: Output): ExitCode {
  if (error instanceof Failure) {
    out.error(error.message);
    if (error.hint !== undefined) out.hint(error.hint);
    return error.exitCode;
  }
  if (error instanceof RuleprintError) {
    // input that a command needs and that is refused: a policy, a key, a trust store
    for (const problem of error.problems) {
      const { text, hint } = problemLines(problem);
      out.error(text);
      if (hint !== undefined) out.hint(hint);
    }
    return exit.unreadable;
  }
  const { syscall, path = '' } = error as NodeJS.ErrnoException;
  if (syscall !== undefined) {
    out.error(`${printable(`${syscall} ${path}`).trim()}: ${systemReason(error)}`);
    return exit.unreadable;
  }
  out.error(`unexpected: ${printable(error instanceof Error ? (error.stack ?? error.message) : String(error)).replaceAll('\\u000a', '\n')}`);
  out.hint('this is a defect of ruleprint: please report it with the lines above');
  return exit.unreadable;
}
