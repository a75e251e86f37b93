// A saved page of a real store in a real browser, with the network off: what it says, what it does with hostile texts, that it can be reached by
// keyboard and read by everybody, and that what it proves holds elsewhere.
import * as fs from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { pageParts } from '../../src/cli/page/parts.js';
import { hashes } from '../../src/ledger/hashes.js';
import { readPage, writePage } from '../../src/page/html.js';
import { browserIsHere, noBrowser, openBrowser } from '../support/browser.js';
import { colibri, json } from '../support/command-line.js';
import { type Ending, placeForAll } from '../support/ends.js';
import type { TextCase } from '../vectors/cases.js';
import { casesOf, VECTOR_KEY } from '../vectors/read.js';
import { goTo, openFile, savedPage, verdictIn } from './page.shared.js';
import { HOSTILE, type PageStore, pageStore } from './page-store.js';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const VIEWS = ['now', 'calls', 'tasks', 'tasks/T-0001', 'trail', 'servers', 'servers/crashes', 'check'];

/** What axe-core finds that is serious or critical, with the first element. */
const SERIOUS = `axe.run().then(({ violations }) => violations
  .filter(({ impact }) => impact === 'serious' || impact === 'critical')
  .map(({ id, nodes }) => id + ': ' + nodes[0].html + ' ' + nodes[0].failureSummary))`;

/** Numbers everything in the page that a person can use, and says how much that is. */
const MARK_USABLE = `(() => {
  const all = [...document.querySelectorAll('a[href], button:enabled, summary, input, select, textarea, [tabindex="0"]')];
  const usable = all.filter((one) => one.id === 'skip' || one.checkVisibility());
  usable.forEach((one, i) => one.setAttribute('data-no', String(i)));
  return usable.length;
})()`;

browserIsHere();

describe.skipIf(noBrowser)('a saved page of 5,000 records', () => {
  const ends: Ending = placeForAll();
  let [store, saved]: [PageStore, Awaited<ReturnType<typeof savedPage>>] = [] as never;
  let browser: Browser = undefined as never;

  beforeAll(async () => {
    store = await pageStore(2_500, ends.place());
    saved = await savedPage(store.place);
    browser = await openBrowser(ends.add);
  }, 240_000);

  const opened = async (options: object = {}): Promise<Page> => {
    const page = await openFile(browser, saved.file, options);
    expect(await verdictIn(page)).toBe('verified');
    return page;
  };

  it('says verified, and which records it does not show', async () => {
    const asked: string[] = [];
    const context = await browser.newContext({ offline: true });
    const page = await context.newPage();
    page.on('request', (request) => asked.push(request.url()));
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (message) => errors.push(message.text()));
    await page.goto(`file://${saved.file}`);
    expect(await verdictIn(page)).toBe('verified');
    const { logs } = json(saved.said);
    expect(logs).toHaveLength(2);
    expect(logs[0].size).toBeGreaterThan(4_900);
    const banner = await page.locator('#banner').innerText();
    for (const { size } of logs)
      expect(banner).toContain(`${size.toLocaleString('en')} of ${size.toLocaleString('en')} records, none left out`);
    expect(banner).toMatch(/erased, pruned or left out|complete from seq 0/);
    expect(banner).toContain('A page cannot vouch for itself');
    expect(asked.filter((url) => !url.startsWith('file:'))).toEqual([]);
    expect(errors).toEqual([]);
    const part = await savedPage(store.place, '--task', store.task);
    const one = await openFile(browser, part.file);
    expect(await verdictIn(one)).toBe('verified');
    expect(await one.locator('#banner').innerText()).toMatch(/\d+ of [\d,]+ records, [\d,]+ not shown/);
    await goTo(one, `tasks/${store.task}`);
    expect(await one.locator('main').innerText()).toContain('Decided for a bound of 200 entries');
    await context.close();
  });

  it('shows the quarantine, the failed call and that a thought was erased', async () => {
    const page = await opened();
    await goTo(page, 'servers');
    expect(await page.locator('main').innerText()).toMatch(/crashes\s+QUARANTINE/);
    await goTo(page, 'calls/failed');
    await page.locator('#search').fill('/srv/data/5.csv');
    await page.locator('table.calls a.row').first().click();
    await page.locator('article').waitFor();
    const told = await page.locator('article').innerText();
    for (const words of [
      'crashes__echo',
      'The tool echo of crashes is not available',
      'Definition the model saw',
      'Intent: record',
    ])
      expect(told).toContain(words);
    expect(told).not.toContain('Its text is not in this page');
    await goTo(page, 'trail');
    await page.locator('main a.row', { hasText: 'outside any' }).first().click();
    await page.locator('article').waitFor();
    expect(await page.locator('article').innerText()).toContain('erased or left out');
    expect(await page.content()).not.toContain('Sesame Street');
  });

  it('does nothing with hostile texts but show them', async () => {
    const page = await opened();
    await goTo(page, 'tasks/T-0005');
    expect(await page.locator('article').innerText()).toContain('<img src=x onerror=');
    expect(await page.locator('article').innerText()).toContain('\\u202e');
    await goTo(page, 'calls');
    await page.locator('#search').fill('search__act huge');
    await page.locator('table.calls a.row').first().click();
    await page.locator('article').waitFor();
    expect((await page.locator('article pre').first().innerText()).length).toBeLessThan(5_000);
    await page.getByRole('button', { name: 'more characters' }).click();
    expect((await page.locator('article pre').first().innerText()).length).toBeGreaterThan(100_000);
    await goTo(page, 'calls');
    await page.locator('#search').fill('TOOL_NOT_FOUND');
    const named = page.locator('table.calls a.row', { hasText: /huge xxx|<img/ });
    expect(await named.count()).toBe(2);
    const calls = await named.evaluateAll((links) => links.map((one) => String(one.getAttribute('href')).slice(1)));
    for (const view of [...VIEWS, ...calls]) {
      await goTo(page, view);
      expect((await page.locator('h1').innerText()).length, view).toBeLessThan(300);
    }
    expect(
      await page.evaluate(
        '[window.hit ?? 0, document.images.length, document.querySelectorAll(\'a:not([href^="#"]):not([id="skip"])\').length]',
      ),
    ).toEqual([0, 0, 0]);
    expect(HOSTILE).toContain('javascript:');
  });

  it('shows who allowed a call, with its proof, and what waits for a yes', async () => {
    const page = await opened();
    await goTo(page, `calls/${store.allowed}`);
    const steps = page.locator('section', { hasText: 'Approval' }).locator('li');
    expect(await steps.allInnerTexts()).toEqual([
      expect.stringMatching(/asked\s+record [\d,]+\s+\u2713 proved/),
      expect.stringMatching(/granted\s+by \S+, via command\s+record [\d,]+\s+\u2713 proved/),
      expect.stringMatching(/used\s+by \S+, via command\s+record [\d,]+\s+\u2713 proved/),
    ]);
    await goTo(page, 'now');
    const waiting = await page.locator('.waiting').innerText();
    expect(waiting).toMatch(/not proved[\s\S]*act of vault[\s\S]*colibri approve [0-9a-f]+/);
    // Its arguments are shown as text.
    expect(waiting).toContain('<img src=x onerror=');
    expect(await page.evaluate('[window.hit ?? 0, document.images.length]')).toEqual([0, 0]);
  });

  it('copies a proof that the command line accepts', async () => {
    const page = await opened();
    await goTo(page, 'calls');
    await page.locator('table.calls a.row').nth(40).click();
    await page.getByRole('button', { name: 'Copy proof' }).click();
    const file = join(store.place.dir, 'copied.tlog-proof');
    fs.writeFileSync(file, await page.locator('textarea.proof').inputValue());
    const checked = await Promise.all(saved.vkeys.map((vkey) => colibri(store.place, ['verify', file, '--key', vkey])));
    expect(checked.map(({ code }) => code).sort()).toEqual([0, 20]);
    const same = await colibri(store.place, ['verify', file]);
    expect(same.code).toBe(0);
  });

  it('agrees with the vectors, as Go and `colibri verify` do', async () => {
    const page = await opened();
    await goTo(page, 'check');
    await page.locator('#check-key').fill(VECTOR_KEY.vkey);
    const cases = ['checkpoints.jsonl', 'proof-files.jsonl'].flatMap((file) =>
      casesOf<TextCase>(file).filter(({ cosignatures }) => cosignatures !== true),
    );
    await page
      .locator('#check-file')
      .setInputFiles(
        cases.map(({ text }, i) => ({ name: `case ${i}.`, mimeType: 'text/plain', buffer: Buffer.from(text) })),
      );
    await page
      .locator('.finding')
      .nth(cases.length - 1)
      .waitFor();
    const found = await page
      .locator('.finding')
      .evaluateAll((all) =>
        all.map((one) => [/case (\d+)\./.exec(one.textContent ?? '')?.[1], one.classList.contains('good')]),
      );
    const verdicts = new Map(found.map(([i, good]) => [Number(i), good]));
    expect(cases.map(({ name }, i) => [name, verdicts.get(i)])).toEqual(
      cases.map(({ name, accept }) => [name, accept]),
    );
  });

  it('axe-core finds nothing serious or critical in any view, light and dark', { timeout: 120_000 }, async () => {
    for (const colorScheme of ['light', 'dark']) {
      const context = await browser.newContext({
        offline: true,
        colorScheme: colorScheme as 'light' | 'dark',
        bypassCSP: true,
      });
      const page = await context.newPage();
      await page.goto(`file://${saved.file}`);
      await verdictIn(page);
      await page.addScriptTag({ path: AXE });
      await goTo(page, 'calls');
      const call = String(await page.locator('table.calls a.row').first().getAttribute('href')).slice(1);
      for (const view of [...VIEWS, call, `calls/${store.allowed}`, 'calls/failed']) {
        await goTo(page, view);
        const found = await page.evaluate(SERIOUS);
        expect(found, `${colorScheme} ${view}`).toEqual([]);
      }
      await context.close();
    }
  });

  it('is used by keyboard alone', async () => {
    const page = await opened();
    await page.keyboard.press('2');
    await page.locator('h1', { hasText: 'Calls' }).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const focused = () => page.evaluate(`document.activeElement.getAttribute('href')`);
    const second = await page.locator('table.calls a.row').nth(1).getAttribute('href');
    expect(await focused()).toBe(second);
    await page.keyboard.press('Enter');
    await page.locator('article').waitFor();
    expect(await page.evaluate('location.hash')).toBe(second);
    await page.keyboard.press('Escape');
    await page.locator('table.calls').waitFor();
    await page.keyboard.press('/');
    await page.waitForTimeout(100);
    await page.keyboard.type('nobody_has_it');
    expect(await page.locator('table.calls a.row').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    expect(await page.locator('dialog').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.keyboard.press('6');
    await page.locator('h1', { hasText: 'Check' }).waitFor();
    // Everything that can be used is reached by Tab, and shows that it has the focus.
    for (const view of ['now', 'tasks/T-0001', 'trail', 'servers', 'check']) {
      await goTo(page, view);
      await page.evaluate('document.activeElement.blur()');
      const wanted = Number(await page.evaluate(MARK_USABLE));
      expect(wanted, view).toBeGreaterThan(5);
      const seen = new Set<string>();
      for (let n = 0; n < wanted + 10 && seen.size < wanted; n++) {
        await page.keyboard.press('Tab');
        const [no, outline] = await page.evaluate<[string, string]>(
          '[document.activeElement.dataset.no ?? "", getComputedStyle(document.activeElement).outlineStyle]',
        );
        if (no !== '') expect([view, no, outline]).not.toEqual([view, no, 'none']);
        if (no !== '') seen.add(no);
      }
      expect([view, seen.size]).toEqual([view, wanted]);
    }
  });

  it('fits 400 px, and prints one task with its reasons and keys', async () => {
    const narrow = await opened({ viewport: { width: 400, height: 800 } });
    for (const view of VIEWS) {
      await goTo(narrow, view);
      expect(await narrow.evaluate('document.documentElement.scrollWidth - innerWidth'), view).toBeLessThanOrEqual(0);
    }
    const page = await opened();
    await goTo(page, `tasks/${store.task}`);
    const pdf = await page.pdf({ format: 'A4' });
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    await page.emulateMedia({ media: 'print' });
    expect(await page.locator('.top').isVisible()).toBe(false);
    expect(await page.locator('article').innerText()).toContain('Looked at the logs');
  });
});

test.skipIf(noBrowser)('20,000 records: something is painted within a second', { timeout: 240_000 }, async () => {
  const { place } = await pageStore(40);
  const { file } = await savedPage(place);
  const data = readPage(fs.readFileSync(file, 'utf8'));
  const log = data?.logs[0];
  if (data === undefined || log === undefined) throw new Error('no page');
  // Only how much there is to draw counts here: the records are repeated, so the page is big and does not hold.
  const records = Array.from({ length: 20_000 }, (_, seq) => ({ ...log.records[seq % log.records.length], seq }));
  const large = join(place.dir, 'large.html');
  fs.writeFileSync(large, writePage({ ...data, logs: [{ ...log, size: 20_000, records }] }, pageParts(), hashes));
  const page = await openFile(await openBrowser(), large);
  expect(await verdictIn(page, 60_000)).not.toBe('verified');
  const paint = await page.evaluate<number>(
    `performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1`,
  );
  process.stderr.write(`first paint with 20,000 records (${fs.statSync(large).size} bytes): ${Math.round(paint)} ms\n`);
  expect(paint).toBeGreaterThan(0);
  expect(paint).toBeLessThan(1_000);
});
