// What a person looks for first in a page of a real store: the search by keyboard, what servers said before another one answered, what waits for a
// yes with its arguments, and names that tell processes apart.
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { browserIsHere, noBrowser, openBrowser } from '../support/browser.js';
import { dataOf } from '../support/command-line.js';
import { type Ending, placeForAll } from '../support/ends.js';
import { type Peer, type Place, session } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { goTo, openFile, savedPage, verdictIn } from './page.shared.js';

const QUOTA = '429: the quota of this key is used up';
const LATE = { START_MS: '1500' };

const fill = async (place: Place): Promise<void> => {
  const tools = { readOnly: ['*'] };
  const servers = {
    first: { ...fakeServer('says'), tools },
    second: { ...fakeServer('says'), tools },
    dozes: { ...fakeServer('says', LATE), tools },
    vault: { ...fakeServer('says'), tools: { ask: ['answer'] }, ask: { via: ['command'], minutes: 60 } },
  };
  const routes = { 'ask:it': ['first/fail', 'second/answer'], 'wait:for': ['dozes/answer', 'second/fail'] };
  writeBoard(place, servers, { routes });
  const healthy = (peer: Peer): Promise<void> => untilHealthy(peer, 'first', 'second', 'dozes', 'vault');
  await session(place, async (peer) => {
    await healthy(peer);
    await peer.call('ask__it', { text: QUOTA }, 60_000);
    await peer.call('vault__answer', { text: '/photos' });
    const { task_id } = dataOf(await peer.call('task_create', { title: 'Look at the photos' }));
    await peer.call('task_update', { task_id, status: 'DONE' }); // refused
    for (let n = 0; n < 8; n++) await peer.call('task_get', { task_id: `T-09${n}0` });
  });
  // The tools of the servers are known by now, so a call may come before one of them has started.
  await session(place, async (peer) => {
    await peer.call('wait__for', { text: 'good morning' }, 60_000);
    await healthy(peer);
  });
};

browserIsHere();

describe.skipIf(noBrowser)('a page, looked at for the first time', () => {
  const ends: Ending = placeForAll();
  let browser: Browser = undefined as never;
  let file = '';

  beforeAll(async () => {
    const place = ends.place();
    await fill(place);
    file = (await savedPage(place)).file;
    browser = await openBrowser(ends.add);
  }, 120_000);

  const opened = async (): Promise<Page> => {
    const page = await openFile(browser, file);
    expect(await verdictIn(page)).toBe('verified');
    return page;
  };

  const openCall = async (page: Page, words: string): Promise<string> => {
    await goTo(page, 'calls');
    await page.locator('#search').fill(words);
    await page.locator('table.calls a.row').first().click();
    await page.locator('article').waitFor();
    return page.locator('article').innerText();
  };

  it('puts the cursor into the search from every view, for the very next key', async () => {
    const page = await opened();
    await goTo(page, 'calls');
    const call = String(await page.locator('table.calls a.row').first().getAttribute('href')).slice(1);
    for (const view of ['now', 'calls', call, 'tasks', 'tasks/T-0001', 'trail', 'servers', 'servers/first', 'check']) {
      await goTo(page, view);
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.press('/');
      await page.keyboard.type('1j/photos');
      expect([view, await page.locator('#search').inputValue()]).toEqual([view, '1j/photos']);
      expect(await page.locator('h1').innerText()).toBe('Calls');
      await page.waitForTimeout(50);
      expect(await page.evaluate('document.activeElement.id')).toBe('search');
      await page.keyboard.press('ControlOrMeta+a');
      await page.keyboard.press('Delete');
      expect(await page.locator('table.calls a.row').count()).toBeGreaterThan(5);
      await page.keyboard.press('Escape');
    }
  });

  it('shows what a server said before another one answered, and what the call was about', async () => {
    const page = await opened();
    const told = await openCall(page, 'ask__it');
    expect(told).toContain(`first: ${QUOTA}`);
    expect(told).toContain(`fell back to second, text=${QUOTA}`);
  });

  it('says of a server that was starting that the call waited for it', async () => {
    const told = await openCall(await opened(), 'wait__for');
    expect(told).toMatch(/dozes\s+answer\s+STARTING\s+the call waited for it and then was sent/);
  });

  it('shows the arguments of a call that waits for a yes, if the page has them', async () => {
    const page = await opened();
    expect(await page.locator('.waiting').innerText()).toMatch(
      /not proved[\s\S]*"text": "\/photos"[\s\S]*colibri approve/,
    );
  });

  it('says a code once, how much more there is, and what its marks mean', async () => {
    const page = await opened();
    const bad = page.locator('section', { hasText: 'Did not end well' });
    expect(await bad.locator('li').count()).toBe(6);
    await bad.getByRole('link', { name: /^and \d+ more$/ }).click();
    await page.locator('table.calls').waitFor();
    expect(await page.locator('table.calls a.row').count()).toBeGreaterThan(9);
    const rows = await page.locator('table.calls tbody tr').allInnerTexts();
    for (const row of rows) expect(row).not.toMatch(/(ERR_[A-Z_]+)[\s\S]*\1/);
    expect(rows.join()).toContain('ERR_INVALID_TRANSITION');
    const told = await openCall(page, 'ERR_INVALID_TRANSITION');
    expect(told.split('What it changed')[0]?.match(/ERR_INVALID_TRANSITION/g)).toHaveLength(1);
    await page.keyboard.press('?');
    expect(await page.locator('dialog').innerText()).toMatch(/not proved\s+No signed record that is shown proves this/);
  });

  it('names processes apart from each other', async () => {
    const page = await opened();
    await goTo(page, 'servers/first');
    const names = await page.locator('.strip-row .dim').allInnerTexts();
    expect(names).toHaveLength(2);
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^process …[0-9a-f]{8} \(.+ pid \d+\)$/);
    const instances = await page.locator('.strip-row .dim').evaluateAll((all) => all.map((one) => one.title));
    expect(new Set(instances).size).toBe(2);
  });
});
