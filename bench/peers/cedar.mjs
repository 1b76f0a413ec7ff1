/**
 * Cedar (wasm): the policy set is parsed once and kept inside, a request is answered by `statefulIsAuthorized`;
 * patterns are `like` on the context, which needs no entities. `like "/srv/x/*.csv"` covers what `/srv/x/**` + `/*.csv`
 * covers on canonical paths, since Cedar's star crosses `/`.
 * @module
 */
import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';

export const name = 'Cedar';

let sets = 0;

/** @type {import('../peers.js').Peer['build']} */
export function build(policy) {
  const staticPolicies = Object.fromEntries(
    policy.rules.map(({ name: id, effect, action: { filesystem, network } }) => {
      const word = effect === 'allow' ? 'permit' : 'forbid';
      const kind = filesystem === undefined ? 'network' : 'filesystem';
      const test = filesystem === undefined ? `context.host like "${network.host}"` : `context.path like "${filesystem.path.replace('**/*', '*')}"`;
      return [id, `${word}(principal, action == Action::"${kind}", resource) when { ${test} };`];
    }),
  );
  sets += 1;
  const preparsedPolicySetId = `set-${sets}`;
  const parsed = preparsePolicySet(preparsedPolicySetId, { staticPolicies });
  if (parsed.type !== 'success') throw new Error(`Cedar refused the policies: ${JSON.stringify(parsed.errors)}`);
  return {
    prepare: ({ agent, actions: [action] }) => ({
      principal: { type: 'Agent', id: agent },
      action: { type: 'Action', id: 'filesystem' in action ? 'filesystem' : 'network' },
      resource: { type: 'World', id: 'world' },
      context: 'filesystem' in action ? { path: action.filesystem.path } : { host: action.network.host },
      entities: [],
      preparsedPolicySetId,
    }),
    decide: (call) => {
      const answer = statefulIsAuthorized(call);
      if (answer.type !== 'success') throw new Error(`Cedar failed: ${JSON.stringify(answer.errors)}`);
      return answer.response.decision;
    },
  };
}
