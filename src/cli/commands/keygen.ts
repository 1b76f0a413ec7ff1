/**
 * `ruleprint keygen`: a new signing key in a file that only its owner reads. The secret goes nowhere else.
 * @module
 */
import { generateKey, publicJwk } from '../../cose/keys.js';
import { parseTrustStore, type Role, roles } from '../../receipt/trust.js';
import type { Command, Input } from '../command.js';
import { usage } from '../failure.js';
import { fileName, isThere, maxDocumentBytes, newFile, readBytes, replaceFile, secretMode, writeNewFiles } from '../files.js';
import { exit, type Io } from '../io.js';
import { asciiJson } from '../printable.js';
import { engineIdOf } from '../signing.js';
import { trustEntry, trustText } from '../trust-entry.js';

export const keygen: Command = {
  arguments: [],
  options: [
    { syntax: '--out <file>', about: 'where the private key goes, as a JWK; a new file that only you may read', isRequired: true },
    { syntax: '--alg <name>', about: 'ed25519 (default) or esp256', choices: ['ed25519', 'esp256'] },
    { syntax: '--trust [file]', about: 'add the public key to this trust store, which may be new; without a file print a trust store' },
    { syntax: '--engine-id <id>', about: 'the engine that the key may speak for in the trust store (default: engine)' },
    { syntax: '--role <role>', about: 'as what: the engine itself (default), or somebody who makes statements about it', choices: roles },
  ],
  json: '{ "alg": "Ed25519" | "ESP256", "kid", "public_key": { JWK }, "file", "trust"?: the trust store that --trust prints, or its file }',
  examples: [
    'ruleprint keygen --out key.jwk --trust trust.json --engine-id engine-a',
    'ruleprint keygen --out auditor.jwk --trust trust.json --role auditor',
    'ruleprint keygen --alg esp256 --out key.json --trust > trust.json',
  ],
  run: async ({ io, out, input }) => {
    const file = input.value('out') as string;
    const engineId = engineIdOf(input.value('engine-id'));
    checkUsage(input, file);
    const trustFile = input.value('trust');
    // read before anything is written: a bad store leaves no key behind
    const before = trustFile === undefined ? undefined : await storeBefore(io, trustFile);

    const key = generateKey(input.value('alg') === 'esp256' ? 'ESP256' : 'Ed25519');
    const role = (input.value('role') ?? 'engine') as Role;
    const entry = trustEntry(key.public, engineId, role);
    const keyFile = { file, text: `${JSON.stringify(key.toJwk())}\n`, mode: secretMode };
    if (trustFile === undefined) await writeNewFiles(io, [keyFile]);
    else if (before === undefined) await writeNewFiles(io, [keyFile, { file: trustFile, text: trustText({ keys: [entry] }) }]);
    else await writeKeyAndStore(io, keyFile, trustFile, trustText({ ...before, keys: [...before.keys, entry] }));

    const { alg, kid } = key.public;
    const jwk = publicJwk(key.public);
    const printed = input.has('trust') && trustFile === undefined ? { keys: [entry] } : undefined;
    const trust = trustFile ?? printed;
    if (input.has('json')) out.json({ alg, kid, public_key: jwk, file, ...(trust !== undefined && { trust }) });
    else if (printed !== undefined) {
      out.raw(trustText(printed));
      out.aside(`${alg} key ${kid}, the private key is in ${fileName(file)}`);
    } else {
      out.line(`alg         ${alg}`);
      out.line(`kid         ${kid}`);
      out.line(`public key  ${asciiJson(jwk)}`);
      out.line(`written     ${fileName(file)} (the private key: only you may read it)`);
      if (trustFile !== undefined)
        out.line(`            ${fileName(trustFile)} (trusts it ${role === 'engine' ? '' : `as ${role} `}for engine ${asciiJson(engineId)})`);
    }
    return exit.good;
  },
};

function checkUsage(input: Input, file: string): void {
  if (file === '-') throw usage('a private key goes to a file, never to stdout', 'give --out a file name');
  for (const name of ['engine-id', 'role']) if (input.has(name) && !input.has('trust')) throw usage(`--${name} is for the trust store: it needs --trust`);
}

/** The document of a trust store that is there and good. */
async function storeBefore(io: Io, file: string): Promise<{ readonly keys: readonly unknown[] } | undefined> {
  if (!(await isThere(io, file))) return undefined;
  const bytes = await readBytes(io, file, maxDocumentBytes);
  parseTrustStore(bytes, { file: fileName(file) });
  return JSON.parse(Buffer.from(bytes).toString()) as { keys: readonly unknown[] };
}

/** Both or none: where the store cannot be replaced the key goes away again. */
async function writeKeyAndStore(io: Io, key: { file: string; text: string; mode: number }, trustFile: string, text: string): Promise<void> {
  const file = await newFile(io, key.file, key.mode);
  try {
    await file.append(Buffer.from(key.text));
    await file.close();
    await replaceFile(io, trustFile, text);
  } catch (error) {
    await file.abandon();
    throw error;
  }
}
