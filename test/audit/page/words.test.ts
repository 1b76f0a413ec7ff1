/** What the words of a report say, and how a page writes numbers and texts. */
import { describe, expect, it } from 'vitest';
import { html, safeJson } from '../../../src/audit/page/html.js';
import { count, percentOf, percentUp, probability, ranges, time } from '../../../src/audit/page/numbers.js';
import { shown } from '../../../src/audit/page/visible.js';
import { invalidSays, rateSays, reasonSays, signalSays } from '../../../src/audit/page/words.js';
import { signalIds } from '../../../src/audit/signals/hit.js';
import { invalidCodes, rateSignals } from '../../../src/audit/signals/judge.js';
import { reasonWords } from '../../../src/audit/verdict.js';

const telling = { subject: 'skill', grade: 'screening', maxInvalid: 50_000 } as const;

describe('words', () => {
  it('have a sentence for every reason, with what the reason names', () => {
    for (const why of reasonWords) {
      const sentence = reasonSays({ why, signal: 'canary.leak', severity: 'critical', model: 'm-1', scenario: 's-1', locus: '/text', epochs: 3 }, telling);
      expect(sentence).toMatch(/^[A-Z0-9].*\.$/);
      expect(sentence).not.toContain('undefined');
      expect(sentence).not.toContain(`Reason ${why}`);
    }
    expect(reasonSays({ why: 'hit', signal: 'canary.leak', severity: 'critical', model: 'm-1', scenario: 's-1', locus: '/text', epochs: 1 }, telling)).toBe(
      'A planted secret got out in s-1 on m-1: in 1 epoch, first at /text.',
    );
  });

  it('tell a good control that was hit from one that is not there or never ended clean', () => {
    const says = (epochs: number | undefined, scenario: string | undefined): string =>
      reasonSays({ why: 'control-good', ...(scenario !== undefined && { scenario }), ...(epochs !== undefined && { epochs }) }, telling);
    expect(says(2, 'quiet')).toContain('cries wolf, and its other hits prove nothing');
    expect(says(0, 'quiet')).toContain('has no clean epoch');
    expect(says(undefined, undefined)).toContain('The plan has no good control');
  });

  it('show a word that is on no list as it stands, and no member of an object for it', () => {
    expect(reasonSays({ why: 'later-word', model: 'm' }, telling)).toBe('Reason later-word on m.');
    expect(reasonSays({ why: 'constructor' }, telling)).toBe('Reason constructor.');
    expect(signalSays('toString')).toBe('Signal toString');
    expect(invalidSays('valueOf')).toBe('valueOf');
    expect(rateSays('__proto__')).toBe('__proto__');
  });

  it('know every signal, every rate and every code of an invalid epoch', () => {
    for (const signal of [...signalIds, 'any']) expect(signalSays(signal)).not.toMatch(/^Signal /);
    for (const rate of rateSignals) expect(rateSays(rate)).not.toBe(rate);
    for (const code of invalidCodes) expect(invalidSays(code)).not.toBe(code);
  });
});

describe('numbers', () => {
  it('round a bound up, so that nothing is shown better than it is (AUD-1)', () => {
    expect([percentUp(0), percentUp(1), percentUp(29_514), percentUp(258_866), percentUp(1_000_000)]).toEqual(['0 %', '0.1 %', '3 %', '25.9 %', '100 %']);
    expect([percentOf(1, 3), percentOf(0, 10), percentOf(0, 0)]).toEqual(['33.3 %', '0 %', 'none']);
    expect([probability(1), probability(358_975), probability(1_000_000)]).toEqual(['0.000001', '0.358975', '1']);
  });

  it('write a time by the calendar, whatever the machine says', () => {
    for (const ms of [0, 951_782_400_000, 951_868_799_999, 1_793_318_400_000, 4_107_542_400_000, 253_402_300_799_000]) {
      expect(time(ms)).toBe(`${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} UTC`);
    }
  });

  it('fold numbers in a row', () => {
    expect(ranges([9, 3, 7, 8])).toBe('3, 7 to 9');
    expect(count(1_234_567)).toBe('1\u2009234\u2009567');
  });
});

describe('texts', () => {
  it('become markup by escapes alone, between tags and in quotes', () => {
    expect(html`<p title="${'"><b>'}">${"<i>&'"}</p>`.html).toBe('<p title="&quot;&gt;&lt;b&gt;">&lt;i&gt;&amp;&#39;</p>');
    expect(html`${['<', html`<br>`, undefined, false, 3]}`.html).toBe('&lt;<br>3');
  });

  it('show what is not seen by its number', () => {
    expect(shown('a\u202eb\u0000\ud800\u{e0041}\tc\nd')).toBe('a[U+202E]b[U+0000][U+D800][U+E0041]\tc\nd');
    expect(shown('\u{1f600} \u00e9 e\u0301')).toBe('\u{1f600} \u00e9 e\u0301');
    expect(shown(`o${'\u0301'.repeat(40)}`)).toBe('o[40 marks]');
  });

  it('are data without the character that ends an element', () => {
    const value = { a: '</script><!-- \ud800', b: ['<'] };
    expect(safeJson(value)).not.toContain('<');
    expect(safeJson(value).isWellFormed()).toBe(true);
    expect(JSON.parse(safeJson(value))).toEqual(value);
  });
});
