/**
 * casbin: `enforceSync` with `globMatch`, effect "some allow and no deny".
 * @module
 */
import { newEnforcer, newModelFromString, StringAdapter } from 'casbin';

export const name = 'casbin';

const model = `
[request_definition]
r = kind, object
[policy_definition]
p = kind, object, eft
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = r.kind == p.kind && globMatch(r.object, p.object)
`;

/** @type {import('../peers.js').Peer['build']} */
export async function build(policy) {
  const lines = policy.rules.map(({ effect, action: { filesystem, network } }) =>
    filesystem === undefined ? `p, network, ${network.host}, ${effect}` : `p, filesystem, ${filesystem.path}, ${effect}`,
  );
  const enforcer = await newEnforcer(newModelFromString(model), new StringAdapter(lines.join('\n')));
  return {
    prepare: ({ actions: [action] }) => ('filesystem' in action ? ['filesystem', action.filesystem.path] : ['network', action.network.host]),
    decide: ([kind, object]) => (enforcer.enforceSync(kind, object) ? 'allow' : 'deny'),
  };
}
