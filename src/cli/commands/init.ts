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
  details: 'Writes policy.yaml, trust.json, and two keys that only you may read: key.jwk of the engine, auditor.jwk for checkpoints. Overwrites nothing.',
  json: '{ "files": { "policy", "key", "auditor", "trust" }, "kid", "auditor_kid", "engine_id" }',
  examples: ['ruleprint init', 'ruleprint init --dir sandbox'],
  run: async ({ io, out, input }) => {
    const folder = input.value('dir') ?? '.';
    const at = (name: string): string => join(folder, name);
    const files = { policy: at('policy.yaml'), key: at('key.jwk'), auditor: at('auditor.jwk'), trust: at('trust.json') };
    const [key, auditor] = [generateKey(), generateKey()];
    const keys = [trustEntry(key.public, defaultEngineId), trustEntry(auditor.public, defaultEngineId, 'auditor')];
    await makeFolder(io, folder);
    await writeNewFiles(io, [
      { file: files.policy, text: samplePolicy },
      { file: files.key, text: `${JSON.stringify(key.toJwk())}\n`, mode: secretMode },
      { file: files.auditor, text: `${JSON.stringify(auditor.toJwk())}\n`, mode: secretMode },
      { file: files.trust, text: trustText({ keys }) },
    ]);
    if (input.has('json')) {
      out.json({ files, kid: key.public.kid, auditor_kid: auditor.public.kid, engine_id: defaultEngineId });
      return exit.good;
    }
    const { strong, faint } = out.colours;
    const [policy, secret, auditorKey, trust] = [files.policy, files.key, files.auditor, files.trust].map(shellWord);
    const [ledger, checkpoint] = [at('audit'), at('checkpoint.cbor')].map(shellWord);
    const request = '{"agent":"builder","actions":[{"filesystem":{"path":"/srv/app/out/a.txt","method":"write"}}]}';
    out.line(`${strong(policy ?? '')}  the rules: read it, change it`);
    out.line(`${strong(secret ?? '')}  the key that signs receipts: only you may read it, keep it out of version control`);
    out.line(`${strong(auditorKey ?? '')}  the key that signs checkpoints: in earnest on another machine than the first`);
    out.line(`${strong(trust ?? '')}  who may sign for which engine: give it to whoever verifies`);
    out.line();
    out.line(faint('next:'));
    out.line(`  ruleprint check ${policy}`);
    out.line(`  echo '${request}' | ruleprint decide --policy ${policy} --sign ${secret} --ledger ${ledger}`);
    out.line(`  ruleprint ledger checkpoint ${ledger} --key ${auditorKey} --out ${checkpoint}`);
    out.line(`  ruleprint verify ${ledger} --trust ${trust} --checkpoint ${checkpoint}`);
    return exit.good;
  },
};
