import { describe, expect, it } from 'vitest';
import { RequestStates } from '../../../src/gate/mcp/request-state.js';
import { decisionsIn, kindsIn, policyOf, problemsIn } from '../kit.js';
import { callOf, initialize, type Message, startTime, stateless, talk } from './session-kit.js';

const write = (id: number | string = 1, params: object = {}): Message => callOf('write', { path: '/srv/a' }, { id, params });
const read = (id: number | string = 1): Message => callOf('read', { path: '/srv/a' }, { id });

describe('a call through the gate', () => {
  it('reaches the server when it is allowed, after its receipt is recorded (MCP-6)', async () => {
    const t = await talk();
    await t.say(read());
    expect(t.toServer).toEqual([JSON.stringify(read())]);
    expect(decisionsIn(t.store)).toMatchObject([{ decision: { effect: 'allow' }, call_id: '1' }]);
    expect(problemsIn(t.store)).toEqual([]);
  });

  it('is answered by a failed result when it is denied, with what decided and no argument (MCP-8)', async () => {
    const t = await talk();
    await t.say(callOf('read', { path: '/srv/keys/canary-5309' }));
    expect(t.toServer).toEqual([]);
    const { result } = t.last();
    expect(result.isError).toBe(true);
    expect(result).not.toHaveProperty('resultType');
    expect(result._meta['ruleprint/decision']).toEqual({
      effect: 'deny',
      rule: 'no-keys',
      policy_version: 1,
      policy_digest: decisionsIn(t.store)[0]?.policy_digest,
      receipt: t.engine.ledger.last.hash,
      seq: t.engine.ledger.last.seq,
    });
    expect(JSON.stringify(t.last()) + t.told.join()).not.toContain('canary');
    expect(t.told).toEqual([expect.stringMatching(/^DENY read \[rule no-keys\] sha256:[0-9a-f]{8}$/)]); // MCP-10
  });

  it('says in 2026, and only there, that its result is complete (MCP-8)', async () => {
    const t = await talk();
    await t.say(callOf('read', { path: '/etc/a' }, { params: stateless() }));
    expect(t.last().result).toMatchObject({ resultType: 'complete', isError: true });
  });

  it('is answered by an error where it asked for a task, or where errors are wanted, or a resource is read (MCP-9)', async () => {
    const denied = { code: -32_003, data: { 'ruleprint/decision': { effect: 'deny', reason: 'no-rule' } } };
    const t = await talk();
    await t.say(callOf('read', { path: '/etc/a' }, { params: { task: {} } }));
    expect(t.last()).toMatchObject({ id: 1, error: denied });
    await t.say({ jsonrpc: '2.0', id: 2, method: 'resources/read', params: { uri: 'file:///etc/a' } });
    expect(t.last()).toMatchObject({ id: 2, error: denied });
    const errors = await talk({ judge: { denyStyle: 'error' } });
    await errors.say(callOf('read', { path: '/etc/a' }));
    expect(errors.last()).toMatchObject({ error: denied });
  });

  it.each(['{"path":9007199254740993}', '{"path":"/srv/a","n":1e400}'])(
    'with numbers that would be others when they are sent is a recorded deny: %s (MCP-6)',
    async (args) => {
      const t = await talk();
      await t.say(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":${args}}}`);
      expect(t.toServer).toEqual([]);
      expect(decisionsIn(t.store)).toMatchObject([{ decision: { effect: 'deny', reason: 'unmapped' } }]);
      expect(t.last().result.isError).toBe(true);
    },
  );

  it('that is nested too deep to be written is a recorded deny, and the next one goes on (MCP-6)', async () => {
    const t = await talk();
    await t.say(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read","arguments":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}}`,
      read(2),
    );
    expect(t.toServer).toEqual([JSON.stringify(read(2))]);
    expect(decisionsIn(t.store)[0]).toMatchObject({ decision: { effect: 'deny', reason: 'unmapped' } });
  });

  it('goes on as it came when nothing is held back, with numbers that cannot be written again (MCP-6)', async () => {
    const t = await talk({ gate: { mode: 'observe' } });
    const line = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"path":"/etc/a","n":9007199254740993}}}';
    await t.say(line);
    expect(t.toServer).toEqual([line]);
    expect(decisionsIn(t.store)).toMatchObject([{ decision: { effect: 'deny' }, enforced: false }]);
    await t.say({ jsonrpc: '2.0', method: 'tools/call', params: { name: 'write' } });
    expect(t.toServer).toHaveLength(1); // what is no call does not pass in observe mode either
  });

  it('that nobody can be told of is dropped (MCP-5)', async () => {
    const t = await talk();
    await t.say({ ...read(), id: undefined });
    expect([t.toServer, t.toClient, decisionsIn(t.store)]).toEqual([[], [], []]);
    expect(t.told).toEqual(['DROPPED a message: tools/call without an id']);
  });
});

describe('what passes', () => {
  it('passes byte for byte, in the order in which it came, calls among it (MCP-14, MCP-15)', async () => {
    const t = await talk();
    const odd = '{ "id" : 1e0,"jsonrpc":"2.0",  "params":{"b":9007199254740993,"a":1.0,"a":2},"method":"x" }\r';
    const sent = [odd, read(2), { jsonrpc: '2.0', method: 'notifications/x' }, read(3), callOf('read', { path: '/etc/a' }, { id: 4 }), odd, read(5)];
    await t.say(...sent);
    expect(t.toServer).toEqual(sent.filter((_, i) => i !== 4).map((one) => (typeof one === 'string' ? one : JSON.stringify(one))));
  });

  it('is not held up by a call whose host names are being resolved, which a cancellation still drops (MCP-11, MCP-15)', async () => {
    let answer: (addresses: string[]) => void = () => undefined;
    const t = await talk({ gate: { resolve: () => new Promise((resolve) => (answer = resolve)) } });
    const fetching = (id: number): Message => callOf('fetch', { url: 'https://example.com/' }, { id });
    await t.say(fetching(1), read(2), { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    answer(['192.0.2.1']);
    await settled();
    expect([t.toServer, t.toClient]).toEqual([[JSON.stringify(read(2))], []]);
  });

  it('stops where the ledger fails: nothing is let through unrecorded', async () => {
    const t = await talk();
    await t.say(read(1));
    await t.engine.ledger.close();
    await t.say(read(2), { jsonrpc: '2.0', id: 3, method: 'ping' });
    expect(t.toServer).toHaveLength(2);
    expect(t.toClient).toMatchObject([{ id: 2, result: { isError: true, _meta: { 'ruleprint/decision': { effect: 'deny', code: 'ledger-closed' } } } }]);
  });
});

describe('asking in 2025', () => {
  const answer = (question: Message, result: object): Message => ({ jsonrpc: '2.0', id: question['id'], result });
  const yes = { action: 'accept', content: { approve: true } };

  async function asked(): Promise<Awaited<ReturnType<typeof talk>>> {
    const t = await talk();
    await t.say(initialize(), write());
    expect(t.last()).toMatchObject({ method: 'elicitation/create' });
    expect(t.toServer).toEqual([JSON.stringify(initialize())]);
    return t;
  }

  it('lets the call go on after a yes, with an approval and a release in the ledger; the answer goes no further (MCP-11)', async () => {
    const t = await asked();
    expect(t.last()['params'].message).toContain('{"path":"/srv/a"}');
    await t.say(answer(t.last(), yes));
    await settled();
    expect(t.toServer.slice(1)).toEqual([JSON.stringify(write())]);
    expect(kindsIn(t.store).slice(-3)).toEqual(['decision', 'record', 'release']);
    expect(problemsIn(t.store)).toEqual([]);
  });

  it('takes an answer once (MCP-11)', async () => {
    const t = await asked();
    const question = t.last();
    await t.say(answer(question, yes), answer(question, yes));
    await settled();
    await t.say(write(2));
    await t.say(answer(question, yes));
    await settled();
    expect(t.toServer.slice(1)).toEqual([JSON.stringify(write())]);
  });

  it.each([
    ['a decline', { action: 'decline' }],
    ['a cancel', { action: 'cancel' }],
    ['accept without the yes', { action: 'accept', content: {} }],
    ['accept with a no', { action: 'accept', content: { approve: false } }],
    ['accept with a text', { action: 'accept', content: { approve: 'true' } }],
    ['nothing', {}],
  ])('denies the call after %s (MCP-11)', async (_, result) => {
    const t = await asked();
    await t.say(answer(t.last(), result));
    await settled();
    expect(t.toServer).toHaveLength(1);
    expect(t.last()).toMatchObject({ id: 1, result: { isError: true, _meta: { 'ruleprint/decision': { effect: 'ask' } } } });
    expect(kindsIn(t.store)).not.toContain('release');
  });

  it.each([
    ['no initialize', []],
    ['a client that cannot ask', [initialize({})]],
    ['a client that only opens pages', [initialize({ elicitation: { url: {} } })]],
  ])('denies without a question after %s (MCP-11)', async (_, before) => {
    const t = await talk();
    await t.say(...before, write());
    expect(t.last()).toMatchObject({ id: 1, result: { isError: true } });
    expect(t.last()['result'].content[0].text).toContain('none was given');
  });

  it('denies without a question where the gate has no key for approvals', async () => {
    const t = await talk({ mute: true });
    await t.say(initialize(), write());
    expect(t.last()).toMatchObject({ id: 1, result: { isError: true, _meta: { 'ruleprint/decision': { effect: 'ask', code: 'approval-missing' } } } });
  });

  it('lets other messages go on meanwhile', async () => {
    const t = await asked();
    await t.say(read(7), { jsonrpc: '2.0', id: 8, method: 'ping' });
    expect(t.toServer.slice(1).map((line) => JSON.parse(line).id)).toEqual([7, 8]);
  });

  it('drops a call that is cancelled, withdraws the question, and takes no answer any more (MCP-11)', async () => {
    const t = await asked();
    const question = t.last();
    await t.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    expect(t.last()).toMatchObject({ method: 'notifications/cancelled', params: { requestId: question['id'] } });
    await t.say(answer(question, yes));
    await settled();
    expect(t.toServer).toHaveLength(1);
    expect(t.toClient).toHaveLength(2);
    expect(kindsIn(t.store)).not.toContain('release');
  });

  it('waits so long for an answer and no longer: then the question is withdrawn and the call denied (MCP-11)', async () => {
    const t = await talk({ judge: { patience: 20 } });
    await t.say(initialize(), write());
    const question = t.last();
    for (let i = 0; i < 100 && t.toClient.length < 3; i++) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(t.toClient.slice(1)).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: question['id'] } },
      { id: 1, result: { isError: true } },
    ]);
    await t.say(answer(question, yes));
    await settled();
    expect(t.toServer).toHaveLength(1);
  });

  it('drops it too where yes and cancellation come together (MCP-11)', async () => {
    const t = await asked();
    void t.say(answer(t.last(), yes));
    void t.say({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } });
    await settled();
    expect(t.toServer).toHaveLength(1);
  });

  it('lets a cancellation of what the server knows pass', async () => {
    const t = await talk();
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    await t.say(read(), cancelled);
    expect(t.toServer).toEqual([JSON.stringify(read()), JSON.stringify(cancelled)]);
  });

  it('refuses another call with the id of one that waits (MCP-11)', async () => {
    const t = await asked();
    await t.say(read(1));
    expect(t.last()).toMatchObject({ id: 1, error: { code: -32_600 } });
    expect(t.toServer).toHaveLength(1);
    await t.say(read('1'));
    expect(t.toServer).toHaveLength(2); // text and number are two ids
  });

  it('judges the call anew where a policy came in force meanwhile', async () => {
    const t = await asked();
    t.engine.install(policyOf(2, [{ name: 'closed', effect: 'deny', agents: 'any', action: { filesystem: { path: '/**', methods: 'any' } } }]));
    await t.say(answer(t.last(), yes));
    await settled();
    expect(t.toServer).toHaveLength(1);
    expect(t.last()).toMatchObject({ id: 1, result: { isError: true, _meta: { 'ruleprint/decision': { effect: 'deny', rule: 'closed' } } } });
  });

  it('drops what waits when the client goes', async () => {
    const t = await asked();
    t.session.end();
    await t.say(answer(t.last(), yes), read(9));
    await settled();
    expect(t.toServer).toHaveLength(1);
  });
});

describe('asking in 2026', () => {
  const yes = { action: 'accept', content: { approve: true } };
  const first = write(1, stateless());
  const again = (state: string, result: object = yes, params: object = {}, id = 2): Message =>
    write(id, { ...stateless(), requestState: state, inputResponses: { 'ruleprint-approval': result }, ...params });

  async function asked(now?: () => number): Promise<Awaited<ReturnType<typeof talk>> & { state: string }> {
    const t = await talk(now === undefined ? {} : { now });
    await t.say(first);
    expect(t.last()).toMatchObject({
      id: 1,
      result: {
        resultType: 'input_required',
        inputRequests: { 'ruleprint-approval': { method: 'elicitation/create' } },
        requestState: expect.stringMatching(/^rp1\./),
      },
    });
    expect(t.toServer).toEqual([]);
    return { ...t, state: t.last()['result'].requestState };
  }

  it('lets the call that comes back with a yes go on, without what was the gate’s (MCP-11, MCP-12)', async () => {
    const t = await asked();
    await t.say(again(t.state));
    expect(t.toServer.map((line) => JSON.parse(line))).toEqual([write(2, stateless())]);
    expect(kindsIn(t.store).slice(-3)).toEqual(['decision', 'record', 'release']);
    expect(problemsIn(t.store)).toEqual([]);
  });

  it('keeps what is the server’s in the call that comes back (MCP-12)', async () => {
    const t = await asked();
    await t.say(again(t.state, yes, { inputResponses: { 'ruleprint-approval': yes, other: { action: 'cancel' } } }));
    expect(JSON.parse(t.toServer[0] as string).params).toMatchObject({ inputResponses: { other: { action: 'cancel' } } });
    expect(t.toServer[0]).not.toMatch(/ruleprint|rp1/);
  });

  it('takes a state once (MCP-12)', async () => {
    const t = await asked();
    await t.say(again(t.state), again(t.state, yes, {}, 3));
    expect(t.toServer).toHaveLength(1);
    expect(t.last()).toMatchObject({ id: 3, result: { resultType: 'input_required' } });
  });

  it('takes it for this call alone (MCP-12)', async () => {
    for (const change of [{ arguments: { path: '/srv/b' } }, { arguments: { path: '/srv/a', more: 1 } }, { arguments: { path: '/srv/./a' } }]) {
      const t = await asked();
      await t.say(again(t.state, yes, change));
      expect(t.toServer).toEqual([]);
    }
  });

  it('has a state that agrees with server, tool, digest, rule and policy (MCP-12)', () => {
    const about = { server: 's', tool: 't', argsDigest: 'd', rule: 'r', policyDigest: 'p' };
    const states = new RequestStates(1, () => 0);
    const state = states.make({ ask: `sha256:${'0'.repeat(64)}`, ...about });
    for (const name of Object.keys(about)) expect(states.take(state, { ...about, [name]: 'x' })).toBe(false);
    expect(states.take(state, { ...about, server: 'st', tool: '' })).toBe(false);
    expect([states.take(state, about), states.take(state, about)]).toEqual([true, false]);
  });

  it('takes no state that was changed, made up, or is of another gate (MCP-12)', async () => {
    const other = await asked();
    const t = await asked();
    const [, expires = '', hash = '', mac = ''] = t.state.split('.');
    const forged = [
      ['rp1', `${Number(expires) + 1}`, hash, mac],
      ['rp1', expires, hash.replace(/^./, (digit) => (digit === '0' ? '1' : '0')), mac],
      ['rp1', expires, hash, mac.slice(0, -1)],
      ['rp1', expires, hash, ''],
      ['rp1', expires, hash],
      ['rp1', ''],
    ].map((parts) => parts.join('.'));
    for (const state of [...forged, other.state]) await t.say(again(state));
    expect(t.toServer).toEqual([]);
    await t.say(again(t.state));
    expect(t.toServer).toHaveLength(1);
  });

  it('takes none that is late (MCP-12)', async () => {
    let now = startTime;
    const t = await asked(() => now);
    now += 600_000;
    await t.say(again(t.state));
    expect(t.toServer).toEqual([]);
    expect(t.last()).toMatchObject({ result: { resultType: 'input_required' } });
  });

  it.each([{ action: 'decline' }, { action: 'accept', content: { approve: false } }, { action: 'cancel' }, undefined])(
    'denies after no: %j (MCP-11)',
    async (result) => {
      const t = await asked();
      await t.say(again(t.state, result, result === undefined ? { inputResponses: {} } : {}));
      expect(t.toServer).toEqual([]);
      expect(t.last()).toMatchObject({ result: { isError: true, resultType: 'complete' } });
    },
  );

  it('judges the call that comes back by the rules of now (MCP-12)', async () => {
    const t = await asked();
    t.engine.install(policyOf(2, [{ name: 'closed', effect: 'deny', agents: 'any', action: { filesystem: { path: '/**', methods: 'any' } } }]));
    await t.say(again(t.state));
    expect(t.toServer).toEqual([]);
    expect(t.last()).toMatchObject({ result: { isError: true } });
  });

  it('takes no yes without a state, and none of a question of 2025 (MCP-12)', async () => {
    const t = await talk();
    await t.say(
      write(1, { ...stateless(), inputResponses: { 'ruleprint-approval': yes } }),
      write(2, { ...stateless(), requestState: 'other', inputResponses: { 'ruleprint-approval': yes } }),
    );
    expect(t.toServer).toEqual([]);
  });

  it('denies where the request does not say that it can be asked (MCP-11)', async () => {
    const t = await talk();
    await t.say(write(1, stateless({})));
    expect(t.last()).toMatchObject({ result: { isError: true } });
  });

  describe('and a server that asks back', () => {
    const theirs = { resultType: 'input_required', inputRequests: { q: {} }, requestState: 'server-1' };
    const answered = (state: string | undefined, id: number, args?: object): Message =>
      write(id, {
        ...stateless(),
        ...(state !== undefined && { requestState: state }),
        inputResponses: { q: { action: 'accept' } },
        ...(args && { arguments: args }),
      });

    it('gets its own question answered without another one of the gate, once for each (MCP-13)', async () => {
      const t = await asked();
      await t.say(again(t.state));
      t.serverSays({ jsonrpc: '2.0', id: 99, result: {} }, { jsonrpc: '2.0', id: 2, result: theirs });
      await t.say(answered('server-1', 3));
      expect(t.toServer).toHaveLength(2);
      expect(JSON.parse(t.toServer[1] as string).params).toMatchObject({ requestState: 'server-1', inputResponses: { q: { action: 'accept' } } });
      t.serverSays({ jsonrpc: '2.0', id: 3, result: { ...theirs, requestState: 'server-2' } });
      await t.say(answered('server-1', 4)); // used
      expect(t.last()).toMatchObject({ id: 4, result: { resultType: 'input_required' } });
      await t.say(answered('server-2', 5));
      expect(t.toServer).toHaveLength(3);
      expect(problemsIn(t.store)).toEqual([]);
    });

    it('gets no other call through by it (MCP-13)', async () => {
      const t = await asked();
      await t.say(again(t.state));
      t.serverSays({ jsonrpc: '2.0', id: 2, result: theirs });
      await t.say(answered('server-1', 3, { path: '/srv/b' }), answered('made-up', 4), answered(undefined, 5));
      expect(t.toServer).toHaveLength(1);
    });

    it('is believed only about the call that it was sent (MCP-13)', async () => {
      const t = await asked();
      t.serverSays({ jsonrpc: '2.0', id: 2, result: theirs }); // before it got anything
      await t.say(again(t.state));
      t.serverSays({ jsonrpc: '2.0', id: 7, result: theirs }, { jsonrpc: '2.0', id: 2, result: { content: [] } }, { jsonrpc: '2.0', id: 2, result: theirs });
      await t.say(answered('server-1', 3));
      expect(t.toServer).toHaveLength(1);
    });

    it('is heard whatever pieces its lines come in (MCP-13)', async () => {
      const t = await asked();
      t.session.fromServer(new TextEncoder().encode('{"jsonrpc":"2.0","id":50,'));
      await t.say(again(t.state));
      for (const piece of ['"result":{}}', '\n{"jsonrpc"', `${JSON.stringify({ jsonrpc: '2.0', id: 2, result: theirs }).slice('{"jsonrpc"'.length)}\n{"json`])
        t.session.fromServer(new TextEncoder().encode(piece));
      await t.say(answered('server-1', 3));
      expect(t.toServer).toHaveLength(2);
    });
  });
});

/** Turns of the event loop in which everything that needs no waiting is through. */
async function settled(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}
