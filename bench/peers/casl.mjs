/**
 * CASL: one ability with `$regex` conditions. Of CASL's rules the last one wins, so the denies stand at the end, and
 * both parts are reversed to be looked at in the order of the policy.
 * @module
 */
import { createMongoAbility, subject } from '@casl/ability';

export const name = 'CASL';

/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** The two shapes of pattern that the workload has. @param {string} pattern */
function regexOf(pattern) {
  const parts = pattern.startsWith('*.') ? ['', '.+', pattern.slice(1)] : [pattern.replace('**/*.csv', ''), '(?:[^/]+/)*[^/]*', '.csv'];
  const [before, middle, after] = /** @type {[string, string, string]} */ (parts);
  return new RegExp(`^${escaped(before)}${middle}${escaped(after)}$`);
}

/** @type {import('../peers.js').Peer['build']} */
export function build(policy) {
  const rules = policy.rules.map(({ effect, action: { filesystem, network } }) => ({
    inverted: effect === 'deny',
    action: 'use',
    subject: filesystem === undefined ? 'network' : 'filesystem',
    conditions: filesystem === undefined ? { host: { $regex: regexOf(network.host) } } : { path: { $regex: regexOf(filesystem.path) } },
  }));
  const ofEffect = (/** @type {boolean} */ inverted) => rules.filter((rule) => rule.inverted === inverted).reverse();
  const ability = createMongoAbility([...ofEffect(false), ...ofEffect(true)]);
  return {
    prepare: ({ actions: [action] }) =>
      'filesystem' in action ? subject('filesystem', { path: action.filesystem.path }) : subject('network', { host: action.network.host }),
    decide: (object) => (ability.can('use', object) ? 'allow' : 'deny'),
  };
}
