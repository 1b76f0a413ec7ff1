/**
 * A process that runs epochs until it is killed. Says each turn before the agent has it, so that a turn that is had twice shows.
 * @module
 */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { chance } from '../../../src/audit/agents/random.js';
import { exfiltrating } from '../../../src/audit/agents/scripted.js';
import { run } from './kit.js';

const [folder = '', epochs = '', said = ''] = process.argv.slice(2);
const agent = exfiltrating({ steps: [{ tool: 'read_file' }, { tool: 'delete_file' }], says: 'done' }, { tool: 'send_mail' });
const result = await run({
  folder,
  epochs: Number(epochs),
  concurrency: 3,
  agent: {
    next: async (turn) => {
      appendFileSync(said, `${turn.epoch} ${turn.index}\n`);
      await new Promise((resolve) => setTimeout(resolve, chance(turn.seed, String(turn.index)) * 4));
      return agent.next(turn);
    },
  },
});
process.stdout.write(`${JSON.stringify(result)} in ${join(folder)}\n`);
