// `npm run mcp`: real servers and clients of both SDK generations, and the conformance suite, before and behind the gate.
import { conformance, started } from './conformance.js';
import { faults } from './faults.js';
import { finish } from './check.js';
import { first } from './first.js';
import { modern } from './modern.js';

await Promise.all([first(), modern()]);
await faults();
await conformance();
for (const child of started) child.kill('SIGKILL');
finish();
