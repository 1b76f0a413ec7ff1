/**
 * What an audit is about (AUD-18): a skill at one tree, a policy, or an agent without a skill; named by a digest, so that any change is another subject.
 * @module
 */
import { concat, field } from '../../bytes.js';
import { policyDigest } from '../../digest/digest.js';
import { refuse } from '../../errors.js';
import { sha256Text } from '../../hash.js';
import type { Policy } from '../../policy/model.js';
import { checkName, checkText } from '../../policy/text.js';
import { type HiddenFile, hiddenFiles } from './names.js';
import { type Frontmatter, parseSkill } from './skill.js';
import { interchangeHash, sortedTree, type TreeFile, treeDigest } from './tree.js';
import { limits } from '../../limits.js';

export interface SkillSubject {
  readonly kind: 'skill';
  readonly name: string;
  /** Of the tree. */
  readonly digest: string;
  /** Where it was taken from, as the operator says. */
  readonly source?: string;
  /** What AbstractSkill calls `tree_hash`. */
  readonly interchangeHash: string;
  readonly fileCount: number;
  readonly hiddenFiles: readonly HiddenFile[];
  /** Whether it brings something to run. */
  readonly hasScripts: boolean;
  readonly frontmatter: Frontmatter;
}

export interface PolicySubject {
  readonly kind: 'policy';
  readonly name: string;
  /** Of the policy. */
  readonly digest: string;
}

export interface AgentSubject {
  readonly kind: 'agent';
  readonly name: string;
  /** Of the name and the operator's prompt. */
  readonly digest: string;
}

export type Subject = SkillSubject | PolicySubject | AgentSubject;

/**
 * A skill as the subject of an audit.
 *
 * @param files - the whole tree
 * @param folder - the name of the folder that holds it, where it has one
 * @throws RuleprintError as `treeDigest`; `skill-missing`; as `parseSkill`
 */
export function skillSubject(files: readonly TreeFile[], { folder, source }: { readonly folder?: string; readonly source?: string } = {}): SkillSubject {
  const sorted = sortedTree(files);
  const head = sorted.find(({ path }) => path === 'SKILL.md');
  if (head === undefined) refuse('skill-missing', 'expected a file SKILL.md at the root of the tree');
  const { frontmatter } = parseSkill(head.bytes, folder);
  if (source !== undefined) checkText(source, limits.ruleStringBytes);
  return Object.freeze({
    kind: 'skill',
    name: frontmatter.name,
    digest: treeDigest(sorted),
    ...(source !== undefined && { source }),
    interchangeHash: interchangeHash(sorted),
    fileCount: sorted.length,
    hiddenFiles: Object.freeze(hiddenFiles(sorted)),
    hasScripts: sorted.some(isScript),
    frontmatter,
  });
}

/** What an operating system or the rules of skills would run: by folder, by mode bit, by its first two bytes. */
function isScript({ path, isExecutable, bytes }: TreeFile): boolean {
  return isExecutable || path.startsWith('scripts/') || (bytes[0] === 0x23 && bytes[1] === 0x21);
}

export function policySubject(name: string, policy: Policy): PolicySubject {
  checkName(name);
  return Object.freeze({ kind: 'policy', name, digest: policyDigest(policy) });
}

/** An agent without a skill: named by what the operator tells it. */
export function agentSubject(name: string, operatorPrompt: string): AgentSubject {
  checkName(name);
  checkText(operatorPrompt, limits.treeFileBytes);
  const preimage = concat(field('ruleprint/agent-digest/1'), field(name), field(operatorPrompt));
  return Object.freeze({ kind: 'agent', name, digest: sha256Text(preimage) });
}

/** Voids an audit whose subject is not what it was (AUD-18). */
export function checkUnchanged(subject: Subject, now: Subject): void {
  if (subject.kind === now.kind && subject.digest === now.digest) return;
  refuse('subject-changed', `expected the subject of the audit, a ${subject.kind} with digest ${subject.digest}, got a ${now.kind} with ${now.digest}`, {
    hint: 'any changed byte is another subject: audit it anew',
  });
}
