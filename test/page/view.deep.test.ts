// `colibri view` in a real browser: it follows what is recorded, checks it under each signature, and leaves the
// reader where he is. Under load: view.counted.deep.test.ts.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { browserIsHere, noBrowser } from '../support/browser.js';
import { rows } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import { serve, session } from '../support/serve.js';
import { goTo, untilVerdict, verdictIn } from './page.shared.js';
import { pageStore } from './page-store.js';
import { startView } from './view.shared.js';
import { knownTo, openView } from './view-page.shared.js';

browserIsHere();

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
    // The reason of a failed call is found by one click and one word: the list says it.
    await goTo(page, 'now');
    await page.locator('.tile', { hasText: 'did not end well' }).click();
    await page.locator('#search').pressSequentially('data/2.csv');
    expect(await page.locator('#search').inputValue()).toBe('data/2.csv');
    expect(await page.locator('table.calls tbody tr').allInnerTexts()).toEqual([
      expect.stringMatching(/failed[\s\S]*crashes__echo[\s\S]*the connection was lost/),
    ]);
    await page.locator('table.calls a.row').first().click();
    expect(await page.locator('article').innerText()).toMatch(/panic: index out of range/);
    const second = await (await page.context().browser()?.newContext())?.newPage();
    await second?.goto(`file://${viewed.file}`);
    await second?.waitForURL(/127\.0\.0\.1/);
    expect(await second?.locator('body').innerText()).toContain('was used already');
    viewed.stop();
    await page.locator('#banner', { hasText: 'NOT CONNECTED' }).waitFor({ timeout: 20_000 });
    expect(errors).toEqual([]);
  });

  it('leaves the reader where he is while records come: what he opened and typed, and the focus', {
    timeout: 120_000,
  }, async () => {
    const { place, allowed } = await pageStore(20);
    const viewed = await startView(place);
    const page = await openView(viewed);
    await untilVerdict(page, 'verified');
    const peer = serve(place);
    await peer.initialize('cursor');
    await peer.phase2();
    const moreCalls = async (): Promise<void> => {
      const before = await knownTo(page);
      for (let n = 0; n < 20; n++) await peer.call('server_ping', { n });
      await eventually('the page has them', async () => (await knownTo(page)) >= before + 40, 20_000);
    };
    await goTo(page, `calls/${allowed}`);
    await page.locator('summary', { hasText: 'The record as it is' }).first().click();
    await page.getByRole('button', { name: 'Copy proof' }).click();
    await page.locator('#banner summary').click();
    await moreCalls();
    expect(await page.locator('article details').nth(1).getAttribute('open')).toBe('');
    expect(await page.locator('textarea.proof').inputValue()).toContain('c2sp.org/tlog-proof@v1');
    expect(await page.locator('#banner details').getAttribute('open')).toBe('');
    await goTo(page, 'check');
    await page.locator('#check-key').fill('a key from elsewhere');
    await page.locator('#check-file').setInputFiles({ name: 'x', mimeType: 'text/plain', buffer: Buffer.from('x') });
    await page.locator('.finding').waitFor();
    await moreCalls();
    expect(await page.locator('#check-key').inputValue()).toBe('a key from elsewhere');
    expect(await page.locator('.finding').count()).toBe(1);
    await goTo(page, 'calls');
    await page.locator('#search').focus();
    await page.keyboard.type('server');
    await moreCalls();
    await page.keyboard.type('_ping');
    expect(await page.locator('#search').inputValue()).toBe('server_ping');
    expect(await page.locator('table.calls caption').innerText()).toMatch(/^60 of /);
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    const focused = () => page.evaluate('document.activeElement.getAttribute("data-key")');
    const call = await focused();
    await moreCalls();
    expect([await focused(), call]).toEqual([call, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    await peer.end();
  });

  it('goes back to a moment, and from there to the newest records', { timeout: 120_000 }, async () => {
    const { place } = await pageStore(20);
    await sleep(2_100);
    await session(place, async (peer) => void (await peer.call('server_ping', {})));
    const viewed = await startView(place);
    const page = await openView(viewed);
    await goTo(page, 'calls');
    const first = () => page.locator('table.calls a.row').first().innerText();
    expect(await first()).toBe('server_ping');
    const [{ at = '' } = {}] = rows<{ at: string }>(
      place,
      "SELECT at FROM actions WHERE kind = 'boot' ORDER BY at DESC LIMIT 1",
    );
    const moment = await page.evaluate<string>(
      `(() => { const at = new Date(${Date.parse(at) - 1_000}); return new Date(at - at.getTimezoneOffset() * 60000).toISOString().slice(0, 19); })()`,
    );
    const field = page.getByLabel('Up to');
    await field.fill(moment);
    await page.locator('table.calls', { hasText: 'task_list' }).waitFor();
    await eventually('the newest call is gone', async () => (await first()) === 'task_list');
    await untilVerdict(page, 'verified');
    expect(await page.locator('#banner').innerText()).toMatch(/[\d,]+ not shown/);
    expect(await field.inputValue()).toBe(moment);
    await page.getByRole('button', { name: 'Back to the newest' }).click();
    await eventually('the newest call is back', async () => (await first()) === 'server_ping');
    expect(await field.inputValue()).toBe('');
  });

  it('begins anew on `resync`, says when the store is away, and goes on when it is back', {
    timeout: 120_000,
  }, async () => {
    const { place } = await pageStore(20);
    const viewed = await startView(place);
    const page = await openView(viewed);
    await untilVerdict(page, 'verified');
    let told = 0;
    await page.route('**/events*', (route) =>
      told++ === 0
        ? route.fulfill({ contentType: 'text/event-stream', body: 'event: resync\ndata: {}\n\n' })
        : route.continue(),
    );
    await page.reload();
    await eventually('it asked again', async () => told >= 2, 20_000);
    await untilVerdict(page, 'verified');
    await page.unroute('**/events*');
    fs.renameSync(join(place.dir, 'store'), join(place.dir, 'away'));
    await page.locator('#banner', { hasText: 'NOT CONNECTED' }).waitFor({ timeout: 20_000 });
    expect(await page.locator('#banner').innerText()).toContain('cannot read the store');
    fs.renameSync(join(place.dir, 'away'), join(place.dir, 'store'));
    await untilVerdict(page, 'verified');
  });
});
