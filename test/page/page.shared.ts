// What the tests of the page share: opening a file in a browser without network, and reading its banner.
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { colibri, json, type Ran } from '../support/command-line.js';
import type { Place } from '../support/serve.js';

/** A saved page of the place's store. */
export const savedPage = async (
  place: Place,
  ...args: string[]
): Promise<{ file: string; said: Ran; vkeys: string[] }> => {
  const file = join(place.dir, `page-${fs.readdirSync(place.dir).length}.html`);
  const said = await colibri(place, ['page', '--out', file, '--json', ...args]);
  if (said.code !== 0) throw new Error(said.stderr);
  return { file, said, vkeys: json(said).logs.map(({ vkey }: { vkey: string }) => vkey) };
};

/** Opens a file with the network off. */
export const openFile = async (browser: Browser, file: string, options: object = {}): Promise<Page> => {
  const context = await browser.newContext({ offline: true, ...options });
  const page = await context.newPage();
  await page.goto(`file://${file}`);
  return page;
};

/** The verdict in the banner once the check has ended; `unverified` if it never does. */
export const verdictIn = async (page: Page, patienceMs = 30_000): Promise<string> => {
  // Not by waitForFunction: the page's policy forbids to evaluate a text again and again.
  const ended = page.locator('#banner:not([data-verdict="unverified"])');
  await ended.waitFor({ state: 'attached', timeout: patienceMs }).catch(() => {});
  const banner = page.locator('#banner');
  return (await banner.count()) === 0 ? 'no banner' : ((await banner.getAttribute('data-verdict')) ?? 'no verdict');
};

/** Waits until the banner says so. */
export const untilVerdict = (page: Page, verdict: string, patienceMs = 20_000): Promise<void> =>
  page.locator(`#banner[data-verdict="${verdict}"]`).waitFor({ state: 'attached', timeout: patienceMs });

export const goTo = async (page: Page, place: string): Promise<void> => {
  await page.evaluate(`location.hash = ${JSON.stringify(`#${place}`)}`);
  await page.locator('main h1').waitFor();
  await page.waitForTimeout(50);
};
