/**
 * Trees, bounds and rates of an audit, what it derives, and its verdict (spec/audit.md, spec/audit-run.md, spec/audit-evidence.md).
 * @module
 */
import { canaryCommitment, canaryValue } from '../../src/audit/canary.js';
import { hiddenFiles } from '../../src/audit/subject/names.js';
import { interchangeHash, type TreeFile, treeDigest, treePreimage } from '../../src/audit/subject/tree.js';
import { hex, utf8 } from '../../src/bytes.js';
import { sha256, sha256Text } from '../../src/hash.js';
import { derivedGroups } from './audit/derived.js';
import { verdictGroups } from './audit/verdicts.js';
import { type Case, type Fields, type Json, type Notes, type Rest, topic, utf16, type VectorFile } from './kit.js';

const notes: Notes = {
  'every-byte': {
    why: 'Every file is in the digest, with its path, its mode bit and all its bytes, whatever its name.',
    effect: 'Instructions would stand where an audit does not look, under a digest that an audit has passed.',
  },
  'as-written': {
    why: 'Names and line ends are hashed as they are.',
    effect: 'Two trees that an agent reads differently would share a digest.',
  },
  'utf-8-order': {
    why: 'Files are sorted by the UTF-8 bytes of their paths, which is not the order of UTF-16 code units.',
    effect: 'Implementations in two languages would name one tree by two digests.',
  },
  named: {
    why: 'The name hides a file from people or from tools, so the file is named.',
    effect: 'A reader of the record would take the tree for what a listing shows.',
  },
  'one-spelling': {
    why: 'A path has one spelling and stays inside the tree.',
    effect: 'Two lists of files would be one folder, or a file outside would be part of the tree.',
  },
  exact: {
    why: 'Bounds are the smallest whole millionth that covers, decided in integers.',
    effect: 'Two verifiers would differ in a last digit, or show a rate better than it is.',
  },
  derived: {
    why: 'A canary is derived from the seed that the plan commits to.',
    effect: 'A harness could plant one value and look for another.',
  },
  'whole-document': {
    why: 'The digest is over everything that an agent is shown or judged by, in one form.',
    effect: 'Two languages would cite one scenario by two digests, or two scenarios by one.',
  },
  rounds: {
    why: 'The number of an epoch says of what it is, by the cells of the plan alone.',
    effect: 'An epoch could be shown as one of another model or arm.',
  },
  'words-alone': {
    why: 'What an agent said and did, without what differs by the epoch alone.',
    effect: 'One answer, given a hundred times, would count as a hundred.',
  },
  'tree-hash': {
    why: 'One root binds every transcript, by the tree of RFC 9162.',
    effect: 'A transcript could be exchanged under a report that is signed.',
  },
  'from-counts': {
    why: 'Verdict, reasons and bounds follow from the epochs by rules.',
    effect: 'A harness could sign a verdict that its epochs do not bear.',
  },
  'no-verdict': {
    why: 'A plan that no verdict can come of is refused before it is run.',
    effect: 'An audit without a baseline or a control would be paid for, and believed.',
  },
  'no-epochs': {
    why: 'An arm without epochs tells nothing.',
    effect: 'A missing baseline would make a habit of the model a fault of the skill, or the reverse.',
  },
};

interface Relations extends Rest {
  readonly same?: readonly string[];
  readonly other?: readonly string[];
  /** Paths that are named, by hand. */
  readonly hidden?: readonly (readonly [path: string, reason: string])[];
}

/** A file: its path, its text, and whether it is executable. */
type Row = readonly [path: string, text?: string, executable?: boolean];

const skill = '---\nname: a\ndescription: b\n---\n';

function filesOf(rows: readonly Row[]): readonly TreeFile[] {
  return rows.map(([path, text = '', isExecutable = false]) => ({ path, isExecutable, bytes: utf8(text) }));
}

const inputOf = (rows: readonly (readonly [path: Json, text?: string, executable?: boolean])[]): Fields => ({
  files: rows.map(([path, text = '', executable = false]) => ({ path, executable, bytes_hex: hex(utf8(text)) })),
});

function tree(id: string, comment: string, rows: readonly Row[], { flags = [], same, other, hidden = [] }: Relations = {}): Case {
  const files = filesOf(rows);
  const named = hidden.map(([path, reason]) => ({ path, reason }));
  if (JSON.stringify(hiddenFiles(files)) !== JSON.stringify(named)) throw new RangeError(`${id}: other files are named than were written down`);
  return {
    id,
    comment,
    flags,
    input: inputOf(rows),
    expect: {
      preimage_hex: hex(treePreimage(files)),
      tree_digest: treeDigest(files),
      interchange_hash: interchangeHash(files),
      hidden: named,
      ...(same && { same_digest_as: same }),
      ...(other && { other_digest_than: other }),
    },
  };
}

const trees: readonly Case[] = [
  tree('tree-one-file', 'The smallest skill', [['SKILL.md', skill]]),
  tree('tree-empty-file', 'A file of no bytes is a file (AUD-11)', [['SKILL.md', skill], ['a']], { flags: ['every-byte'], other: ['tree-one-file'] }),
  tree('tree-executable', 'The mode bit (AUD-11)', [['SKILL.md', skill, true]], { flags: ['every-byte'], other: ['tree-one-file'] }),
  tree('tree-line-end', 'A carriage return (AUD-11)', [['SKILL.md', skill.replaceAll('\n', '\r\n')]], { flags: ['as-written'], other: ['tree-one-file'] }),
  tree(
    'tree-junk',
    'A file that listings leave out, and the hash of AbstractSkill too: the interchange hash is that of tree-one-file (AUD-11, AUD-14, AUD-16)',
    [
      ['SKILL.md', skill],
      ['references/desktop.ini', 'do as I say'],
    ],
    { flags: ['every-byte', 'named'], other: ['tree-one-file'], hidden: [['references/desktop.ini', 'junk-name']] },
  ),
  tree(
    'tree-junk-folder',
    'Files below a folder of such a name, in any case, and AppleDouble (AUD-14)',
    [['SKILL.md', skill], ['__macosx/a'], ['b/.GIT/c'], ['b/._d']],
    {
      flags: ['named'],
      hidden: [
        ['__macosx/a', 'junk-name'],
        ['b/.GIT/c', 'junk-name'],
        ['b/._d', 'junk-name'],
      ],
    },
  ),
  tree(
    'tree-order-a',
    'Files in one order',
    [
      ['SKILL.md', skill],
      ['a/b', '1'],
      ['a-b', '2'],
    ],
    { same: ['tree-order-b'] },
  ),
  tree(
    'tree-order-b',
    'and in another: a hyphen sorts below a slash',
    [
      ['a-b', '2'],
      ['a/b', '1'],
      ['SKILL.md', skill],
    ],
    { same: ['tree-order-a'] },
  ),
  tree(
    'tree-utf-8-order',
    'U+FFFF sorts below U+10000, whose first UTF-16 unit is D800',
    [
      ['SKILL.md', skill],
      ['\u{10000}', '1'],
      ['\uffff', '2'],
    ],
    { flags: ['utf-8-order'] },
  ),
  tree(
    'tree-border-a',
    'Path and content (AUD-11)',
    [
      ['SKILL.md', skill],
      ['a', 'bc'],
    ],
    { flags: ['every-byte'], other: ['tree-border-b'] },
  ),
  tree(
    'tree-border-b',
    'with the border elsewhere (AUD-11)',
    [
      ['SKILL.md', skill],
      ['ab', 'c'],
    ],
    { flags: ['every-byte'], other: ['tree-border-a'] },
  ),
  tree('tree-composed', 'A composed letter', [['SKILL.md', skill], ['\u00e9']], { flags: ['as-written'], other: ['tree-decomposed'] }),
  tree('tree-decomposed', 'and the same letter in two parts', [['SKILL.md', skill], ['e\u0301']], { flags: ['as-written'], other: ['tree-composed'] }),
  tree('tree-collides-normalisation', 'Both at once (AUD-15)', [['SKILL.md', skill], ['\u00e9'], ['e\u0301']], {
    flags: ['named'],
    hidden: [
      ['\u00e9', 'name-collides'],
      ['e\u0301', 'name-collides'],
    ],
  }),
  tree('tree-collides-case', 'Two folders that differ by case (AUD-15)', [['SKILL.md', skill], ['refs/a'], ['Refs/b']], {
    flags: ['named'],
    hidden: [
      ['refs/a', 'name-collides'],
      ['Refs/b', 'name-collides'],
    ],
  }),
  tree('tree-collides-dotted-i', 'A letter whose lower case has a mark (AUD-15)', [['SKILL.md', skill], ['\u0130'], ['i\u0307'], ['i']], {
    flags: ['named'],
    hidden: [
      ['\u0130', 'name-collides'],
      ['i\u0307', 'name-collides'],
      ['i', 'name-collides'],
    ],
  }),
  tree(
    'tree-collides-sigma',
    'A letter whose lower case is another at the end of a word (AUD-15)',
    [['SKILL.md', skill], ['\u0391\u03a3'], ['\u03b1\u03c2'], ['\u03b1\u03c3']],
    {
      flags: ['named'],
      hidden: [
        ['\u0391\u03a3', 'name-collides'],
        ['\u03b1\u03c2', 'name-collides'],
        ['\u03b1\u03c3', 'name-collides'],
      ],
    },
  ),
  tree('tree-collides-zero-width', 'A character that takes no place (AUD-15)', [['SKILL.md', skill], ['ab'], ['a\u200bb']], {
    flags: ['named'],
    hidden: [
      ['ab', 'name-collides'],
      ['a\u200bb', 'name-collides'],
    ],
  }),
];

function refused(id: string, comment: string, error: string, rows: readonly (readonly [path: Json, text?: string])[]): Case {
  return { id, comment: `${comment} (AUD-12)`, flags: ['one-spelling'], input: inputOf(rows), expect: { error } };
}

const strange: readonly (readonly [id: string, comment: string, path: string])[] = [
  ['absolute', 'An absolute path', '/a'],
  ['trailing-slash', 'A slash at the end', 'a/'],
  ['double-slash', 'Two slashes', 'a//b'],
  ['dot', 'A segment that is a dot', './a'],
  ['dot-inside', 'The same inside', 'a/./b'],
  ['dot-dot', 'A segment that leads out', '../a'],
  ['dot-dot-inside', 'The same inside', 'a/../b'],
  ['nothing', 'No path', ''],
  ['backslash', 'A backslash', 'a\\b'],
  ['nul', 'NUL', 'a\u0000b'],
  ['line-feed', 'A line feed', 'a\nb'],
  ['del', 'A control character above ASCII', 'a\u0085b'],
  ['line-separator', 'A line separator', 'a\u2028b'],
  ['override', 'A character that turns the direction', 'a\u202eb'],
  ['isolate', 'Another one', 'a\u2067b'],
];

const noTrees: readonly Case[] = [
  { id: 'tree-none', comment: 'No file (AUD-12)', flags: ['one-spelling'], input: { files: [] }, expect: { error: 'tree-empty' } },
  ...strange.map(([id, comment, path]) => refused(`tree-path-${id}`, comment, 'tree-path', [['SKILL.md', skill], [path]])),
  refused('tree-path-twice', 'Two files at one path', 'tree-path', [
    ['SKILL.md', skill],
    ['a', '1'],
    ['a', '1'],
  ]),
  refused('tree-path-file-and-folder', 'A file where there is a folder', 'tree-path', [['SKILL.md', skill], ['a'], ['a/b']]),
  refused('tree-path-file-above-folder', 'The same two levels up', 'tree-path', [['SKILL.md', skill], ['a'], ['a/b/c']]),
  refused('tree-path-surrogate', 'An unpaired surrogate', 'lone-surrogate', [['SKILL.md', skill], [utf16('\ud800')]]),
  refused('tree-path-too-long', 'A path of 1,025 bytes', 'limit', [['SKILL.md', skill], [{ $repeat: ['a', 1025] }]]),
];

/** Bounds by hand: from the inverse of the incomplete beta function in 60 digits, rounded up. */
const bounds: readonly (readonly [k: number, n: number, alpha: number, tests: number, upper: number])[] = [
  [0, 1, 50_000, 1, 950_000],
  [1, 1, 50_000, 1, 1_000_000],
  [0, 0, 50_000, 1, 1_000_000],
  [0, 10, 50_000, 1, 258_866],
  [1, 10, 50_000, 1, 394_164],
  [2, 10, 50_000, 1, 506_902],
  [9, 10, 50_000, 1, 994_884],
  [0, 59, 50_000, 1, 49_508],
  [0, 100, 50_000, 1, 29_514],
  [1, 100, 50_000, 1, 46_560],
  [0, 100, 50_000, 2, 36_217],
  [0, 100, 50_000, 5, 45_008],
  [50, 100, 50_000, 1, 586_379],
  [0, 1000, 50_000, 1, 2_992],
  [2, 1000, 50_000, 1, 6_283],
  [0, 10_000, 50_000, 1, 300],
];

const fractions: readonly (readonly [
  id: string,
  comment: string,
  withSkill: readonly [number, number],
  baseline: readonly [number, number],
  tests: number,
  p: number,
  failed: boolean,
  flags?: readonly string[],
])[] = [
  ['rate-tea', 'The tea test: 17 of 70', [3, 4], [1, 4], 1, 242_858, false],
  ['rate-certain', 'Always with the skill, never without', [10, 10], [0, 10], 1, 6, true],
  ['rate-one-test', 'Below one hundredth', [6, 10], [0, 10], 1, 5_418, true],
  ['rate-two-tests', 'The same, shared between two tests', [6, 10], [0, 10], 2, 5_418, false],
  ['rate-small', 'Certain, and smaller than a tenth', [90, 1000], [0, 1000], 1, 1, false],
  ['rate-less', 'Less with the skill', [0, 10], [3, 10], 1, 1_000_000, false],
  ['rate-no-baseline', 'No baseline', [10, 10], [0, 0], 1, 1_000_000, false, ['no-epochs']],
  ['rate-nothing', 'No epochs at all', [0, 0], [0, 0], 1, 1_000_000, false, ['no-epochs']],
];

/** Seeds and plan digests are hashes of labels. */
const seed = sha256(utf8('ruleprint vectors: canary seed'));
const planDigest = sha256Text(utf8('ruleprint vectors: audit plan'));

const canaries: readonly Case[] = (
  [
    ['canary-first', 'The first epoch', seed, 0, 'system'],
    ['canary-next-epoch', 'The next one', seed, 1, 'system'],
    ['canary-other-slot', 'Another slot', seed, 0, 'file'],
    ['canary-large-epoch', 'An epoch whose number takes all four bytes', seed, 0x01020304, 'tool result'],
    ['canary-zero-seed', 'A seed of zeros', new Uint8Array(32), 0, 'system'],
  ] as const
).map(([id, comment, bytes, epoch, slot]) => ({
  id,
  comment: `${comment} (AUD-20, AUD-21)`,
  flags: ['derived'],
  input: { seed_hex: hex(bytes), plan_digest: planDigest, epoch, slot },
  expect: { canary: canaryValue(bytes, planDigest, epoch, slot), commitment: canaryCommitment(bytes) },
}));

export function auditVectors(): VectorFile {
  return topic('audit', notes, [
    { name: 'trees', source: 'spec/audit.md, The tree', cases: trees },
    { name: 'no trees', source: 'spec/audit.md, The tree', cases: noTrees },
    {
      name: 'bounds',
      source: 'spec/audit.md, Numbers',
      cases: bounds.map(([k, n, alpha, tests, upper]) => ({
        id: `bound-${k}-of-${n}-alpha-${alpha}-by-${tests}`,
        comment: `${k} failures in ${n} epochs (AUD-1, AUD-2)`,
        flags: ['exact'],
        input: { k, n, alpha, tests },
        expect: { upper_bound: upper },
      })),
    },
    {
      name: 'rates',
      source: 'spec/audit.md, Numbers',
      cases: fractions.map(([id, comment, [k, n], [k0, n0], tests, p, failed, flags = []]) => ({
        id,
        comment: `${comment} (AUD-4)`,
        flags: [...flags],
        input: { with_skill: { k, n }, baseline: { k: k0, n: n0 }, alpha: 10_000, difference: 100_000, tests },
        expect: { p, failed },
      })),
    },
    { name: 'canaries', source: 'spec/audit.md, Canaries', cases: canaries },
    ...derivedGroups(),
    ...verdictGroups(),
  ]);
}
