/**
 * picomatch: each pattern compiled once to a function, the functions asked in turn, denies first. Not a policy engine:
 * what one writes by hand instead of one.
 * @module
 */
import picomatch from 'picomatch';

export const name = 'picomatch';

/** @type {import('../peers.js').Peer['build']} */
export function build(policy) {
  /** @type {Record<string, { deny: ((text: string) => boolean)[], allow: ((text: string) => boolean)[] }>} */
  const lists = { filesystem: { deny: [], allow: [] }, network: { deny: [], allow: [] } };
  for (const {
    effect,
    action: { filesystem, network },
  } of policy.rules) {
    const [kind, pattern] = filesystem === undefined ? ['network', network.host] : ['filesystem', filesystem.path];
    lists[kind][effect].push(picomatch(pattern, { dot: true }));
  }
  return {
    prepare: ({ actions: [action] }) =>
      'filesystem' in action ? { kind: 'filesystem', text: action.filesystem.path } : { kind: 'network', text: action.network.host },
    decide: ({ kind, text }) => {
      const { deny, allow } = lists[kind];
      for (const covers of deny) if (covers(text)) return 'deny';
      for (const covers of allow) if (covers(text)) return 'allow';
      return 'deny';
    },
  };
}
