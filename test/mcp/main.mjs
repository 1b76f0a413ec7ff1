// `npm run mcp`: real servers and clients of both SDK generations, and the conformance suite, before and behind the gate.
import { conformance, started } from './conformance.mjs';
import { finish } from './check.mjs';
import { first } from './first.mjs';
import { modern } from './modern.mjs';

await first();
await modern();
await conformance();
for (const child of started) child.kill('SIGKILL');
finish();
