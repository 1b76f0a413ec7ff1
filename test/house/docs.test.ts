/** The examples of README, SPEC and the doc comments are run, and what they say comes out. */
import { readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { argsDigest } from '../../src/digest/args-digest.js';
import { sha256Text } from '../../src/hash.js';
import { createMapper } from '../../src/mapping/mapper.js';
import { parseMapping } from '../../src/mapping/parse.js';
import * as ruleprint from '../../src/index.js';
import {
  copyTrustStore,
  createSigner,
  generateKey,
  InMemoryPolicyEngine,
  parsePolicy,
  policyDigest,
  policyPreimage,
  publicJwk,
  readReceipt,
  signReceipt,
} from '../../src/index.js';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
const blocks = (text: string, language: string): readonly string[] =>
  [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))].map((match) => match[1] as string);

describe('README', () => {
  it('has a guard that gives what was judged and stops what was not allowed', () => {
    const [example, guard] = blocks(read('README.md'), 'ts');
    const body = `${example}\nconst signer = createSigner(key);\n${guard}\nreturn guard;`.replace(
      /^import \{([^}]*)\} from 'ruleprint';$/m,
      'const {$1} = ruleprint;',
    );
    const stored: unknown[] = [];
    const { code } = transformSync(`(function (ruleprint, console, store) {${body}})`, { loader: 'ts' });
    const made = new Function(`return ${code}`)() as (...given: unknown[]) => (request: ruleprint.Request) => readonly ruleprint.Action[];
    const judge = made(ruleprint, { log: () => undefined }, (receipt: unknown) => stored.push(receipt));
    const read_ = (path: string): ruleprint.Request => ({ agent: 'builder', actions: [{ filesystem: { path, method: 'read' } }] });
    expect(judge(read_('/srv//a'))).toEqual([{ filesystem: { path: '/srv/a', method: 'read' } }]);
    expect(() => judge(read_('/srv/keys/a'))).toThrow('denied: no-keys');
    expect(() => judge(read_('/etc/shadow'))).toThrow('denied: no-rule');
    expect(stored).toHaveLength(3);
  });

  it('has an example that prints what its comments promise', () => {
    const [example] = blocks(read('README.md'), 'ts');
    expect(example).toBeDefined();
    const printed: unknown[] = [];
    const promised = [...(example as string).matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map((match) => match[1] as string);
    expect(promised).toHaveLength(6);
    const body = (example as string).replace(/^import \{([^}]*)\} from 'ruleprint';$/m, 'const {$1} = ruleprint;');
    expect(body).not.toContain('import');
    new Function('ruleprint', 'console', body)(ruleprint, { log: (value: unknown) => printed.push(value) });
    expect(printed).toEqual(promised.map((text) => new Function(`return (${text})`)() as unknown));
  });
});

describe('SPEC', () => {
  const spec = read('SPEC.md');

  it('shows the receipt that its policy and its request give', () => {
    const policy = parsePolicy(blocks(spec, 'yaml')[0] as string, { format: 'yaml' });
    const shown = JSON.parse(blocks(spec, 'json')[0] as string) as Record<string, unknown>;
    const engine = new InMemoryPolicyEngine({ engineId: 'engine-a', now: () => shown['time'] as number });
    engine.install(policy);
    const event = engine.evaluate({ agent: 'builder', actions: [{ filesystem: { path: '/srv//a.txt', method: 'read' } }] });
    expect(JSON.parse(JSON.stringify(readReceipt(signReceipt(event, createSigner(generateKey()))).statement))).toEqual(shown);
  });

  it('has a worked digest example whose bytes are those of the code', () => {
    const hex = (blocks(read('spec/digest.md'), '')[1] as string).replace(/ {2,}.*$/gm, '').replace(/\s/g, '');
    const policy = { version: 1, rules: [{ name: 'r', effect: 'deny', agents: 'any', action: { tool: { server: 's', name: 'n' } } }] } as const;
    expect(Buffer.from(policyPreimage(policy)).toString('hex')).toBe(hex);
  });

  it('has a worked digest of arguments whose bytes hash to what the code gives', () => {
    const hex = (blocks(read('spec/digest.md'), '')[3] as string).replace(/ {2,}.*$/gm, '').replace(/\s/g, '');
    expect(argsDigest({ path: '/a' })).toBe(sha256Text(Buffer.from(hex, 'hex')));
  });

  it('has an example table that makes the actions which the chapter says', () => {
    const table = parseMapping(blocks(read('spec/mapping.md'), 'json')[0] as string);
    const actions = createMapper(table, { server: 'files' }).map({ tool: 'move_file', args: { source: '/srv/in/a', destination: '/srv/in/../out/a' } });
    expect(actions).toEqual([
      { tool: { server: 'files', name: 'move_file' } },
      { filesystem: { path: '/srv/in/a', method: 'delete' } },
      { filesystem: { path: '/srv/out/a', method: 'write' } },
    ]);
  });

  it('has example policies that are policies', () => {
    for (const chapter of ['policy', 'decision', 'match', 'digest', 'receipt']) {
      for (const block of blocks(read(`spec/${chapter}.md`), 'yaml')) expect(policyDigest(parsePolicy(block, { format: 'yaml' }))).toMatch(/^sha256:/);
    }
  });

  it('has an example trust store that is read, but for the key that it leaves out', () => {
    const [block] = blocks(read('spec/receipt.md'), 'json');
    const store = JSON.parse(block as string) as { keys: { key: unknown }[] };
    (store.keys[0] as { key: unknown }).key = publicJwk(generateKey().public);
    expect([...copyTrustStore(store).keys.values()][0]).toMatchObject({ role: 'engine', revokedAt: 1790000000000 });
  });
});
