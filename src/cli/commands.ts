/**
 * The list of commands, in the order in which a newcomer meets them.
 * @module
 */
import type { CommandEntry } from './command.js';

export const commands: readonly CommandEntry[] = [
  {
    name: 'demo',
    summary: 'a real MCP server behind a policy, with receipts: ten seconds, nothing to set up',
    load: async () => (await import('./commands/demo.js')).demo,
  },
  {
    name: 'init',
    summary: 'write a sample policy, a signing key and a trust store into a folder',
    load: async () => (await import('./commands/init.js')).init,
  },
  {
    name: 'check',
    summary: 'check a policy: its digest, or every problem with its place',
    load: async () => (await import('./commands/check.js')).check,
  },
  {
    name: 'digest',
    summary: 'print the digest of a policy: which rules, whatever the version',
    load: async () => (await import('./commands/digest.js')).digest,
  },
  {
    name: 'decide',
    summary: 'decide requests by a policy, and sign the decisions into receipts',
    load: async () => (await import('./commands/decide.js')).decide,
  },
  {
    name: 'verify',
    summary: 'verify receipts offline: bytes, signature, key trust, rules, the decision itself',
    load: async () => (await import('./commands/verify.js')).verify,
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
