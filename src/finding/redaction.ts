/**
 * The redaction step that every rendering goes through (spec/finding.md, FND-11): what looks like a secret leaves no report, whatever a careless rule
 * wrote into its message.
 * @module
 */
import type { Finding } from './model.js';

/** A secret in a text: what kind of thing, and where, in UTF-16 code units. */
export interface FoundSecret {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** Shapes that are secrets and hardly anything else, each linear in the length of the text. */
const shapes: readonly { readonly kind: string; readonly pattern: RegExp }[] = [
  { kind: 'private-key', pattern: /-----BEGIN (?:[A-Z]{1,12} )?PRIVATE KEY-----[A-Za-z0-9+/=\s\\]*(?:-----END (?:[A-Z]{1,12} )?PRIVATE KEY-----)?/g },
  { kind: 'aws-access-key-id', pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  { kind: 'github-token', pattern: /(?<![A-Za-z0-9])(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})/g },
  { kind: 'gitlab-token', pattern: /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20,255}/g },
  { kind: 'slack-token', pattern: /(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{10,255}/g },
  { kind: 'stripe-secret-key', pattern: /(?<![A-Za-z0-9])[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}/g },
  { kind: 'openai-key', pattern: /(?<![A-Za-z0-9])sk-(?:proj-|ant-[a-z0-9]{1,12}-)?[A-Za-z0-9_-]{20,255}/g },
  { kind: 'google-api-key', pattern: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}/g },
  { kind: 'npm-token', pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}/g },
  { kind: 'jwt', pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g },
  { kind: 'url-password', pattern: /(?<=:\/\/[^\s/@:]{1,64}:)[^\s/@:]{1,256}(?=@)/g },
  { kind: 'bearer-token', pattern: /(?<=\b[Bb]earer )[A-Za-z0-9._~+/-]{16,}=*/g },
  { kind: 'assigned-secret', pattern: /(?<=\b(?:password|passwd|secret|token|api[_-]?key)["']?\s{0,2}[=:]\s{0,2}["']?)[^\s"'&,;]{8,256}/gi },
];

/** Every secret that a text holds by its shape, in the order of the text, none inside another. */
export function secretsIn(text: string): readonly FoundSecret[] {
  const found = shapes.flatMap(({ kind, pattern }) =>
    [...text.matchAll(pattern)].map(({ 0: { length }, index }) => ({ kind, start: index, end: index + length })),
  );
  return outermost(found);
}

function outermost(found: readonly FoundSecret[]): readonly FoundSecret[] {
  const kept: FoundSecret[] = [];
  for (const one of [...found].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (last === undefined || one.start >= last.end) kept.push(one);
    else if (one.end > last.end) kept[kept.length - 1] = { ...last, end: one.end };
  }
  return kept;
}

export type Redact = (text: string) => string;

const mark = '[redacted]';

/**
 * What takes secrets out of a text: by shape, and the `values` that the caller knows (canaries, say), longest first.
 *
 * @throws TypeError for an empty value
 */
export function redactor(values: readonly string[] = []): Redact {
  if (values.some((value) => typeof value !== 'string' || value === '')) throw new TypeError('"secrets" expected texts that are not empty');
  const known = [...values].sort((a, b) => b.length - a.length);
  return (text) => {
    let out = text;
    for (const value of known) out = out.replaceAll(value, mark);
    for (const { start, end } of [...secretsIn(out)].reverse()) out = out.slice(0, start) + mark + out.slice(end);
    return out;
  };
}

/** A finding with every text that came from outside redacted. Ids and digests are hashes, and stay. */
export function redactedFinding(finding: Finding, redact: Redact): Finding {
  const { affected_agent: agent, capability_path: path } = finding;
  return {
    ...finding,
    message: redact(finding.message),
    ...(agent !== undefined && { affected_agent: redact(agent) }),
    evidence: finding.evidence.map((one) => (one.path === undefined ? one : { ...one, path: redact(one.path) })),
    ...(path !== undefined && {
      capability_path: {
        ...path,
        agent_id: redact(path.agent_id),
        target_id: redact(path.target_id),
        hops: path.hops.map(({ edge_id: edge }) => ({ edge_id: redact(edge) })),
      },
    }),
    remediation: redact(finding.remediation),
    documentation_url: redact(finding.documentation_url),
  };
}
