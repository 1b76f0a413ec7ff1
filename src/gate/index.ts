/**
 * `ruleprint/gate`: a gate in front of an agent's tools.
 * @module
 */
export { type ErrorCode, errorCodes, type Problem, RuleprintError, type Where } from '../errors.js';
export type { Call } from '../mapping/call.js';
export { createMapper, type Mapper, type MapperOptions, type Realpath } from '../mapping/mapper.js';
export type { Mapping } from '../mapping/table.js';
export { type Approver, type Ask, localApprover, type LocalApproverOptions } from './approver.js';
export { type CheckOptions, createGate, type Gate, type GateOptions } from './gate.js';
export { type Resolve, systemResolve } from './resolve.js';
export type { Verdict, VerdictReceipt } from './verdict.js';
