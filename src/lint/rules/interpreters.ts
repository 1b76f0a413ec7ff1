/**
 * Allow rules for programs that run what they are told to.
 * @module
 */
import type { CompiledPattern } from '../../decide/covers.js';
import { area, lintRule, listed, livingAllows } from '../rule.js';
import { isAnyProgram } from './wide.js';

/** Nobody writes these into a rule, so a rule that covers them covers any code, or any script. */
const anyCode = '*#ruleprint-any-code#*';
const anyScript = '#ruleprint-any-script#';

interface Interpreter {
  readonly name: string;
  readonly areas: readonly CompiledPattern[];
}

/** Patterns of what stands behind the program; where none is given, the program alone, which reads code from its input. */
function interpreter(name: string, programs: readonly string[], ...tails: readonly (readonly string[])[]): Interpreter {
  const places = programs.flatMap((program) => [program, `*/${program}`]);
  return { name, areas: places.flatMap((program) => tails.map((tail) => area({ process: { argv: [program, ...tail] } }))) };
}

const shells = ['sh', 'bash', 'dash', 'zsh', 'ksh', 'ash', 'fish'];
const pythons = ['python', 'python2', 'python3', 'python3.?', 'python3.??', 'pypy3'];
const starters = ['env', 'sudo', 'doas', 'xargs', 'nohup', 'setsid', 'nice', 'timeout', 'watch', 'strace', 'busybox'];
const alone: readonly string[] = [];
const script = [anyScript, '**'];
const behind = (...options: readonly string[]): readonly (readonly string[])[] => options.map((option) => [option, anyCode, '**']);

/** Shells, languages that take code as an argument, and programs that start another one (as of 2026-11). */
const interpreters: readonly Interpreter[] = [
  interpreter('sh -c', shells, alone, script, ['-*c*', anyCode, '**'], ['*', '-*c*', anyCode, '**'], ['-s', '**']),
  interpreter('curl | sh', shells, ...['curl', 'wget'].flatMap((load) => [`*${load}*|*`, `*<(${load}*`, `*$(${load}*`].map((text) => ['-*c*', text, '**']))),
  interpreter('python -c', pythons, alone, script, ...behind('-c'), ['-*', '-c', anyCode, '**'], ['-', '**']),
  interpreter('node -e', ['node', 'nodejs', 'bun'], alone, script, ...behind('-e', '-p', '--eval', '--print'), ['-*', '-e', anyCode, '**']),
  interpreter('deno eval', ['deno'], ...behind('eval')),
  interpreter('perl -e', ['perl'], alone, script, ...behind('-*e*')),
  interpreter('ruby -e', ['ruby'], alone, script, ...behind('-*e*')),
  interpreter('php -r', ['php'], alone, script, ...behind('-r')),
  interpreter('lua -e', ['lua', 'luajit'], alone, script, ...behind('-e')),
  interpreter('awk', ['awk', 'gawk', 'mawk'], [anyCode, '**']),
  interpreter('osascript -e', ['osascript'], ...behind('-e')),
  interpreter('env', starters, [anyCode, '**'], ['-*', anyCode, '**'], ['*=*', anyCode, '**']),
  interpreter('find -exec', ['find'], ['*', '-exec', anyCode, '**']),
  interpreter('npx', ['npx', 'bunx', 'pnpx', 'uvx', 'pipx'], [anyCode, '**']),
  interpreter('ssh', ['ssh'], ['*', anyCode, '**']),
  interpreter('eval', ['eval', 'exec', 'source'], [anyCode, '**']),
];

export const interpreterRule = lintRule({
  id: 'policy.interpreter',
  title: 'An allow rule for an interpreter with any code',
  help: 'The rule allows a program that runs what its arguments say: sh -c, python -c, node -e, env, xargs, npx; or an interpreter alone, which reads code from its input; or with any script. So does sh -c with a text that pipes a download into a shell, "curl ... | sh", even where the text is written out. Rules for other programs, and denies of paths, hold no longer: the code can do all that the user can.',
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
