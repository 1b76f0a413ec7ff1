/**
 * `ruleprint digest`: which rules a policy holds, as one hash (spec/digest.md).
 * @module
 */
import { hex } from '../../bytes.js';
import { policyPreimage, ruleDigest } from '../../digest/digest.js';
import { sha256Text } from '../../hash.js';
import type { Command } from '../command.js';
import { textFormats } from '../files.js';
import { exit } from '../io.js';
import { readPolicy } from '../policies.js';
import { preimageLines } from '../preimage-lines.js';

export const digest: Command = {
  arguments: [{ syntax: '<file>', about: 'a policy in JSON or YAML' }],
  options: [
    { syntax: '--preimage', about: 'print the bytes that are hashed, with notes, instead of the digest' },
    { syntax: '--format <format>', about: 'the format, where the file name does not tell', choices: textFormats },
  ],
  json: '{ "digest": "sha256:…", "version": 1, "rules": [{ "name": "…", "digest": "sha256:…" }], "preimage"?: "hex, with --preimage" }',
  examples: ['ruleprint digest policy.yaml', 'ruleprint digest policy.yaml --preimage'],
  run: async ({ io, out, input }) => {
    const policy = await readPolicy(io, input.arguments[0] as string, input.value('format'));
    const preimage = policyPreimage(policy);
    const wantsPreimage = input.has('preimage');
    if (input.has('json')) {
      const rules = policy.rules.map((rule) => ({ name: rule.name, digest: ruleDigest(rule) }));
      out.json({ digest: sha256Text(preimage), version: policy.version, rules, ...(wantsPreimage && { preimage: hex(preimage) }) });
    } else if (wantsPreimage) {
      for (const line of preimageLines(preimage)) out.line(line);
    } else out.line(sha256Text(preimage));
    return exit.good;
  },
};
