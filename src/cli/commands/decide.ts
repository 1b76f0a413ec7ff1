/**
 * `ruleprint decide`: requests in, decisions out (spec/decision.md), with receipts where a key is given (spec/receipt.md).
 * @module
 */
import { InMemoryPolicyEngine } from '../../engine/in-memory.js';
import { type Problem, RuleprintError } from '../../errors.js';
import type { AuditEvent } from '../../engine/engine.js';
import type { Request } from '../../policy/model.js';
import type { Command, Context, Input } from '../command.js';
import { unreadable, usage } from '../failure.js';
import { byteStream, fileName, isThere, type NewFile, newFile, textFormats } from '../files.js';
import { exit, type Io } from '../io.js';
import { readPolicy } from '../policies.js';
import { asciiJson } from '../printable.js';
import { type Incoming, readRequests } from '../requests.js';
import { engineIdOf, readSigningKey } from '../signing.js';
import type { Output } from '../output.js';

export const decide: Command = {
  arguments: [{ syntax: '[requests]', about: 'requests in JSON: one object, one array, or JSON lines; stdin where it is left off' }],
  options: [
    { syntax: '--policy <file>', about: 'the policy in JSON or YAML', isRequired: true },
    { syntax: '--format <format>', about: 'the format of the policy, where its file name does not tell', choices: textFormats },
    { syntax: '--lines', about: 'read JSON lines whatever the first line looks like (so it is for .jsonl and .ndjson)' },
    { syntax: '--trace', about: 'say for each action and each rule whether it matched, or what did not' },
    { syntax: '--sign <key>', about: 'sign each decision with this private key: JWK, PEM or COSE_Key' },
    { syntax: '--out <file>', about: 'where the receipts go, one after another (a CBOR sequence); a new file' },
    { syntax: '--engine-id <id>', about: 'the engine that the receipts speak for (default: engine)' },
  ],
  details: `One line of JSON for each request, in their order:
  { "effect": "allow" | "ask" | "deny", "rule" or "reason", "action"?, "receipt"?: "sha256:…", "trace"? }
  { "error": { "code", "message", "where", "hint"? } }     a bad request: nothing was decided, and the exit code is 1`,
  json: '{ "policy": { "version", "digest" }, "decisions": [the objects above], "errors": 0 }',
  examples: [
    'ruleprint decide --policy policy.yaml requests.jsonl --trace',
    `echo '{"agent":"builder","actions":[{"filesystem":{"path":"/srv/a","method":"read"}}]}' | ruleprint decide --policy policy.yaml`,
    'ruleprint decide --policy policy.yaml requests.json --sign key.jwk --out receipts.cbor',
  ],
  run: async (context) => {
    const { io, out, input } = context;
    const source = input.arguments[0] ?? '-';
    checkUsage(source, input);
    const engineId = engineIdOf(input.value('engine-id'));
    const policy = await readPolicy(io, input.value('policy') as string, input.value('format'));
    const engine = new InMemoryPolicyEngine({ engineId });
    const { version, digest } = engine.install(policy);
    const receipts = await receiptsOf(context);
    const lines = input.has('json') ? new OneObject(out, { version, digest }) : new Lines(out);

    if (source === '-' && io.stdin.isTTY) out.hint('reading requests from the terminal, up to Ctrl-D');
    const isLines = input.has('lines') || /\.(jsonl|ndjson)$/i.test(source);
    const batches = readRequests(byteStream(io, source), source === '-' ? undefined : fileName(source), isLines);
    try {
      for await (const batch of batches) {
        const answers = batch.map((incoming) => answerTo(incoming, engine, input.has('trace'), receipts));
        await receipts?.record(); // before anyone learns of the decisions
        for (const answer of answers) lines.add(answer);
        await out.flush();
        if (out.isClosed) break;
      }
    } catch (error) {
      await receipts?.fail();
      throw error;
    }
    await receipts?.close();
    lines.end();
    return lines.errors === 0 ? exit.good : exit.bad;
  },
};

function checkUsage(source: string, input: Input): void {
  if (source === '-' && input.value('policy') === '-') throw usage('the policy and the requests cannot both come from stdin');
  if (input.has('sign') !== input.has('out')) throw usage('--sign and --out go together', 'receipts are bytes: they go to a file, and need a key');
  if (input.has('engine-id') && !input.has('sign')) throw usage('--engine-id is for receipts: it needs --sign and --out');
}

type Answer = Readonly<Record<string, unknown>>;

/** Never an allow for what is not a good request: an error in its place. */
function answerTo(incoming: Incoming, engine: InMemoryPolicyEngine, isTraced: boolean, receipts: Receipts | undefined): Answer {
  if ('problem' in incoming) return errorAnswer(incoming.problem);
  const request = incoming.value as Request; // the engine judges it as what it is
  try {
    const { event, trace } = isTraced ? engine.evaluateTraced(request) : { event: engine.evaluate(request), trace: undefined };
    const receipt = receipts?.sign(event);
    return { ...event.decision, ...(receipt !== undefined && { receipt }), ...(trace !== undefined && { trace }) };
  } catch (error) {
    if (!(error instanceof RuleprintError)) throw error;
    const problem = error.problems[0];
    return errorAnswer({ ...problem, where: incoming.whereIs(problem.where.pointer ?? '') });
  }
}

function errorAnswer({ code, message, where, hint }: Problem): Answer {
  return { error: { code, message, where, ...(hint !== undefined && { hint }) } };
}

/** Answers as they come, each on its line. */
class Lines {
  errors = 0;
  protected readonly out: Output;

  constructor(out: Output) {
    this.out = out;
  }

  add(answer: Answer): void {
    if ('error' in answer) this.errors++;
    this.out.line(asciiJson(answer));
  }

  end(): void {
    // each line is whole by itself
  }
}

/** The same lines as the list of one object. */
class OneObject extends Lines {
  #separator = '';

  constructor(out: Output, policy: object) {
    super(out);
    out.raw(`{"policy":${asciiJson(policy)},"decisions":[\n`);
  }

  override add(answer: Answer): void {
    this.out.raw(this.#separator);
    this.#separator = ',';
    super.add(answer);
  }

  override end(): void {
    this.out.line(`],"errors":${this.errors}}`);
  }
}

type MakeReceipt = (event: AuditEvent) => { readonly bytes: Uint8Array; readonly hash: string };

/** Receipts on their way into a file, which is begun with the first of them. */
class Receipts {
  readonly #io: Io;
  readonly #name: string;
  readonly #make: MakeReceipt;
  #pending: Uint8Array[] = [];
  #file: NewFile | undefined;
  #recorded = 0;

  constructor(io: Io, name: string, make: MakeReceipt) {
    this.#io = io;
    this.#name = name;
    this.#make = make;
  }

  /** Signs a decision and gives the receipt hash. */
  sign(event: AuditEvent): string {
    const { bytes, hash } = this.#make(event);
    this.#pending.push(bytes);
    return hash;
  }

  async record(): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    if (pending.length === 0) return;
    this.#file ??= await newFile(this.#io, this.#name);
    await this.#file.append(Buffer.concat(pending));
    this.#recorded += pending.length;
  }

  async close(): Promise<void> {
    this.#file ??= await newFile(this.#io, this.#name);
    await this.#file.close();
  }

  /** A run that fails leaves no file, but the receipts of decisions that are out stay. */
  async fail(): Promise<void> {
    if (this.#recorded === 0) await this.#file?.abandon();
  }
}

async function receiptsOf({ io, out, input }: Context): Promise<Receipts | undefined> {
  const keyFile = input.value('sign');
  const name = input.value('out');
  if (keyFile === undefined || name === undefined) return undefined;
  if (await isThere(io, name)) throw unreadable(`${fileName(name)} is there already`, 'ruleprint overwrites nothing: take another name, or move the file away');
  const [{ createSigner }, { signReceipt }, { receiptHash }] = await Promise.all([
    import('../../cose/signer.js'),
    import('../../receipt/issue.js'),
    import('../../receipt/read.js'),
  ]);
  const signer = createSigner(await readSigningKey(io, out, keyFile));
  return new Receipts(io, name, (event) => {
    const bytes = signReceipt(event, signer);
    return { bytes, hash: receiptHash(bytes) };
  });
}
