import { describe, expect, it } from 'vitest';
import { argsDigest } from '../../src/digest/args-digest.js';
import { canonicalJson } from '../../src/digest/canonical-json.js';
import { RuleprintError } from '../../src/errors.js';
import { parseArguments } from '../../src/mapping/arguments.js';
import { createMapper, type Mapper, refusalReason } from '../../src/mapping/mapper.js';
import { parseMapping } from '../../src/mapping/parse.js';
import type { Action } from '../../src/policy/model.js';
import { type Case, casesOf, type Fields, load, refusal } from './load.js';

/** What an act answers, in the words of `expect`. */
function answerOf(act: () => Fields, expected: Case['expect'], more: (error: RuleprintError) => Fields = () => ({})): Fields {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    return { ...refusal(error, expected), ...more(error) };
  }
}

describe('vectors: mapping, arguments', () => {
  it.each(casesOf('mapping', 'arguments'))('$id: $comment', ({ input, expect: expected }) => {
    const answer = answerOf(() => {
      const args = parseArguments(input.args_json);
      return { form: canonicalJson(args), args_digest: argsDigest(args, input.salt) };
    }, expected);
    expect(answer).toEqual(expected);
  });
});

describe('vectors: mapping, tables', () => {
  it.each(casesOf('mapping', 'tables'))('$id: $comment', ({ input, expect: expected }) => {
    expect(answerOf(() => ({ mapping_digest: createMapper(parseMapping(input.document), { server: 's' }).digest }), expected)).toEqual(expected);
  });

  it.each(casesOf('mapping', 'tables together'))('$id: $comment', ({ input, expect: expected }) => {
    expect({ mapping_digest: createMapper(input.tables).digest }).toEqual(expected);
  });
});

describe('vectors: mapping, calls', () => {
  const mapperOf = ({ tables, server, cwd, home }: Case['input']): Mapper => createMapper(tables, { server, cwd, home });

  it.each(casesOf('mapping', 'calls'))('$id: $comment', ({ input, expect: expected }) => {
    const act = (): Fields => ({ actions: mapperOf(input).map(input.call) as unknown as Fields[] });
    expect(answerOf(act, expected, (error) => ({ reason: refusalReason(error) }))).toEqual(expected);
  });

  it.each(casesOf('mapping', 'calls').filter((one) => 'actions' in one.expect))(
    '$id gives the tool action alone where it is asked',
    ({ input, expect: expected }) => {
      expect([mapperOf(input).toolAction(input.call)]).toEqual((expected.actions as Action[]).slice(0, 1));
    },
  );

  it('refuse more than half of the time', () => {
    const cases = load('mapping').groups.flatMap((group) => group.cases);
    expect(cases.filter((one) => 'error' in one.expect).length * 2).toBeGreaterThan(cases.length);
  });
});
