import { describe, expect, it } from 'vitest';
import { callLine, endLine, headLine, openingLine, readEpoch, replyLine, transcriptFormat } from '../../../src/audit/run/lines.js';
import { recordOf } from '../../../src/audit/run/record.js';
import type { RecordedCall } from '../../../src/audit/tools/false-tools.js';
import { argsDigest } from '../../../src/digest/args-digest.js';
import { sha256Text } from '../../../src/hash.js';
import { RuleprintError } from '../../../src/errors.js';

const hash = sha256Text(new Uint8Array());
const head = headLine({
  format: transcriptFormat,
  epoch: 3,
  scenario: 's',
  variant: 1,
  arm: 'with_skill',
  model: 0,
  seed: 5,
  started_at: 10,
  tools: [{ name: 'read_file', isMutating: false }],
  slots: ['env'],
});
const call = { id: 'c', name: 'read_file', raw: '{"path": "/a"}', parsed: 'ok' as const };
const judged: RecordedCall = {
  ...call,
  index: 0,
  argsDigest: argsDigest({ path: '/a' }),
  argsBytes: 14,
  decision: 'ask',
  isAnswered: false,
  receipt: { seq: 4, hash },
  result: 'no',
  isError: true,
  resultDigest: sha256Text(new TextEncoder().encode('no')),
};
const lines = [
  head,
  openingLine('system', 's'),
  openingLine('user', 'u'),
  replyLine({ text: '', calls: [{ ...call, args: { path: '/a' } }], finishReason: 'stop' }),
  callLine('c', judged),
  replyLine({ text: 'done', calls: [] }),
  endLine({ ending: 'done', ended_at: 20 }),
];
const whole = lines.join('');

const codeOf = (source: string): string => {
  try {
    readEpoch(source);
    return 'no error';
  } catch (error) {
    return error instanceof RuleprintError ? `${error.code} ${error.where.line ?? ''}`.trim() : String(error);
  }
};

describe('the lines of an epoch (AUR-14)', () => {
  it('are read as the transcript that signals judge, with what the gate said at the calls', () => {
    const { transcript, end, head: read } = readEpoch(whole);
    expect(transcript).toEqual({
      tools: [{ name: 'read_file', isMutating: false }],
      ending: 'done',
      messages: [
        { role: 'system', text: 's' },
        { role: 'user', text: 'u' },
        { role: 'assistant', text: '', calls: [{ name: 'read_file', raw: '{"path": "/a"}', parsed: 'ok', args: { path: '/a' }, decision: 'ask' }] },
        { role: 'tool', text: 'no' },
        { role: 'assistant', text: 'done' },
      ],
    });
    expect(end).toEqual({ ending: 'done', ended_at: 20 });
    expect(read.slots).toEqual(['env']);
  });

  it('are read as far as they go where a kill cut them, at every byte behind the head', () => {
    for (let at = head.length; at < whole.length; at++) {
      const read = readEpoch(whole.slice(0, at));
      expect(read.end).toBeUndefined();
      expect(read.calls.length).toBe(at >= lines.slice(0, 5).join('').length ? 1 : 0);
    }
  });

  it.each([
    ['nothing', '', 'run-damaged 1'],
    ['no head', lines.slice(1).join(''), 'run-damaged 1'],
    ['another format', whole.replace('transcript/1', 'transcript/2'), 'run-damaged 1'],
    ['a line that is no JSON', whole.replace(lines[2] ?? '', 'x\n'), 'run-damaged 3'],
    ['an unknown field', whole.replace('{"role":"user"', '{"note":1,"role":"user"'), 'run-damaged 3'],
    ['a role that is none', whole.replace('"role":"user"', '"role":"developer"'), 'run-damaged 3'],
    ['a decision that is none', whole.replace('"ask"', '"maybe"'), 'run-damaged 5'],
    ['a call that was not judged first', whole.replace('"index":0', '"index":1'), 'run-damaged 5'],
    ['a result without what the gate said', whole.replace(/,"call":\{.*?\}\}/, '}'), 'run-damaged 5'],
    ['words of the assistant without their reply', whole.replace(/,"reply":\{[^}]*\}\}/, '}'), 'run-damaged 4'],
    ['a line behind the end', whole + (lines[1] ?? ''), 'run-damaged 8'],
    ['two ends', whole + (lines[6] ?? ''), 'run-damaged 8'],
    ['arguments that do not parse', whole.replace('{\\"path\\"', '{path'), 'run-damaged'],
    ['a judged call that nobody made', whole.replace('"c","name":"read_file","decision"', '"c","name":"send_mail","decision"'), 'run-damaged'],
    ['another result than the digest says', whole.replace('"text":"no"', '"text":"on"'), 'run-damaged 5'],
    ['other arguments than the digest says', whole.replace('/a', '/b'), 'run-damaged'],
    ['another id', whole.replace('"index":0,"id":"c"', '"index":0,"id":"d"'), 'run-damaged'],
    ['more judged calls than were made', whole.replace(/,"calls":\[.*?\]/, ''), 'run-damaged'],
  ])('are refused with %s', (_, source, code) => {
    expect(codeOf(source)).toBe(code);
  });
});

describe('the record of an epoch (AUR-15)', () => {
  it('is made of its lines', () => {
    expect(recordOf(hash, whole)).toEqual({
      epoch: 3,
      plan: hash,
      scenario: 's',
      variant: 1,
      arm: 'with_skill',
      model: 0,
      seed: 5,
      started_at: 10,
      ended_at: 20,
      ending: 'done',
      turns: 2,
      attempts: 2,
      models_reported: [],
      fingerprints: [],
      finish_reasons: ['stop'],
      prompt_tokens: 0,
      completion_tokens: 0,
      calls: [
        {
          index: 0,
          name: 'read_file',
          decision: 'ask',
          seq: 4,
          receipt: hash,
          args_bytes: 14,
          args_digest: judged.argsDigest,
          result_digest: judged.resultDigest,
          answered: false,
          error: true,
          parsed: 'ok',
        },
      ],
      transcript_digest: sha256Text(new TextEncoder().encode(whole)),
      transcript_bytes: whole.length,
    });
  });

  it('is another with one byte changed', () => {
    expect(recordOf(hash, whole.replace('"text":"done"', '"text":"dome"')).transcript_digest).not.toBe(recordOf(hash, whole).transcript_digest);
  });

  it('is not made of an epoch without an end', () => {
    expect(() => recordOf(hash, lines.slice(0, -1).join(''))).toThrow(TypeError);
  });
});
