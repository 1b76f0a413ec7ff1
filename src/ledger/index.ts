/**
 * `ruleprint/ledger`: write, read and verify ledgers.
 * @module
 */
export { type ErrorCode, errorCodes, type Problem, RuleprintError, type Where } from '../errors.js';
export type { Answers, Axis, AxisAnswer, Report, ReportedProblem } from '../receipt/report.js';
export type {
  ApprovalStatement,
  AuthorizationStatement,
  CheckpointStatement,
  DecisionStatement,
  FindingStatement,
  GenesisStatement,
  InForce,
  InstallStatement,
  RecordStatement,
  ReleaseStatement,
  Statement,
} from '../receipt/statement.js';
export { type Decided, type InstallOptions, type LedgerEngine, openEngine, type OpenEngineOptions, type Refusal, type Reloaded } from './engine.js';
export { readLedger } from './folder.js';
export type { Appended, AppendedRecord, Durability, EntryStatement, Ledger, Opened } from './ledger.js';
export { openLedger, type OpenLedgerOptions } from './open.js';
export type { Cut } from './resume.js';
export { bytesSource, type DurableMark, type LedgerSource, type Segment } from './source.js';
export type { AppendFile, Store } from './store.js';
export { verifyLedger, type VerifyLedgerOptions } from './verify.js';
