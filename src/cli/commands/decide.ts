/**
 * `ruleprint decide`: requests in, decisions out (spec/decision.md), with receipts where a key is given (spec/receipt.md).
 * @module
 */
import { type Problem, RuleprintError } from '../../errors.js';
import type { Durability } from '../../ledger/ledger.js';
import type { Policy, Request } from '../../policy/model.js';
import type { Command, Input } from '../command.js';
import { type Decider, ledgerDecider, standaloneDecider } from '../deciders.js';
import { usage } from '../failure.js';
import { byteStream, fileName, textFormats } from '../files.js';
import { exit } from '../io.js';
import type { Output } from '../output.js';
import { readPolicy } from '../policies.js';
import { asciiJson } from '../printable.js';
import { type Incoming, readRequests } from '../requests.js';
import { engineIdOf } from '../signing.js';

const durabilities: readonly Durability[] = ['group', 'every', 'none'];

export const decide: Command = {
  arguments: [{ syntax: '[requests]', about: 'requests in JSON: one object, one array, or JSON lines; stdin where it is left off' }],
  options: [
    { syntax: '--policy <file>', about: 'the policy in JSON or YAML (required, but for a ledger that has one in force)' },
    { syntax: '--format <format>', about: 'the format of the policy, where its file name does not tell', choices: textFormats },
    { syntax: '--lines', about: 'read JSON lines whatever the first line looks like (so it is for .jsonl and .ndjson)' },
    { syntax: '--trace', about: 'say for each action and each rule whether it matched, or what did not' },
    { syntax: '--sign <key>', about: 'sign each decision with this private key: JWK, PEM or COSE_Key' },
    { syntax: '--out <file>', about: 'where the receipts go, one after another (a CBOR sequence); a new file' },
    { syntax: '--ledger <folder>', about: 'write the decisions into this ledger, which is begun where there is none; needs --sign' },
    { syntax: '--durability <when>', about: 'when a ledger is synced: many entries together (default), each one, or at the end', choices: durabilities },
    { syntax: '--trust <file>', about: 'a trust store with the public keys that the engine of the ledger had before, where it had others' },
    { syntax: '--engine-id <id>', about: 'the engine that the receipts speak for (default: engine)' },
  ],
  details: `One line of JSON for each request, in their order:
  { "effect": "allow" | "ask" | "deny", "rule" or "reason", "action"?, "receipt"?: "sha256:…", "seq"?: in the ledger, "trace"? }
  { "error": { "code", "message", "where", "hint"? } }     a bad request: nothing was decided, and the exit code is 1

A policy that is new to the ledger is installed there, with an entry of its own; the same file again changes nothing. A line is printed when
its entry is recorded: written, so that it survives the end of the process. Loss of power it survives when it is synced.`,
  json: `{ "policy": { "version", "digest" } | null, "ledger"?: { "ledger_id", "engine_id", "begun", "installed", "cut"?: { "bytes", "from_seq" } },
  "decisions": [the objects above], "errors": 0 }`,
  examples: [
    'ruleprint decide --policy policy.yaml requests.jsonl --trace',
    `echo '{"agent":"builder","actions":[{"filesystem":{"path":"/srv/a","method":"read"}}]}' | ruleprint decide --policy policy.yaml`,
    'ruleprint decide --policy policy.yaml requests.json --sign key.jwk --out receipts.cbor',
    'ruleprint decide --policy policy.yaml requests.json --sign key.jwk --ledger audit',
  ],
  run: async (context) => {
    const { io, out, input } = context;
    const source = input.arguments[0] ?? '-';
    checkUsage(source, input);
    const policyFile = input.value('policy');
    const policy = policyFile === undefined ? undefined : await readPolicy(io, policyFile, input.value('format'));
    const folder = input.value('ledger');
    const decider = folder === undefined ? await standaloneDecider(context, policy as Policy) : await ledgerDecider(context, folder, policy);
    const lines = input.has('json') ? new OneObject(out, decider.facts) : new Lines(out);

    if (source === '-' && io.stdin.isTTY) out.hint('reading requests from the terminal, up to Ctrl-D');
    const isLines = input.has('lines') || /\.(jsonl|ndjson)$/i.test(source);
    const batches = readRequests(byteStream(io, source), source === '-' ? undefined : fileName(source), isLines);
    try {
      for await (const batch of batches) {
        const answers = batch.map((incoming) => answerTo(incoming, decider, input.has('trace')));
        await decider.record(); // before anyone learns of the decisions
        for (const answer of answers) lines.add(answer);
        await out.flush();
        if (out.isClosed) break;
      }
    } catch (error) {
      await decider.fail();
      throw error;
    }
    await decider.close();
    lines.end();
    return lines.errors === 0 ? exit.good : exit.bad;
  },
};

function checkUsage(source: string, input: Input): void {
  const has = (name: string): boolean => input.has(name);
  if (!has('policy') && !has('ledger')) throw usage("required option '--policy <file>' not specified", 'see ruleprint decide --help');
  if (source === '-' && input.value('policy') === '-') throw usage('the policy and the requests cannot both come from stdin');
  if (has('ledger')) {
    if (has('out')) throw usage('--ledger and --out are two places for the same receipts', 'give one of them');
    if (!has('sign')) throw usage('--ledger needs --sign', 'every entry of a ledger is signed by its engine');
  } else {
    if (has('sign') !== has('out')) throw usage('--sign and --out go together', 'receipts are bytes: they go to a file, and need a key');
    for (const name of ['durability', 'trust']) if (has(name)) throw usage(`--${name} is for a ledger: it needs --ledger`);
  }
  if (has('engine-id') && !has('sign')) throw usage('--engine-id is for receipts: it needs --sign and --out');
  engineIdOf(input.value('engine-id'));
}

type Answer = Readonly<Record<string, unknown>>;

/** Never an allow for what is not a good request: an error in its place. */
function answerTo(incoming: Incoming, decider: Decider, isTraced: boolean): Answer {
  if ('problem' in incoming) return errorAnswer(incoming.problem);
  const request = incoming.value as Request; // the engine judges it as what it is
  try {
    const { decision, receipt, seq, trace } = decider.decide(request, isTraced);
    return { ...decision, ...(receipt !== undefined && { receipt }), ...(seq !== undefined && { seq }), ...(trace !== undefined && { trace }) };
  } catch (error) {
    // a ledger that cannot be written to is no fault of the request
    if (!(error instanceof RuleprintError) || error.code.startsWith('ledger-')) throw error;
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

  constructor(out: Output, facts: object) {
    super(out);
    out.raw(`${asciiJson(facts).slice(0, -1)},"decisions":[\n`);
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
