// A real browser for tests of the page: Debian's Chromium, driven by playwright-core. Nothing is ever downloaded; where there is no browser the
// tests say so in one loud line and are skipped, and under CI they fail.
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const executable = PLACES.find((path) => existsSync(path));
const isCi = !['', 'false', undefined].includes(process.env.CI);

/** True if there is no browser here. */
export const noBrowser = executable === undefined;

if (noBrowser && !isCi)
  process.stderr.write('SKIPPED, NOT PROVEN HERE: there is no Chromium: apt-get install chromium\n');

/** A test for every file that needs a browser: under CI its absence fails. */
export const browserIsHere = (): void =>
  it.runIf(isCi)('Chromium is here: without it nothing about the page is proven', () => expect(noBrowser).toBe(false));

/** A browser without network of its own. It ends with the test, or with `finished`. */
export const openBrowser = async (finished: (end: () => Promise<void>) => void = onTestFinished): Promise<Browser> => {
  const browser = await chromium.launch({
    ...(executable !== undefined && { executablePath: executable }),
    // Root in a container has no sandbox to give.
    args: [
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...['--disable-background-networking', '--disable-component-update', '--no-first-run', '--disable-gpu'],
    ],
  });
  finished(() => browser.close());
  return browser;
};
