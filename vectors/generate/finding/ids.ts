/**
 * Ids: of claims (FND-26), of findings (FND-6 to FND-9), and the labels that tell findings about one file apart (FND-10).
 * @module
 */
import { hex } from '../../../src/bytes.js';
import { findingId, findingPreimage, occurrenceOf } from '../../../src/finding/identity.js';
import type { Finding } from '../../../src/finding/model.js';
import { reportedId, stableId } from '../../../src/receipt/finding-ids.js';
import type { Case, Fields, Json } from '../kit.js';
import { hashOf } from '../ledger/chain.js';

export function reportedIds(): readonly Case[] {
  const of = (id: string, comment: string, claim: { harness: string; test_id: string; policy_digest?: string }, flags: readonly string[] = []): Case => {
    const input = { ...claim, cited_receipt: hashOf('b'), args_digest: hashOf('a') };
    const expect = {
      finding_id: reportedId(claim.harness, claim.test_id, input.cited_receipt),
      stable_id: stableId(claim.harness, claim.test_id, input.args_digest, claim.policy_digest),
    };
    return { id, comment, flags, input: { claim: input }, expect };
  };
  return [
    of('claim-id', 'A claim about a decision under a policy (FND-26)', { harness: 'qm', test_id: 'exfil', policy_digest: hashOf('c') }),
    of('claim-id-no-policy', 'A claim about a decision without a digest (FND-26)', { harness: 'qm', test_id: 'exfil' }),
    of('claim-id-joined', 'The same letters, cut elsewhere (FND-26)', { harness: 'qme', test_id: 'xfil', policy_digest: hashOf('c') }, ['prefix']),
    of('claim-id-utf8', 'Lengths count bytes (FND-26)', { harness: 'q\u00e9', test_id: '\u{1f600}', policy_digest: hashOf('c') }, ['prefix']),
  ];
}

const path = (hops: readonly string[], members: Fields = {}): Fields => ({
  agent_id: 'builder',
  target_id: '/**',
  target_type: 'resource',
  hops: hops.map((edge_id) => ({ edge_id })),
  ...members,
});
const about: Fields = {
  rule_id: 'policy.wide-write',
  affected_agent: 'builder',
  evidence: [{ adapter: 'policy', path: 'policies/main.yaml', line_start: 3 }],
  capability_path: path(['rule:all']),
};
const inFiles = (...paths: readonly string[]): Fields => ({
  rule_id: 'policy.hardcoded-secret',
  evidence: paths.map((at) => ({ adapter: 'policy', path: at })),
});

export function identities(): readonly Case[] {
  const of = (id: string, comment: string, finding: Fields, flags: readonly string[] = [], occurrence?: string): Case => {
    const material = finding as unknown as Finding;
    const expect = { preimage_hex: hex(findingPreimage(material, occurrence)), id: findingId(material, occurrence) };
    return { id, comment, flags, input: { finding, ...(occurrence !== undefined && { occurrence }) }, expect };
  };
  const refused = (id: string, comment: string, finding: Fields, occurrence: string, error: string): Case => ({
    id,
    comment,
    flags: [],
    input: { finding, occurrence },
    expect: { error },
  });
  const digestOnly: Json = { adapter: 'policy', document_digest: hashOf('d') };
  return [
    of('finding-id-agent', 'A finding about an agent (FND-7)', about),
    of(
      'finding-id-agent-moved',
      'The evidence is another: the id stays (FND-7)',
      { ...about, evidence: [{ adapter: 'other', path: 'a.yaml', line_start: 77 }] },
      ['excluded'],
    ),
    of('finding-id-agent-rule', 'Another rule (FND-7)', { ...about, rule_id: 'policy.wide-read' }),
    of('finding-id-agent-target', 'Another target (FND-7)', { ...about, capability_path: path(['rule:all'], { target_id: '/srv' }) }),
    of('finding-id-agent-type', 'Another type of target (FND-7)', { ...about, capability_path: path(['rule:all'], { target_type: 'tool' }) }),
    of('finding-id-hops', 'Two hops (FND-8)', { ...about, capability_path: path(['ab', 'c']) }),
    of('finding-id-hops-back', 'in the other order (FND-8)', { ...about, capability_path: path(['c', 'ab']) }),
    of('finding-id-hops-cut', 'and cut elsewhere (FND-8)', { ...about, capability_path: path(['a', 'bc']) }, ['prefix']),
    of('finding-id-file', 'A finding about a file (FND-9)', inFiles('a.yaml')),
    of('finding-id-files', 'Paths are sorted, each once (FND-9)', inFiles('b.yaml', 'a.yaml', 'b.yaml')),
    of('finding-id-files-bytes', 'by their bytes: U+FFFF stands before U+10000 (FND-9)', inFiles('\u{10000}', '\uffff'), ['order']),
    of('finding-id-no-path', 'Evidence without a path adds none (FND-9)', { rule_id: 'policy.hardcoded-secret', evidence: [digestOnly] }),
    of('finding-id-occurrence', 'with an occurrence (FND-10)', inFiles('a.yaml'), [], occurrenceOf('secret', 'x')),
    refused('finding-id-ordinal', 'A number moves: it is no occurrence (FND-10)', inFiles('a.yaml'), 'secret#1', 'bad-value'),
    refused('finding-id-occurrence-upper-case', 'Upper-case digits (FND-10)', inFiles('a.yaml'), `secret@${'A'.repeat(64)}`, 'bad-value'),
    refused('finding-id-occurrence-kind', 'No kind in front (FND-10)', inFiles('a.yaml'), `@${'a'.repeat(64)}`, 'bad-value'),
    refused('finding-id-occurrence-agent', 'An occurrence beside an agent (FND-10)', about, occurrenceOf('secret', 'x'), 'field-conflict'),
  ];
}

export function occurrences(): readonly Case[] {
  const of = (id: string, comment: string, input: { kind: string; content: string; key?: string }, flags: readonly string[] = []): Case => ({
    id,
    comment,
    flags,
    input: { occurrence_of: input },
    expect: { occurrence: occurrenceOf(input.kind, input.content, input.key) },
  });
  return [
    of('occurrence', 'Of a rule by its name (FND-10)', { kind: 'dead-rule', content: 'read-srv' }),
    of('occurrence-key', 'with a key (FND-10)', { kind: 'secret', content: 'hunter2', key: 'of this repository' }),
    of('occurrence-joined', 'Key and content are two texts (FND-10)', { kind: 'secret', content: '2', key: 'hunter' }, ['prefix']),
    of('occurrence-utf8', 'Lengths count bytes (FND-10)', { kind: 'secret', content: '\u{1f600}\u00e9' }, ['prefix']),
  ];
}
