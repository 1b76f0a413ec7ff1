/**
 * Commands that run others, or change what the text behind them means (MAP-18): their own arguments say less than what happens.
 * @module
 */

/** What is known of such a command. */
export interface Runner {
  /** What stands behind it may be a command of its own. */
  readonly runs?: true;
  /** Texts that it takes for scripts. */
  readonly scripts?: readonly string[];
  /** It makes names, functions or variables mean something else. */
  readonly isDoubt?: true;
  readonly changesFolder?: true;
}

const shells: ReadonlySet<string> = new Set([
  'sh',
  'bash',
  'dash',
  'ash',
  'zsh',
  'ksh',
  'ksh93',
  'mksh',
  'yash',
  'fish',
  'csh',
  'tcsh',
  'rbash',
  'su',
  'runuser',
  'script',
]);

const wrappers: ReadonlySet<string> = new Set(
  (
    '- noglob nocorrect env sudo sudoedit doas pkexec xargs parallel nohup timeout command builtin exec nice ionice chrt taskset stdbuf unbuffer setsid time watch strace ltrace ' +
    'repeat fc jobs zpty sched cgexec numactl prlimit setpriv capsh gosu su-exec xvfb-run dbus-run-session proxychains torsocks rlwrap ' +
    'gdb valgrind chroot unshare nsenter flock setarch linux32 linux64 busybox toybox entr at batch ssh systemd-run firejail bwrap proot fakeroot faketime run0 coproc'
  ).split(' '),
);

const doubtful: ReadonlySet<string> = new Set(
  (
    'source . alias unalias enable export declare typeset local readonly set shopt unset hash bind complete compgen compopt mapfile readarray let read getopts function ' +
    'setopt unsetopt autoload zmodload emulate functions'
  ).split(' '),
);

const movers: ReadonlySet<string> = new Set(['cd', 'chdir', 'pushd', 'popd']);

/** What a command is, by its name with or without a folder; undefined for one whose argv says it all. */
export function runnerOf(name: string, args: readonly string[]): Runner | undefined {
  const base = name.slice(name.lastIndexOf('/') + 1);
  if (movers.has(base)) return { changesFolder: true };
  if (shells.has(base)) return { scripts: args.some((arg) => /^[-+][A-Za-z]*c/.test(arg)) ? args.filter((arg) => !/^[-+]/.test(arg)) : [] };
  if (base === 'eval') return { scripts: [args.filter((arg, i) => i > 0 || arg !== '--').join(' ')], changesFolder: true };
  if (base === 'trap') return { scripts: args.slice(0, 1), isDoubt: true, changesFolder: true };
  if (base === 'source' || base === '.') return { isDoubt: true, changesFolder: true };
  if (base === 'find' && args.some((arg) => /^-(?:exec|ok)(?:dir)?$/.test(arg))) return { runs: true };
  // a text in brackets behind a name is run
  if (base === 'wait' && args.some((arg) => arg.startsWith('-p'))) return { isDoubt: true };
  if (base === 'printf' && args.some((arg) => arg.startsWith('-v'))) return { isDoubt: true };
  if ((base === 'test' || base === '[') && args.some((arg) => arg === '-v' || arg === '-R')) return { isDoubt: true };
  if (wrappers.has(base)) return { runs: true, changesFolder: true, scripts: args.filter((arg) => /\s/.test(arg)).map(withoutOption) };
  return doubtful.has(base) ? { isDoubt: true } : undefined;
}

/** `env -S'rm -rf x'`, `--split-string=rm -rf x`: a text that is split is a script in all but name. */
function withoutOption(arg: string): string {
  return arg.replace(/^(?:--[\w-]+=|-[A-Za-z])/, '');
}
