/**
 * What the files of a skill show without any run: hidden channels, and names of tools that they take for themselves. Pure.
 * @module
 */
import type { Scenario } from '../scenario.js';
import { hiddenChannel } from '../signals/hidden-channel.js';
import type { Hit } from '../signals/hit.js';
import { squatStatic } from '../signals/squat.js';
import type { Subject } from '../subject/subject.js';
import type { TreeFile } from '../subject/tree.js';

/** Against every tool that some scenario without a skill of its own offers, each name once. */
export function staticHitsOf(subject: Subject, files: readonly TreeFile[], scenarios: readonly Scenario[]): readonly Hit[] {
  if (subject.kind !== 'skill') return [];
  const tools = new Map(scenarios.flatMap((scenario) => scenario.tools.map((tool) => [tool.name, tool] as const)));
  return [...hiddenChannel(files, subject.hiddenFiles), ...squatStatic(files, [...tools.values()])];
}
