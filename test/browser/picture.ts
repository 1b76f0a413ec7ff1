/**
 * Makes docs/audit-report.png: the top of the page of an audit that failed, 1280 wide.
 * @module
 */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { reportPage } from '../../src/audit/page/page.js';
import { auditOf } from '../audit/page/kit.js';
import { failing } from '../audit/page/samples.js';
import { opener } from './open.js';
import { indexedPng } from './palette.js';

const path = fileURLToPath(new URL('../../docs/audit-report.png', import.meta.url));
const most = 200_000;

const browser = await opener({ report: reportPage(await auditOf(failing)), blank: '<!doctype html>' });
let png: Uint8Array;
try {
  const { page } = await browser.open('report', '', { viewport: { width: 1280, height: 1000 }, colorScheme: 'light' });
  const { y, height } = (await page.locator('.bounds').first().boundingBox()) ?? { y: 0, height: 0 };
  const shot = await page.screenshot({ fullPage: true, clip: { x: 0, y: 0, width: 1280, height: Math.ceil(y + height + 24) } });
  const blank = await browser.open('blank');
  const { width, points, ...rest } = await blank.page.evaluate(pointsOf, shot.toString('base64'));
  png = indexedPng({ width, height: rest.height, points: Buffer.from(points, 'base64') });
} finally {
  await browser.close();
}
writeFileSync(path, png);
process.stdout.write(`docs/audit-report.png: ${png.length} bytes\n`);
if (png.length > most) {
  process.stderr.write(`expected at most ${most} bytes\n`);
  process.exitCode = 1;
}

/** Runs in the browser, which can read its own picture. */
async function pointsOf(base64: string): Promise<{ readonly width: number; readonly height: number; readonly points: string }> {
  const blob = new Blob([Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))], { type: 'image/png' });
  const { width, height } = await createImageBitmap(blob);
  const context = new OffscreenCanvas(width, height).getContext('2d');
  context?.drawImage(await createImageBitmap(blob), 0, 0);
  const { data } = context?.getImageData(0, 0, width, height) ?? { data: new Uint8ClampedArray() };
  let binary = '';
  for (let i = 0; i < data.length; i += 0x8000) binary += String.fromCharCode(...data.subarray(i, i + 0x8000));
  return { width, height, points: btoa(binary) };
}
