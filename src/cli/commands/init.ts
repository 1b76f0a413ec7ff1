/**
 * `ruleprint init`: a folder to begin with.
 * @module
 */
import { join } from 'node:path';
import { generateKey } from '../../cose/keys.js';
import type { Command } from '../command.js';
import { makeFolder, secretMode, writeNewFiles } from '../files.js';
import { exit } from '../io.js';
import { shellWord } from '../printable.js';
import { samplePolicy } from '../sample-policy.js';
import { defaultEngineId } from '../signing.js';
import { trustEntry, trustText } from '../trust-entry.js';

export const init: Command = {
  arguments: [],
  options: [{ syntax: '--dir <folder>', about: 'where the files go (default: here); made where it is not there' }],
  details: 'Writes policy.yaml, key.jwk (only you may read it) and trust.json. Overwrites nothing.',
  json: '{ "files": { "policy", "key", "trust" }, "kid", "engine_id" }',
  examples: ['ruleprint init', 'ruleprint init --dir sandbox'],
  run: async ({ io, out, input }) => {
    const folder = input.value('dir') ?? '.';
    const files = { policy: join(folder, 'policy.yaml'), key: join(folder, 'key.jwk'), trust: join(folder, 'trust.json') };
    const key = generateKey();
    await makeFolder(io, folder);
    await writeNewFiles(io, [
      { file: files.policy, text: samplePolicy },
      { file: files.key, text: `${JSON.stringify(key.toJwk())}\n`, mode: secretMode },
      { file: files.trust, text: trustText({ keys: [trustEntry(key.public, defaultEngineId)] }) },
    ]);
    if (input.has('json')) {
      out.json({ files, kid: key.public.kid, engine_id: defaultEngineId });
      return exit.good;
    }
    const { strong, faint } = out.colours;
    const [policy, secret, trust, receipts] = [files.policy, files.key, files.trust, join(folder, 'receipts.cbor')].map(shellWord);
    const request = '{"agent":"builder","actions":[{"filesystem":{"path":"/srv/app/out/a.txt","method":"write"}}]}';
    out.line(`${strong(policy ?? '')}  the rules: read it, change it`);
    out.line(`${strong(secret ?? '')}  the key that signs receipts: only you may read it, keep it out of version control`);
    out.line(`${strong(trust ?? '')}  who may sign for which engine: give it to whoever verifies`);
    out.line();
    out.line(faint('next:'));
    out.line(`  ruleprint check ${policy}`);
    out.line(`  echo '${request}' | ruleprint decide --policy ${policy} --sign ${secret} --out ${receipts}`);
    out.line(`  ruleprint verify ${receipts} --trust ${trust} --policies ${policy}`);
    return exit.good;
  },
};
