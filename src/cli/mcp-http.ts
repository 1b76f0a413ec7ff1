/**
 * Running the HTTP gate until somebody ends it.
 * @module
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { CallJudge } from '../gate/mcp/call-judge.js';
import { createHttpGate } from '../gate/mcp/http.js';
import type { Context } from './command.js';
import { systemReason, unreadable } from './failure.js';
import type { ExitCode } from './io.js';
import type { HttpTarget } from './mcp-listen.js';

/** @returns 128 and the number of the signal that ended it */
export async function serveHttp(
  { io }: Context,
  { host, port, upstream, names }: HttpTarget,
  judge: CallJudge,
  tell: (line: string) => void,
): Promise<ExitCode> {
  const interruption = io.interruption();
  const server = createHttpGate({ judge, upstream, names, tell });
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw unreadable(`cannot listen at ${host}:${port}: ${systemReason(error)}`, undefined, error);
  }
  const { port: at } = server.address() as AddressInfo;
  tell(`listening at http://${host.includes(':') ? `[${host}]` : host}:${at}${upstream.pathname}, before ${upstream.origin}`);
  if (!interruption.aborted) await once(interruption, 'abort');
  server.close();
  server.closeAllConnections();
  return Number(interruption.reason);
}
