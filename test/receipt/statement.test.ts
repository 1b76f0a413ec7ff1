import { describe, expect, it } from 'vitest';
import { changed } from '../policy/kit.js';
import { array, cbor, codesOf, digest, integer, map, receipt, receiptOf, sorted, statement, tstr, verify, type Entry } from './kit.js';

/** A statement with an action of each kind, changed at one place. */
const base = statement({
  actions: [
    { filesystem: { path: '/srv/a', method: 'read' } },
    { network: { host: 'example.com', port: 443, method: 'GET' } },
    { process: { argv: ['git', ''] } },
    { tool: { server: 'fs', name: 'read_file' } },
  ],
  args_digest: digest,
  call_id: 'call-1',
  mapping: digest,
  enforced: false,
});
const at = (path: readonly (string | number)[]): string => path.map((step) => `/${step}`).join('');
const problemsOf = (value: unknown): unknown[] =>
  verify(receipt({ payload: value instanceof Uint8Array ? value : cbor(value) })).problems.map(({ code, axis, where }) => ({
    code,
    axis,
    pointer: where.pointer,
  }));
const problem = (code: string, pointer: string): unknown => ({ code, axis: 'bytes', pointer });

type Path = readonly (string | number)[];
type Row = [title: string, path: Path, to: unknown, code: string, at?: Path];

function refusals(rows: readonly Row[]): void {
  it.each<Row>([...rows])('refuses %s', (...[, path, to, code, where = path]: Row) => {
    expect(problemsOf(changed(base, path, to))).toEqual([problem(code, at(where))]);
  });
}

describe('the statement that is changed below', () => {
  it('is one of the grammar', () => {
    expect(problemsOf(base)).toEqual([]);
    expect(verify(receipt({ payload: cbor(base) })).ok).toBe(true);
  });
});

describe('RCP-19: a statement of the closed list', () => {
  it.each<[string, Uint8Array, string, string]>([
    ['a list', array(tstr('decision')), 'wrong-type', ''],
    ['text', tstr('decision'), 'wrong-type', ''],
    ['an integer', integer(1), 'wrong-type', ''],
    ['an empty map', map(), 'missing-key', ''],
    ['a map without "statement"', cbor(changed(base, ['statement'], undefined)), 'missing-key', ''],
    ['a "statement" that is no text', cbor({ ...base, statement: 1 }), 'wrong-type', '/statement'],
    ['a "statement" that is a list of one', cbor({ ...base, statement: ['decision'] }), 'wrong-type', '/statement'],
    ['an unknown statement', cbor({ ...base, statement: 'approved' }), 'unknown-statement', '/statement'],
    ['a statement in another case', cbor({ ...base, statement: 'Decision' }), 'unknown-statement', '/statement'],
    ['a statement that every object has', cbor({ ...base, statement: 'constructor' }), 'unknown-statement', '/statement'],
  ])('refuses %s, and looks no further', (_, payload, code, pointer) => {
    expect(problemsOf(payload)).toEqual([problem(code, pointer)]);
  });
});

describe('RCP-19: fields', () => {
  const missing = (path: Path): Row => [`no ${path.at(-1)} at ${at(path.slice(0, -1)) || 'the top'}`, path, undefined, 'missing-key', path.slice(0, -1)];
  refusals([
    ...['engine_id', 'time', 'agent', 'actions', 'decision'].map((field) => missing([field])),
    missing(['decision', 'effect']),
    missing(['actions', 0, 'filesystem', 'path']),
    missing(['actions', 0, 'filesystem', 'method']),
    missing(['actions', 1, 'network', 'host']),
    missing(['actions', 1, 'network', 'port']),
    missing(['actions', 2, 'process', 'argv']),
    missing(['actions', 3, 'tool', 'server']),
    missing(['actions', 3, 'tool', 'name']),
  ]);

  const unknown = (path: Path): Row => [`another field ${at(path)}`, path, 'x', 'unknown-key'];
  refusals([
    unknown(['x']),
    unknown(['policyDigest']),
    unknown(['decision', 'reasons']),
    unknown(['actions', 0, 'shell']),
    unknown(['actions', 0, 'filesystem', 'methods']),
    unknown(['actions', 1, 'network', 'scheme']),
    unknown(['actions', 2, 'process', 'cwd']),
    unknown(['actions', 3, 'tool', 'arguments']),
    unknown(['toString']),
  ]);

  it('refuses __proto__ as any unknown field, and takes nothing from it', () => {
    const entries = Object.entries(changed(base, ['agent'], undefined)).map(([name, value]): Entry => [tstr(name), cbor(value)]);
    expect(problemsOf(sorted(...entries, [tstr('__proto__'), cbor({ agent: 'root' })]))).toEqual([
      problem('missing-key', ''),
      problem('unknown-key', '/__proto__'),
    ]);
  });

  it('refuses a field whose key is an integer', () => {
    const entries = Object.entries(base).map(([name, value]): Entry => [tstr(name), cbor(value)]);
    expect(problemsOf(sorted(...entries, [integer(0), cbor(1)]))).toEqual([problem('unknown-key', '/0')]);
  });

  refusals([
    ['a time as text', ['time'], '0', 'wrong-type'],
    ['a time below 0', ['time'], -1, 'bad-integer'],
    ['a version below 0', ['policy_version'], -1, 'bad-integer'],
    ['an index below 0', ['decision', 'action'], -1, 'bad-integer'],
    ['a time that is true', ['time'], true, 'wrong-type'],
    ['an agent that is bytes', ['agent'], Uint8Array.of(97), 'wrong-type'],
    ['actions that are a map', ['actions'], {}, 'wrong-type'],
    ['an action that is text', ['actions', 0], '/srv/a', 'wrong-type'],
    ['an action of no kind', ['actions', 0], {}, 'exactly-one'],
    ['an action of two kinds', ['actions', 0], { ...base.actions[0], ...base.actions[3] }, 'exactly-one'],
    ['a decision that is text', ['decision'], 'allow', 'wrong-type'],
    ['another effect', ['decision', 'effect'], 'audit', 'bad-value'],
    ['a file method in upper case', ['actions', 0, 'filesystem', 'method'], 'READ', 'bad-value'],
    ['an HTTP method in lower case', ['actions', 1, 'network', 'method'], 'get', 'bad-value'],
    ['port 0', ['actions', 1, 'network', 'port'], 0, 'bad-value'],
    ['port 65536', ['actions', 1, 'network', 'port'], 65_536, 'bad-value'],
    ['a port as text', ['actions', 1, 'network', 'port'], '443', 'wrong-type'],
    ['an empty argv', ['actions', 2, 'process', 'argv'], [], 'empty-list'],
    ['NUL in an argument', ['actions', 2, 'process', 'argv', 1], '\0', 'nul-character'],
    ['an argument that is an integer', ['actions', 2, 'process', 'argv', 1], 1, 'wrong-type'],
    ['enforced: true, because what is not said is enforced', ['enforced'], true, 'bad-value'],
    ['enforced as text', ['enforced'], 'false', 'wrong-type'],
    ['an empty digest, which is not an absent one (RCP-1)', ['policy_digest'], '', 'bad-value'],
    ['a digest without its name', ['policy_digest'], digest.slice(7), 'bad-value'],
    ['a digest in upper case', ['policy_digest'], digest.toUpperCase(), 'bad-value'],
    ['a digest of 63 digits', ['policy_digest'], digest.slice(0, -1), 'bad-value'],
    ['a digest of 65 digits', ['policy_digest'], `${digest}0`, 'bad-value'],
    ['a digest with a line feed behind it', ['policy_digest'], `${digest}\n`, 'bad-value'],
    ['a digest of another hash', ['policy_digest'], digest.replace('sha256', 'sha512'), 'bad-value'],
    ['a digest as bytes', ['policy_digest'], new Uint8Array(32), 'wrong-type'],
    ['an args digest that is no hash', ['args_digest'], 'x', 'bad-value'],
    ['a mapping that is no hash', ['mapping'], 'x', 'bad-value'],
  ]);

  const names: readonly Path[] = [
    ['engine_id'],
    ['agent'],
    ['decision', 'rule'],
    ['call_id'],
    ['match_profile'],
    ['actions', 3, 'tool', 'server'],
    ['actions', 3, 'tool', 'name'],
  ];
  refusals(
    names.flatMap((path): Row[] => [
      [`an empty name at ${at(path)} (POL-8)`, path, '', 'empty-text'],
      [`a control character at ${at(path)} (POL-8)`, path, 'a\u001b', 'control-character'],
      [`a name of 4,097 bytes at ${at(path)} (POL-8)`, path, 'a'.repeat(4_097), 'limit'],
    ]),
  );

  refusals([
    ['65 actions (DEC-4)', ['actions'], new Array(65).fill(base.actions[3]), 'limit'],
    ['257 arguments (DEC-4)', ['actions', 2, 'process', 'argv'], new Array(257).fill('a'), 'limit'],
    ['a path of 65,537 bytes', ['actions', 0, 'filesystem', 'path'], `/${'a'.repeat(65_536)}`, 'limit'],
    ['a host of 65,537 bytes', ['actions', 1, 'network', 'host'], 'a'.repeat(65_537), 'limit'],
    ['an argument of 65,537 bytes', ['actions', 2, 'process', 'argv', 0], 'a'.repeat(65_537), 'limit'],
  ]);

  it('takes each at its limit', () => {
    for (const [path, to] of [
      [['actions', 2, 'process', 'argv'], new Array(256).fill('a')],
      [['actions', 2, 'process', 'argv', 0], 'a'.repeat(65_536)],
      [['agent'], 'a'.repeat(4_096)],
      [['time'], Number.MAX_SAFE_INTEGER],
      [['time'], 0],
    ] as const) {
      expect(problemsOf(changed(base, path, to)).filter((one) => (one as { axis: string }).axis === 'bytes')).toEqual([]);
    }
  });

  it('reports every problem, and for each map first what is missing', () => {
    const { agent: _, ...rest } = base;
    const wrong = { ...rest, time: -1, zz: 1, decision: { rule: '', x: 1 }, engine_id: '' };
    const problems = problemsOf(wrong);
    expect(problems[0]).toEqual(problem('missing-key', ''));
    // what is wrong with the members may come in any order
    expect(new Set(problems)).toEqual(
      new Set([
        problem('missing-key', ''),
        problem('unknown-key', '/zz'),
        problem('bad-integer', '/time'),
        problem('missing-key', '/decision'),
        problem('unknown-key', '/decision/x'),
        problem('empty-text', '/decision/rule'),
        problem('empty-text', '/engine_id'),
      ]),
    );
    const inDecision = problems.map((one) => (one as { pointer: string }).pointer).filter((at_) => at_.startsWith('/decision'));
    expect(inDecision[0]).toBe('/decision');
  });

  it('judges what stands in an action of two kinds all the same', () => {
    const two = { filesystem: { path: '/srv/a', method: 'READ' }, tool: { server: '', name: 'n' } };
    const problems = problemsOf(changed(base, ['actions', 0], two));
    expect(new Set(problems)).toEqual(
      new Set([problem('exactly-one', '/actions/0'), problem('bad-value', '/actions/0/filesystem/method'), problem('empty-text', '/actions/0/tool/server')]),
    );
  });
});

describe('RCP-19: fields that agree', () => {
  const conflicts = (rows: readonly [string, object][]): void => {
    it.each([...rows])('refuses %s', (_, change) => {
      expect(verify(receiptOf(change)).problems.map(({ code, axis, where }) => ({ code, axis, pointer: where.pointer }))).toEqual([
        problem('field-conflict', ''),
      ]);
    });
  };
  const takes = (rows: readonly [string, object][]): void => {
    it.each([...rows])('takes %s', (_, change) => {
      expect(verify(receiptOf(change)).axes.bytes).toEqual({ status: 'pass' });
    });
  };
  const toolAction = { tool: { server: 's', name: 'n' } };
  const noPolicy = { policy_version: undefined, policy_digest: undefined, match_profile: undefined };

  conflicts([
    ['neither a rule nor a reason', { decision: { effect: 'deny', action: 0 } }],
    ['a rule and a reason', { decision: { effect: 'deny', rule: 'srv', reason: 'no-rule', action: 0 } }],
    ['an allow for a reason', { decision: { effect: 'allow', reason: 'no-rule', action: 0 } }],
    ['an ask for a reason', { decision: { effect: 'ask', reason: 'no-rule', action: 0 } }],
    ['a rule without the index of its action', { decision: { effect: 'allow', rule: 'srv' } }],
    ['no-rule without the index of its action', { decision: { effect: 'deny', reason: 'no-rule' } }],
    ['an index beyond the actions', { decision: { effect: 'allow', rule: 'srv', action: 1 } }],
    ['an index with no-policy', { ...noPolicy, decision: { effect: 'deny', reason: 'no-policy', action: 0 } }],
    ['an index with unmapped', { decision: { effect: 'deny', reason: 'unmapped', action: 0 }, actions: [toolAction] }],
    ['no actions for a rule', { actions: [], decision: { effect: 'allow', rule: 'srv', action: 0 } }],
    ['no actions for no-policy', { ...noPolicy, actions: [], decision: { effect: 'deny', reason: 'no-policy' } }],
    ['two actions with unmapped', { actions: [toolAction, toolAction], decision: { effect: 'deny', reason: 'unmapped' } }],
    ['a file action with unmapped', { decision: { effect: 'deny', reason: 'unmapped' } }],
    ['a file action with not-canonical', { decision: { effect: 'deny', reason: 'not-canonical' } }],
    ['a file action with fault', { decision: { effect: 'deny', reason: 'fault' } }],
    ['a digest without a version', { policy_version: undefined, match_profile: undefined }],
    ['a profile without a version', { policy_version: undefined, policy_digest: undefined }],
    ['a rule without a version', noPolicy],
    ['no-rule without a version', { ...noPolicy, decision: { effect: 'deny', reason: 'no-rule', action: 0 } }],
    ['no-policy with a version', { decision: { effect: 'deny', reason: 'no-policy' } }],
    ['prev without seq', { prev: digest }],
    ['seq 1 without prev', { seq: 1 }],
    ['seq 0 with prev', { seq: 0, prev: digest }],
  ]);
  takes([
    ['a deny by a rule', { decision: { effect: 'deny', rule: 'keys', action: 0 } }],
    ['a deny by no rule', { decision: { effect: 'deny', reason: 'no-rule', action: 0 } }],
    ['no-policy without a version', { ...noPolicy, decision: { effect: 'deny', reason: 'no-policy' } }],
    ['unmapped with a tool action and a policy', { actions: [toolAction], decision: { effect: 'deny', reason: 'unmapped' } }],
    ['unmapped with no action', { actions: [], decision: { effect: 'deny', reason: 'unmapped' } }],
    ['unmapped without a policy', { ...noPolicy, actions: [], decision: { effect: 'deny', reason: 'unmapped' } }],
    ['not-canonical and fault alike', { actions: [toolAction], decision: { effect: 'deny', reason: 'fault' } }],
    ['a digest without a profile', { match_profile: undefined }],
    ['a profile without a digest', { policy_digest: undefined }],
    ['a version alone', { policy_digest: undefined, match_profile: undefined }],
    ['seq 0 without prev', { seq: 0 }],
    ['seq 1 with prev', { seq: 1, prev: digest }],
  ]);

  it('looks for conflicts only where the fields are good, and reports the first', () => {
    expect(codesOf(verify(receiptOf({ agent: '', prev: digest })))).toEqual(['empty-text']);
    expect(codesOf(verify(receiptOf({ seq: 1, decision: { effect: 'allow', action: 0 } })))).toEqual(['field-conflict']);
  });
});
