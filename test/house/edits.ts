/**
 * One-line edits that break a rule of the spec, each with the tests that must notice: a test that stays green under its edit
 * proves nothing. `npm run falsify` makes each edit in a copy and runs those tests; edits.test.ts keeps the list applicable.
 * @module
 */

export interface Edit {
  /** What is broken, by clause where there is one. */
  readonly breaks: string;
  readonly file: string;
  /** Text that stands exactly once in the file. */
  readonly from: string;
  readonly to: string;
  /** Parts of paths of test files, of which at least one must go red. House tests do not count. */
  readonly red: readonly string[];
}

export const edits: readonly Edit[] = [
  // policy
  { breaks: 'POL-7: unpaired surrogates are refused', file: 'src/policy/text.ts', from: '!text.isWellFormed()', to: 'false', red: ['policy'] },
  { breaks: 'POL-8: direction characters are refused in names', file: 'src/policy/text.ts', from: 'unit >= 0x202a', to: 'unit >= 0x202b', red: ['policy'] },
  {
    breaks: 'POL-16: a policy is a copy, frozen',
    file: 'src/policy/parse.ts',
    from: 'const copy = copyPlain(value);',
    to: 'const copy = value as object;',
    red: ['policy', 'engine'],
  },
  // match
  {
    breaks: 'MAT-4: two slashes in front are refused',
    file: 'src/policy/path.ts',
    from: 'if (text.charCodeAt(1) === slash)',
    to: 'if (text.charCodeAt(1) === -1)',
    red: ['match', 'path'],
  },
  {
    breaks: 'MAT-5: `..` is refused',
    file: 'src/policy/path.ts',
    from: "if (segments.includes('..')) {",
    to: "if (segments.includes('...')) {",
    red: ['match', 'path'],
  },
  {
    breaks: 'MAT-10: `..` behind an escape is refused in a pattern',
    file: 'src/policy/path.ts',
    from: "if (wildcard.literal === '..')",
    to: "if (segment === '..')",
    red: ['match', 'path'],
  },
  { breaks: 'MAT-11: a host is ASCII', file: 'src/policy/host.ts', from: '/[^\\0-\\x7f]/', to: '/[^\\0-\\xff]/', red: ['match', 'host'] },
  {
    breaks: 'MAT-14: a name that ends in a number is an address',
    file: 'src/policy/host.ts',
    from: 'if (endsInNumber(name)) {',
    to: 'if (/^[0-9.]+$/.test(name)) {',
    red: ['match', 'host'],
  },
  // decision
  {
    breaks: 'DEC-3: the request is judged before an absent policy',
    file: 'src/engine/in-memory.ts',
    from: 'const canonical = canonicalRequest(request);\n    return this.#event(this.#inForce, canonical);',
    to: 'const canonical = this.#inForce ? canonicalRequest(request) : request;\n    return this.#event(this.#inForce, canonical);',
    red: ['engine', 'decide', 'decision'],
  },
  {
    breaks: 'DEC-7: the first action with the effect is named',
    file: 'src/decide/decide.ts',
    from: 'effects.indexOf(a) < effects.indexOf(b)',
    to: 'effects.indexOf(a) <= effects.indexOf(b)',
    red: ['decide', 'decision', 'engine'],
  },
  {
    breaks: 'DEC-8: agent ids are exact',
    file: 'src/decide/covers.ts',
    from: '!rule.agents.has(agent)',
    to: '![...rule.agents].some((id) => id.toLowerCase() === agent.toLowerCase())',
    red: ['decide', 'decision'],
  },
  {
    breaks: 'DEC-9: a connection without a method is covered by every deny',
    file: 'src/decide/covers.ts',
    from: "return effect === 'deny';",
    to: 'return false;',
    red: ['decide', 'decision'],
  },
  {
    breaks: 'DEC-12: an equal version is refused',
    file: 'src/engine/in-memory.ts',
    from: 'copy.version <= current.version',
    to: 'copy.version < current.version',
    red: ['engine'],
  },
  {
    breaks: 'DEC-13: the digest of an event is the one that decided',
    file: 'src/engine/in-memory.ts',
    from: 'return Object.freeze({ ...event, policyVersion: inForce.version, policyDigest: inForce.digest, matchProfile });',
    to: 'const engine = this; return Object.freeze({ ...event, policyVersion: inForce.version, get policyDigest() { return engine.policyDigest() as string; }, matchProfile });',
    red: ['engine'],
  },
  // digest
  {
    breaks: 'DIG-1: the order of rules is in the digest',
    file: 'src/digest/preimage.ts',
    from: 'for (const rule of policy.rules) putRule(out, rule);',
    to: 'for (const rule of [...policy.rules].sort((a, b) => compareUtf8(a.name, b.name))) putRule(out, rule);',
    red: ['digest'],
  },
  {
    breaks: 'DIG-2: sets are sorted by UTF-8 bytes',
    file: 'src/digest/preimage.ts',
    from: '[...items].sort(compareUtf8)',
    to: '[...items].sort()',
    red: ['digest'],
  },
  {
    breaks: 'DIG-3: a port range is taken as written',
    file: 'src/digest/preimage.ts',
    from: 'out.u32(ports.from);',
    to: 'out.u32(Math.min(ports.from, ports.to));',
    red: ['digest'],
  },
  {
    breaks: 'DIG-4: the version is not in the digest',
    file: 'src/digest/preimage.ts',
    from: 'out.u32(policy.rules.length);',
    to: 'out.u32(policy.rules.length + policy.version - 1);',
    red: ['digest'],
  },
  {
    breaks: 'the length prefix keeps two free strings apart',
    file: 'src/digest/preimage.ts',
    from: 'out.field(action.tool.server);\n    out.field(action.tool.name);',
    to: 'out.field(action.tool.server + action.tool.name);',
    red: ['digest'],
  },
  // CBOR
  {
    breaks: 'RCP-14: heads are shortest',
    file: 'src/cose/walk.ts',
    from: 'argument < (leastArgument[info - 24] as number)',
    to: 'argument < 24',
    red: ['cose', 'hostile'],
  },
  {
    breaks: 'RCP-14: integers end at 2^53-1',
    file: 'src/cose/walk.ts',
    from: 'argument <= Number.MAX_SAFE_INTEGER',
    to: 'argument <= Number.MAX_SAFE_INTEGER + 1',
    red: ['cose', 'hostile'],
  },
  { breaks: 'RCP-14: nesting has a limit', file: 'src/cose/walk.ts', from: 'depth >= this.#maxDepth', to: 'depth > this.#maxDepth', red: ['cose', 'hostile'] },
];
