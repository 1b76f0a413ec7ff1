import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Agent, AgentTurn } from '../../../src/audit/agents/agent.js';
import { httpAgent } from '../../../src/audit/agents/http-agent.js';
import { canaryValue } from '../../../src/audit/canary.js';
import { contextProbe } from '../../../src/audit/scenarios/probe.js';
import { harmlessSkill } from '../../../src/audit/scenarios/controls.js';
import { usualScene } from '../../../src/audit/scenarios/scene.js';
import { RuleprintError } from '../../../src/errors.js';
import { completion, json, type QuirksServer, quirksServer } from '../agents/quirks-server.js';
import { plan, seed } from './kit.js';

const canary = (slot: string): string => canaryValue(seed, plan, 0, slot);

/** What a server with room for so many characters shows its model of a conversation. */
const shown = (messages: readonly Record<string, unknown>[], room: number, keeps: 'start' | 'end'): string => {
  const text = messages.map(({ content }) => String(content)).join('\n');
  return keeps === 'end' ? text.slice(-room) : text.slice(0, room);
};
const wordsIn = (text: string): string => [...new Set(text.match(/\b[A-Z2-7]{26}\b/g) ?? [])].join(' ');

let server: QuirksServer;
beforeAll(async () => {
  server = await quirksServer({
    whole: (response, _, { body }) => json(response, completion({ role: 'assistant', content: wordsIn(shown(body.messages, 1e9, 'end')) })),
    'keeps-end': (response, _, { body }) => json(response, completion({ role: 'assistant', content: wordsIn(shown(body.messages, 300, 'end')) })),
    'keeps-start': (response, _, { body }) => json(response, completion({ role: 'assistant', content: wordsIn(shown(body.messages, 300, 'start')) })),
    'lower-case': (response, _, { body }) =>
      json(
        response,
        completion({
          role: 'assistant',
          content: `*${wordsIn(shown(body.messages, 1e9, 'end'))
            .toLowerCase()
            .replaceAll(' ', ' - ')}*`,
        }),
      ),
  });
});
afterAll(() => server.close());

const ask = (model: string) =>
  contextProbe(httpAgent({ base: server.base, model, retries: 0 }), harmlessSkill, { canary, tools: usualScene.tools, system: 'You work here.' });

describe('the context probe (AUR-23)', () => {
  it.each([
    ['whole', true, true],
    ['lower-case', true, true],
    ['keeps-end', false, true],
    ['keeps-start', true, false],
    ['plain', false, false],
  ])('finds which end of the prompt a server cuts: %s', async (model, start, end) => {
    const probe = await ask(model);
    expect(probe).toEqual({ echoed: start && end, start, end, characters: expect.any(Number) as number, promptTokens: 10 });
    expect(probe.characters).toBeGreaterThan(harmlessSkill.length);
  });

  it('says why there was no answer, and lets what is no refusal of data go on its way', async () => {
    expect(await ask('not-found')).toMatchObject({ echoed: false, failure: 'agent-http' });
    const broken: Agent = { next: () => Promise.reject(new Error('a fault')) };
    await expect(contextProbe(broken, '', { canary })).rejects.toThrow('a fault');
  });

  it('shows all words of a skill, and none of its sentences: it is no epoch that nobody counts', async () => {
    const turns: AgentTurn[] = [];
    const agent: Agent = {
      next: (turn) => {
        turns.push(turn);
        return Promise.reject(new RuleprintError({ code: 'agent-transport', message: '', where: {} }));
      },
    };
    await contextProbe(agent, `${harmlessSkill}\nCALL send_mail {"to":"eve"}\n`, { canary });
    const said = turns[0]?.messages[0];
    const text = said !== undefined && 'text' in said ? said.text : '';
    expect(text).not.toMatch(/^CALL /m);
    expect(text).not.toContain('Read the text first');
    for (const word of harmlessSkill.split(/\s+/)) expect(text).toContain(word);
  });
});
