// `colibri view` in a real browser: it follows what is recorded, checks it under each signature, misses nothing under load, and neither the tab nor the process
// grows with what it has shown.
import * as fs from 'node:fs';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browserIsHere, noBrowser, openBrowser } from '../support/browser.js';
import { rows } from '../support/command-line.js';
import { counted } from '../support/counted.js';
import { eventually } from '../support/process-list.js';
import { serve } from '../support/serve.js';
import { goTo, untilVerdict, verdictIn } from './page.shared.js';
import { pageStore } from './page-store.js';
import { startView, type Viewed } from './view.shared.js';

browserIsHere();

const openView = async ({ file }: Viewed): Promise<Page> => {
  const browser = await openBrowser();
  const page = await (await browser.newContext()).newPage();
  await page.goto(`file://${file}`);
  await page.locator('main h1').waitFor({ timeout: 20_000 });
  return page;
};

const knownTo = async (page: Page): Promise<number> => Number(await page.locator('html').getAttribute('data-records'));
const residentOf = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

describe.skipIf(noBrowser)('the live page', () => {
  it('is opened by its file once, follows calls, checks them once they are signed, and says when it is alone', {
    timeout: 120_000,
  }, async () => {
    const { place } = await pageStore(20);
    const viewed = await startView(place);
    const page = await openView(viewed);
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    expect(await verdictIn(page)).toBe('verified');
    const peer = serve(place);
    await peer.initialize('cursor');
    await peer.phase2();
    await peer.call('task_create', { title: 'Seen while it happens' });
    await goTo(page, 'tasks');
    await page.locator('.task', { hasText: 'Seen while it happens' }).waitFor({ timeout: 15_000 });
    await untilVerdict(page, 'incomplete');
    expect(await page.locator('#banner').innerText()).toContain('not signed yet');
    // The end of the process signs the log.
    await peer.end();
    await untilVerdict(page, 'verified');
    // The reason of a failed call is found: the tile, the call.
    await goTo(page, 'now');
    await page.locator('.tile', { hasText: 'did not end well' }).click();
    await page.locator('#search').fill('crashes');
    await page.locator('table.calls a.row').first().click();
    expect(await page.locator('article').innerText()).toMatch(/TOOL_UNAVAILABLE|OUTCOME_UNKNOWN/);
    const second = await (await page.context().browser()?.newContext())?.newPage();
    await second?.goto(`file://${viewed.file}`);
    await second?.waitForURL(/127\.0\.0\.1/);
    expect(await second?.locator('body').innerText()).toContain('was used already');
    viewed.stop();
    await page.locator('#banner', { hasText: 'NOT CONNECTED' }).waitFor({ timeout: 20_000 });
    expect(errors).toEqual([]);
  });

  const run = counted('calls while the page is open', 20_000);

  it('misses nothing under load, and its memory stays bounded', { timeout: 1_800_000 }, async () => {
    const { place } = await pageStore(20);
    const viewed = await startView(place);
    const page = await openView(viewed);
    await goTo(page, 'calls');
    const peer = serve(place);
    await peer.initialize('cursor');
    await peer.phase2();
    const heap = async (): Promise<number> =>
      Number(await page.evaluate('performance.memory.usedJSHeapSize')) / 2 ** 20;
    const samples: { tab: number; process: number }[] = [];
    for (let n = 0; n < run.count; n += 20) {
      await Promise.all(Array.from({ length: 20 }, () => peer.call('server_ping', { n }, 120_000)));
      run.progress(n + 20);
      if (n % Math.max(20, Math.floor(run.count / 10 / 20) * 20) === 0)
        samples.push({ tab: await heap(), process: residentOf(viewed.pid) });
    }
    await peer.end();
    const [{ n = 0 } = {}] = rows<{ n: number }>(place, 'SELECT SUM(size) AS n FROM logs');
    await eventually('every record reached the page', async () => (await knownTo(page)) === n, 120_000);
    await untilVerdict(page, 'verified', 60_000);
    samples.push({ tab: await heap(), process: residentOf(viewed.pid) });
    process.stderr.write(
      `view under ${run.count} calls: ${samples.map(({ tab, process: own }) => `tab ${tab.toFixed(0)} MiB, view ${own.toFixed(0)} MiB`).join('; ')}\n`,
    );
    for (const { tab, process: own } of samples) {
      expect(tab).toBeLessThan(300);
      expect(own).toBeLessThan(400);
    }
  });
});
