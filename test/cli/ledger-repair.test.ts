/**
 * `ruleprint ledger repair`: the one way past a damaged ledger; never without a copy, never in silence.
 * @module
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { jsonOf, type Ran } from './cli.js';
import { at, type Desk, entriesOf, newDesk, readLine, wholeLedger } from './ledger-kit.js';

const first = 'segment-000000000000.cbor';
const second = 'segment-000000000009.cbor';

let desk: Desk;
beforeAll(async () => {
  desk = await newDesk();
  await wholeLedger(desk);
  expect((await desk.ran('ledger', 'checkpoint', 'audit', '--key', 'auditor.jwk', '--out', 'checkpoint.cbor')).code).toBe(0);
}, 60_000);

const inDesk = (...names: readonly string[]): string => join(desk.cwd, ...names);
const repair = (...words: readonly string[]): Promise<Ran> => desk.ran('ledger', 'repair', ...words, '--key', 'engine.jwk');
const verify = (ledger: string, ...words: readonly string[]): Promise<Ran> => desk.ran('verify', ledger, '--trust', 'trust.json', ...words);

/** A copy of the ledger in which something was done to a file. */
function damaged(name: string, file: string, damage: (path: string) => void): string {
  cpSync(inDesk('audit'), inDesk(name), { recursive: true });
  damage(inDesk(name, file));
  return name;
}

function flip(path: string, offset: number): void {
  const bytes = readFileSync(path);
  bytes.writeUInt8(bytes.readUInt8(offset) ^ 1, offset);
  writeFileSync(path, bytes);
}

/** Where an entry begins in its segment, and how long it is. */
function placeOf(seq: number): { readonly start: number; readonly length: number } {
  const entries = entriesOf(desk);
  const from = seq >= at.secondInstall ? at.secondInstall : 0;
  const start = entries.slice(from, seq).reduce((sum, { length }) => sum + length, 0);
  return { start, length: entries[seq]?.length ?? 0 };
}

/** The first letter of the agent in a decision: with another one it is a whole statement still, and not what was signed. */
const inside = (seq: number): number => placeOf(seq).start + Buffer.from(entriesOf(desk)[seq] as Uint8Array).indexOf('agent') + 'agent'.length + 1;
const filesIn = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(inDesk(folder))
      .filter((name) => name !== 'policies')
      .sort()
      .map((name) => [name, readFileSync(inDesk(folder, name), 'hex')]),
  );

describe('ruleprint ledger repair', () => {
  it('cuts from the first bad entry on, keeps what it cuts, and says loudly what is lost', async () => {
    const ledger = damaged('flipped', second, (path) => flip(path, inside(at.readUnderSecond)));
    const before = filesIn(ledger);
    const opening = await desk.ran('decide', '--sign', 'engine.jwk', '--ledger', ledger, { stdin: readLine });
    expect(opening.stderr).toMatch(/: ledger-damaged: /);
    const ran = await repair(ledger, '--keep-copy', 'copies');
    const bytes = readFileSync(inDesk('audit', second)).length - placeOf(at.readUnderSecond).start;
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' });
    expect(ran.stdout.replace(/: expected .*/, ': …')).toBe(`LOST  entries 10 to 11, which the ledger had; ${bytes} bytes cut
first bad  flipped/${second}, seq 10 of "engine", byte ${placeOf(at.readUnderSecond).start}: signature-invalid: …
kept       entries up to seq 9 in flipped
copy       ${second}, durable.json in copies
A checkpoint over entry 10 or a later one fails from now on, and is meant to: completeness says that entries are gone.
`);
    expect(filesIn('copies')).toEqual({ [second]: before[second], 'durable.json': before['durable.json'] });

    expect((await verify(ledger)).code).toBe(0);
    const against = await verify(ledger, '--checkpoint', 'checkpoint.cbor');
    expect(against.code).toBe(1);
    expect(against.stdout).toMatch(/^fail {2}checkpoint\.cbor, engine "engine": checkpoint-beyond: /);
    expect((await desk.ran('decide', '--sign', 'engine.jwk', '--ledger', ledger, { stdin: readLine })).stdout).toContain('"seq":10}');
    expect((await verify(ledger)).code).toBe(0);
  });

  it('changes nothing without --keep-copy', async () => {
    const ledger = damaged('uncopied', second, (path) => flip(path, inside(at.readUnderSecond)));
    const before = filesIn(ledger);
    expect(await repair(ledger)).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'ruleprint: error: nothing is cut without a copy: --keep-copy\nruleprint: hint: what is cut is evidence, and the copy is all that is left of it\n',
    });
    expect((await desk.ran('ledger', 'repair', '--key', 'engine.jwk', '--keep-copy', ledger)).stderr).toBe(
      "ruleprint: error: missing required argument 'folder'\nruleprint: hint: it goes before an option whose value may be left off; see ruleprint ledger repair --help\n",
    );
    mkdirSync(inDesk('taken'));
    const taken = await repair(ledger, '--keep-copy', 'taken');
    expect(taken).toMatchObject({ code: 3, stdout: '' });
    expect(taken.stderr).toMatch(/^ruleprint: error: cannot keep a copy in taken: it is there already; nothing was cut\n/);
    expect(filesIn(ledger)).toEqual(before);
  });

  it('puts the copy beside the ledger where no folder is named', async () => {
    const ledger = damaged('beside', second, (path) => flip(path, inside(at.end)));
    const json = jsonOf(await repair(`${ledger}/`, '--keep-copy', '--json'));
    expect(json).toMatchObject({
      repaired: true,
      engine_id: 'engine',
      kept: { seq: at.end - 1 },
      lost: { from: at.end, to: at.end },
      bytes: placeOf(at.end).length,
      first: { code: 'signature-invalid', where: { file: `beside/${second}`, offset: placeOf(at.end).start, engine: 'engine', seq: at.end } },
      copy: { folder: expect.stringMatching(/^beside\.damaged-\d{8}T\d{6}Z$/), files: [second, 'durable.json'] },
    });
    expect(existsSync(inDesk((json['copy'] as { folder: string }).folder, second))).toBe(true);
  });

  interface Case {
    readonly name: string;
    readonly file: string;
    readonly damage: (path: string) => void;
    readonly code: string;
    readonly kept: number;
    readonly lost: { from: number; to: number } | null;
    readonly files: readonly string[];
  }

  const cases: readonly Case[] = [
    {
      name: 'a tail that is gone although it was synced',
      file: second,
      damage: (path) => truncateSync(path, placeOf(at.readUnderSecond).start + 10),
      code: 'cbor-truncated',
      kept: at.secondInstall,
      lost: { from: at.readUnderSecond, to: at.end },
      files: [second, 'durable.json'],
    },
    {
      name: 'a segment that is gone',
      file: second,
      damage: (path) => rmSync(path),
      code: 'tail-missing',
      kept: at.lastUnderFirst,
      lost: { from: at.secondInstall, to: at.end },
      files: ['durable.json'],
    },
    {
      name: 'an entry at the seam, in the segment before',
      file: first,
      damage: (path) => flip(path, inside(at.lastUnderFirst)),
      code: 'signature-invalid',
      kept: at.release,
      lost: { from: at.lastUnderFirst, to: at.end },
      files: [first, second, 'durable.json'],
    },
    { name: 'a mark that is gone', file: 'durable.json', damage: (path) => rmSync(path), code: 'ledger-damaged', kept: at.end, lost: null, files: [] },
    {
      name: 'a mark that cannot be read',
      file: 'durable.json',
      damage: (path) => writeFileSync(path, '{"seq":'),
      code: 'ledger-damaged',
      kept: at.end,
      lost: null,
      files: ['durable.json'],
    },
    {
      name: 'a mark that names another entry',
      file: 'durable.json',
      damage: (path) => writeFileSync(path, readFileSync(path, 'utf8').replace(/sha256:[0-9a-f]{4}/, 'sha256:0000')),
      code: 'tail-missing',
      kept: at.end,
      lost: null,
      files: ['durable.json'],
    },
  ];

  it.each(cases)('gets past $name', async ({ name, file, damage, code, kept, lost, files }) => {
    const ledger = damaged(name.replaceAll(/[ ,]+/g, '-'), file, damage);
    expect((await desk.ran('ledger', 'rotate', ledger, '--key', 'engine.jwk')).stderr).toMatch(/: ledger-damaged: /);
    const ran = await repair(ledger, '--keep-copy', `${ledger}-copy`, '--json');
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ repaired: true, kept: { seq: kept }, lost, first: { code }, copy: { files } });
    expect(readdirSync(inDesk(`${ledger}-copy`)).sort()).toEqual([...files].sort());
    expect(await verify(ledger)).toMatchObject({ code: 0 });
    expect((await verify(ledger, '--checkpoint', 'checkpoint.cbor')).code).toBe(lost === null ? 0 : 1);
    // what was in force there is in force again
    expect((await desk.ran('decide', '--sign', 'engine.jwk', '--ledger', ledger, { stdin: readLine })).stdout).toContain(`"seq":${kept + 1}}`);
  });

  it('leaves a ledger that opens as it is, also where a verifier finds it bad', async () => {
    expect(await repair('audit', '--keep-copy', 'unused')).toEqual({
      code: 0,
      stdout: 'audit opens: there is nothing to repair. ruleprint verify judges the rest of it\n',
      stderr: '',
    });
    const ledger = damaged('early', first, (path) => flip(path, inside(at.read)));
    const before = filesIn(ledger);
    expect(jsonOf(await repair(ledger, '--keep-copy', 'unused', '--json'))).toEqual({ repaired: false });
    expect(filesIn(ledger)).toEqual(before);
    expect((await verify(ledger)).code).toBe(1);
    expect(existsSync(inDesk('unused'))).toBe(false);
  });

  it('keeps its hands off a ledger of which nothing could be kept, or that is not the owner of the key’s', async () => {
    const genesis = damaged('genesis', first, (path) => {
      flip(path, placeOf(0).length - 1);
      writeFileSync(path, readFileSync(path).subarray(0, placeOf(3).start));
      rmSync(join(path, '..', second));
      rmSync(join(path, '..', 'durable.json'));
    });
    const foreign = damaged('foreign', second, (path) => flip(path, inside(at.readUnderSecond)));
    const before = [filesIn(genesis), filesIn(foreign)];
    const none = await repair(genesis, '--keep-copy', 'unused');
    expect(none).toMatchObject({ code: 1, stdout: '' });
    expect(none.stderr).toMatch(/^ruleprint: error: nothing of the ledger can be kept: /);
    const wrongKey = await desk.ran('ledger', 'repair', foreign, '--key', 'auditor.jwk', '--keep-copy', 'unused');
    expect(wrongKey).toMatchObject({ code: 3, stdout: '' });
    expect(wrongKey.stderr).toMatch(/: ledger-engine: /);
    expect([filesIn(genesis), filesIn(foreign)]).toEqual(before);
    expect(existsSync(inDesk('unused'))).toBe(false);
    expect((await desk.ran('ledger', 'repair', 'nowhere', '--key', 'engine.jwk', '--keep-copy')).stderr).toMatch(/there is no ledger in nowhere/);
  });
});
