/**
 * Makes docs/audit-report.png: the top of the page of an audit that failed, 1280 wide.
 * @module
 */
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { reportPage } from '../../src/audit/page/page.js';
import { auditOf } from '../audit/page/kit.js';
import { failing } from '../audit/page/samples.js';
import { opener } from './open.js';

const path = fileURLToPath(new URL('../../docs/audit-report.png', import.meta.url));
const most = 200_000;

const browser = await opener({ report: reportPage(await auditOf(failing)) });
try {
  const { page } = await browser.open('report', '', { viewport: { width: 1280, height: 1000 }, colorScheme: 'light' });
  const { y, height } = (await page.locator('.bounds').first().boundingBox()) ?? { y: 0, height: 0 };
  await page.screenshot({ path, fullPage: true, clip: { x: 0, y: 0, width: 1280, height: Math.ceil(y + height + 24) } });
} finally {
  await browser.close();
}
const { size } = statSync(path);
process.stdout.write(`docs/audit-report.png: ${size} bytes\n`);
if (size > most) {
  process.stderr.write(`expected at most ${most} bytes\n`);
  process.exitCode = 1;
}
