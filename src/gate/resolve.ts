/**
 * Names to addresses: rules on addresses say nothing of a name that resolves there, so the addresses are judged beside the name (GAT-16).
 * @module
 */
import { refuse } from '../errors.js';
import type { Action, Request } from '../policy/model.js';

/** Gives all addresses of a host name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** Asks the system, as the program will that acts. Whether it gets the same answer then is for the name server to say. */
export function systemResolve(): Resolve {
  return async (host) => {
    // loaded where it is wanted: most gates ask for no address
    const { lookup } = await import('node:dns/promises');
    return (await lookup(host, { all: true })).map(({ address }) => address);
  };
}

/** Whether an action names a host by a name. The request is canonical: a number is an address. */
export function namesHost(action: Action): boolean {
  return 'network' in action && !action.network.host.includes(':') && !/^\d+\.\d+\.\d+\.\d+$/.test(action.network.host);
}

/**
 * The actions with one more for each address, in no canonical form yet.
 *
 * @throws RuleprintError `gate-resolve` where a name has no address or the answer is none
 */
export async function withAddresses({ actions }: Request, resolve: Resolve): Promise<readonly Action[]> {
  const added: Action[] = [];
  for (const action of actions) {
    if (!('network' in action) || !namesHost(action)) continue;
    for (const address of await addressesOf(action.network.host, resolve)) added.push({ network: { ...action.network, host: address } });
  }
  return [...actions, ...added];
}

async function addressesOf(host: string, resolve: Resolve): Promise<readonly string[]> {
  let addresses: unknown;
  try {
    addresses = await resolve(host);
  } catch (cause) {
    return refuse('gate-resolve', 'expected the addresses of a host name, got none', { evidence: { cause: (cause as { code?: unknown } | null)?.code } });
  }
  if (!Array.isArray(addresses) || addresses.length === 0) return refuse('gate-resolve', 'expected the addresses of a host name, got none');
  return [...new Set(addresses)];
}
