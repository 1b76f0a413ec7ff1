/**
 * The other files of a skill, where an agent finds them: SKILL.md sends it to `references/…` and `scripts/…`, and what stands there is audited as well. Pure.
 * @module
 */
import { fromUtf8 } from '../../bytes.js';
import type { TreeFile } from '../subject/tree.js';
import type { ScriptRow } from '../tools/script.js';
import type { Scene } from './scene.js';

/** Longer files, and those that are no text, are not shown: no reading tool of a scene gives more. */
const longest = 65_536;

/** The scene, whose reading tool answers with the files of the skill too, by their paths or what ends in them. */
export function withSkillFiles(scene: Scene, files: readonly TreeFile[]): Scene {
  const [argument] = Object.keys(scene.reads?.args ?? {});
  if (scene.reads === undefined || argument === undefined) return scene;
  const { tool } = scene.reads;
  const rows = files.flatMap(({ path, bytes }): ScriptRow[] => {
    const words = path === 'SKILL.md' || bytes.length > longest ? undefined : fromUtf8(bytes);
    if (words === undefined) return [];
    const where = (pattern: string): ScriptRow => ({ tool, where: [{ pointer: `/${escaped(argument)}`, matches: pattern }], result: unplanted(words) });
    return [where(globbed(path)), where(`*/${globbed(path)}`)];
  });
  // behind what the scene says of its own files, before what it says of any other
  const script = scene.stage.script ?? [];
  const open = script.findIndex((row) => row.tool === tool && (row.where === undefined || row.error === true));
  const at = open < 0 ? script.length : open;
  return { ...scene, stage: { ...scene.stage, script: [...script.slice(0, at), ...rows, ...script.slice(at)] } };
}

/** Nothing in a skill is filled in: it is what is audited. */
function unplanted(words: string): string {
  return words.replaceAll(/\{\{(?=(?:canary|args|kept|count):)/g, '{ {');
}

function globbed(path: string): string {
  return path.replaceAll(/[*?\\]/g, (sign) => `\\${sign}`);
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
