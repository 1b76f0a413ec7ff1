/**
 * `ruleprint/audit`: audits of skills by simulated execution. Node alone: an audit writes a folder and asks a model server. (spec/audit.md, spec/audit-run.md,
 * spec/audit-evidence.md)
 * @module
 */
export { type ErrorCode, errorCodes, type Problem, RuleprintError, type Where } from '../errors.js';
export type {
  AuditEpochStatement,
  AuditPlanStatement,
  AuditReportStatement,
  AuditStatement,
  EpochCall,
  EpochHit,
  PlannedCell,
  ReportedCount,
  ReportedRate,
  ReportedReason,
} from '../receipt/audit-statements.js';
export type { Agent, AgentCall, AgentReply, AgentTurn, TurnMessage } from './agents/agent.js';
export { type ScriptedName, scriptedAgent, scriptedNames } from './agents/agents.js';
export { httpAgent, type HttpAgentOptions } from './agents/http-agent.js';
export { readMessages } from './agents/recording.js';
export { replayAgent } from './agents/replay.js';
export { type AuditedModel, type AuditOptions, type AuditOutcome, type AuditProgress, runAudit } from './audit.js';
export { cellsFor, type Spread } from './cells.js';
export type { ModelSettings } from './evidence/plan.js';
export { readEvidence } from './evidence/read.js';
export { type AuditCheck, auditChecks, type AuditView, type CheckAnswer, type Held } from './evidence/view.js';
export { type PageOptions, reportPage } from './page/page.js';
export { type Cell, type Grade, grades, type ScenarioKind, scenarioKinds, type Thresholds, usualThresholds } from './plan-rules.js';
export type { Condition, Predicate } from './predicate.js';
export { type AdvisoryEntry, advisoryDraft, type ValidationRecord, validationRecord } from './record.js';
export { readScenario, type Scenario, type ScenarioDocument, scenarioDigest } from './scenario.js';
export { adversarialScenarios } from './scenarios/adversarial.js';
export { controlScenarios, spliced } from './scenarios/controls.js';
export { ownScenarios } from './scenarios/own.js';
export { packScenarios } from './scenarios/pack.js';
export { type ContextProbe, contextProbe } from './scenarios/probe.js';
export { type Scene, type SceneOptions, sceneOf, usualScene } from './scenarios/scene.js';
export { type Hit, type Severity, severities, type SignalId, signalIds } from './signals/hit.js';
export { type Expectations, type JudgedEpoch, judgeEpoch } from './signals/judge.js';
export { upperBound } from './statistics.js';
export { readFolder } from './subject/read-folder.js';
export { type Frontmatter, parseSkill } from './subject/skill.js';
export { agentSubject, type AgentSubject, policySubject, type PolicySubject, skillSubject, type SkillSubject, type Subject } from './subject/subject.js';
export { type TreeFile, treeDigest } from './subject/tree.js';
export { readTools, type ToolSchema } from './tools/schema.js';
export type { Message, OfferedTool, ToolCall, Transcript } from './transcript.js';
export { type AuditResult, auditResult, type EpochSummary, type Verdict } from './verdict.js';
export { type AuditVerification, verifyAudit, type VerifyAuditOptions } from './verify.js';
