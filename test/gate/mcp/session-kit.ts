/**
 * Sessions over gates with a ledger in memory: what went where, line by line.
 * @module
 */
import { CallJudge, type CallJudgeOptions, ClientApprover } from '../../../src/gate/mcp/call-judge.js';
import { Session } from '../../../src/gate/mcp/session.js';
import type { GateOptions } from '../../../src/gate/gate.js';
import { withResources } from '../../../src/gate/mcp/resources.js';
import { approverSigner, type Fixture, gateWith, mapper } from '../kit.js';

// biome-ignore lint/suspicious/noExplicitAny: what a peer says is looked into freely
export type Message = Record<string, any>;

export interface Talk extends Fixture {
  readonly session: Session;
  /** Lines as they came, without their line feeds. */
  readonly toServer: string[];
  readonly toClient: Message[];
  readonly told: string[];
  /** Sends messages of the client, as text or as objects, each when the one before is through. */
  say(...messages: readonly (string | object)[]): Promise<void>;
  serverSays(...messages: readonly object[]): void;
  last(): Message;
}

export interface TalkOptions {
  readonly gate?: Partial<GateOptions>;
  readonly judge?: Partial<CallJudgeOptions>;
  /** No key for approvals. */
  readonly mute?: boolean;
  readonly now?: () => number;
}

export const startTime = 1_793_318_400_000;

export async function talk({ gate: gateOptions = {}, judge: judgeOptions = {}, mute = false, now = () => startTime }: TalkOptions = {}): Promise<Talk> {
  const approver = new ClientApprover(approverSigner, now);
  const fixture = await gateWith({ map: withResources(mapper), ...(!mute && { approver: approver.approver }), ...gateOptions });
  const told: string[] = [];
  const tell = (line: string): void => void told.push(line);
  const judge = new CallJudge({ gate: fixture.gate, server: 'files', tell, now, ...(!mute && { approver }), ...judgeOptions });
  const toServer: string[] = [];
  const toClient: Message[] = [];
  const session = new Session(judge, {
    toServer: (line) => void toServer.push(withoutEnd(typeof line === 'string' ? line : new TextDecoder().decode(line))),
    toClient: (line) => void toClient.push(JSON.parse(withoutEnd(line)) as Message),
    tell,
  });
  return {
    ...fixture,
    session,
    toServer,
    toClient,
    told,
    say: async (...messages) => {
      for (const message of messages)
        await session.fromClient({ bytes: new TextEncoder().encode(typeof message === 'string' ? message : JSON.stringify(message)) });
    },
    serverSays: (...messages) => {
      for (const message of messages) session.fromServer(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
    },
    last: () => toClient.at(-1) ?? {},
  };
}

function withoutEnd(line: string): string {
  if (!line.endsWith('\n')) throw new Error('expected a whole line');
  return line.slice(0, -1);
}

export const callOf = (name: string, args: object, more: { id?: number | string; params?: object } = {}): Message => ({
  jsonrpc: '2.0',
  id: more.id ?? 1,
  method: 'tools/call',
  params: { name, arguments: args, ...more.params },
});

export const initialize = (capabilities: object = { elicitation: {} }): Message => ({
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'test', version: '1' } },
});

/** What a request of 2026 says of itself. */
export const stateless = (capabilities: object = { elicitation: { form: {} } }): { _meta: object } => ({
  _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': capabilities },
});
