/**
 * Who holds a lock, and whether that process is provably dead (LED-7).
 * @module
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import * as process from 'node:process';

/** A process, told apart from any other that has its pid at another time. What the system does not tell is empty. */
export interface Owner {
  readonly host: string;
  /** Another after each start of the machine. */
  readonly boot_id: string;
  /** Where pids are counted apart (containers): in which of the countings. */
  readonly pid_space: string;
  readonly pid: number;
  /** When the process began, in the words of the system. */
  readonly start: string;
}

export function thisProcess(): Owner {
  const { pid } = process;
  return { host: hostname(), boot_id: bootId(), pid_space: pidSpace(), pid, start: startOf(pid) ?? '' };
}

/**
 * Same host, and another boot, or no process of that pid with that start time. What is not known proves nothing: another host, another counting
 * of pids, a system that does not tell when a process began.
 */
export function isProvablyDead(owner: Owner): boolean {
  if (owner.host !== hostname()) return false;
  const boot = bootId();
  if (boot !== '' && owner.boot_id !== '' && owner.boot_id !== boot) return true;
  // two containers of one pod have one host name and see each other's files, not each other's processes
  if (owner.pid_space !== pidSpace()) return false;
  if (!isRunning(owner.pid)) return true;
  const start = startOf(owner.pid);
  return start !== undefined && owner.start !== '' && start !== owner.start;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    const { code: name } = error as NodeJS.ErrnoException;
    return name !== 'ESRCH'; // EPERM: there is one, and it is another user's
  }
  return true;
}

function bootId(): string {
  if (process.platform === 'linux') return textOf('/proc/sys/kernel/random/boot_id') ?? '';
  // not kern.boottime, which moves when the clock is set
  if (process.platform === 'darwin') return outputOf('/usr/sbin/sysctl', '-n', 'kern.bootsessionuuid') ?? '';
  return '';
}

function pidSpace(): string {
  if (process.platform !== 'linux') return '';
  return known(() => readlinkSync('/proc/self/ns/pid')) ?? '';
}

/** Undefined where the system does not tell. A process that has ended and waits to be reaped began at no time. */
function startOf(pid: number): string | undefined {
  if (process.platform === 'darwin') return outputOf('/bin/ps', '-o', 'lstart=', '-p', String(pid));
  if (process.platform !== 'linux') return undefined;
  const stat = textOf(`/proc/${pid}/stat`);
  if (stat === undefined) return undefined;
  // the name of the program stands in front in brackets, and may hold brackets and spaces itself (proc(5))
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  return state === 'Z' || state === 'X' ? 'ended' : fields[22 - 3];
}

function textOf(path: string): string | undefined {
  return known(() => readFileSync(path, 'utf8').trim());
}

function outputOf(program: string, ...args: readonly string[]): string | undefined {
  const output = known(() => execFileSync(program, args, { encoding: 'utf8', env: { LC_ALL: 'C' }, stdio: ['ignore', 'pipe', 'ignore'] }).trim());
  return output === '' ? undefined : output;
}

/** What the system tells; undefined where it does not, which proves nothing either way. */
function known<T>(ask: () => T): T | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}
