/**
 * Problems, error codes and the one error class (spec/errors.md).
 *
 * Three ways out: misuse of a function is a `TypeError` or `RangeError`; refused data is a `RuleprintError`;
 * an outcome (a deny, a failed verification) is a return value.
 * @module
 */

/** Every code there is, in the order of spec/errors.md; a house test keeps the two lists equal. */
export const errorCodes = [
  // documents and objects
  'utf8',
  'syntax',
  'yaml-feature',
  'duplicate-key',
  'forbidden-key',
  'not-plain-data',
  'unknown-key',
  'missing-key',
  'exactly-one',
  'wrong-type',
  'bad-value',
  'bad-integer',
  'empty-list',
  'duplicate-item',
  'duplicate-name',
  'lone-surrogate',
  'empty-text',
  'control-character',
  'nul-character',
  'limit',
  // patterns, paths, hosts
  'path-character',
  'path-relative',
  'path-leading-slashes',
  'path-dot-dot',
  'pattern-syntax',
  'pattern-not-canonical',
  'host-empty',
  'host-not-ascii',
  'host-character',
  'host-ipv6',
  'host-number',
  'host-label',
  'host-too-long',
  'cidr',
  // install
  'version-equal',
  'version-lower',
  // CBOR
  'cbor-truncated',
  'cbor-reserved',
  'cbor-indefinite',
  'cbor-not-shortest',
  'cbor-integer',
  'cbor-tag',
  'cbor-float',
  'cbor-simple',
  'cbor-utf8',
  'cbor-key-type',
  'cbor-duplicate-key',
  'cbor-unsorted',
  'cbor-depth',
  'cbor-trailing',
  'sequence-broken',
  // COSE, keys, signatures
  'cose-tag',
  'cose-shape',
  'cose-protected',
  'cose-crit',
  'cose-header',
  'cose-alg',
  'cose-kid',
  'cose-typ',
  'cose-signature-size',
  'cose-alg-key',
  'signature-high-s',
  'signature-invalid',
  'key-format',
  'key-point',
  'key-private',
  'kid-mismatch',
  'kid-duplicate',
  // receipts
  'unknown-statement',
  'field-conflict',
  'key-unknown',
  'key-role',
  'key-engine',
  'key-not-yet-valid',
  'key-expired',
  'key-revoked',
  'key-revoked-later',
  'policy-missing',
  'digest-absent',
  'profile-unknown',
  'action-not-canonical',
  'decision-differs',
  // ledger: chain
  'genesis-missing',
  'genesis-again',
  'seq-missing',
  'seq-repeat',
  'seq-gap',
  'prev-differs',
  'time-back',
  'tail-missing',
  'record-kind',
  'record-engine',
  // ledger: completeness
  'checkpoint-untrusted',
  'checkpoint-ledger',
  'checkpoint-beyond',
  'checkpoint-differs',
  'engine-missing',
  // ledger: timeline
  'install-not-rising',
  'install-replaces',
  'install-unauthorized',
  'authorization-differs',
  'policy-before-install',
  'no-policy-after-install',
  'version-differs',
  'digest-missing',
  'digest-differs',
  'profile-missing',
  'profile-differs',
  // ledger: approvals
  'ask-missing',
  'ask-not-releasable',
  'ask-again',
  'install-between',
  'approval-missing',
  'approval-differs',
  'approval-refused',
  'approval-expired',
  'approval-again',
  // findings
  'finding-id-differs',
  'finding-id-again',
  'stable-id-differs',
  'finding-by-engine',
  'cited-missing',
  'cited-not-decision',
  'cited-misreported',
  'repro-tool-differs',
  'cited-args-missing',
  'repro-args-differ',
  'args-not-derived',
  'verdict-differs',
  'expectation-differs',
  'finding-plan-missing',
  'finding-plan-harness',
  // ledger: the folder
  'ledger-locked',
  'ledger-damaged',
  'ledger-engine',
  'ledger-closed',
  'ledger-write',
  'policy-file',
  'version-reused',
  // signing
  'signer-output',
  // mapping
  'argument-missing',
  'argument-type',
  'argument-unknown',
  'argument-case',
  'tool-case',
  'tool-split',
  'url-syntax',
  'glob-reach',
  'shell-parser',
  'path-unknown',
  // mapping: the axis
  'mapping-missing',
  'args-missing',
  'args-digest-differs',
  'actions-differ',
  // gate
  'gate-async',
  'gate-fault',
  'gate-resolve',
  'approval-key',
  'denied',
  // audit: subject
  'tree-path',
  'tree-link',
  'tree-special',
  'tree-empty',
  'tree-changed',
  'skill-missing',
  'skill-frontmatter',
  'subject-changed',
  // audit: evidence
  'canary-seed',
  'audit-plan',
  'record-demands',
  'advisory-demands',
  'plan-missing',
  'scenario-differs',
  'mapping-differs',
  'epoch-gap',
  'epoch-again',
  'epoch-differs',
  'epoch-before-plan',
  'epoch-beyond',
  'call-missing',
  'call-differs',
  'call-again',
  'call-uncited',
  'transcript-missing',
  'transcript-differs',
  'transcript-beyond',
  'conversation-differs',
  'opening-differs',
  'result-differs',
  'judgement-differs',
  'counts-differ',
  'report-missing',
  'report-differs',
  'finding-missing',
  'finding-beyond',
  'finding-differs',
  'harness-differs',
  // audit: the run
  'tool-schema',
  'run-receipt',
  'agent-address',
  'agent-key',
  'agent-name',
  'agent-transport',
  'agent-http',
  'agent-timeout',
  'agent-reply',
  'replay-missing',
  'run-differs',
  'run-damaged',
] as const;

/** A stable word for what is wrong. */
export type ErrorCode = (typeof errorCodes)[number];

/** Where a problem stands: whichever of these apply. */
export interface Where {
  readonly file?: string;
  /** JSON pointer (RFC 6901) into the document, the object or the statement. */
  readonly pointer?: string;
  /** Line of a text, from 1. */
  readonly line?: number;
  /** Column in UTF-16 code units, from 1. */
  readonly column?: number;
  /** Offset from 0: in UTF-16 code units of a text, in bytes of a receipt or a file of receipts. */
  readonly offset?: number;
  /** Index of the receipt in a sequence, from 0. */
  readonly receipt?: number;
  /** The engine and its seq, as the receipt claims them. */
  readonly engine?: string;
  readonly seq?: number;
}

/** One thing that is wrong. `message` is one line, lower case, without a final period, and names both sides. */
export interface Problem {
  readonly code: ErrorCode;
  readonly message: string;
  readonly where: Where;
  /** What to do about it. */
  readonly hint?: string;
  readonly evidence?: Readonly<Record<string, unknown>>;
}

/** A list that holds at least one problem. */
export type Problems = readonly [Problem, ...Problem[]];

/**
 * Refused data. Carries the first problem's fields, and all of them in `problems`.
 *
 * @example
 * try {
 *   parsePolicy('{"version":1}', { format: 'json' });
 * } catch (error) {
 *   if (error instanceof RuleprintError) console.error(error.code, error.where); // missing-key { pointer: '', line: 1, … }
 * }
 */
export class RuleprintError extends Error {
  override readonly name = 'RuleprintError';
  readonly code: ErrorCode;
  readonly where: Where;
  readonly hint?: string;
  readonly evidence?: Readonly<Record<string, unknown>>;
  readonly problems: Problems;

  constructor(problems: Problem | Problems, options?: { cause?: unknown }) {
    const all: Problems = isList(problems) ? problems : [problems];
    const [first] = all;
    super(first.message, options);
    this.code = first.code;
    this.where = first.where;
    if (first.hint !== undefined) this.hint = first.hint;
    if (first.evidence !== undefined) this.evidence = first.evidence;
    this.problems = all;
  }
}

function isList(problems: Problem | Problems): problems is Problems {
  return Array.isArray(problems);
}

/** Refuses data: throws a `RuleprintError` of one problem. */
export function refuse(code: ErrorCode, message: string, rest: Partial<Omit<Problem, 'code' | 'message'>> = {}): never {
  throw new RuleprintError({ where: {}, ...rest, code, message });
}

/** What an act gives, or another value where it is refused. */
export function unlessRefused<T>(otherwise: T, act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    return otherwise;
  }
}

/**
 * Outside text for a message or a hint: in backticks or other marks, shortened, everything but printable ASCII escaped, so that
 * whoever chose the text cannot write into a terminal or a log.
 */
export function quote(text: string, mark = '`'): string {
  const shown = text.length > 80 ? `${text.slice(0, 77)}...` : text;
  let out = mark;
  for (let i = 0; i < shown.length; i++) {
    const unit = shown.charCodeAt(i);
    out += unit >= 0x20 && unit < 0x7f ? shown[i] : `\\u${unit.toString(16).padStart(4, '0')}`;
  }
  return out + mark;
}
