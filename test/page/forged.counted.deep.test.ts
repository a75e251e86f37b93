// Pages that somebody changed: single bytes of script, style and data, which the browser must refuse, and whole pages that were made anew with
// another key, which `colibri verify --key` must refuse.
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { pageParts } from '../../src/cli/page/parts.js';
import { judgePage } from '../../src/cli/verify/page-check.js';
import { hashes } from '../../src/ledger/hashes.js';
import { parseVkey } from '../../src/ledger/tree.js';
import { readPage, writePage } from '../../src/page/html.js';
import type { PageData } from '../../src/proof/page-data.js';
import { browserIsHere, noBrowser, openBrowser } from '../support/browser.js';
import { colibri, usedStore } from '../support/command-line.js';
import { counted } from '../support/counted.js';
import { placeForAll } from '../support/ends.js';
import { randomFrom } from '../support/random.js';
import type { Place } from '../support/serve.js';
import { signedAnew } from './forge.js';
import { openFile, savedPage, verdictIn } from './page.shared.js';

browserIsHere();

const ends = placeForAll();
let [place, text, vkey]: [Place, string, string] = [] as never;

beforeAll(async () => {
  ({ place } = await usedStore(ends.place()));
  const saved = await savedPage(place);
  text = fs.readFileSync(saved.file, 'utf8');
  vkey = saved.vkeys[0] ?? '';
}, 60_000);

/** Where the blocks of a page begin and end, in bytes. */
const blocksOf = (bytes: Buffer): readonly { readonly name: string; readonly from: number; readonly to: number }[] => {
  const between = (name: string, before: string, after: string) => {
    const from = bytes.indexOf(before) + before.length;
    return { name, from, to: bytes.indexOf(after, from) };
  };
  return [
    between('style', '<style>', '</style>'),
    between('data', 'id="data">', '</script>'),
    between('script', '</script>\n<script>', '</script>'),
  ];
};

describe.skipIf(noBrowser)('one changed byte', () => {
  const run = counted('changed bytes of a page', 200);

  it('is shown as broken or refused, never as verified', { timeout: 1_800_000 }, async () => {
    const browser: Browser = await openBrowser();
    const bytes = Buffer.from(text);
    const file = join(place.dir, 'changed.html');
    fs.writeFileSync(file, bytes);
    const untouched = await openFile(browser, file);
    expect(await verdictIn(untouched)).toBe('verified');
    const random = randomFrom(run.seed);
    const blocks = blocksOf(bytes);
    for (let n = 0; n < run.count; n++) {
      const block = blocks[n % blocks.length];
      if (block === undefined) throw new Error('a block is missing');
      const at = block.from + random.int(block.to - block.from);
      const changed = Buffer.from(bytes);
      const byte = (bytes[at] ?? 0) ^ (1 + random.int(255));
      changed[at] = byte;
      fs.writeFileSync(file, changed);
      const page = await openFile(browser, file);
      // A script that the policy refuses never says anything: the words of the file stay.
      const verdict = await verdictIn(page, 1_500);
      const words = await page
        .locator('#banner')
        .innerText()
        .catch(() => 'NOT VERIFIED');
      expect(['broken', 'unverified', 'no banner'], `${block.name} byte ${at} to ${byte}: ${words}`).toContain(verdict);
      expect(words).not.toMatch(/^.? ?VERIFIED/);
      await page.context().close();
      run.progress(n + 1);
    }
  });
});

const forgery = (data: PageData, n: number): PageData => {
  const [log] = data.logs;
  if (log === undefined) throw new Error('no log');
  const kept = log.records.filter((_, i) => i !== n % log.records.length);
  const records =
    n % 2 === 0
      ? kept
      : log.records.map((record, i) =>
          i === n % log.records.length ? { ...record, at: '2020-01-01T00:00:00.000Z' } : record,
        );
  const forged = signedAnew(log, records);
  // Every third keeps the name of the real key, which then does not fit.
  return { ...data, logs: [n % 3 === 0 ? { ...forged, vkey: log.vkey } : forged] };
};

describe('pages made anew with another key', () => {
  it('50 of them: colibri verify --key refuses each', { timeout: 120_000 }, async () => {
    const [data, key] = [readPage(text), parseVkey(vkey)];
    if (data === undefined || key === undefined) throw new Error('no page');
    expect(await judgePage(text, [key], pageParts())).toMatchObject({ exit: 0, valid: true });
    for (let n = 0; n < 50; n++) {
      const forged = writePage(forgery(data, n), pageParts(), hashes);
      expect(await judgePage(forged, [key], pageParts()), `forgery ${n}`).toMatchObject({ exit: 20, valid: false });
      if (n % 25 > 0) continue;
      const file = join(place.dir, `forged-${n}.html`);
      fs.writeFileSync(file, forged);
      const ran = await colibri(place, ['verify', file, '--key', vkey]);
      expect(ran).toMatchObject({ code: 20, stdout: expect.stringContaining('BROKEN') });
    }
  });

  it('refuses a page whose script was changed, and asks for the keys of the logs that are left', async () => {
    const key = parseVkey(vkey);
    if (key === undefined) throw new Error('no key');
    const changed = text
      .replace('NOT VERIFIED', 'VERIFIED')
      .replace('data-verdict="unverified"', 'data-verdict="verified"');
    expect(await judgePage(changed, [key], pageParts())).toMatchObject({ exit: 20 });
    const data = readPage(text);
    const [log] = data?.logs ?? [];
    if (data === undefined || log === undefined) throw new Error('no page');
    const two = writePage({ ...data, logs: [log, signedAnew(log, log.records)] }, pageParts(), hashes);
    const report = await judgePage(two, [key], pageParts());
    expect(report.exit).toBe(10);
    expect(report.remarks.join(' ')).toContain('give its key too');
    const older = writePage({ ...data, version: '0.0.1' }, pageParts(), hashes);
    expect(await judgePage(older, [key], { script: 'other()', style: '' })).toMatchObject({ exit: 10 });
  });
});
