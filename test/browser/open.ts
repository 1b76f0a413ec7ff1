/**
 * Pages in a Chromium, from files, with everything written down that a quiet page must not do.
 * @module
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { findChromium, howToInstall, quietly } from './chromium.js';

export interface Opened {
  readonly page: Page;
  readonly address: string;
  /** Addresses that were asked for, but that of the page itself. */
  readonly requests: readonly string[];
  /** What the console said, and what was thrown. */
  readonly noise: readonly string[];
}

export interface Opener {
  readonly open: (name: string, hash?: string, options?: BrowserContextOptions) => Promise<Opened>;
  readonly close: () => Promise<void>;
}

/** Writes each page into a folder, whose files are opened. */
export async function opener(pages: Readonly<Record<string, string>>): Promise<Opener> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error(howToInstall);
  const folder = mkdtempSync(join(tmpdir(), 'ruleprint-pages-'));
  for (const [name, html] of Object.entries(pages)) writeFileSync(join(folder, `${name}.html`), html);
  const browser: Browser = await chromium.launch({ executablePath, args: [...quietly] });
  return {
    open: async (name, hash = '', options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
      const page = await context.newPage();
      const address = pathToFileURL(join(folder, `${name}.html`)).href;
      const requests: string[] = [];
      const noise: string[] = [];
      page.on('request', (request) => {
        if (request.url() !== address) requests.push(request.url());
      });
      page.on('console', (message) => noise.push(`${message.type()}: ${message.text()}`));
      page.on('pageerror', (error) => noise.push(`thrown: ${error.message}`));
      page.on('dialog', (dialog) => {
        noise.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
      });
      page.on('popup', (popup) => noise.push(`popup: ${popup.url()}`));
      await page.goto(address + hash);
      return { page, address, requests, noise };
    },
    close: async () => {
      await browser.close();
      rmSync(folder, { recursive: true });
    },
  };
}
