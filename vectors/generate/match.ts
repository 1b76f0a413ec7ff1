/**
 * The match profile (spec/match.md): canonical paths and hosts, the pattern languages, and what covers what.
 * @module
 */
import { type Case, type Group, type Json, type Notes, type Rest, topic, type VectorFile } from './kit.js';

const notes: Notes = {
  order: {
    why: 'The text has more wrong with it than one thing, and the chapter says which check comes first.',
    effect: 'A verifier with another order names another code, and two reports of one policy differ.',
  },
  dialect: {
    why: 'Other glob dialects read these characters as syntax, or this profile does where others do not.',
    effect: 'A rule would cover other paths than its author believes, or none.',
  },
  segments: {
    why: 'A star stops at a slash, a segment is never empty, and only a whole "**" runs over slashes.',
    effect: 'A rule would reach into folders that it does not name, or miss the folder that it does name.',
  },
  'code-points': {
    why: 'A question mark is one code point, in whatever encoding the language keeps its strings.',
    effect: 'UTF-16 or byte matchers count another length for the same text.',
  },
  'as-is': {
    why: 'The text stays as it is: nothing is decoded, folded, trimmed or normalised.',
    effect: 'A matcher that helps would make two different names one.',
  },
  backtracking: {
    why: 'A matcher that tries every way to split the text takes longer than anybody waits.',
    effect: 'The agent, who chooses the text, can stop the engine.',
  },
  spelling: {
    why: 'One address has many spellings; all of them are the same address, and a pattern has to use the one that is canonical.',
    effect: 'A deny rule for an address would be walked around by another spelling of it.',
  },
  mapped: {
    why: 'An IPv4 address written inside ::ffff:0:0/96 is that IPv4 address, and nothing else in IPv6 is one.',
    effect: 'A block of one family would cover, or miss, addresses of the other.',
  },
  'not-a-host': {
    why: 'A port, a user, a path, a percent sign or a zone stands beside the host.',
    effect: 'A lax reader cuts off another part than the program that connects.',
  },
};

interface Refused extends Rest {
  /** The canonical spelling, which a refusal as not canonical has to hint at. */
  readonly canonical?: string;
}

type Row = readonly [id: string, text: string, expected: string, comment: string, rest?: Refused];
type CoverRow = readonly [id: string, pattern: string, text: string, covers: boolean, comment: string, rest?: Rest];

const flagsOf = (rest: Rest = {}): readonly string[] => rest.flags ?? [];

const canonical =
  (key: string) =>
  ([id, text, expected, comment, rest]: Row): Case => ({ id, comment, flags: flagsOf(rest), input: { [key]: text }, expect: { canonical: expected } });

const refused =
  (key: string) =>
  ([id, text, error, comment, rest]: Row): Case => ({
    id,
    comment,
    flags: flagsOf(rest),
    input: { [key]: text },
    expect: { error, ...(rest?.canonical !== undefined && { canonical: rest.canonical }) },
  });

const covers =
  (patternKey: string, key: string) =>
  ([id, pattern, text, expected, comment, rest]: CoverRow): Case => ({
    id,
    comment,
    flags: flagsOf(rest),
    input: { [patternKey]: pattern, [key]: text },
    expect: { covers: expected },
  });

// ---- Paths

const canonicalPaths: readonly Row[] = [
  ['path-root', '/', '/', 'The root is a path without segments (MAT-6)'],
  ['path-plain', '/srv/a.txt', '/srv/a.txt', 'A canonical path stays as it is'],
  ['path-inner-slashes', '/srv//a///b', '/srv/a/b', 'Empty segments are dropped (MAT-6)'],
  ['path-dot-segments', '/./srv/./a/.', '/srv/a', 'Dot segments are dropped, at the end too (MAT-6)'],
  ['path-trailing-slash', '/srv/a/', '/srv/a', 'A trailing slash is dropped (MAT-6)'],
  ['path-root-dot-slash', '/./', '/', 'What remains of nothing but a dot is the root (MAT-6)'],
  ['path-dot-names', '/.git/..a/a../...', '/.git/..a/a../...', 'Names that only begin or end with dots are ordinary', { flags: ['as-is'] }],
  ['path-glob-characters', '/a*b?[c]{d}@(e)', '/a*b?[c]{d}@(e)', 'In a path of a request, what a glob reads as syntax is a name', { flags: ['as-is'] }],
  ['path-percent', '/srv/%2e%2e/%2F', '/srv/%2e%2e/%2F', 'Percent signs are not decoded', { flags: ['as-is'] }],
  ['path-case', '/Srv/README', '/Srv/README', 'Case is kept', { flags: ['as-is'] }],
  ['path-blanks', '/ a /b\n/\t', '/ a /b\n/\t', 'Blanks and line breaks are characters of a name', { flags: ['as-is'] }],
  ['path-composed', '/caf\u00e9', '/caf\u00e9', 'A composed character stays composed', { flags: ['as-is'] }],
  ['path-decomposed', '/cafe\u0301', '/cafe\u0301', 'A decomposed one stays decomposed: another name', { flags: ['as-is'] }],
  ['path-fullwidth-slash', '/srv\uff0f..\uff0fa', '/srv\uff0f..\uff0fa', 'A slash that only looks like one separates nothing', { flags: ['as-is'] }],
  ['path-inner-tilde', '/srv/~/a', '/srv/~/a', 'A tilde is a name'],
];

const refusedPaths: readonly Row[] = [
  ['path-nul', '/srv/a\0', 'path-character', 'NUL ends a string for the system (MAT-2)'],
  ['path-backslash', '/srv\\a', 'path-character', 'A backslash separates on other systems (MAT-2)'],
  ['path-backslash-relative', 'C:\\srv', 'path-character', 'The backslash is seen before the missing slash (MAT-2, MAT-3)', { flags: ['order'] }],
  ['path-nul-leading-slashes', '//srv\0', 'path-character', 'NUL is seen before the two slashes (MAT-2, MAT-4)', { flags: ['order'] }],
  ['path-empty', '', 'path-relative', 'The empty path is relative (MAT-3)'],
  ['path-relative', 'srv/a', 'path-relative', 'Only the caller knows the working folder (MAT-3)'],
  ['path-tilde', '~/a', 'path-relative', 'A shell would put a home folder here (MAT-3)'],
  ['path-drive', 'C:/srv', 'path-relative', 'A drive letter does not begin with a slash (MAT-3)'],
  ['path-dot-relative', './a', 'path-relative', 'A dot in front is the working folder (MAT-3)'],
  ['path-blank-in-front', ' /srv', 'path-relative', 'A blank in front is not trimmed (MAT-3)', { flags: ['as-is'] }],
  ['path-dot-dot-relative', '../a', 'path-relative', 'Relative is seen before the dots (MAT-3, MAT-5)', { flags: ['order'] }],
  ['path-leading-slashes', '//srv/a', 'path-leading-slashes', 'POSIX leaves two slashes in front to the system (MAT-4)'],
  ['path-leading-slashes-three', '///srv', 'path-leading-slashes', 'Three are not taken either, though POSIX makes them one (MAT-4)'],
  ['path-only-slashes', '//', 'path-leading-slashes', 'Two slashes alone are not the root (MAT-4)'],
  ['path-leading-slashes-dot-dot', '//srv/..', 'path-leading-slashes', 'The slashes are seen before the dots (MAT-4, MAT-5)', { flags: ['order'] }],
  ['path-dot-dot', '/srv/../etc/passwd', 'path-dot-dot', 'Where srv is a link, this leads somewhere else (MAT-5)'],
  ['path-dot-dot-first', '/../srv', 'path-dot-dot', 'Above the root there is nothing, and still it is refused (MAT-5)'],
  ['path-dot-dot-last', '/srv/..', 'path-dot-dot', 'At the end (MAT-5)'],
  ['path-dot-dot-slash', '/srv/../', 'path-dot-dot', 'At the end with a slash (MAT-5)'],
  ['path-dot-dot-after-empty', '/srv//..//a', 'path-dot-dot', 'Between empty segments (MAT-5, MAT-6)'],
];

const refusedPathPatterns: readonly Row[] = [
  ['path-pattern-nul', '/srv/\0', 'path-character', 'NUL (MAT-7)'],
  ['path-pattern-nul-relative', 'srv\0', 'path-character', 'NUL is seen before the missing slash (MAT-7)', { flags: ['order'] }],
  ['path-pattern-empty', '', 'path-relative', 'No pattern at all (MAT-7)'],
  ['path-pattern-relative', 'srv/**', 'path-relative', 'A pattern without a slash in front (MAT-7)'],
  ['path-pattern-stars-alone', '**', 'path-relative', 'Everything is "/**" (MAT-7)', { flags: ['dialect'] }],
  ['path-pattern-extension-alone', '*.key', 'path-relative', 'Other dialects look for this in every folder (MAT-7)', { flags: ['dialect'] }],
  ['path-pattern-tilde', '~/**', 'path-relative', 'A shell would put a home folder here (MAT-7)'],
  ['path-pattern-drive', 'C:/**', 'path-relative', 'A drive letter (MAT-7)'],
  ['path-pattern-leading-slashes', '//srv/**', 'path-leading-slashes', 'Two slashes in front (MAT-7)'],
  ['path-pattern-inner-slashes', '/srv//a', 'pattern-not-canonical', 'An empty segment covers nothing (MAT-8, MAT-21)', { canonical: '/srv/a' }],
  ['path-pattern-trailing-slash', '/srv/', 'pattern-not-canonical', 'A trailing slash covers nothing (MAT-8, MAT-21)', { canonical: '/srv' }],
  ['path-pattern-stars-slash', '/srv/**/', 'pattern-not-canonical', 'Behind the stars too (MAT-8)', { canonical: '/srv/**', flags: ['dialect'] }],
  ['path-pattern-dot', '/srv/./a', 'pattern-not-canonical', 'A dot segment covers nothing (MAT-10, MAT-21)', { canonical: '/srv/a' }],
  ['path-pattern-dot-last', '/srv/.', 'pattern-not-canonical', 'At the end (MAT-10)', { canonical: '/srv' }],
  ['path-pattern-dot-dot', '/srv/../etc', 'path-dot-dot', 'A segment of two dots (MAT-10)'],
  ['path-pattern-dot-dot-last', '/**/..', 'path-dot-dot', 'At the end (MAT-10)'],
  ['path-pattern-class', '/srv/[ab]', 'pattern-syntax', 'A class of other dialects (MAT-9)', { flags: ['dialect'] }],
  ['path-pattern-class-end', '/srv/a]', 'pattern-syntax', 'The closing bracket alone (MAT-9)', { flags: ['dialect'] }],
  ['path-pattern-braces', '/srv/{a,b}', 'pattern-syntax', 'Alternatives of other dialects (MAT-9)', { flags: ['dialect'] }],
  ['path-pattern-brace-end', '/srv/a}', 'pattern-syntax', 'The closing brace alone (MAT-9)', { flags: ['dialect'] }],
  ['path-pattern-group-at', '/srv/@(a|b)', 'pattern-syntax', 'An extended glob: exactly one (MAT-9)', { flags: ['dialect'] }],
  ['path-pattern-group-question', '/srv/?(a)', 'pattern-syntax', 'An extended glob: at most one (MAT-9)', { flags: ['dialect'] }],
  ['path-pattern-group-star', '/srv/*(a)', 'pattern-syntax', 'An extended glob: any number (MAT-9)', { flags: ['dialect'] }],
  ['path-pattern-group-plus', '/srv/+(a)', 'pattern-syntax', 'An extended glob: at least one (MAT-9)', { flags: ['dialect'] }],
  ['path-pattern-group-not', '/srv/!(a)', 'pattern-syntax', 'An extended glob: anything but (MAT-9)', { flags: ['dialect'] }],
  ['path-pattern-backslash-last', '/srv/a\\', 'pattern-syntax', 'A backslash with nothing behind it (MAT-9)'],
  ['path-pattern-backslash-slash', '/srv\\/a', 'pattern-syntax', 'A slash cannot be escaped: the segment ends behind the backslash (MAT-9)'],
  ['path-pattern-backslash-letter', '/srv/\\a', 'pattern-syntax', 'A letter needs no escape (MAT-9)'],
  ['path-pattern-backslash-backslash', '/srv/\\\\', 'pattern-syntax', 'No path of a request holds a backslash (MAT-9)', { flags: ['dialect'] }],
  ['path-pattern-backslash-dot', '/srv/\\.\\.', 'pattern-syntax', 'Dots cannot be escaped past the rule on dots (MAT-9, MAT-10)'],
  ['path-pattern-stars-behind', '/srv/a**', 'pattern-syntax', 'Two stars beside a name (MAT-9)', { flags: ['dialect'] }],
  ['path-pattern-stars-in-front', '/srv/**a', 'pattern-syntax', 'Two stars in front of a name (MAT-9)', { flags: ['dialect'] }],
  ['path-pattern-three-stars', '/srv/***', 'pattern-syntax', 'Three stars are not two (MAT-9)', { flags: ['dialect'] }],
  ['path-pattern-syntax-before-dots', '/srv/[a]/..', 'pattern-syntax', 'From the left: the class is met first (MAT-9, MAT-10)', { flags: ['order'] }],
  ['path-pattern-dots-before-syntax', '/srv/../[a]', 'path-dot-dot', 'From the left: the dots are met first (MAT-9, MAT-10)', { flags: ['order'] }],
  [
    'path-pattern-syntax-before-empty',
    '/[a//b',
    'pattern-syntax',
    'From the left: the class is met before the empty segment (MAT-8, MAT-9)',
    { flags: ['order'] },
  ],
];

const pathCovers: readonly CoverRow[] = [
  ['path-covers-literal', '/srv/a', '/srv/a', true, 'A pattern without wildcards covers its own path'],
  ['path-covers-literal-below', '/srv/a', '/srv/a/b', false, 'The whole path has to be covered', { flags: ['segments'] }],
  ['path-covers-literal-above', '/srv/a', '/srv', false, 'The whole pattern has to be used', { flags: ['segments'] }],
  ['path-covers-case', '/srv/key', '/srv/KEY', false, 'Case counts', { flags: ['as-is'] }],
  ['path-covers-canonical-first', '/srv/*', '/srv//a/', true, 'The path is made canonical before it is matched (MAT-6)'],
  ['path-covers-root', '/', '/', true, 'The pattern of the root'],
  ['path-covers-root-alone', '/', '/a', false, 'covers the root alone', { flags: ['segments'] }],
  ['path-covers-all-root', '/**', '/', true, 'Everything includes the root', { flags: ['segments'] }],
  ['path-covers-all-deep', '/**', '/a/b/c/d', true, 'Everything at any depth', { flags: ['segments'] }],
  ['path-covers-folder-itself', '/srv/**', '/srv', true, 'Two stars cover zero segments: the folder itself', { flags: ['segments', 'dialect'] }],
  ['path-covers-folder-below', '/srv/**', '/srv/a/b', true, 'and all below it', { flags: ['segments'] }],
  ['path-covers-folder-prefix', '/srv/**', '/srvx/a', false, 'but no folder that only begins alike', { flags: ['segments'] }],
  ['path-covers-star-root', '/*', '/', false, 'A segment is never empty', { flags: ['segments'] }],
  ['path-covers-star-one', '/*', '/a', true, 'One star is one segment', { flags: ['segments'] }],
  ['path-covers-star-two', '/*', '/a/b', false, 'and stops at a slash', { flags: ['segments'] }],
  ['path-covers-star-dot-name', '/srv/*', '/srv/.env', true, 'Dot names are ordinary', { flags: ['dialect'] }],
  ['path-covers-stars-dot-name', '/srv/**', '/srv/.git/config', true, 'for two stars too', { flags: ['dialect'] }],
  ['path-covers-star-empty-run', '/a*b', '/ab', true, 'A run may be empty'],
  ['path-covers-star-middle', '/a*b', '/axxb', true, 'A run in the middle'],
  ['path-covers-star-slash', '/a*b', '/ax/xb', false, 'A run holds no slash', { flags: ['segments'] }],
  ['path-covers-extension', '/srv/*.key', '/srv/a.key', true, 'An extension'],
  ['path-covers-extension-alone', '/srv/*.key', '/srv/.key', true, 'with nothing in front of it', { flags: ['dialect'] }],
  ['path-covers-extension-longer', '/srv/*.key', '/srv/a.keys', false, 'up to the end of the segment'],
  ['path-covers-stars-front', '/**/a', '/a', true, 'Two stars in front cover nothing', { flags: ['segments'] }],
  ['path-covers-stars-front-deep', '/**/a', '/x/y/a', true, 'or any folders', { flags: ['segments'] }],
  ['path-covers-stars-front-below', '/**/a', '/a/b', false, 'but the end is the end', { flags: ['segments'] }],
  ['path-covers-stars-middle-none', '/a/**/b', '/a/b', true, 'Between two names they cover nothing', { flags: ['segments'] }],
  ['path-covers-stars-middle-some', '/a/**/b', '/a/x/y/b', true, 'or some', { flags: ['segments'] }],
  ['path-covers-stars-middle-back', '/a/**/b/c', '/a/b/b/c', true, 'and the first fit need not be the right one', { flags: ['segments'] }],
  ['path-covers-stars-stars', '/**/**', '/', true, 'Two of them are one', { flags: ['segments'] }],
  ['path-covers-stars-star', '/**/*', '/', false, 'A star behind them still needs a segment', { flags: ['segments'] }],
  ['path-covers-star-stars', '/*/**', '/a', true, 'A star in front of them is one segment', { flags: ['segments'] }],
  ['path-covers-question', '/a?c', '/abc', true, 'A question mark is one code point'],
  ['path-covers-question-none', '/a?', '/a', false, 'not none'],
  ['path-covers-question-slash', '/a?b', '/a/b', false, 'and no slash', { flags: ['segments'] }],
  [
    'path-covers-question-astral',
    '/a?c',
    '/a\u{1f511}c',
    true,
    'Outside the basic plane a code point is two UTF-16 units and four bytes',
    { flags: ['code-points'] },
  ],
  ['path-covers-two-questions-astral', '/??', '/\u{1f511}', false, 'and still one', { flags: ['code-points'] }],
  ['path-covers-question-combining', '/?', '/e\u0301', false, 'A letter and its accent are two', { flags: ['code-points', 'as-is'] }],
  ['path-covers-composed', '/caf\u00e9', '/cafe\u0301', false, 'Nothing is normalised', { flags: ['as-is'] }],
  ['path-covers-escaped-star', '/\\*', '/*', true, 'An escaped star is a star'],
  ['path-covers-escaped-star-other', '/\\*', '/a', false, 'and no wildcard'],
  ['path-covers-escaped-two-stars', '/\\*\\*', '/**', true, 'Two escaped stars are a name', { flags: ['dialect'] }],
  ['path-covers-escaped-and-star', '/\\**', '/*a', true, 'An escaped star beside a star is no "**"', { flags: ['dialect'] }],
  ['path-covers-escaped-brackets', '/\\[a\\]\\{b\\}', '/[a]{b}', true, 'Brackets and braces need the escape', { flags: ['dialect'] }],
  ['path-covers-plain-parentheses', '/(a)b)', '/(a)b)', true, 'Parentheses alone are ordinary', { flags: ['dialect'] }],
  ['path-covers-escaped-opener', '/\\@(a)', '/@(a)', true, 'Behind an escaped character a parenthesis opens nothing', { flags: ['dialect'] }],
  ['path-covers-escaped-parenthesis', '/@\\(a)', '/@(a)', true, 'and an escaped one neither', { flags: ['dialect'] }],
  ['path-covers-plain-openers', '/a@b+c!d', '/a@b+c!d', true, 'The other openers are ordinary where nothing opens', { flags: ['dialect'] }],
  ['path-covers-line-break', '/srv/*', '/srv/a\nb', true, 'A line break is a code point like others', { flags: ['as-is'] }],
  ['path-covers-backtracking', `/${'*a'.repeat(24)}*b`, `/${'a'.repeat(120)}`, false, 'Many stars against a long name', { flags: ['backtracking'] }],
  ['path-covers-backtracking-segments', `/${'**/a/'.repeat(16)}b`, `${'/a'.repeat(60)}`, false, 'Many "**" against a deep path', { flags: ['backtracking'] }],
];

// ---- Hosts

const label63 = 'a'.repeat(63);
const name253 = [label63, label63, label63, 'b'.repeat(61)].join('.');

const canonicalHosts: readonly Row[] = [
  ['host-plain', 'example.com', 'example.com', 'A canonical name stays as it is'],
  ['host-upper-case', 'EXAMPLE.Com', 'example.com', 'Upper case becomes lower case', { flags: ['spelling'] }],
  ['host-trailing-dot', 'example.com.', 'example.com', 'One trailing dot is dropped', { flags: ['spelling'] }],
  ['host-single-label', 'localhost', 'localhost', 'One label is a name'],
  ['host-underscore', '_a-b.c_d', '_a-b.c_d', 'Underscores and hyphens are taken wherever they stand'],
  ['host-punycode', 'XN--BCHER-KVA.example', 'xn--bcher-kva.example', 'The ASCII form of other scripts is a name like others'],
  ['host-number-label-first', '1.example', '1.example', 'Only the last label makes a number'],
  ['host-hex-label-first', '0x1.example', '0x1.example', 'Only the last label makes a number'],
  ['host-almost-hex', 'a.0xg', 'a.0xg', 'A g is no hex digit, so this is a name'],
  ['host-label-63', `${label63}.example`, `${label63}.example`, 'A label of 63 (MAT-15)'],
  ['host-253', name253, name253, '253 characters in all (MAT-15)'],
  ['host-254-with-dot', `${name253}.`, name253, 'The trailing dot is not counted', { flags: ['spelling'] }],
  ['host-ipv4', '127.0.0.1', '127.0.0.1', 'An address in dotted decimal (MAT-14)'],
  ['host-ipv4-trailing-dot', '127.0.0.1.', '127.0.0.1', 'with a trailing dot', { flags: ['spelling'] }],
  ['host-ipv4-short', '127.1', '127.0.0.1', 'The last part fills what is left (MAT-14)', { flags: ['spelling'] }],
  ['host-ipv4-one-part', '2130706433', '127.0.0.1', 'One number is an address (MAT-14)', { flags: ['spelling'] }],
  ['host-ipv4-hex', '0x7F.0x1', '127.0.0.1', 'Hex (MAT-14)', { flags: ['spelling'] }],
  ['host-ipv4-octal', '0177.0.0.01', '127.0.0.1', 'Octal (MAT-14)', { flags: ['spelling'] }],
  ['host-ipv4-many-zeros', '00000000177.1', '127.0.0.1', 'Octal with many zeros in front (MAT-14)', { flags: ['spelling'] }],
  ['host-ipv4-mixed', '0xc0.0250.513', '192.168.2.1', 'Hex, octal and decimal in one address (MAT-14)', { flags: ['spelling'] }],
  ['host-ipv4-bare-0x', '0x', '0.0.0.0', 'A part 0x alone is 0 (MAT-14)', { flags: ['spelling'] }],
  ['host-ipv4-0x-last', '1.0x', '1.0.0.0', 'also at the end (MAT-14)', { flags: ['spelling'] }],
  ['host-ipv4-greatest', '4294967295', '255.255.255.255', 'The greatest number (MAT-14)', { flags: ['spelling'] }],
  ['host-ipv6', '2001:db8::1', '2001:db8::1', 'An address as RFC 5952 has it (MAT-13)'],
  ['host-ipv6-brackets', '[::1]', '::1', 'Brackets around it are dropped (MAT-13)', { flags: ['spelling'] }],
  ['host-ipv6-upper-case', '2001:DB8::A', '2001:db8::a', 'Lower case (MAT-13)', { flags: ['spelling'] }],
  [
    'host-ipv6-zeros',
    '2001:0db8:0000:0000:0000:0000:0000:0001',
    '2001:db8::1',
    'Zeros in front are dropped, the longest run becomes "::" (MAT-13)',
    { flags: ['spelling'] },
  ],
  ['host-ipv6-first-run', '1:0:0:4:5:0:0:8', '1::4:5:0:0:8', 'Of two runs of equal length the first (MAT-13)', { flags: ['spelling'] }],
  ['host-ipv6-longest-run', '1:0:0:4:0:0:0:8', '1:0:0:4::8', 'The longer run, though it is the second (MAT-13)', { flags: ['spelling'] }],
  ['host-ipv6-one-zero', '1:2:3:4:5:6:7::', '1:2:3:4:5:6:7:0', 'A run of one is not shortened (MAT-13)', { flags: ['spelling'] }],
  ['host-ipv6-all-zero', '0:0:0:0:0:0:0:0', '::', 'Nothing but zeros (MAT-13)', { flags: ['spelling'] }],
  ['host-ipv6-mapped', '::ffff:127.0.0.1', '127.0.0.1', 'A mapped address is its IPv4 address (MAT-13)', { flags: ['mapped', 'spelling'] }],
  ['host-ipv6-mapped-hex', '[0:0:0:0:0:FFFF:7F00:1]', '127.0.0.1', 'in hex groups too (MAT-13)', { flags: ['mapped', 'spelling'] }],
  ['host-ipv6-compatible', '::127.0.0.1', '::7f00:1', 'Without ffff it is an IPv6 address, written in hex groups (MAT-13)', { flags: ['mapped', 'spelling'] }],
  ['host-ipv6-translated', '64:ff9b::192.0.2.33', '64:ff9b::c000:221', 'The translation prefix is not unwrapped (MAT-13)', { flags: ['mapped', 'spelling'] }],
  ['host-ipv6-ffff-0', '::ffff:0:1.2.3.4', '::ffff:0:102:304', 'One group further left is not mapped either (MAT-13)', { flags: ['mapped', 'spelling'] }],
];

const refusedHosts: readonly Row[] = [
  ['host-empty', '', 'host-empty', 'Nothing (MAT-11)'],
  ['host-dot', '.', 'host-empty', 'Nothing but the dot that is dropped'],
  ['host-umlaut', 'b\u00fccher.example', 'host-not-ascii', 'Unicode tables differ between runtimes (MAT-11)'],
  ['host-kelvin', '\u212aelvin.example', 'host-not-ascii', 'A sign that folds to an ASCII letter (MAT-11)', { flags: ['as-is'] }],
  ['host-fullwidth-dot', 'example\uff0ecom', 'host-not-ascii', 'A dot that only looks like one (MAT-11)', { flags: ['as-is'] }],
  ['host-soft-hyphen', 'exam\u00adple.com', 'host-not-ascii', 'A character that is not shown (MAT-11)', { flags: ['as-is'] }],
  ['host-not-ascii-first', '\u00fc@b', 'host-not-ascii', 'Not ASCII is seen before the at sign (MAT-11, MAT-12)', { flags: ['order'] }],
  ['host-user', 'user@example.com', 'host-character', 'User information (MAT-12)', { flags: ['not-a-host'] }],
  ['host-path', 'example.com/a', 'host-character', 'A path (MAT-12)', { flags: ['not-a-host'] }],
  ['host-percent', 'ex%61mple.com', 'host-character', 'A percent sign (MAT-12)', { flags: ['not-a-host'] }],
  ['host-blank', 'example.com ', 'host-character', 'A blank is not trimmed (MAT-12)', { flags: ['as-is'] }],
  ['host-tab', 'exam\tple.com', 'host-character', 'URL parsers drop tabs (MAT-12)', { flags: ['as-is'] }],
  ['host-nul', 'example.com\0', 'host-character', 'NUL (MAT-12)'],
  ['host-star', '*.example.com', 'host-character', 'A star belongs in a pattern (MAT-12)'],
  ['host-backslash', 'example.com\\a', 'host-character', 'A backslash, a slash for some URL parsers (MAT-12)', { flags: ['not-a-host'] }],
  ['host-zone', 'fe80::1%eth0', 'host-character', 'A zone (MAT-12)', { flags: ['not-a-host'] }],
  ['host-character-before-ipv6', '[a b]', 'host-character', 'The blank is seen before the brackets (MAT-12, MAT-13)', { flags: ['order'] }],
  ['host-port', 'example.com:443', 'host-ipv6', 'A port does not belong in a host (MAT-13)', { flags: ['not-a-host'] }],
  ['host-ipv4-port', '127.0.0.1:80', 'host-ipv6', 'A port behind an IPv4 address (MAT-13)', { flags: ['not-a-host'] }],
  ['host-ipv6-port', '[::1]:443', 'host-ipv6', 'A port behind brackets (MAT-13)', { flags: ['not-a-host'] }],
  ['host-bracket-open', '[::1', 'host-ipv6', 'One bracket (MAT-13)'],
  ['host-bracket-close', '::1]', 'host-ipv6', 'The other bracket (MAT-13)'],
  ['host-brackets-twice', '[[::1]]', 'host-ipv6', 'One pair is dropped, not two (MAT-13)'],
  ['host-brackets-empty', '[]', 'host-ipv6', 'Nothing in the brackets (MAT-13)'],
  ['host-brackets-ipv4', '[127.0.0.1]', 'host-ipv6', 'An IPv4 address in brackets (MAT-13)'],
  ['host-brackets-name', '[example.com]', 'host-ipv6', 'A name in brackets (MAT-13)'],
  ['host-ipv6-trailing-dot', '::1.', 'host-ipv6', 'A trailing dot is dropped from names alone (MAT-13)'],
  ['host-ipv6-seven', '1:2:3:4:5:6:7', 'host-ipv6', 'Seven groups (MAT-13)'],
  ['host-ipv6-nine', '1:2:3:4:5:6:7:8:9', 'host-ipv6', 'Nine groups (MAT-13)'],
  ['host-ipv6-eight-and-gap', '1:2:3:4::5:6:7:8', 'host-ipv6', 'Eight groups leave nothing for "::" (MAT-13)'],
  ['host-ipv6-two-gaps', '1::2::3', 'host-ipv6', 'Two "::" (MAT-13)'],
  ['host-ipv6-three-colons', ':::1', 'host-ipv6', 'Three colons (MAT-13)'],
  ['host-ipv6-colon-first', ':1:2:3:4:5:6:7', 'host-ipv6', 'One colon in front (MAT-13)'],
  ['host-ipv6-colon-last', '1:2:3:4:5:6:7:', 'host-ipv6', 'One colon at the end (MAT-13)'],
  ['host-ipv6-five-digits', '::12345', 'host-ipv6', 'Five hex digits (MAT-13)'],
  ['host-ipv6-not-hex', '::g', 'host-ipv6', 'Not a hex digit (MAT-13)'],
  ['host-ipv6-dotted-short', '::1.2.3', 'host-ipv6', 'Three parts at the end (MAT-13)'],
  ['host-ipv6-dotted-over', '::1.2.3.256', 'host-ipv6', 'A part above 255 (MAT-13)'],
  ['host-ipv6-dotted-zero', '::01.2.3.4', 'host-ipv6', 'A zero in front: inside IPv6 there is no octal (MAT-13)'],
  ['host-ipv6-dotted-middle', '::1.2.3.4:5', 'host-ipv6', 'Dotted decimal not at the end (MAT-13)'],
  ['host-ipv6-dotted-too-many', '1:2:3:4:5:6:7:1.2.3.4', 'host-ipv6', 'Dotted decimal takes two groups (MAT-13)'],
  ['host-number-over', '1.2.3.256', 'host-number', 'The last part above what is left (MAT-14)'],
  ['host-number-over-first', '256.2.3.4', 'host-number', 'Another part above 255 (MAT-14)'],
  ['host-number-over-short', '1.2.65536', 'host-number', 'The last part above two bytes (MAT-14)'],
  ['host-number-over-one', '4294967296', 'host-number', 'One number above four bytes (MAT-14)'],
  ['host-number-over-hex', '0x100000000', 'host-number', 'in hex (MAT-14)'],
  ['host-number-five', '1.2.3.4.5', 'host-number', 'Five parts (MAT-14)'],
  ['host-number-not-octal', '08', 'host-number', 'A zero in front makes it octal, and 8 is no octal digit (MAT-14)'],
  ['host-number-name', 'example.1', 'host-number', 'A name that ends in a number is no name (MAT-14)'],
  ['host-number-name-hex', 'example.0x1f', 'host-number', 'in hex too (MAT-14)'],
  ['host-number-empty-part', '1..2', 'host-number', 'An empty part (MAT-14)'],
  ['host-number-dot-first', '.1', 'host-number', 'An empty first part (MAT-14)'],
  ['host-label-empty', 'a..b', 'host-label', 'An empty label (MAT-15)'],
  ['host-label-dot-first', '.example.com', 'host-label', 'A dot in front (MAT-15)'],
  ['host-label-two-dots', 'example.com..', 'host-label', 'One trailing dot is dropped, not two (MAT-15)'],
  ['host-label-address-two-dots', '127.0.0.1..', 'host-label', 'Behind an address too: the last label is empty and no number (MAT-14, MAT-15)'],
  ['host-label-64', `${'a'.repeat(64)}.example`, 'host-label', 'A label of 64 (MAT-15)'],
  ['host-254', `${name253}b`, 'host-too-long', '254 characters (MAT-15)'],
  ['host-label-before-length', `${'a'.repeat(64)}.${name253}`, 'host-label', 'The label is seen before the length (MAT-15)', { flags: ['order'] }],
];

const refusedHostPatterns: readonly Row[] = [
  ['host-pattern-empty', '', 'host-empty', 'Nothing (MAT-18, MAT-11)'],
  ['host-pattern-star', '*', 'pattern-syntax', 'Any host is "**" (MAT-16)', { flags: ['dialect'] }],
  ['host-pattern-star-inside', 'a*.example.com', 'pattern-syntax', 'A star inside a label (MAT-16)', { flags: ['dialect'] }],
  ['host-pattern-star-glued', '*example.com', 'pattern-syntax', 'A star without its dot (MAT-16)', { flags: ['dialect'] }],
  ['host-pattern-star-last', 'example.*', 'pattern-syntax', 'A star at the end (MAT-16)', { flags: ['dialect'] }],
  ['host-pattern-star-twice', '*.*.example.com', 'pattern-syntax', 'A second star (MAT-16)', { flags: ['dialect'] }],
  ['host-pattern-stars-name', '**.example.com', 'pattern-syntax', 'Two stars in front of a name (MAT-16)', { flags: ['dialect'] }],
  ['host-pattern-star-block', '10.*/8', 'pattern-syntax', 'The star is seen before the slash (MAT-16, MAT-17)', { flags: ['order'] }],
  ['host-pattern-below-nothing', '*.', 'host-empty', 'Nothing behind the star (MAT-18, MAT-11)'],
  ['host-pattern-below-block', '*.10.0.0.0/8', 'host-character', 'A block behind a star is no host (MAT-18, MAT-12)'],
  ['host-pattern-below-ipv4', '*.127.0.0.1', 'host-number', 'No label stands in front of an address (MAT-18)'],
  ['host-pattern-below-number', '*.1', 'host-number', 'nor in front of a number (MAT-18)'],
  ['host-pattern-below-bad-number', '*.1.2.3.256', 'host-number', 'nor in front of what only ends in one (MAT-18, MAT-14)'],
  ['host-pattern-below-ipv6', '*.::1', 'host-ipv6', 'nor in front of an IPv6 address (MAT-18)'],
  [
    'host-pattern-below-mapped',
    '*.::ffff:10.0.0.1',
    'host-number',
    'A mapped address is its IPv4 address behind a star too (MAT-13, MAT-18)',
    { flags: ['mapped'] },
  ],
  ['host-pattern-url', 'https://example.com', 'host-ipv6', 'A URL: what stands before its first slash is no host (MAT-17, MAT-13)', { flags: ['not-a-host'] }],
  ['host-pattern-port', 'example.com:443', 'host-ipv6', 'A port has its own field (MAT-18, MAT-13)', { flags: ['not-a-host'] }],
  ['host-pattern-umlaut', '*.b\u00fccher.example', 'host-not-ascii', 'Not ASCII (MAT-18, MAT-11)'],
  ['host-pattern-blank', 'example .com', 'host-character', 'A blank (MAT-18, MAT-12)'],
  ['host-pattern-label', 'a..example', 'host-label', 'An empty label (MAT-18, MAT-15)'],
  ['host-pattern-upper-case', 'Example.com', 'pattern-not-canonical', 'Upper case would match nothing (MAT-18, MAT-21)', { canonical: 'example.com' }],
  ['host-pattern-below-upper-case', '*.Example.com', 'pattern-not-canonical', 'behind a star too (MAT-18, MAT-21)', { canonical: '*.example.com' }],
  ['host-pattern-trailing-dot', 'example.com.', 'pattern-not-canonical', 'A trailing dot (MAT-18, MAT-21)', { canonical: 'example.com' }],
  ['host-pattern-short-ipv4', '127.1', 'pattern-not-canonical', 'A short address (MAT-18, MAT-21)', { canonical: '127.0.0.1', flags: ['spelling'] }],
  [
    'host-pattern-octal-ipv4',
    '010.0.0.1',
    'pattern-not-canonical',
    'Octal: the author may have meant 10.0.0.1 (MAT-18)',
    { canonical: '8.0.0.1', flags: ['spelling'] },
  ],
  ['host-pattern-brackets', '[::1]', 'pattern-not-canonical', 'Brackets (MAT-18, MAT-21)', { canonical: '::1', flags: ['spelling'] }],
  ['host-pattern-ipv6-zeros', '2001:db8:0::1', 'pattern-not-canonical', 'Another spelling (MAT-18, MAT-21)', { canonical: '2001:db8::1', flags: ['spelling'] }],
  [
    'host-pattern-mapped',
    '::ffff:10.0.0.1',
    'pattern-not-canonical',
    'A mapped address (MAT-18, MAT-21)',
    { canonical: '10.0.0.1', flags: ['mapped', 'spelling'] },
  ],
  ['cidr-name', 'example.com/8', 'cidr', 'A name in front of the slash (MAT-17)'],
  ['cidr-nothing', '/8', 'host-empty', 'Nothing in front of the slash (MAT-17, MAT-11)'],
  ['cidr-bad-address', '10.0.0.256/8', 'host-number', 'No address in front of the slash (MAT-17, MAT-14)'],
  ['cidr-bits-empty', '10.0.0.0/', 'cidr', 'No bits (MAT-17)'],
  ['cidr-bits-zero-in-front', '10.0.0.0/08', 'cidr', 'A zero in front (MAT-17)'],
  ['cidr-bits-sign', '10.0.0.0/+8', 'cidr', 'A sign (MAT-17)'],
  ['cidr-bits-twice', '10.0.0.0/8/8', 'cidr', 'A second slash (MAT-17)'],
  ['cidr-bits-mask', '10.0.0.0/255.0.0.0', 'cidr', 'A mask (MAT-17)'],
  ['cidr-bits-32', '10.0.0.1/32', 'cidr', 'All bits: write the address (MAT-17)'],
  ['cidr-bits-33', '10.0.0.0/33', 'cidr', 'More bits than there are (MAT-17)'],
  ['cidr-bits-128', '2001:db8::1/128', 'cidr', 'All bits of IPv6 (MAT-17)'],
  ['cidr-host-bits', '10.0.0.1/8', 'cidr', 'A bit set beyond the block (MAT-17)'],
  ['cidr-host-bits-odd', '192.0.2.64/25', 'cidr', 'where the block ends inside a byte (MAT-17)'],
  ['cidr-host-bits-ipv6', '2001:db8::1/32', 'cidr', 'in IPv6 (MAT-17)'],
  ['cidr-mapped', '::ffff:10.0.0.0/104', 'cidr', 'Inside ::ffff:0:0/96: write the IPv4 block (MAT-17)', { flags: ['mapped'] }],
  ['cidr-mapped-hex', '::ffff:a00:0/104', 'cidr', 'in hex groups too (MAT-17)', { flags: ['mapped'] }],
  ['cidr-short-address', '10.0/8', 'pattern-not-canonical', 'A short address (MAT-17, MAT-21)', { canonical: '10.0.0.0/8', flags: ['spelling'] }],
  ['cidr-upper-case', '2001:DB8::/32', 'pattern-not-canonical', 'Upper case (MAT-17, MAT-21)', { canonical: '2001:db8::/32', flags: ['spelling'] }],
  ['cidr-brackets', '[fd00::]/8', 'pattern-not-canonical', 'Brackets (MAT-17, MAT-21)', { canonical: 'fd00::/8', flags: ['spelling'] }],
];

const hostCovers: readonly CoverRow[] = [
  ['host-covers-name', 'example.com', 'example.com', true, 'A name covers itself'],
  ['host-covers-name-spelling', 'example.com', 'EXAMPLE.COM.', true, 'in every spelling of the request', { flags: ['spelling'] }],
  ['host-covers-name-below', 'example.com', 'a.example.com', false, 'and no name below it'],
  ['host-covers-below-one', '*.example.com', 'a.example.com', true, 'One label in front'],
  ['host-covers-below-two', '*.example.com', 'a.b.example.com', true, 'or more', { flags: ['dialect'] }],
  ['host-covers-below-itself', '*.example.com', 'example.com', false, 'but not the name itself', { flags: ['dialect'] }],
  ['host-covers-below-glued', '*.example.com', 'notexample.com', false, 'and no name that only ends alike'],
  ['host-covers-any-name', '**', 'example.com', true, 'Any name'],
  ['host-covers-any-ipv4', '**', '127.0.0.1', true, 'any IPv4 address'],
  ['host-covers-any-ipv6', '**', '[::1]', true, 'any IPv6 address'],
  ['host-covers-address', '127.0.0.1', '127.0.0.1', true, 'An address covers itself'],
  ['host-covers-address-number', '127.0.0.1', '2130706433', true, 'as one number', { flags: ['spelling'] }],
  ['host-covers-address-hex', '127.0.0.1', '0x7f.0.0.1', true, 'in hex', { flags: ['spelling'] }],
  ['host-covers-address-mapped', '127.0.0.1', '[::ffff:7f00:1]', true, 'and mapped', { flags: ['mapped', 'spelling'] }],
  ['host-covers-address-compatible', '127.0.0.1', '::127.0.0.1', false, 'but not as another IPv6 address', { flags: ['mapped'] }],
  ['host-covers-ipv6', '::1', '[0:0:0:0:0:0:0:1]', true, 'An IPv6 address in another spelling', { flags: ['spelling'] }],
  ['host-covers-name-not-address', 'localhost', '127.0.0.1', false, 'A name rule does not stop its address'],
  ['cidr-covers-last', '10.0.0.0/8', '10.255.255.255', true, 'The last address of a block'],
  ['cidr-covers-next', '10.0.0.0/8', '11.0.0.0', false, 'and the next one'],
  ['cidr-covers-spelling', '10.0.0.0/8', '0xa.1', true, 'in another spelling', { flags: ['spelling'] }],
  ['cidr-covers-mapped', '10.0.0.0/8', '::ffff:10.1.1.1', true, 'mapped', { flags: ['mapped'] }],
  ['cidr-covers-other-family', '10.0.0.0/8', '::a01:101', false, 'The same last bits in IPv6', { flags: ['mapped'] }],
  ['cidr-covers-name', '10.0.0.0/8', '10.example', false, 'A name is no address'],
  ['cidr-covers-odd-below', '192.0.2.128/25', '192.0.2.127', false, 'A block that begins inside a byte: below it'],
  ['cidr-covers-odd-first', '192.0.2.128/25', '192.0.2.128', true, 'and its first address'],
  ['cidr-covers-31', '192.0.2.2/31', '192.0.2.4', false, 'The smallest block has two addresses'],
  ['cidr-covers-all-ipv4', '0.0.0.0/0', '255.255.255.255', true, 'All of IPv4'],
  ['cidr-covers-all-ipv4-not-ipv6', '0.0.0.0/0', '::1', false, 'is none of IPv6', { flags: ['mapped'] }],
  ['cidr-covers-all-ipv6', '::/0', '2001:db8::1', true, 'All of IPv6'],
  ['cidr-covers-all-ipv6-not-ipv4', '::/0', '127.0.0.1', false, 'is none of IPv4', { flags: ['mapped'] }],
  ['cidr-covers-all-ipv6-not-mapped', '::/0', '::ffff:127.0.0.1', false, 'mapped or not', { flags: ['mapped'] }],
  ['cidr-covers-ipv6-odd', '2001:db8::/33', '2001:db8:7fff:ffff::', true, 'A block that ends inside a group'],
  ['cidr-covers-ipv6-odd-next', '2001:db8::/33', '2001:db8:8000::', false, 'and the next address'],
];

// ---- Texts

const refusedTexts: readonly Row[] = [
  ['text-backslash-letter', 'get\\_file', 'pattern-syntax', 'A backslash before an ordinary character (MAT-19)'],
  ['text-backslash-last', 'get\\', 'pattern-syntax', 'A backslash at the end (MAT-19)'],
  ['text-backslash-bracket', '\\[a\\]', 'pattern-syntax', 'Brackets are ordinary here and take no escape (MAT-19)', { flags: ['dialect'] }],
  ['text-stars', '**', 'pattern-syntax', 'Two stars (MAT-19)', { flags: ['dialect'] }],
  ['text-stars-behind', 'get_**', 'pattern-syntax', 'Two stars beside other characters (MAT-19)', { flags: ['dialect'] }],
  ['text-three-stars', 'a***', 'pattern-syntax', 'Three stars (MAT-19)', { flags: ['dialect'] }],
];

const textCovers: readonly CoverRow[] = [
  ['text-covers-literal', 'read_file', 'read_file', true, 'A text covers itself'],
  ['text-covers-case', 'read_file', 'Read_file', false, 'Case counts', { flags: ['as-is'] }],
  ['text-covers-star', 'read_*', 'read_file', true, 'A run'],
  ['text-covers-star-empty', 'read_*', 'read_', true, 'The empty run'],
  ['text-covers-star-slash', 'a*z', 'a/b/z', true, 'A slash is ordinary here', { flags: ['dialect'] }],
  ['text-covers-question', 'v?', 'v1', true, 'One code point'],
  ['text-covers-question-astral', 'v?', 'v\u{1f511}', true, 'of two UTF-16 units', { flags: ['code-points'] }],
  ['text-covers-question-two', 'v?', 'v10', false, 'not two'],
  ['text-covers-escaped-star', 'a\\*', 'a*', true, 'An escaped star'],
  ['text-covers-escaped-star-other', 'a\\*', 'ab', false, 'is no wildcard'],
  ['text-covers-escaped-question', 'a\\?', 'a?', true, 'An escaped question mark'],
  ['text-covers-escaped-backslash', 'a\\\\b', 'a\\b', true, 'An escaped backslash', { flags: ['dialect'] }],
  ['text-covers-brackets', '[ab]{c,d}', '[ab]{c,d}', true, 'Brackets and braces are ordinary here', { flags: ['dialect'] }],
  ['text-covers-brackets-class', '[ab]', 'a', false, 'and no class', { flags: ['dialect'] }],
  ['text-covers-back', '*ab', 'aab', true, 'The first fit need not be the right one'],
  ['text-covers-backtracking', `${'*a'.repeat(30)}*b`, 'a'.repeat(200), false, 'Many stars against a long text', { flags: ['backtracking'] }],
];

type ArgvRow = readonly [id: string, pattern: readonly string[], argv: readonly string[], covers: boolean, comment: string, rest?: Rest];

const argvCovers: readonly ArgvRow[] = [
  ['argv-covers-items', ['git', 'status'], ['git', 'status'], true, 'Item by item (MAT-20)'],
  ['argv-covers-more', ['git', 'status'], ['git', 'status', '-s'], false, 'of as many items (MAT-20)'],
  ['argv-covers-fewer', ['git', 'status'], ['git'], false, 'no fewer (MAT-20)'],
  ['argv-covers-not-joined', ['git', 'a b'], ['git', 'a', 'b'], false, 'Items are never joined (MAT-20)'],
  ['argv-covers-rest-none', ['git', '**'], ['git'], true, 'Two stars at the end: no further argument (MAT-20)', { flags: ['dialect'] }],
  ['argv-covers-rest-some', ['git', '**'], ['git', 'log', '-p'], true, 'or some (MAT-20)', { flags: ['dialect'] }],
  ['argv-covers-rest-program', ['git', '**'], ['gitk', 'log'], false, 'behind the same program (MAT-20)'],
  ['argv-covers-rest-alone', ['**'], ['rm', '-r', '/'], true, 'Two stars alone cover every argv (MAT-20)', { flags: ['dialect'] }],
  ['argv-covers-star-one', ['git', '*'], ['git'], false, 'One star is one argument (MAT-20)', { flags: ['dialect'] }],
  ['argv-covers-star-empty', ['git', '*'], ['git', ''], true, 'which may be empty (MAT-20)'],
  ['argv-covers-empty', ['a', ''], ['a', ''], true, 'An empty pattern covers an empty argument (MAT-20)'],
  ['argv-covers-empty-other', ['a', ''], ['a', 'b'], false, 'and no other (MAT-20)'],
  ['argv-covers-escaped-stars', ['a', '\\*\\*'], ['a', '**'], true, 'Two escaped stars are an argument (MAT-19)', { flags: ['dialect'] }],
  ['argv-covers-escaped-stars-rest', ['a', '\\*\\*'], ['a', 'b', 'c'], false, 'and not the rest (MAT-19)', { flags: ['dialect'] }],
  [
    'argv-covers-line-break',
    ['sh', '-c', '*'],
    ['sh', '-c', 'a\nb; c'],
    true,
    'A run takes line breaks, and a shell string is one argument',
    { flags: ['as-is'] },
  ],
  ['argv-covers-path-program', ['git', '**'], ['/usr/bin/git', 'log'], false, 'Another spelling of the program is another program', { flags: ['as-is'] }],
];

type ArgvRefused = readonly [id: string, pattern: readonly string[], error: string, comment: string, rest?: Rest];

const refusedArgvs: readonly ArgvRefused[] = [
  ['argv-stars-first', ['**', 'a'], 'pattern-syntax', 'Two stars that are not the last item (MAT-19)', { flags: ['dialect'] }],
  ['argv-stars-beside', ['a', '**b'], 'pattern-syntax', 'Two stars beside other characters in the last item (MAT-19)', { flags: ['dialect'] }],
  ['argv-stars-twice', ['a', '**', '**'], 'pattern-syntax', 'Two stars twice (MAT-19)', { flags: ['dialect'] }],
  ['argv-nul', ['a\0'], 'nul-character', 'NUL ends a string for the system (MAT-19)'],
  ['argv-backslash-last', ['a', 'b\\'], 'pattern-syntax', 'A backslash at the end (MAT-19)'],
];

const argvCoverCase = ([id, pattern, argv, expected, comment, rest]: ArgvRow): Case => ({
  id,
  comment,
  flags: flagsOf(rest),
  input: { argv_pattern: pattern as Json, argv: argv as Json },
  expect: { covers: expected },
});

const argvRefusedCase = ([id, pattern, error, comment, rest]: ArgvRefused): Case => ({
  id,
  comment,
  flags: flagsOf(rest),
  input: { argv_pattern: pattern as Json },
  expect: { error },
});

export function matchVectors(): VectorFile {
  const groups: readonly Group[] = [
    { name: 'canonical path', source: 'spec/match.md, Canonical path', cases: canonicalPaths.map(canonical('path')) },
    { name: 'path refused', source: 'spec/match.md, Canonical path', cases: refusedPaths.map(refused('path')) },
    { name: 'path pattern refused', source: 'spec/match.md, Path glob', cases: refusedPathPatterns.map(refused('path_pattern')) },
    { name: 'path covered', source: 'spec/match.md, Path glob', cases: pathCovers.map(covers('path_pattern', 'path')) },
    { name: 'canonical host', source: 'spec/match.md, Canonical host', cases: canonicalHosts.map(canonical('host')) },
    { name: 'host refused', source: 'spec/match.md, Canonical host', cases: refusedHosts.map(refused('host')) },
    { name: 'host pattern refused', source: 'spec/match.md, Host pattern', cases: refusedHostPatterns.map(refused('host_pattern')) },
    { name: 'host covered', source: 'spec/match.md, Host pattern', cases: hostCovers.map(covers('host_pattern', 'host')) },
    { name: 'text pattern refused', source: 'spec/match.md, Text glob', cases: refusedTexts.map(refused('text_pattern')) },
    { name: 'text covered', source: 'spec/match.md, Text glob', cases: textCovers.map(covers('text_pattern', 'text')) },
    { name: 'argv pattern refused', source: 'spec/match.md, Text glob', cases: refusedArgvs.map(argvRefusedCase) },
    { name: 'argv covered', source: 'spec/match.md, Text glob', cases: argvCovers.map(argvCoverCase) },
  ];
  return topic('match', notes, groups);
}
