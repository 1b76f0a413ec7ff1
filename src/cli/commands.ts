/**
 * The list of commands, in the order in which a newcomer meets them.
 * @module
 */
import type { CommandEntry, CommandGroup } from './command.js';

export const commands: readonly (CommandEntry | CommandGroup)[] = [
  {
    name: 'demo',
    summary: 'a real MCP server behind a policy, with receipts: ten seconds, nothing to set up',
    load: async () => (await import('./commands/demo.js')).demo,
  },
  {
    name: 'init',
    summary: 'write a sample policy, signing keys and a trust store into a folder',
    load: async () => (await import('./commands/init.js')).init,
  },
  {
    name: 'check',
    summary: 'check a policy: its digest, or every problem with its place',
    load: async () => (await import('./commands/check.js')).check,
  },
  {
    name: 'lint',
    summary: 'find dead, wide and misleading rules in policies',
    load: async () => (await import('./commands/lint.js')).lint,
  },
  {
    name: 'digest',
    summary: 'print the digest of a policy: which rules, whatever the version',
    load: async () => (await import('./commands/digest.js')).digest,
  },
  {
    name: 'diff',
    summary: 'compare two policies rule by rule: added, removed, changed, moved',
    load: async () => (await import('./commands/diff.js')).diff,
  },
  {
    name: 'decide',
    summary: 'decide requests by a policy, and sign the decisions into receipts or a ledger',
    load: async () => (await import('./commands/decide.js')).decide,
  },
  {
    name: 'mcp',
    summary: 'put a gate before an MCP server: calls are judged and recorded, then sent',
    load: async () => (await import('./commands/mcp.js')).mcp,
  },
  {
    name: 'hook',
    summary: 'judge one call of a tool for the hook of an agent program',
    commands: [
      {
        name: 'claude',
        summary: 'the PreToolUse hook of Claude Code: a call on stdin, an answer on stdout',
        load: async () => (await import('./commands/hook-claude.js')).hookClaude,
      },
    ],
  },
  {
    name: 'draft',
    summary: 'draft the least policy that allows what a ledger has seen',
    load: async () => (await import('./commands/draft.js')).draft,
  },
  {
    name: 'verify',
    summary: 'verify ledgers and receipts offline: signatures, keys, order, rules, decisions',
    load: async () => (await import('./commands/verify.js')).verify,
  },
  {
    name: 'findings',
    summary: 'show what harnesses have reported into a ledger, where it holds',
    load: async () => (await import('./commands/findings.js')).findings,
  },
  {
    name: 'ledger',
    summary: 'look at a ledger, pin it by a checkpoint, rotate, repair, export',
    commands: [
      {
        name: 'show',
        summary: 'show the entries of a ledger, one a line; proves nothing',
        load: async () => (await import('./commands/ledger-show.js')).ledgerShow,
      },
      {
        name: 'checkpoint',
        summary: "sign how far a ledger has come, with a key that is not the engine's",
        load: async () => (await import('./commands/ledger-checkpoint.js')).ledgerCheckpoint,
      },
      {
        name: 'rotate',
        summary: 'begin a new segment',
        load: async () => (await import('./commands/ledger-rotate.js')).ledgerRotate,
      },
      {
        name: 'repair',
        summary: 'cut a damaged ledger from its first bad entry on; keeps a copy',
        load: async () => (await import('./commands/ledger-repair.js')).ledgerRepair,
      },
      {
        name: 'export',
        summary: 'print the entries of a ledger as JSON lines, to look at; not the evidence',
        load: async () => (await import('./commands/ledger-export.js')).ledgerExport,
      },
    ],
  },
  {
    name: 'audit',
    summary: 'audit a skill: run agents over false tools, many times, and sign what was seen',
    commands: [
      {
        name: 'run',
        summary: 'run an audit, or go on with one: plan, epochs, report',
        load: async () => (await import('./commands/audit-run.js')).auditRun,
      },
      {
        name: 'verify',
        summary: 'verify the evidence of an audit offline: all of it is made again',
        load: async () => (await import('./commands/audit-verify.js')).auditVerify,
      },
      {
        name: 'replay',
        summary: 'judge recorded runs by the signals of today, without a model',
        load: async () => (await import('./commands/audit-replay.js')).auditReplay,
      },
      {
        name: 'report',
        summary: 'show what an audit says, in lines or as a page to read',
        load: async () => (await import('./commands/audit-report.js')).auditReport,
      },
    ],
  },
  {
    name: 'inspect',
    summary: 'show what receipts say, in words and in bytes; proves nothing',
    load: async () => (await import('./commands/inspect.js')).inspect,
  },
  {
    name: 'keygen',
    summary: 'make a signing key, and an entry for a trust store',
    load: async () => (await import('./commands/keygen.js')).keygen,
  },
];
