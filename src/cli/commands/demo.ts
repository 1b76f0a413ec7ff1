/**
 * `ruleprint demo`: a real MCP server behind a policy, with receipts, from nothing to a refused forgery.
 * @module
 */
import type { Command, Context } from '../command.js';
import { interrupted } from '../failure.js';
import { exit, type ExitCode } from '../io.js';
import { keep, prepareKeep } from '../demo/keep.js';
import { actionsOf } from '../demo/mapping.js';
import { type Play, type PlayedPolicy, play } from '../demo/play.js';
import { buildStage } from '../demo/scene.js';
import { type Connection, connect, findServer, serverPackage } from '../demo/server.js';
import { DemoShow } from '../demo/show.js';

export const demo: Command = {
  arguments: [],
  options: [{ syntax: '--keep <folder>', about: 'leave receipts, policies and trust store in this folder, to verify them yourself' }],
  details: `Starts ${serverPackage} on a temporary folder and takes both away again. Where it is not installed, npx fetches it once.`,
  json: `{ "ok", "server": { "package", "version", "tools" }, "policies": [{ "version", "digest", "text" }],
  "calls": [{ "tool", "arguments", "actions", "decision", "policy_version", "policy_digest", "receipt", "sent", "answer"? }],
  "report": as of verify, "tampered": { "receipt", "offset", "report" }, "verify"?: "with --keep: the command", "failures": [], "ms" }`,
  examples: ['ruleprint demo', 'ruleprint demo --keep demo-receipts'],
  run: async (context) => {
    const signal = context.io.interruption();
    try {
      return await perform(context, signal);
    } catch (error) {
      throw signal.aborted ? interrupted(signal) : error;
    }
  },
};

async function perform({ io, out, input }: Context, signal: AbortSignal): Promise<ExitCode> {
  const start = Date.now();
  const folder = input.value('keep');
  if (folder !== undefined) await prepareKeep(io, folder);
  const server = await findServer(io, signal, (line) => out.aside(line));
  const stage = await buildStage(io);
  let connection: Connection | undefined;
  try {
    connection = await connect(server, stage.folder, signal);
    const show = new DemoShow(out, stage.folder);
    const isJson = input.has('json');
    const tell = async (step: () => void): Promise<void> => {
      if (!isJson) step();
      await out.flush();
    };
    await tell(() => show.opened(server.version, connection?.tools.length ?? 0));
    let before: PlayedPolicy | undefined;
    const played = await play(stage, connection, {
      installed: (policy) => {
        const last = before;
        before = policy;
        return tell(() => show.installed(policy, last));
      },
      called: (call) => tell(() => show.called(call)),
    });
    const command = folder === undefined ? undefined : await keep(io, folder, played);
    const ms = Date.now() - start;
    if (isJson) out.json(jsonOf(played, { package: serverPackage, version: server.version, tools: connection.tools.length }, command, ms));
    else {
      show.verified(played.report, played.policies, played.calls);
      show.tampered(played.tampered);
      if (command !== undefined) show.kept([command]);
      show.ended(ms, played.failures);
    }
    return played.failures.length === 0 ? exit.good : exit.bad;
  } finally {
    try {
      await connection?.close();
    } finally {
      await stage.remove();
    }
  }
}

function jsonOf(played: Play, server: object, command: string | undefined, ms: number): object {
  const { calls, policies, report, tampered, failures } = played;
  return {
    ok: failures.length === 0,
    server,
    policies,
    calls: calls.map((call) => ({
      tool: call.tool,
      arguments: call.args,
      actions: actionsOf(call),
      decision: call.decision,
      policy_version: call.policyVersion,
      policy_digest: call.policyDigest,
      receipt: call.receiptHash,
      sent: call.isSent,
      ...(call.answer !== undefined && { answer: call.answer }),
    })),
    report,
    tampered: { receipt: tampered.receipt, offset: tampered.offset, report: tampered.report },
    ...(command !== undefined && { verify: command }),
    failures,
    ms,
  };
}
