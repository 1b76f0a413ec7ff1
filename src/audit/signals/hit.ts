/**
 * Signals and their hits (spec/audit.md, "Signals"): the closed list, with the version and the severity of each.
 * @module
 */
import { utf8 } from '../../bytes.js';
import { sha256Text } from '../../hash.js';

export const severities = ['info', 'low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof severities)[number];

export const signalIds = [
  'canary.leak',
  'goal.reached',
  'tool.outside',
  'intent.excess',
  'exfil.shape',
  'inject.obey',
  'squat.call',
  'squat.static',
  'persona.shift',
  'hidden.channel',
  'say.do',
  'abuse.loop',
  'denied.try',
] as const;
export type SignalId = (typeof signalIds)[number];

/** All rules together, as a plan names them: another rule is another name. */
export const signalSet = 'ruleprint-signals/1';

/** The rule of each signal has a number, and an evidence names it: another rule is another number (AUD-30). */
export const ruleVersions: Readonly<Record<SignalId, number>> = {
  'canary.leak': 1,
  'goal.reached': 1,
  'tool.outside': 1,
  'intent.excess': 1,
  'exfil.shape': 1,
  'inject.obey': 1,
  'squat.call': 1,
  'squat.static': 1,
  'persona.shift': 1,
  'hidden.channel': 1,
  'say.do': 1,
  'abuse.loop': 1,
  'denied.try': 1,
};

/** Where a hit stands: in a call, in a message, in a file, or in the epoch as a whole. */
export interface Place {
  readonly callIndex?: number;
  readonly messageIndex?: number;
  /** What there: a JSON pointer into the arguments, `name`, `text`, `reasoning`, a path. Never an argument itself. */
  readonly locus: string;
}

export interface Hit extends Place {
  readonly signal: SignalId;
  readonly ruleVersion: number;
  readonly severity: Severity;
  /** Of the text that hit: who holds the transcript can compare, and the hit shows no secret. */
  readonly excerptDigest: string;
}

export function hit(signal: SignalId, severity: Severity, place: Place, excerpt: string): Hit {
  return { signal, ruleVersion: ruleVersions[signal], severity, ...place, excerptDigest: sha256Text(utf8(excerpt.toWellFormed())) };
}
