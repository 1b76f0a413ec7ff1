/**
 * Where the Chromium of this machine is, and how it is started: alone, with nothing that speaks to anyone.
 */
import { accessSync, constants } from 'node:fs';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

export const howToInstall = 'no Chromium: expected one in $CHROMIUM or at /usr/bin/chromium; to install it: apt-get install -y chromium';

/** Its path, or undefined. What $CHROMIUM names is taken and nothing else. */
export function findChromium(environment = process.env) {
  const named = environment['CHROMIUM'];
  return (named ? [named] : places).find(isExecutable);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Quiet, so that every request that is seen is one of the page. A container has no user for a sandbox. */
export const quietly = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
