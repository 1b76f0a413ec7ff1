/**
 * `ruleprint`: policies, decisions, digests, engines and receipts.
 * @module
 */
export { decide, decideTraced, type ActionTrace, type Trace } from './decide/decide.js';
export type { Part } from './decide/covers.js';
export { policyDigest, policyPreimage, ruleDigest, rulePreimage } from './digest/digest.js';
export type { AuditEvent, Installed, PolicyEngine, TracedEvent } from './engine/engine.js';
export { InMemoryPolicyEngine, type InMemoryPolicyEngineOptions } from './engine/in-memory.js';
export { argvCovers, hostCovers, pathCovers, textCovers } from './policy/covers.js';
export type { Format } from './policy/document.js';
export { canonicalHost, toAsciiHost } from './policy/host.js';
export { limits } from './limits.js';
export {
  type Action,
  type ActionPattern,
  type AgentMatcher,
  type Decision,
  type Effect,
  effects,
  type FileMethod,
  matchProfile,
  type MethodMatcher,
  type Policy,
  type PortMatcher,
  type Reason,
  type Request,
  type Rule,
} from './policy/model.js';
export { copyPolicy } from './policy/copy.js';
export type { ParseOptions } from './policy/door.js';
export { checkPolicy, parsePolicy } from './policy/parse.js';
export { canonicalPath } from './policy/path.js';
export { canonicalRequest } from './policy/request.js';
export type { Problems } from './errors.js';
export * from './receipt/index.js';
