/**
 * `ruleprint/gate`: a gate in front of an agent's tools.
 * @module
 */
export { type ErrorCode, errorCodes, type Problem, RuleprintError, type Where } from '../errors.js';
export type { Call } from '../mapping/call.js';
export { createMapper, type Mapper, type MapperOptions, type Realpath } from '../mapping/mapper.js';
export type { Mapping } from '../mapping/table.js';
export { adkPlugin, type AdkPluginOptions, adkPolicyEngine, type AdkPolicyEngine, type AdkToolCallback } from './adapters/adk.js';
export { type AdapterOptions, type AiApprovalStatus, aiToolApproval, guardTools } from './adapters/ai-sdk.js';
export {
  claudeCanUseTool,
  type ClaudeHookInput,
  type ClaudePermissionOptions,
  type ClaudePermissionResult,
  claudePreToolUse,
  type ClaudePreToolUseOutput,
} from './adapters/claude.js';
export { langchainMiddleware, type LangchainMiddleware, type LangchainToolCall, type ToolMessageClass } from './adapters/langchain.js';
export { type OpenaiGuardrailData, openaiToolGuardrail, type OpenaiToolGuardrail } from './adapters/openai-agents.js';
export { type Approver, type Ask, localApprover, type LocalApproverOptions } from './approver.js';
export { type CheckOptions, createGate, type Gate, type GateOptions } from './gate.js';
export { guard, type GuardOptions } from './guard.js';
export { type TraceApi, tracedGate, verdictAttributes } from './otel.js';
export { realPaths } from './realpath.js';
export { type Resolve, systemResolve } from './resolve.js';
export { randomSalt } from './salt.js';
export type { Verdict, VerdictReceipt } from './verdict.js';
export { parseMapping } from '../mapping/parse.js';
export { mapShell } from '../mapping/shell.js';
export { mappingFor, shippedMapping } from '../mapping/shipped.js';
