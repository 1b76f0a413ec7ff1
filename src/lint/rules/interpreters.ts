/**
 * Allow rules for programs that run what they are told to.
 * @module
 */
import type { CompiledPattern } from '../../decide/covers.js';
import { area, lintRule, listed, livingAllows } from '../rule.js';
import { isAnyProgram } from './wide.js';

/** Nobody writes this into a rule, so a rule that covers it covers any code. */
const anyCode = '*#ruleprint-any-code#*';

interface Interpreter {
  readonly name: string;
  readonly areas: readonly CompiledPattern[];
}

function interpreter(name: string, programs: readonly string[], ...arguments_: readonly (readonly string[])[]): Interpreter {
  const places = programs.flatMap((program) => [program, `*/${program}`]);
  return { name, areas: places.flatMap((program) => arguments_.map((rest) => area({ process: { argv: [program, ...rest, '**'] } }))) };
}

/** Shells, languages that take code as an argument, and programs that start another one (as of 2026-11). */
const interpreters: readonly Interpreter[] = [
  interpreter('sh -c', ['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'fish', 'busybox'], ['-*c*', anyCode], ['*', '-*c*', anyCode]),
  interpreter('python -c', ['python', 'python2', 'python3', 'python3.?', 'python3.??', 'pypy3'], ['-c', anyCode], ['-*', '-c', anyCode]),
  interpreter('node -e', ['node', 'nodejs', 'bun'], ['-e', anyCode], ['-p', anyCode], ['-*', '-e', anyCode]),
  interpreter('deno eval', ['deno'], ['eval', anyCode]),
  interpreter('perl -e', ['perl'], ['-*e*', anyCode]),
  interpreter('ruby -e', ['ruby'], ['-*e*', anyCode]),
  interpreter('php -r', ['php'], ['-r', anyCode]),
  interpreter('lua -e', ['lua', 'luajit'], ['-e', anyCode]),
  interpreter('awk', ['awk', 'gawk', 'mawk'], [anyCode]),
  interpreter('osascript -e', ['osascript'], ['-e', anyCode]),
  interpreter('env', ['env', 'sudo', 'doas', 'xargs', 'nohup', 'setsid', 'nice', 'timeout', 'watch', 'strace'], [anyCode], ['-*', anyCode], ['*=*', anyCode]),
  interpreter('find -exec', ['find'], ['*', '-exec', anyCode]),
  interpreter('npx', ['npx', 'bunx', 'pnpx', 'uvx', 'pipx'], [anyCode]),
  interpreter('ssh', ['ssh'], ['*', anyCode]),
  interpreter('eval', ['eval', 'exec', 'source'], [anyCode]),
];

export const interpreterRule = lintRule({
  id: 'policy.interpreter',
  title: 'An allow rule for an interpreter with any code',
  help: 'The rule allows a program that runs what its arguments say: sh -c, python -c, node -e, env, xargs, npx, also "curl ... | sh" as the text of sh -c. Rules for other programs, and denies of paths, hold no longer: the code can do all that the user can.',
  remediation: 'allow the commands that are needed one by one, with their arguments',
  severity: 'high',
  confidence: 'high',
  *look(subject) {
    for (const { position, compiled } of livingAllows(subject)) {
      // that any program is allowed is said by its own rule
      if (compiled.pattern.kind !== 'process' || isAnyProgram(compiled.pattern.argv)) continue;
      const reached = interpreters.filter(({ areas }) => areas.some((each) => subject.reach.within(position, [each]).state === 'alive'));
      const names = reached.map(({ name }) => name);
      if (names.length > 0) yield { position, detail: names.join(), message: `the rule ${subject.nameOf(position)} allows ${listed(names)} with any code` };
    }
  },
});
