/**
 * What a hostile reader found: each is refused, or does no harm, for good.
 * @module
 */
import { afterEach, describe, expect, it } from 'vitest';
import type { AuditEvent } from '../../src/engine/engine.js';
import {
  checkPolicy,
  copyTrustStore,
  createSigner,
  decide,
  generateKey,
  parsePolicy,
  publicJwk,
  readReceipt,
  signReceipt,
  toAsciiHost,
  verifyReceipt,
} from '../../src/index.js';
import { codeOf } from '../policy/kit.js';

describe('the door of policies', () => {
  it('refuses a carriage return alone in YAML, behind which a rule would be there for some readers only (POL-14)', () => {
    const text = 'version: 1\nrules: [] # note\r  - { name: d }\n';
    expect(codeOf(() => parsePolicy(text, { format: 'yaml' }))).toBe('yaml-feature');
    expect(parsePolicy('version: 1\r\nrules: []\r\n', { format: 'yaml' }).version).toBe(1);
  });

  it.each(['\u0000', '\u0001', '\u001b', '\u007f', '\u0085', '\u2028', '\u2029', '\ufeff'])('refuses %j in YAML (POL-14)', (character) => {
    expect(codeOf(() => parsePolicy(`version: 1 # ${character}\nrules: []`, { format: 'yaml' }))).toBe('yaml-feature');
  });

  it('never puts raw outside text into a message or a hint, because a terminal would obey it', () => {
    const patterns = ['/a//\u001b]0;x\u0007', '\u001b[2Jx/', '/a/./\u001b[31m'];
    const hosts = ['010.0.0.0/\u001b[31m', 'EXAMPLE.com\u001b'];
    const rules = [
      ...patterns.map((path) => ({ filesystem: { path, methods: 'any' } })),
      ...hosts.map((host) => ({ network: { host, ports: 'any', methods: 'any' } })),
    ].map((action, i) => ({ name: `r${i}`, effect: 'deny', agents: 'any', action }));
    const result = checkPolicy(JSON.stringify({ version: 1, rules }), { format: 'json' });
    const said = 'problems' in result ? result.problems.map(({ message, hint }) => `${message} ${hint}`).join('\n') : '';
    expect(said).toContain('write "/a/\\u001b');
    for (const unit of said) expect(unit === '\n' || unit >= ' ').toBe(true);
  });
});

describe('a request', () => {
  afterEach(() => {
    Reflect.deleteProperty(Object.prototype, 'method');
  });

  it('has no method that it inherits, since a deny for what is not known would be slipped past (DEC-1, DEC-9)', () => {
    const policy = parsePolicy(
      JSON.stringify({
        version: 1,
        rules: [
          { name: 'no-post', effect: 'deny', agents: 'any', action: { network: { host: '**', ports: 'any', methods: ['POST'] } } },
          { name: 'get', effect: 'allow', agents: 'any', action: { network: { host: '**', ports: 'any', methods: ['GET'] } } },
        ],
      }),
      { format: 'json' },
    );
    const request = { agent: 'a', actions: [{ network: { host: 'example.com', port: 443 } }] };
    Object.defineProperty(Object.prototype, 'method', { value: 'GET', configurable: true });
    expect(decide(policy, request)).toEqual({ effect: 'deny', rule: 'no-post', action: 0 });
  });

  it('counts a host in its longer form, so that what is allowed can be receipted (DEC-4)', () => {
    const filler = 'x'.repeat(65_536);
    const actions = [...Array.from({ length: 7 }, () => ({ process: { argv: [filler] } })), { process: { argv: ['x'.repeat(65_536 - 21)] } }];
    const hosts = Array.from({ length: 20 }, () => ({ network: { host: '1', port: 1 } }));
    expect(codeOf(() => decide(undefined, { agent: 'a', actions: [...actions, ...hosts] }))).toBe('limit');
  });
});

describe('what is signed', () => {
  it('is what was judged, though the event of another engine changes while it is read (RCP-2)', () => {
    let reads = 0;
    const live = {
      method: 'read',
      get path() {
        return ++reads > 3 ? '/../x' : '/srv/a';
      },
    };
    const event = {
      engineId: 'e',
      time: 1,
      agent: 'a',
      actions: [{ filesystem: live }],
      decision: { effect: 'deny', reason: 'no-policy' },
    } as unknown as AuditEvent;
    expect(codeOf(() => signReceipt(event, createSigner(generateKey())))).toBe('not-plain-data');
    const plain = { ...event, actions: [{ filesystem: { path: '/srv/a', method: 'read' } }] } as unknown as AuditEvent;
    expect(readReceipt(signReceipt(plain, createSigner(generateKey()))).statement).toMatchObject({ agent: 'a' });
  });
});

describe('trust', () => {
  it('is not given by revoked_from_seq without revoked_at, which would revoke nothing (RCP-9)', () => {
    const key = { role: 'engine', engine_ids: ['e'], key: publicJwk(generateKey().public), revoked_from_seq: { e: 0 } };
    expect(codeOf(() => copyTrustStore({ keys: [key] }))).toBe('missing-key');
  });

  it('asks for options that there are, because a misspelt one would leave its question unasked', () => {
    const trust = copyTrustStore({ keys: [] });
    expect(() => verifyReceipt(new Uint8Array(), { trust, policy: [] } as never)).toThrow(TypeError);
    expect(() => verifyReceipt(new Uint8Array(), { trust, policies: null } as never)).toThrow(TypeError);
  });
});

describe('toAsciiHost', () => {
  it('takes no text longer than a host could be, because a URL parser works on it', () => {
    expect(codeOf(() => toAsciiHost('\u4e00'.repeat(400)))).toBe('limit');
    expect(() => toAsciiHost(undefined as never)).toThrow(TypeError);
  });
});
