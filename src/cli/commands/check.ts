/**
 * `ruleprint check`: whether a policy is one (spec/policy.md).
 * @module
 */
import { policyDigest } from '../../digest/digest.js';
import { checkPolicy } from '../../policy/parse.js';
import type { Command } from '../command.js';
import { fileName, formatOf, maxDocumentBytes, readBytes, textFormats } from '../files.js';
import { exit } from '../io.js';
import { count } from '../printable.js';
import { problemLines } from '../problem-lines.js';

export const check: Command = {
  arguments: [{ syntax: '<file>', about: 'a policy in JSON or YAML' }],
  options: [{ syntax: '--format <format>', about: 'the format, where the file name does not tell', choices: textFormats }],
  json: '{ "valid": true, "version": 1, "rules": 3, "digest": "sha256:…" }\n{ "valid": false, "problems": [{ "code", "message", "where": { "file", "line", "column", "pointer", … }, "hint"? }] }',
  examples: ['ruleprint check policy.yaml', 'generate-policy | ruleprint check - --format json --json'],
  run: async ({ io, out, input }) => {
    const file = input.arguments[0] as string;
    const format = formatOf(file, input.value('format'));
    const result = checkPolicy(await readBytes(io, file, maxDocumentBytes), { format, file: fileName(file) });
    const isJson = input.has('json');
    if ('policy' in result) {
      const { version, rules } = result.policy;
      const digest = policyDigest(result.policy);
      if (isJson) out.json({ valid: true, version, rules: rules.length, digest });
      else out.line(`${out.colours.good('valid')}, ${count(rules.length, 'rule')}, ${digest}`);
      return exit.good;
    }
    if (isJson) out.json({ valid: false, problems: result.problems });
    else {
      for (const problem of result.problems) {
        const { text, hint } = problemLines(problem);
        out.line(text);
        if (hint !== undefined) out.line(`  ${out.colours.faint('hint')}: ${hint}`);
      }
    }
    return exit.bad;
  },
};
