// The page of `colibri view` in a browser.
import type { Page } from 'playwright-core';
import { openBrowser } from '../support/browser.js';
import type { Viewed } from './view.shared.js';

export const openView = async ({ file }: Viewed): Promise<Page> => {
  const browser = await openBrowser();
  const page = await (await browser.newContext()).newPage();
  await page.goto(`file://${file}`);
  await page.locator('main h1').waitFor({ timeout: 20_000 });
  return page;
};

/** How many records the page says that it knows of. */
export const knownTo = async (page: Page): Promise<number> =>
  Number(await page.locator('html').getAttribute('data-records'));
