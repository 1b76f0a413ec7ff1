/**
 * Hosts of the WHATWG URL tests. What `canonicalHost` accepts must be what a URL parser makes of it, since the client behind a gate uses one; it may accept less, and each
 * host that it refuses and a URL parser takes falls under a named rule of the profile.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';
import { canonicalHost, toAsciiHost } from '../../src/policy/host.js';
import { answerOf, load, outside, tally } from './outside.js';

interface UrlRow {
  readonly input: string;
  readonly failure?: boolean;
  readonly protocol?: string;
  readonly hostname?: string;
}

interface AsciiRow {
  readonly input: string;
  readonly output: string | null;
}

const isRow = <T extends object>(row: T | string): row is T => typeof row === 'object';
const withoutBrackets = (hostname: string): string => hostname.replaceAll(/[[\]]/g, '');
const shown = (answer: ReturnType<typeof answerOf<string>>): string => ('code' in answer ? answer.code : answer.value);

/** The text between user and port of a URL that names its scheme and authority, and the port; undefined for another URL. */
function hostText(input: string): { readonly host: string; readonly port: string } | undefined {
  const authority = /^(?:https?|wss?|ftp):\/\/([^/?#\\]*)/.exec(input)?.[1];
  if (authority === undefined) return undefined;
  const [, host = '', port = ''] = /^(\[.*\]|.*?)(?::([0-9]*))?$/s.exec(authority.slice(authority.lastIndexOf('@') + 1)) ?? [];
  return { host, port };
}

/** The rule by which we refuse what a URL parser accepts. */
function ruleOf(host: string, code: string): string {
  if (code === 'host-not-ascii') return 'letters beyond ASCII, for toAsciiHost (MAT-11)';
  if (code === 'host-character' && /[\t\n\r]/.test(host)) return 'control characters that a URL parser drops (MAT-12)';
  if (code === 'host-character' && host.includes('%')) return 'percent signs that a URL parser decodes (MAT-12)';
  if (code === 'host-character') return 'punctuation that no name of the DNS has (MAT-12)';
  if (/\.\.$/.test(host) && code === 'host-label') return 'an empty label (MAT-15)';
  if (host === '.' && code === 'host-empty') return 'the root alone';
  return `no rule: ${code} for ${JSON.stringify(host)}`;
}

outside('hosts in URLs', () => {
  const rows = load<readonly (UrlRow | string)[]>('vectors/wpt-url/urltestdata.json').filter(isRow);

  const judged = rows.flatMap(({ input, failure, hostname = '' }) => {
    const text = hostText(input);
    if (text === undefined) return [];
    const ours = answerOf(() => canonicalHost(text.host));
    return [{ ...text, ours, theirs: failure === true ? undefined : withoutBrackets(hostname) }];
  });
  // the host is good and the port is not: a port is a field of its own
  const isPortFailure = ({ port, theirs }: (typeof judged)[number]): boolean => theirs === undefined && Number(port) > 65_535;
  const hosts = judged.filter((row) => !isPortFailure(row));

  it('are 374 texts of 891 rows, 4 of them in a URL that fails by its port', () => {
    expect([rows.length, judged.length, hosts.length]).toEqual([891, 374, 370]);
  });

  it('are equal where both accept', () => {
    const both = hosts.filter(({ ours, theirs }) => 'value' in ours && theirs !== undefined);
    expect(both.map(({ ours }) => shown(ours))).toEqual(both.map(({ theirs }) => theirs));
    expect(both).toHaveLength(162);
  });

  it('are refused where a URL parser fails', () => {
    const failing = hosts.filter(({ theirs }) => theirs === undefined);
    expect(failing.filter(({ ours }) => 'value' in ours)).toEqual([]);
    expect(tally(failing.map(({ ours }) => shown(ours)))).toEqual({
      'host-character': 105,
      'host-number': 37,
      'host-ipv6': 30,
      'host-not-ascii': 8,
      'host-empty': 6,
    });
  });

  it('are refused by a named rule where a URL parser accepts', () => {
    const refused = hosts.filter(({ ours, theirs }) => 'code' in ours && theirs !== undefined);
    expect(tally(refused.map(({ host, ours }) => ruleOf(host, shown(ours))))).toEqual({
      'letters beyond ASCII, for toAsciiHost (MAT-11)': 7,
      'control characters that a URL parser drops (MAT-12)': 5,
      'percent signs that a URL parser decodes (MAT-12)': 5,
      'punctuation that no name of the DNS has (MAT-12)': 2,
      'an empty label (MAT-15)': 2,
      'the root alone': 1,
    });
  });

  it('as a URL parser gives them are canonical already, or refused by a named rule: the result of one is input of the other', () => {
    const given = rows
      .filter(({ protocol, hostname }) => /^(https?|wss?|ftp|file):$/.test(protocol ?? '') && (hostname ?? '') !== '')
      .map(({ hostname }) => hostname as string);
    const answers = given.map((hostname) => ({ hostname, ours: answerOf(() => canonicalHost(hostname)) }));
    const words = answers.map(({ hostname, ours }) => {
      if ('code' in ours) return ruleOf(hostname, ours.code);
      return ours.value === withoutBrackets(hostname) ? 'canonical' : `${hostname} became ${ours.value}`;
    });
    expect(tally(words)).toEqual({
      canonical: 305,
      'punctuation that no name of the DNS has (MAT-12)': 2,
      'an empty label (MAT-15)': 2,
      'the root alone': 1,
    });
  });
});

outside('hosts beyond ASCII', () => {
  const rows = load<readonly (AsciiRow | string)[]>('vectors/wpt-url/toascii.json').filter(isRow);

  /** The runtime's URL parser, which `toAsciiHost` asks. Its tables of Unicode and its reading of the standard may be older than the tests. */
  const byRuntime = (input: string): string | null => {
    const url = `http://${input}/`;
    return URL.canParse(url) ? new URL(url).hostname : null;
  };

  const answers = rows.map((row) => ({ ...row, ours: answerOf(() => toAsciiHost(row.input)), runtime: byRuntime(row.input) }));
  const theirs = ({ output }: AsciiRow): string => output ?? 'host-character';

  it('are 87', () => {
    expect(rows).toHaveLength(87);
  });

  it('become what the tests say, wherever the runtime agrees with the tests', () => {
    const agreed = answers.filter(({ output, runtime }) => output === runtime);
    const differing = agreed.filter((row) => shown(row.ours) !== theirs(row));
    // U+FEFF is white space for us, and what people did not see they did not mean
    expect(differing.map(({ input, ours }) => [/\ufeff/.test(input), shown(ours)])).toEqual([[true, 'host-character']]);
    expect(agreed.length).toBeGreaterThanOrEqual(73);
  });

  it('become what the runtime says, where it says something else: that is why a verdict never rests on it (MAT-11)', () => {
    const others = answers.filter(({ output, runtime }) => output !== runtime);
    expect(others.filter(({ ours, runtime }) => shown(ours) !== (runtime ?? 'host-character'))).toEqual([]);
    expect(others.length).toBeLessThanOrEqual(14);
  });

  describe('in their ASCII form', () => {
    it('are canonical, or refused for the length of a label or of the whole, for an empty label or for a character', () => {
      const forms = rows.flatMap(({ output }) => (output === null ? [] : [output]));
      const words = forms.map((form) => {
        const ours = answerOf(() => canonicalHost(form));
        return 'value' in ours && ours.value === form ? 'canonical' : shown(ours);
      });
      const lengths = (form: string): number[] => form.split('.').map((label) => label.length);
      expect(forms.filter((form, i) => words[i] === 'host-label' && lengths(form).every((length) => length > 0 && length <= 63))).toEqual([]);
      expect(tally(words)).toEqual({ canonical: 58, 'host-label': 6, 'host-too-long': 3, 'host-character': 1 });
    });
  });
});
