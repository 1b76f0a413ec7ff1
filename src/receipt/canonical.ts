/**
 * Whether recorded actions are in canonical form (RCP-2, RCP-23).
 * @module
 */
import { RuleprintError, type Problem } from '../errors.js';
import type { Action, Request } from '../policy/model.js';
import { canonicalRequest } from '../policy/request.js';

/** The request as it stands if it is canonical, or what is not. */
export function canonicalOrProblem({ agent, actions }: Request): Request | Problem {
  try {
    const request = canonicalRequest({ agent, actions });
    const other = request.actions.findIndex((action, i) => !isSpelledAlike(action, actions[i] as Action));
    if (other < 0) return request;
    return { code: 'action-not-canonical', message: 'expected actions in canonical form', where: { pointer: `/actions/${other}` } };
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    return { code: 'action-not-canonical', message: error.message, where: { pointer: /^\/actions\/\d+/.exec(error.where.pointer ?? '')?.[0] ?? '' } };
  }
}

/** Paths and hosts are all that canonical form changes. */
function isSpelledAlike(canonical: Action, recorded: Action): boolean {
  if ('filesystem' in canonical) return 'filesystem' in recorded && canonical.filesystem.path === recorded.filesystem.path;
  if ('network' in canonical) return 'network' in recorded && canonical.network.host === recorded.network.host;
  return true;
}
