/** The hook as its own process, from source: what src/cli/bin.ts begins when it is built. */
import { hook } from '../../src/cli/hook/main.js';

await hook(process.argv.slice(2), async () => 3);
