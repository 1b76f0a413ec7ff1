import { describe, expect, it } from 'vitest';
import type { Policy, Rule } from './decide.js';
import { policyDigest, policyPreimage, rulePreimage } from './digest.js';

const tool = (server: string, name: string): Rule => ({ name: 'r', effect: 'deny', agents: 'any', action: { tool: { server, name } } });
const one = (rule: Rule, version = 1): Policy => ({ version, rules: [rule] });

describe('reference: preimage', () => {
  it('writes the worked example of the chapter', () => {
    expect(policyPreimage(one(tool('s', 'n')))).toBe(
      '0000001972756c657072696e742f706f6c6963792d6469676573742f31' +
        '00000001' +
        '0000000172' +
        '0000000464656e79' +
        '0000000a6167656e74733a616e79' +
        '0000000b616374696f6e3a746f6f6c' +
        '0000000173' +
        '000000016e',
    );
  });

  it('keeps the order of rules and leaves the version out (DIG-1, DIG-4)', () => {
    const [a, b] = [tool('a', 'n'), { ...tool('b', 'n'), name: 'q' }];
    expect(policyDigest({ version: 1, rules: [a, b] })).not.toBe(policyDigest({ version: 1, rules: [b, a] }));
    expect(policyDigest(one(a, 1))).toBe(policyDigest(one(a, 2)));
  });

  it('sorts sets by UTF-8 bytes, where U+FFFF stands before U+10000 (DIG-2)', () => {
    const agents = (...ids: string[]) => rulePreimage({ ...tool('s', 'n'), agents: { one_of: ids } });
    expect(agents('\u{10000}', '\uffff')).toBe(agents('\uffff', '\u{10000}'));
    expect(agents('\u{10000}', '\uffff')).toContain('00000003efbfbf00000004f0908080');
  });

  it('keeps a reversed range and the boundary between strings (DIG-3, DIG-6)', () => {
    const ports = (from: number, to: number) => rulePreimage({ ...tool('s', 'n'), action: { network: { host: '**', ports: { from, to }, methods: 'any' } } });
    expect(ports(2, 1)).not.toBe(ports(1, 2));
    expect(rulePreimage(tool('ab', 'c'))).not.toBe(rulePreimage(tool('a', 'bc')));
  });
});
