import { describe, expect, it } from 'vitest';
import { decide } from '../../src/decide/decide.js';
import { mapShell } from '../../src/mapping/shell.js';
import type { Action, Decision, Effect } from '../../src/policy/model.js';
import { argv, call, policyOf, rulesOf, tool } from '../policy/kit.js';

const argvs = (text: string, cwd = '/w'): unknown[] => mapShell(text, { cwd }).flatMap((action) => ('process' in action ? [action.process.argv] : []));
const files = (text: string, cwd?: string): unknown[] =>
  mapShell(text, cwd === undefined ? {} : { cwd }).flatMap((action) =>
    'filesystem' in action ? [`${action.filesystem.method} ${action.filesystem.path}`] : [],
  );
const isKnown = (text: string): boolean =>
  !mapShell(text, { cwd: '/w' }).some((action) => JSON.stringify(action) === JSON.stringify({ process: { argv: ['sh', '-c', text] } }));

const decided = (text: string, ...rules: (readonly [Effect, Parameters<typeof argv>])[]): Decision => {
  const all = rulesOf(...rules.map(([effect, items]) => [effect, argv(...items)] as const), ['allow', tool('*', '*')]);
  return decide(policyOf(...all), { agent: 'a', actions: [call('claude', 'Bash'), ...(mapShell(text, { cwd: '/w' }) as Action[])] });
};

describe('mapShell, what is known (MAP-18)', () => {
  it.each<[string, string[][]]>([
    ['git status', [['git', 'status']]],
    ['git commit -m "a  b" --author=\'x y\'', [['git', 'commit', '-m', 'a  b', '--author=x y']]],
    ['a; b & c && d || e | f', [['a'], ['b'], ['c'], ['d'], ['e'], ['f']]],
    ['if a; then b; elif c; then d; else e; fi', [['a'], ['b'], ['c'], ['d'], ['e']]],
    ['while a; do b; done; until c; do d; done', [['a'], ['b'], ['c'], ['d']]],
    ['( a; { b; } ); ! c', [['a'], ['b'], ['c']]],
    ['a 2>&1 # rm -rf /', [['a']]],
    ['a\\\nb c', [['ab', 'c']]],
    ['r"m" \'-r\'f x\\ y', [['rm', '-rf', 'x y']]],
    ['echo \'$x\' "\\$y" \\*', [['echo', '$x', '$y', '*']]],
    ['echo ""', [['echo', '']]],
  ])('gives the argv of each command of %j', (text, expected) => {
    expect(mapShell(text)).toEqual(expected.map((items) => ({ process: { argv: items } })));
  });

  it('gives the files of redirections', () => {
    expect(files('a < in > /out 2>> err', '/w')).toEqual(['read /w/in', 'write /out', 'write /w/err']);
    expect(files('a <> f >| g &> h &>> i >& j', '/w')).toEqual(['read /w/f', 'write /w/f', 'write /w/g', 'write /w/h', 'write /w/i', 'write /w/j']);
    expect(files('{ a; b; } > "/x y"')).toEqual(['write /x y']);
    expect(files('a 2>&1 >&- <&0 3>&2')).toEqual([]);
    expect(argvs('a b &> c > d')).toEqual([['a', 'b']]);
    expect(files('> /f')).toEqual(['write /f']);
  });
});

const hidden: readonly string[] = [
  'git status; rm -rf x',
  'git status && rm -rf x',
  'git status || rm -rf x',
  'git status | rm -rf x',
  'git status & rm -rf x',
  'git status\nrm -rf x',
  'A=1 rm -rf x',
  'A=1 B=2 rm -rf x',
  'bash -c "rm -rf x"',
  "sh -c 'git status; rm -rf x'",
  'bash -lc "rm -rf x"',
  'bash -o pipefail -c "rm -rf x"',
  '/bin/bash -c "rm -rf x"',
  'bash -c "bash -c \'rm -rf x\'"',
  'bash -c "rm -rf $X"',
  '$(rm -rf x)',
  'git status $(rm -rf x)',
  'git status "$(rm -rf x)"',
  'git status `rm -rf x`',
  'git status <(rm -rf x)',
  'cat <<E\n$(rm -rf x)\nE',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
  'git status ${X:-$(rm -rf x)}',
  'git status $((`rm -rf x`))',
  'A=$(rm -rf x)',
  '(rm -rf x)',
  '{ rm -rf x; }',
  'if git status; then rm -rf x; fi',
  'while rm -rf x; do git status; done',
  'for i in a; do rm -rf x; done',
  'case a in *) rm -rf x;; esac',
  'select i in a; do rm -rf x; done',
  'rm -rf x &',
  '! rm -rf x',
  'time rm -rf x',
  'coproc rm -rf x',
  'f() { rm -rf x; }; f',
  'function f { rm -rf x; }; f',
  'r"m" -rf x',
  "'rm' -rf x",
  '\\rm -rf x',
  'r\\m -rf x',
  'r\\\nm -rf x',
  "$'rm' -rf x",
  "$'\\x72m' -rf x",
  'rm -rf $X',
  'rm -rf *',
  'rm -rf ~',
  'rm -rf x > /dev/null 2>&1',
  '> f rm -rf x',
  '>&-rm -rf x',
  '>& -rm -rf x',
  '<&-rm -rf x',
  'git status &> f rm -rf x',
  'git status &>> f > g rm -rf x',
  'git status &> f sudo rm -rf x',
  '$\\\nX rm -rf x',
  'sudo rm -rf x',
  'sudo -u root rm -rf x',
  'env rm -rf x',
  'env A=1 rm -rf x',
  'env -i rm -rf x',
  'nohup rm -rf x',
  'timeout 5 rm -rf x',
  'nice -n 5 rm -rf x',
  'command rm -rf x',
  'builtin rm -rf x',
  'exec rm -rf x',
  'eval rm -rf x',
  'eval "rm -rf x"',
  'eval "eval \'rm -rf x\'"',
  'xargs rm -rf',
  'echo x | xargs -I{} rm -rf {}',
  'find . -exec rm -rf {} \\;',
  'env sh -c "rm -rf x"',
  'sudo env A=1 bash -c "rm -rf x"',
  "trap 'rm -rf x' EXIT",
  'noglob rm -rf x',
  '- rm -rf x',
  '$EMPTY rm -rf x',
  'su -c "rm -rf x"',
  '[[ -n $(rm -rf x) ]]',
  '(( $(rm -rf x) ))',
  '((rm -rf x))',
  "env -S 'rm -rf x'",
  "env '-Srm -rf x'",
  "env '--split-string=rm -rf x'",
  "watch 'rm -rf x'",
  "parallel 'rm -rf x' ::: a",
  "ssh host 'rm -rf x'",
  'repeat 3 rm -rf x',
  'jobs -x rm -rf x',
  '((rm -rf x); git status)',
  'git status "unterminated; rm -rf x\n',
  'git status; rm -rf x;;',
];

describe('mapShell, what is hidden (MAP-18)', () => {
  it.each(hidden.filter((text) => !text.includes('unterminated')))('lets a deny on rm bite: %j', (text) => {
    expect(decided(text, ['deny', ['rm', '**']], ['allow', ['**']])).toMatchObject({ effect: 'deny', rule: 'a' });
  });

  it.each(hidden)('is not allowed by a rule on git: %j', (text) => {
    expect(decided(text, ['allow', ['git', '**']], ['allow', ['echo', '**']])).toMatchObject({ effect: 'deny', reason: 'no-rule' });
  });

  it('allows git status under its rule', () => {
    expect(decided('git status', ['allow', ['git', 'status']])).toMatchObject({ effect: 'allow' });
    expect(decided('git status -sb && git log', ['allow', ['git', '**']])).toMatchObject({ effect: 'allow' });
  });

  it('is allowed whole only by a rule that says sh -c, and by rules for all that was recognised', () => {
    expect(decided('git log $X', ['allow', ['git', '**']])).toMatchObject({ effect: 'deny', reason: 'no-rule' });
    expect(decided('git log $X', ['allow', ['git', '**']], ['allow', ['sh', '-c', 'git log *']])).toMatchObject({ effect: 'allow' });
    expect(decided('git log $(curl x)', ['allow', ['git', '**']], ['allow', ['sh', '-c', 'git log *']])).toMatchObject({ effect: 'deny', reason: 'no-rule' });
  });
});

describe('mapShell, what is not known (MAP-18)', () => {
  it.each([
    '',
    ' ',
    '# nothing',
    'X=1',
    'PATH=/tmp; git status',
    'LD_PRELOAD=x git status',
    'export PATH=/tmp; git status',
    'alias git=rm; git status',
    'git() { :; }; git status',
    'for PATH in /tmp; do git status; done',
    'read PATH; git status',
    'printf -v PATH /tmp',
    "test -v 'a[$(rm)]'",
    "let 'a[$(rm)]'",
    'echo $x',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's
    'echo ${x}',
    'echo "$x"',
    'echo *',
    'echo ?',
    'echo [a]',
    'echo @(a)',
    'echo {a,b}',
    'echo ~',
    'echo ~/x',
    'echo a=~',
    'echo =rm',
    'echo $"x"',
    "echo $'x'",
    'cat <<E\nx\nE',
    'cat <<< x',
    'echo x > $f',
    'echo x > ../f',
    'echo x >! /etc/passwd',
    'echo x >>! /etc/passwd',
    'echo x > a/../../f',
    'cd /tmp && echo x > f',
    'echo x > f && cd /tmp',
    // bash closes its output and runs rm
    '>&-rm git status',
    '>& -rm git status',
    'git status >&-x',
    'git status >&\\\n-x',
    // a line that goes on is one before anything is expanded
    'echo $\\\nHOME',
    'echo "$\\\n\\\n{HOME}"',
    'echo x > $\\\nHOME/f',
    'echo a=\\\n~',
    'echo x > \\\n~/f',
    // sh runs git status, and then rm
    'git status &> f rm x',
    'git status &>> f PATH=x',
    'echo x {fd}> f',
    'echo x > /dev/tcp/192.0.2.1/80',
    'bash',
    'bash script.sh',
    'echo x | sh',
    'source f',
    '. f',
    '#!/bin/sh\ngit status',
    'git status\r',
    'git\u0007status',
    'git status )',
    'git status (a)',
    'if git status',
    'git status &&',
    '[[ a ]]',
    'ssh host ls',
  ])('stands whole in front: %j', (text) => {
    expect(isKnown(text)).toBe(false);
    expect(mapShell(text, { cwd: '/w' })[0]).toEqual({ process: { argv: ['sh', '-c', text] } });
  });

  it('does not place a relative file without a folder, and says so by the whole text', () => {
    expect(mapShell('echo x > f')[0]).toEqual({ process: { argv: ['sh', '-c', 'echo x > f'] } });
    expect(files('echo x > f')).toEqual([]);
  });

  it('gives a connection of bash as one', () => {
    expect(mapShell('echo x > /dev/tcp/Example.com/80')).toContainEqual({ network: { host: 'example.com', port: 80 } });
  });

  it('recognises no command that a comment or a quoted text holds', () => {
    expect(argvs('git status # ; rm x')).toEqual([['git', 'status']]);
    expect(argvs("echo '; rm x'")).toEqual([['echo', '; rm x']]);
  });
});

describe('mapShell on large and hostile text', () => {
  it.each([
    ['(', 60_000],
    ['$(', 30_000],
    ['"$(', 20_000],
    ['`', 60_000],
    ['${a:-', 12_000],
    ['{ ', 30_000],
    ['if ', 20_000],
    ['a|', 30_000],
    ['<<E ', 15_000],
    ['bash -c "', 7_000],
    ['eval ', 12_000],
    ['sudo ', 12_000],
    ['$((', 20_000],
    ['[[ ( ', 12_000],
    ['\\', 60_000],
    ["'", 60_001],
  ] as const)('answers %j %d times', (piece, times) => {
    const begun = process.cpuUsage();
    expect(mapShell(piece.repeat(times), { cwd: '/w' }).length).toBeGreaterThan(0);
    const { user } = process.cpuUsage(begun);
    expect(user / 1000).toBeLessThan(6_000);
  });

  it('takes nothing but text', () => {
    expect(() => mapShell(1 as unknown as string)).toThrow(TypeError);
  });
});
