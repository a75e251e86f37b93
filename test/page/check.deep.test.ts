// The view Check, with files as people get them, and pages whose records this version does not know.
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { pageParts } from '../../src/cli/page/parts.js';
import { hashes } from '../../src/ledger/hashes.js';
import { readPage, writePage } from '../../src/page/html.js';
import type { JsonObject } from '../../src/proof/canonical-json.js';
import type { PageData } from '../../src/proof/page-data.js';
import { browserIsHere, noBrowser, openBrowser } from '../support/browser.js';
import { colibri, usedStore } from '../support/command-line.js';
import { placeForAll } from '../support/ends.js';
import { receiptOf } from '../support/ledger-check.js';
import { freshPlace, type Message, type Place, serve } from '../support/serve.js';
import { signedAnew } from './forge.js';
import { goTo, openFile, savedPage, verdictIn } from './page.shared.js';
import { type PageStore, pageStore } from './page-store.js';

browserIsHere();

describe.skipIf(noBrowser)('a page of a store with an approval', () => {
  const ends = placeForAll();
  let [store, answer, saved]: [PageStore, Message, { file: string; vkeys: string[] }] = [] as never;
  let browser: Browser = undefined as never;

  beforeAll(async () => {
    store = await pageStore(20, ends.place());
    const peer = serve(store.place);
    await peer.initialize();
    await peer.phase2();
    answer = await peer.call('server_ping', {});
    await peer.end();
    saved = await savedPage(store.place);
    browser = await openBrowser(ends.add);
  }, 120_000);

  const noteOf = async (place: Place): Promise<string> => {
    const { stdout } = await colibri(place, ['checkpoint', '--print']);
    return /colibri\.dev\/log\/[0-9a-f]+\n\d+\n[\s\S]*/.exec(stdout)?.[0] ?? '';
  };

  const opened = async (file = saved.file): Promise<Page> => {
    const page = await openFile(browser, file);
    expect(await verdictIn(page)).toBe('verified');
    return page;
  };

  /** What the view says of a file. */
  const said = async (page: Page, text: string | Buffer, name = 'file'): Promise<string> => {
    const before = await page.locator('.finding').count();
    await page.locator('#check-file').setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
    await page.locator('.finding').nth(before).waitFor();
    return page.locator('.finding').first().innerText();
  };

  it('checks a proof with the approvals and the definition of a call, and a checkpoint', async () => {
    const page = await opened();
    await goTo(page, 'check');
    const out = join(store.place.dir, 'call.tlog-proof');
    expect((await colibri(store.place, ['prove', store.allowed, '--out', out])).code).toBe(0);
    const proof = fs.readFileSync(out, 'utf8');
    const told = await said(page, proof);
    expect(told).toMatch(/\u2713 holds[\s\S]*vault__act ok/);
    for (const word of ['asked', 'granted, by', 'used, by', 'The definition that the model saw'])
      expect(told).toContain(word);
    expect(await said(page, proof.replace(/extra (.{40})./, 'extra $1A'))).toContain('does not hold');
    const note = await noteOf(store.place);
    expect(await said(page, note)).toMatch(/\u2713 holds[\s\S]*The checkpoint holds/);
    expect(await said(page, note.replace(/\n(\d+)\n/, '\n1$1\n'))).toContain('does not hold');
    const { place: other } = await usedStore(freshPlace(ends.add));
    const foreign = await noteOf(other);
    expect(await said(page, foreign)).toContain('a log whose key this page does not have');
    await page.locator('#check-key').fill(saved.vkeys[0] ?? '');
    expect(await said(page, foreign)).toContain('does not hold');
  });

  it('checks receipts in every form that the command line takes', async () => {
    const page = await opened();
    await goTo(page, 'check');
    const receipt = receiptOf(answer);
    const bytes = JSON.stringify(answer.result);
    const good = [
      JSON.stringify(receipt),
      JSON.stringify(answer),
      JSON.stringify(answer.result),
      JSON.stringify([receipt, answer]),
      `${JSON.stringify(receipt)}\n${JSON.stringify(answer)}\n`,
      JSON.stringify({ receipt, bytes }),
      JSON.stringify({ receipt, base64: Buffer.from(bytes).toString('base64') }),
    ];
    for (const [i, text] of good.entries()) {
      const file = join(store.place.dir, 'receipts.json');
      fs.writeFileSync(file, text);
      expect([i, (await colibri(store.place, ['verify', '--receipts', file])).code]).toEqual([i, 0]);
      expect([i, await said(page, text)]).toEqual([i, expect.stringMatching(/\u2713 holds[\s\S]*(1 of 1|2 of 2)/)]);
    }
    const changed = { ...answer.result, content: [{ type: 'text', text: 'something else' }] };
    const bad = [
      JSON.stringify({ ...receipt, seq: (receipt?.seq ?? 0) - 1 }),
      JSON.stringify({ ...receipt, leaf: '0'.repeat(64) }),
      JSON.stringify({ ...receipt, call: '0'.repeat(36) }),
      JSON.stringify(changed),
      JSON.stringify({ receipt, bytes: JSON.stringify(changed) }),
      JSON.stringify({ receipt, base64: 'e30=' }),
      JSON.stringify({ receipt, base64: '!' }),
      '[]',
      '{}',
      'null',
      'not json',
    ];
    for (const [i, text] of bad.entries())
      expect([i, await said(page, text)]).toEqual([i, expect.stringContaining('\u2717 does not hold')]);
    expect(await said(page, Buffer.from([0xff, 0xfe, 0x41]))).toContain('not a text in UTF-8');
    expect(await said(page, Buffer.alloc(33 * 1024 * 1024, 0x20))).toContain('too large');
    expect(await said(page, '{}', '<img src=x onerror="window.hit=1">\u202e')).toContain('\\u202e');
    expect(await page.evaluate('window.hit')).toBeUndefined();
  });

  it('takes a file that is dropped', async () => {
    const page = await opened();
    await goTo(page, 'check');
    await page.evaluate(`{
      const files = new DataTransfer();
      files.items.add(new File([${JSON.stringify(JSON.stringify(receiptOf(answer)))}], 'dropped.json'));
      document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }));
    }`);
    expect(await page.locator('.finding').innerText()).toMatch(/\u2713 holds dropped\.json/);
  });

  const VIEWS = ['now', 'calls', 'tasks', 'tasks/T-0001', 'trail', 'servers', 'servers/crashes', 'check'];

  /** Opens a page with these records in every view; returns what the browser complained about. */
  const complaints = async (data: PageData): Promise<readonly string[]> => {
    const file = join(store.place.dir, 'odd.html');
    fs.writeFileSync(file, writePage(data, pageParts(), hashes));
    const page = await browser.newPage();
    const found: string[] = [];
    page.on('pageerror', ({ message }) => found.push(message));
    page.on('console', (message) => found.push(message.text()));
    await page.goto(`file://${file}`);
    expect(await verdictIn(page)).toBe('verified');
    for (const view of VIEWS) {
      await goTo(page, view);
      if ((await page.locator('main h1').count()) !== 1) found.push(`${view} is empty`);
    }
    await goTo(page, 'calls');
    for (const link of (
      await page.locator('table.calls a.row').evaluateAll((all) => all.map((one) => one.getAttribute('href')))
    ).slice(0, 20))
      await goTo(page, String(link).slice(1));
    await page.close();
    return found;
  };

  it('shows records, subjects and members that it does not know', async () => {
    const data = readPage(fs.readFileSync(saved.file, 'utf8'));
    const [log] = data?.logs ?? [];
    if (data === undefined || log === undefined) throw new Error('no page');
    const at = String(log.records.at(-1)?.at);
    const more: JsonObject[] = [
      {
        v: 1,
        kind: 'round.opened',
        at,
        round: 'r-1',
        quorum: 3,
        subjects: [{ type: 'round', id: 'r-1', rev: 1, digest: 'x' }],
      },
      { v: 1, kind: 'vote', at, round: 'r-1', voter: '<b>', answer: true, weight: { a: [1] } },
      { v: 1, kind: 'approval', at, state: 'granted', via: 'quorum', round: 'r-1', server: 's', tool: 't' },
      { v: 2, kind: '__proto__', at },
      { v: 2, kind: 'constructor', at: 'never', subjects: 'none' },
      { v: 2, kind: 7, at: null },
    ];
    expect(await complaints({ ...data, logs: [signedAnew(log, [...log.records, ...more])] })).toEqual([]);
    // Every member of every record becomes something else, in turn.
    for (const odd of [null, 7, 'text', [], {}, [{}], true]) {
      const records = log.records.map((record, i) => {
        const names = Object.keys(record).filter((name) => name !== 'kind');
        const name = names[i % names.length] ?? 'at';
        return { ...record, [name]: odd };
      });
      expect(await complaints({ ...data, logs: [signedAnew(log, records)] })).toEqual([]);
    }
  });

  it('says of an empty page that there is nothing', async () => {
    const data = readPage(fs.readFileSync(saved.file, 'utf8'));
    const [log] = data?.logs ?? [];
    if (data === undefined || log === undefined) throw new Error('no page');
    const empty = { ...data, unproved: {}, logs: [signedAnew(log, log.records.slice(0, 1))] };
    expect(await complaints(empty)).toEqual([]);
  });
});
