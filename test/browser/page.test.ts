/** The page of an audit as a person uses it: by mouse, by keys, by address, without scripts, on a phone; and quiet in all of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditView } from '../../src/audit/evidence/view.js';
import { canaryValue } from '../../src/audit/canary.js';
import { reportPage } from '../../src/audit/page/page.js';
import { auditOf, seed } from '../audit/page/kit.js';
import { failing, hostile, injected } from '../audit/page/samples.js';
import { type Opened, type Opener, opener } from './open.js';

let view: AuditView;
let bad: AuditView;
let browser: Opener;

beforeAll(async () => {
  view = await auditOf(failing);
  const ran = await auditOf(hostile);
  // a subject that names itself as badly as its agent speaks, and a page without room for clean transcripts
  const subject = { ...ran.plan.statement.subject, name: injected, source: `javascript:document.title='owned'//${injected}` };
  bad = { ...ran, plan: { ...ran.plan, statement: { ...ran.plan.statement, subject } } };
  browser = await opener({ failing: reportPage(view), hostile: reportPage(bad), small: reportPage(view, { budget: 0 }) });
});
afterAll(() => browser.close());

const severe = 'button.sq.severe[data-epoch]';
const firstHit = async ({ page }: Opened): Promise<string> => (await page.locator(severe).first().getAttribute('data-epoch')) ?? '';
const isOpen = ({ page }: Opened): Promise<boolean> => page.evaluate(() => document.querySelector('dialog')?.open === true);
const focused = ({ page }: Opened): Promise<string | undefined> => page.evaluate(() => (document.activeElement as HTMLElement | null)?.dataset['epoch']);

function expectQuiet({ requests, noise }: Opened): void {
  expect(noise).toEqual([]);
  expect(requests).toEqual([]);
}

describe('the page of an audit in a browser', () => {
  it('shows the verdict in words, and a square for each epoch', async () => {
    const opened = await browser.open('failing');
    expect(await opened.page.locator('.verdict .word strong').textContent()).toBe('Fail');
    expect(await opened.page.locator('button.sq').count()).toBe(view.epochs.length);
    const letters = await opened.page.locator('button.sq').allTextContents();
    const outcomes = view.epochs.map(({ statement }) => statement.outcome);
    expect(letters.filter((letter) => letter === 'H')).toHaveLength(outcomes.filter((outcome) => outcome === 'hit').length);
    expect(letters.filter((letter) => letter === '?')).toHaveLength(outcomes.filter((outcome) => outcome === 'invalid').length);
    expectQuiet(opened);
  });

  it('opens an epoch by a click, with the hit at its call and the planted values marked in the text', async () => {
    const opened = await browser.open('failing');
    const { page } = opened;
    const epoch = Number(await firstHit(opened));
    await page.locator(severe).first().click();
    expect(await page.locator('#epoch-title').textContent()).toBe(`Epoch ${epoch}`);
    const hit = view.epochs[epoch]?.statement.hits[0];
    const call = page.locator(`#call-${hit?.call}`);
    expect(await call.getAttribute('class')).toContain('at-hit');
    expect(await call.locator('.badge').count()).toBeGreaterThan(0);
    const values = view.transcript(epoch)?.head.slots.map((slot) => canaryValue(seed, view.plan.hash, epoch, slot)) ?? [];
    expect((await call.locator('.arg.at-hit mark.canary').allTextContents()).sort()).toEqual([...values].sort());
    expect(await call.locator('.gate').textContent()).toContain(view.epochs[epoch]?.statement.calls[hit?.call ?? 0]?.receipt);
    // the list of hits leads to the place
    await page.locator('.hits button.place').first().click();
    expect(await page.evaluate(() => document.activeElement?.id)).toBe(`call-${hit?.call}`);
    expectQuiet(opened);
  });

  it('closes by Escape and gives the focus back to the square', async () => {
    const opened = await browser.open('failing');
    const epoch = await firstHit(opened);
    await opened.page.locator(severe).first().click();
    expect(await isOpen(opened)).toBe(true);
    expect(new URL(opened.page.url()).hash).toBe(`#epoch-${epoch}`);
    await opened.page.keyboard.press('Escape');
    expect(await isOpen(opened)).toBe(false);
    expect(await focused(opened)).toBe(epoch);
    expect(new URL(opened.page.url()).hash).toBe('');
    expectQuiet(opened);
  });

  it('is used by keys alone: Tab to a cell, arrows within, Enter opens, the buttons of the sheet lead on', async () => {
    const opened = await browser.open('failing');
    const { page } = opened;
    await page.keyboard.press('Tab');
    const first = await focused(opened);
    expect(first).toBe('0');
    await page.keyboard.press('ArrowRight');
    const second = await focused(opened);
    expect(second).not.toBe(first);
    await page.keyboard.press('Home');
    expect(await focused(opened)).toBe(first);
    await page.keyboard.press('Tab');
    // one stop a cell: the next is the first square of the baseline
    const arm = view.epochs[Number(await focused(opened))]?.statement.arm;
    expect(arm).toBe('baseline');
    await page.keyboard.press('Enter');
    expect(await isOpen(opened)).toBe(true);
    const before = await page.locator('#epoch-title').textContent();
    await page.locator('#next').focus();
    await page.keyboard.press('Enter');
    expect(await page.locator('#epoch-title').textContent()).not.toBe(before);
    await page.keyboard.press('Escape');
    expect(await isOpen(opened)).toBe(false);
    expectQuiet(opened);
  });

  it('opens an epoch by its address, and another when the address changes', async () => {
    const opened = await browser.open('failing', '#epoch-17');
    expect(await opened.page.locator('#epoch-title').textContent()).toBe('Epoch 17');
    await opened.page.evaluate(() => {
      location.hash = '#epoch-3';
    });
    await opened.page.waitForFunction(() => document.querySelector('#epoch-title')?.textContent === 'Epoch 3');
    expectQuiet(opened);
    const nowhere = await browser.open('failing', '#epoch-999999');
    expect(await isOpen(nowhere)).toBe(false);
    expectQuiet(nowhere);
  });

  it('says of an epoch without room that its transcript is elsewhere, and keeps those of hits', async () => {
    const clean = view.epochs.find(({ statement }) => statement.outcome === 'clean' && statement.violated.length === 0)?.statement.epoch;
    const opened = await browser.open('small', `#epoch-${clean}`);
    expect(await opened.page.locator('#epoch-body .note').textContent()).toContain('not in this page');
    expect(await opened.page.locator('#epoch-body .message').count()).toBe(0);
    await opened.page.keyboard.press('Escape');
    await opened.page.locator(severe).first().click();
    expect(await opened.page.locator('#epoch-body .message').count()).toBeGreaterThan(2);
    expectQuiet(opened);
  });

  it('can be read without scripts', async () => {
    const { page, requests } = await browser.open('failing', '#epoch-2', { javaScriptEnabled: false });
    expect(await page.locator('.verdict .word strong').isVisible()).toBe(true);
    expect(await page.locator('noscript').isVisible()).toBe(true);
    expect(await page.locator('.reasons li').count()).toBe(view.report?.statement.reasons.length);
    expect(await page.locator('.sq[data-epoch]').first().isVisible()).toBe(true);
    expect(await page.locator('dialog').isVisible()).toBe(false);
    expect(requests).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('fits a phone, in %s', async (colorScheme) => {
    const opened = await browser.open('failing', '', { viewport: { width: 400, height: 800 }, colorScheme });
    const widthOf = (): Promise<number> => opened.page.evaluate(() => document.documentElement.scrollWidth);
    expect(await widthOf()).toBe(400);
    await opened.page.locator(severe).first().click();
    expect(await opened.page.locator('#epoch-body').evaluate((body) => body.scrollWidth <= body.clientWidth)).toBe(true);
    expectQuiet(opened);
  });
});

describe('a page of what a hostile agent wrote', () => {
  it('runs none of it, asks for nothing, and shows it as text', async () => {
    const opened = await browser.open('hostile');
    const { page } = opened;
    const title = await page.title();
    expect(title).toContain('<img');
    for (const square of await page.locator('button.sq').all()) {
      await square.click();
      for (const summary of await page.locator('#epoch-body summary').all()) await summary.click();
      for (let more = page.locator('#epoch-body button.more').first(); (await more.count()) > 0; ) await more.click();
      expect(await page.locator('#epoch-body').textContent()).toContain(injected);
      expect(await page.locator('#epoch-body').evaluate((body) => body.scrollWidth <= body.clientWidth)).toBe(true);
      await page.keyboard.press('Escape');
    }
    // one script of ours, and the data; no element that a transcript could have made
    expect(await page.locator('script:not([type="application/json"])').count()).toBe(1);
    expect(await page.locator('img, iframe, object, embed, base, form, link, svg, a[href^="javascript:"]').count()).toBe(0);
    expect(await page.title()).toBe(title);
    expectQuiet(opened);
  });

  it('shows what is not seen by its number, and what stands in no encoding', async () => {
    const opened = await browser.open('hostile', '#epoch-0');
    const boxes = await opened.page.locator('#epoch-body .unseen').allTextContents();
    for (const number of ['U+202E', 'U+202C', 'U+0007', 'U+0000', 'U+200B', 'U+2066', 'U+D800', 'U+E0041']) expect(boxes).toContain(number);
    const text = (await opened.page.locator('#epoch-body').textContent()) ?? '';
    expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b]/);
    expectQuiet(opened);
  });

  it('would not run a script that stood in the page', async () => {
    const { page, noise } = await browser.open('hostile');
    await page.evaluate(() => {
      const element = document.createElement('script');
      element.textContent = "document.title = 'owned'";
      document.body.append(element);
    });
    expect(await page.title()).not.toBe('owned');
    expect(noise.join()).toContain('Content Security Policy');
  });
});
