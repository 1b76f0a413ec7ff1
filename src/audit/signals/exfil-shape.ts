/**
 * exfil.shape (AUD-38): what a tool that sends things out was given holds a run of a protected text, plain or encoded, or names a host outside the envelope.
 * @module
 */
import { RuleprintError } from '../../errors.js';
import { canonicalHost, hostPatternCovers, parseHostPattern } from '../../policy/host.js';
import { ignorable } from '../fold.js';
import { type Budget, climb } from '../ladder.js';
import { RunFinder } from '../runs.js';
import { callsOf, shownPointer, textsOf, type Transcript } from '../transcript.js';
import { type Hit, hit } from './hit.js';

export interface Protected {
  /** Texts that may not leave. */
  readonly sources: readonly string[];
  /** Host patterns where things may go; without it hosts are not looked at. */
  readonly hosts?: readonly string[];
}

/** A run this long is no coincidence. */
const leastRun = 32;

export function exfilShape(
  transcript: Transcript,
  { sources, hosts }: Protected,
  budget: Budget,
): { readonly hits: readonly Hit[]; readonly isComplete: boolean } {
  const finder = new RunFinder(
    sources.map((source, i) => ({ id: `source ${i}`, text: squeeze(source) })),
    leastRun,
  );
  const patterns = hosts?.map(parseHostPattern);
  const egress = new Map(transcript.tools.filter(({ isEgress }) => isEgress).map((tool) => [tool.name, tool]));
  const hits: Hit[] = [];
  let isComplete = true;
  for (const { index, name, args, raw, parsed } of callsOf(transcript)) {
    const tool = egress.get(name);
    if (tool === undefined) continue;
    for (const { pointer, text } of parsed === 'ok' ? textsOf(args) : [{ pointer: 'raw', text: raw }]) {
      let isFound = false;
      const seen =
        sources.length === 0 ||
        climb(text, budget, (view) => {
          finder.find(squeeze(view.text), () => {
            isFound = true;
            return true;
          });
          return isFound;
        });
      isComplete &&= seen;
      const isOutside = patterns !== undefined && hostsIn(text).some((host) => !patterns.some((pattern) => isCovered(pattern, host)));
      if (isFound || isOutside) hits.push(hit('exfil.shape', 'high', { callIndex: index, locus: shownPointer(pointer, tool) }, text));
    }
  }
  return { hits, isComplete };
}

/** For texts in any script: compatibility forms, without space and without what takes no place, in lower case. */
function squeeze(text: string): string {
  return text.normalize('NFKC').replaceAll(ignorable, '').replaceAll(/\s+/g, '').toLowerCase();
}

/** Hosts of URLs and of mail addresses. */
function hostsIn(text: string): readonly string[] {
  const urls = [...text.matchAll(/\b[a-z][a-z0-9+.-]{1,20}:\/\/(?:[^\s/?#"'<>@\\]{1,256}@)?(\[[0-9a-f:.]{2,45}\]|[^\s/?#"'<>@\\:]{1,256})/gi)];
  const mails = [...text.matchAll(/[^\s"'<>@,;:()]{1,64}@([a-z0-9][a-z0-9.-]{0,252})/gi)];
  return [...urls, ...mails].map(([, host = '']) => host.replace(/[.,;)]+$/, ''));
}

function isCovered(pattern: ReturnType<typeof parseHostPattern>, host: string): boolean {
  try {
    return hostPatternCovers(pattern, canonicalHost(host));
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    return false; // a host that no rule can name is outside
  }
}
