/**
 * What an audit derives: digests of scenarios, agents and words, seeds and order of epochs, the root over transcripts (spec/audit-run.md, spec/audit-evidence.md).
 * @module
 */
import { epochSeed } from '../../../src/audit/agents/random.js';
import { saidDigest } from '../../../src/audit/evidence/judged.js';
import { transcriptsRoot } from '../../../src/audit/evidence/reported.js';
import type { Arm } from '../../../src/audit/run/lines.js';
import { schedule } from '../../../src/audit/run/schedule.js';
import { scenarioDigest } from '../../../src/audit/scenario.js';
import { agentSubject } from '../../../src/audit/subject/subject.js';
import { hex, utf8 } from '../../../src/bytes.js';
import { canonicalJson } from '../../../src/digest/canonical-json.js';
import { sha256, sha256Text } from '../../../src/hash.js';
import { type Case, type Fields, type Json, utf16 } from '../kit.js';

const tools: Fields = { tools: [{ name: 'read', inputSchema: { type: 'object', properties: { path: { type: 'string' } } } }] };
const mail: Fields = { id: 'mail', kind: 'benign', prompt: 'Read my mail.', tools };

const documents: readonly (readonly [id: string, comment: string, document: Fields])[] = [
  ['scenario-bare', 'A scenario without optional fields', mail],
  ['scenario-other-order', 'The same with its keys in another order', { tools, prompt: 'Read my mail.', kind: 'benign', id: 'mail' }],
  ['scenario-other-prompt', 'A full stop less', { ...mail, prompt: 'Read my mail' }],
  ['scenario-non-ascii', 'Letters stand as they are, what JSON must escape is escaped', { ...mail, prompt: 'Lies \u00fcber \u{1f512}\t"\\\u007f\u0001/' }],
  [
    'scenario-key-order',
    'Keys are sorted by UTF-16 code units: U+10000 comes before U+FFFF, and Z before a',
    { ...mail, environment: { a: '1', Z: '2', '\uffff': '3', '\u{10000}': '4', '\u00e9': '5' } },
  ],
  [
    'scenario-numbers',
    'A condition on numbers, and one on nothing',
    { ...mail, goals: [{ tool: 'read', where: { '/n': { equals: 1.5 }, '/m': { equals: 1e-7 }, '/o': { equals: null }, '/p': { equals: -0.000001 } } }] },
  ],
  ['scenario-rule', 'A rule of the operator', { ...mail, rules: [{ id: 'ask', contradicted: true, must_not_contain: '{{canary:system}}' }] }],
];

const leaf = (index: number): string => sha256Text(utf8(`ruleprint vectors: transcript ${index}`));

/** Messages of the assistant unless they say otherwise; the words are written down by hand. */
const said: readonly (readonly [
  id: string,
  comment: string,
  messages: readonly Fields[],
  canaries: readonly (readonly [slot: string, value: string])[],
  words: string,
])[] = [
  ['said-nothing', 'No message of the assistant', [{ role: 'user', text: 'Hello' }], [], '[]'],
  ['said-text', 'A text, and no thoughts', [{ text: 'Done.' }], [], '[["Done.","",[]]]'],
  ['said-thoughts', 'Thoughts are words too', [{ text: '', reasoning: 'Done.' }], [], '[["","Done.",[]]]'],
  [
    'said-calls',
    'Calls with their arguments as they were written; what tools answer is not in it',
    [
      { role: 'system', text: 'Be good' },
      {
        text: '',
        calls: [
          { name: 'read', raw: '{ "path": "/a" }' },
          { name: 'read', raw: '{broken' },
        ],
      },
      { role: 'tool', text: 'x' },
      { text: 'Read' },
    ],
    [],
    String.raw`[["","",[["read","{ \"path\": \"/a\" }"],["read","{broken"]]],["Read","",[]]]`,
  ],
  [
    'said-escapes',
    'What is escaped, and what is not',
    [{ text: '\b\t\n\f\r\u0000\u001f"\\/\u007f\u2028\u00e9\u{1f512}' }],
    [],
    `[["${String.raw`\b\t\n\f\r\u0000\u001f\"\\`}/\u007f\u2028\u00e9\u{1f512}","",[]]]`,
  ],
  [
    'said-lone-surrogates',
    'A surrogate without its partner is escaped, a pair is not',
    [{ text: utf16('\udc00a\ud83d\ude00\ud800') }],
    [],
    `[["${String.raw`\udc00`}a\u{1f600}${String.raw`\ud800`}","",[]]]`,
  ],
  [
    'said-canaries',
    'Planted values by their slots, each time, in names and arguments too',
    [{ text: 'AAAABBBBCCCCDDDDEEEEFFFF22AAAABBBBCCCCDDDDEEEEFFFF22', calls: [{ name: 'AAAABBBBCCCCDDDDEEEEFFFF33', raw: '"AAAABBBBCCCCDDDDEEEEFFFF33"' }] }],
    [
      ['system', 'AAAABBBBCCCCDDDDEEEEFFFF22'],
      ['file', 'AAAABBBBCCCCDDDDEEEEFFFF33'],
    ],
    String.raw`[["{{canary:system}}{{canary:system}}","",[["{{canary:file}}","\"{{canary:file}}\""]]]]`,
  ],
  [
    'said-part-of-a-canary',
    'A part of a value stays, and so does one in lower case',
    [{ text: 'AAAABBBBCCCCDDDDEEEEFFFF2 aaaabbbbccccddddeeeeffff22' }],
    [['system', 'AAAABBBBCCCCDDDDEEEEFFFF22']],
    '[["AAAABBBBCCCCDDDDEEEEFFFF2 aaaabbbbccccddddeeeeffff22","",[]]]',
  ],
  [
    'said-slot-as-it-is',
    'A slot is not escaped, and no pattern',
    [{ text: 'AAAABBBBCCCCDDDDEEEEFFFF22' }],
    [['$&"1', 'AAAABBBBCCCCDDDDEEEEFFFF22']],
    '[["{{canary:$&"1}}","",[]]]',
  ],
];

function saidCase([id, comment, rows, slots, words]: (typeof said)[number]): Case {
  const messages = rows.map((message) => ({ role: 'assistant', ...message }));
  const canaries = slots.map(([slot, value]) => ({ slot, value }));
  const digest = sha256Text(utf8(words));
  const plain = JSON.parse(JSON.stringify(messages), (_, value) => (typeof value?.$utf16_hex === 'string' ? unitsOf(value.$utf16_hex) : value));
  if (saidDigest({ transcript: { tools: [], messages: plain, ending: 'done' } }, canaries) !== digest)
    throw new RangeError(`${id}: other words than were written down`);
  return {
    id,
    comment: `${comment} (AUE-20)`,
    flags: ['words-alone'],
    input: { messages: messages as unknown as Json, canaries },
    expect: { words_hex: hex(utf8(words)), said_digest: digest },
  };
}

const unitsOf = (digits: string): string => String.fromCharCode(...(digits.match(/.{4}/g) ?? []).map((unit) => Number.parseInt(unit, 16)));

const seed = sha256(utf8('ruleprint vectors: canary seed'));

/** Cells as a plan has them, and by hand the cell of each epoch. */
const schedules: readonly (readonly [id: string, comment: string, cells: readonly (readonly [number, number, Arm, number])[], order: readonly number[]])[] = [
  ['schedule-one', 'One cell', [[0, 0, 'with_skill', 3]], [0, 0, 0]],
  [
    'schedule-rounds',
    'A round has one epoch of each cell, in the order of the plan and not of models or arms',
    [
      [1, 0, 'baseline', 2],
      [0, 1, 'with_skill', 2],
      [0, 0, 'with_skill', 2],
    ],
    [0, 1, 2, 0, 1, 2],
  ],
  [
    'schedule-uneven',
    'A cell that has none left is passed over',
    [
      [0, 0, 'with_skill', 1],
      [0, 0, 'baseline', 3],
      [1, 0, 'with_skill', 2],
    ],
    [0, 1, 2, 1, 2, 1],
  ],
];

export function derivedGroups(): readonly { readonly name: string; readonly source: string; readonly cases: readonly Case[] }[] {
  return [
    {
      name: 'scenarios',
      source: 'spec/audit-run.md, Scenarios',
      cases: documents.map(([id, comment, scenario]) => ({
        id,
        comment: `${comment} (AUR-17)`,
        flags: ['whole-document'],
        input: { scenario },
        expect: { form: canonicalJson(scenario), scenario_digest: scenarioDigest(scenario) },
      })),
    },
    {
      name: 'agents',
      source: 'spec/audit.md, What is audited',
      cases: (
        [
          ['agent-bare', 'An agent that is told nothing', 'main', ''],
          ['agent-prompt', 'An agent by its prompt', 'main', 'You are kind.\n'],
          ['agent-border-a', 'Name and prompt', 'ab', 'c'],
          ['agent-border-b', 'with the border elsewhere', 'a', 'bc'],
          ['agent-non-ascii', 'Lengths are of bytes', '\u00e9', '\u{1f512}'],
        ] as const
      ).map(([id, comment, agent, prompt]) => ({
        id,
        comment: `${comment} (AUD-18)`,
        flags: ['whole-document'],
        input: { agent, prompt },
        expect: { agent_digest: agentSubject(agent, prompt).digest },
      })),
    },
    {
      name: 'seeds of epochs',
      source: 'spec/audit-run.md, Agents',
      cases: (
        [
          ['epoch-seed-first', 'The first epoch', seed, 0],
          ['epoch-seed-next', 'The next one', seed, 1],
          ['epoch-seed-large', 'An epoch whose number takes all four bytes', seed, 0x01020304],
          ['epoch-seed-zero', 'A seed of zeros', new Uint8Array(32), 0],
        ] as const
      ).map(([id, comment, bytes, epoch]) => ({
        id,
        comment: `${comment} (AUR-10)`,
        flags: ['derived'],
        input: { seed_hex: hex(bytes), epoch },
        expect: { epoch_seed: epochSeed(bytes, epoch) },
      })),
    },
    {
      name: 'schedules',
      source: 'spec/audit-run.md, Epochs',
      cases: schedules.map(([id, comment, rows, order]) => {
        const cells = rows.map(([model, scenario, arm, epochs]) => ({ model, scenario, arm, epochs }));
        const cellOf = new Map(cells.map(({ model, scenario, arm }, i) => [`${model} ${scenario} ${arm}`, i]));
        const made = schedule(cells.map((cell) => ({ ...cell, scenario: String(cell.scenario) })));
        const got = made.map(({ model, scenario, arm }) => cellOf.get(`${model} ${scenario} ${arm}`));
        if (String(got) !== String(order)) throw new RangeError(`${id}: another order than was written down`);
        return { id, comment: `${comment} (AUR-16)`, flags: ['rounds'], input: { cells }, expect: { order } };
      }),
    },
    { name: 'words', source: 'spec/audit-evidence.md, An epoch', cases: said.map(saidCase) },
    {
      name: 'roots',
      source: 'spec/audit-evidence.md, The report',
      cases: [0, 1, 2, 3, 4, 5, 8].map((n) => {
        const transcripts = Array.from({ length: n }, (_, i) => leaf(i));
        return {
          id: `root-of-${n}`,
          comment: `The root over ${n} transcript${n === 1 ? '' : 's'} (AUE-18)`,
          flags: ['tree-hash'],
          input: { transcripts },
          expect: { transcripts_root: transcriptsRoot(transcripts) },
        };
      }),
    },
  ];
}
