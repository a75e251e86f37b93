// What else of a page's file could be changed so that a person believes it: the document around script, style and data, its encoding, and the claims
// in its data that nobody signed. The browser shows it as broken, or shows exactly what it shows of the untouched file; `colibri verify` refuses all.
import * as fs from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { pageParts } from '../../src/cli/page/parts.js';
import { judgePage } from '../../src/cli/verify/page-check.js';
import { hashes } from '../../src/ledger/hashes.js';
import { isSignedBy } from '../../src/ledger/notes.js';
import { parseVkey } from '../../src/ledger/tree.js';
import { readPage, writePage } from '../../src/page/html.js';
import { checkPage } from '../../src/proof/page-check.js';
import type { PageData, PageLog, PageRow } from '../../src/proof/page-data.js';
import { browserIsHere, noBrowser, openBrowser } from '../support/browser.js';
import { colibri, usedStore } from '../support/command-line.js';
import { placeForAll } from '../support/ends.js';
import type { Place } from '../support/serve.js';
import { goTo, openFile, savedPage, verdictIn } from './page.shared.js';

browserIsHere();

const ends = placeForAll();
let [place, text, vkey, task]: [Place, string, string, string] = [] as never;

beforeAll(async () => {
  ({ place } = await usedStore(ends.place()));
  const saved = await savedPage(place);
  text = fs.readFileSync(saved.file, 'utf8');
  [vkey = ''] = saved.vkeys;
  task = 'T-0001';
}, 60_000);

type Edit = (text: string) => string | Buffer;

const swapped =
  (from: string | RegExp, to: string): Edit =>
  (whole) => {
    const changed = whole.replace(from, () => to);
    if (changed === whole) throw new Error(`nothing to change: ${String(from)}`);
    return changed;
  };
const before = (mark: string, more: string): Edit => swapped(mark, `${more}${mark}`);
const after = (mark: string, more: string): Edit => swapped(mark, `${mark}${more}`);

const FORGED = '<h1>FORGED</h1>';
const BANNER = '<div id="banner" role="status" data-verdict="unverified">';
const shadow = (mode: string): string =>
  `<template shadowrootmode="${mode}"><b>\u2713 VERIFIED</b>${FORGED}<slot></slot></template>`;
const closed = shadow('closed');

/** What the browser says `broken` of. */
const BROKEN: Readonly<Record<string, Edit>> = {
  'words before the document': before('<!doctype html>', 'FORGED '),
  'a comment before the document': before('<!doctype html>', '<!-- FORGED -->'),
  'no document type': swapped('<!doctype html>\n', ''),
  'another document type': swapped(
    '<!doctype html>',
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "">',
  ),
  'words before the banner': before(BANNER, FORGED),
  'a second banner': before(
    '<div id="app">',
    '<div id="banner" data-verdict="verified"><strong>VERIFIED</strong></div>',
  ),
  'a second banner before': before(BANNER, '<div id="banner" data-verdict="verified"><strong>VERIFIED</strong></div>'),
  'an open dialog over everything': before('<div id="app">', `<dialog open>${FORGED}</dialog>`),
  'words in the place of the content': after('<div id="app">', FORGED),
  'words behind the script': before('\n</body>\n', FORGED),
  'words behind the document': (whole) => `${whole}${FORGED}`,
  'a comment behind the document': (whole) => `${whole}<!-- FORGED -->`,
  'words in the banner': swapped('<strong>NOT VERIFIED</strong>', '<strong>\u2713 VERIFIED</strong>'),
  'the verdict of the banner': swapped('data-verdict="unverified"', 'data-verdict="verified"'),
  'the sentence of the banner': swapped(/scripts do not run here[^<]*/, 'everything is fine'),
  'a script of somebody else': before('<script type=', '<script>document.title="FORGED"</script>'),
  'a script from elsewhere': before('<script type=', '<script src="file:///tmp/x.js"></script>'),
  'a script behind ours': before('\n</body>\n', '<script>document.title="FORGED"</script>'),
  'a base': before('<title>', '<base href="https://evil.example/">'),
  'a refresh': before('<title>', '<meta http-equiv="refresh" content="900;url=file:///tmp/x.html">'),
  'a second policy': before('<title>', `<meta http-equiv="Content-Security-Policy" content="img-src *">`),
  'a wider policy': swapped("default-src 'none'", "default-src * 'unsafe-inline'"),
  'no policy': swapped(/<meta http-equiv="Content-Security-Policy"[^>]*>\n/, ''),
  'a policy that allows styles': (whole) =>
    String(
      before(
        '</head>',
        '<style>#banner{display:none}</style>',
      )(String(swapped(/style-src 'sha256-[^']+'/, "style-src 'unsafe-inline'")(whole))),
    ),
  'a style in an attribute': swapped('<div id="app">', '<div id="app" style="color:red">'),
  'a hidden document': swapped('<html lang="en">', '<html lang="en" hidden>'),
  'a listener': swapped('<body>', '<body onload="document.title=1">'),
  'another language': swapped('lang="en"', 'lang="ar" dir="rtl"'),
  'another viewport': swapped('initial-scale=1', 'initial-scale=9'),
  'another title': swapped(/<title>[^<]*/, '<title>Colibri: VERIFIED'),
  'a frame': before(BANNER, '<iframe srcdoc="FORGED"></iframe>'),
  'a drawing': before(BANNER, '<svg width="800" height="99"><text y="40">FORGED</text></svg>'),
  'a link to a style': before('</head>', '<link rel="stylesheet" href="x.css">'),
  'the data in another kind of block': swapped('type="application/json"', 'type="text/plain"'),
  'two data blocks': before('<script type=', '<script type="application/json" id="data">{}</script>'),
  'an element without an end': before(BANNER, '<p hidden>'),
  'a second name for our elements': swapped('<div id="app">', '<div id="app" class="skip">'),
  'the encoding of somebody else': swapped('<meta charset="utf-8">', '<meta charset="windows-1252">'),
  'UTF-16': (whole) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(whole, 'utf16le')]),
};

/** What changes nothing that the browser makes of the file: it shows exactly what it shows of the untouched one. */
const SAME: Readonly<Record<string, Edit>> = {
  'a byte order mark': (whole) => `\ufeff${whole}`,
  'other line ends': (whole) => whole.replaceAll('\n', '\r\n'),
  'names of elements in capitals': swapped('<body>', '<BODY>'),
  'letters as numbers': swapped('NOT VERIFIED', 'NOT&#32;VERIFIED'),
  'blanks in a tag': swapped('<div id="app">', '<div  id=app >'),
  'a hidden tree on the body, open': after('<body>', shadow('open')),
  'a hidden tree on the body': after('<body>', closed),
  'a hidden tree on the banner': after(BANNER, closed),
  'a hidden tree on the content': after('<div id="app">', closed),
};

/** Where our script does not run, the browser shows what the file says, and nobody is there to object but `colibri verify`. */
const SILENCED: Readonly<Record<string, Edit>> = {
  'a banner of somebody else, and no script': (whole) =>
    String(swapped('NOT VERIFIED', '\u2713 VERIFIED')(whole)).replace(/<script>const[\s\S]*?<\/script>/, ''),
  'a banner of somebody else, and a script that the policy refuses': (whole) =>
    String(swapped('NOT VERIFIED', '\u2713 VERIFIED')(whole)).replace('<script>const', '<script> const'),
  'everything as words': before(BANNER, '\u2713 VERIFIED<plaintext hidden>'),
  'everything in a comment': before(BANNER, '\u2713 VERIFIED<!--'),
};

const written = (name: string, edit: Edit): string => {
  const file = join(place.dir, 'edited.html');
  fs.writeFileSync(file, edit(text));
  return `${name === '' ? '' : file}`;
};

const refusedBy = async (file: string): Promise<number> => {
  const key = parseVkey(vkey);
  if (key === undefined) throw new Error('no key');
  return (await judgePage(fs.readFileSync(file, 'utf8'), [key], pageParts())).exit;
};

describe.skipIf(noBrowser)('a file that was changed around its blocks', () => {
  it('is shown as broken, or as if it had not been changed', { timeout: 300_000 }, async () => {
    const browser: Browser = await openBrowser();
    const look = async (file: string): Promise<{ verdict: string; picture: string; page: Page }> => {
      const page = await openFile(browser, file);
      return { verdict: await verdictIn(page, 3_000), picture: (await page.screenshot()).toString('base64'), page };
    };
    const untouched = await look(written('untouched', (whole) => whole));
    expect(untouched.verdict).toBe('verified');
    for (const [name, edit] of Object.entries(BROKEN)) {
      const { verdict, page } = await look(written(name, edit));
      expect([name, verdict]).toEqual([name, 'broken']);
      expect(await page.locator('body').innerText(), name).not.toMatch(/FORGED|(?<!NOT )VERIFIED/);
      expect(await page.locator('body').innerText(), name).toContain('BROKEN');
      await page.context().close();
    }
    for (const [name, edit] of Object.entries(SAME)) {
      const { verdict, picture, page } = await look(written(name, edit));
      expect([name, verdict, picture === untouched.picture]).toEqual([name, 'verified', true]);
      await page.context().close();
    }
    for (const [name, edit] of Object.entries(SILENCED)) {
      const { verdict, page } = await look(written(name, edit));
      expect([name, verdict]).not.toEqual([name, 'verified']);
      await page.context().close();
    }
  });

  it('is not trusted inside of another page', async () => {
    const browser: Browser = await openBrowser();
    fs.writeFileSync(join(place.dir, 'inner.html'), text);
    const outer = join(place.dir, 'outer.html');
    fs.writeFileSync(outer, '<!doctype html><h1>VERIFIED</h1><iframe src="inner.html"></iframe>');
    const page = await openFile(browser, outer);
    const banner = page.frameLocator('iframe').locator('#banner[data-verdict="broken"]');
    await banner.waitFor();
    expect(await banner.innerText()).toContain('inside of another one');
  });
});

test('`colibri verify` refuses every changed file', { timeout: 60_000 }, async () => {
  expect(await refusedBy(written('untouched', (whole) => whole))).toBe(0);
  const all = { ...BROKEN, ...SAME, ...SILENCED };
  for (const [name, edit] of Object.entries(all)) {
    const exit = await refusedBy(written(name, edit));
    expect([name, exit === 20 || exit === 30]).toEqual([name, true]);
  }
  for (const name of ['a byte order mark', 'UTF-16', 'everything in a comment']) {
    const { code, stdout } = await colibri(place, ['verify', written(name, all[name] ?? String), '--key', vkey]);
    expect([name, code === 20 || code === 30]).toEqual([name, true]);
    expect(stdout).not.toMatch(/^VERIFIED/m);
  }
});

/** A page with other data, made by Colibri: script, style and hashes fit. */
const remade = (change: (log: PageLog, data: PageData) => Partial<PageLog>): string => {
  const data = readPage(text);
  const [log] = data?.logs ?? [];
  if (data === undefined || log === undefined) throw new Error('no page');
  return writePage({ ...data, logs: [{ ...log, ...change(log, data) }] }, pageParts(), hashes);
};

const taskRow = ({ rows }: PageLog): PageRow => {
  const found = rows.find(({ row }) => row.type === 'task');
  if (found === undefined) throw new Error('no task');
  return found;
};

const provedWith = async (log: PageLog) => {
  const { logs } = await checkPage({ logs: [log] }, { hashes, verifyEd25519: isSignedBy, pause: async () => {} });
  const [found] = logs;
  if (found === undefined) throw new Error('no log');
  return found;
};

describe('rows that no record proves', () => {
  const judged = async (whole: string) => {
    const file = join(place.dir, 'remade.html');
    fs.writeFileSync(file, whole);
    const key = parseVkey(vkey);
    if (key === undefined) throw new Error('no key');
    return { file, ...(await judgePage(whole, [key], pageParts())) };
  };
  const forged = (log: PageLog): PageRow => {
    const real = taskRow(log);
    return { seq: log.size - 1 + 1_000, row: { ...real.row, title: 'FORGED' } };
  };

  it('are refused beside the row that is proved: its mark would stand with both', async () => {
    const report = await judged(remade((log) => ({ rows: [forged(log), ...log.rows], size: log.size + 2_000 })));
    expect(report).toMatchObject({ exit: 20, findings: [{ message: `task ${task} is there twice` }] });
  });

  it.skipIf(noBrowser)('are marked on the board, on the first view and with the task', async () => {
    const { file } = await judged(
      remade((log) => ({
        rows: [forged(log), ...log.rows.filter((row) => row !== taskRow(log))],
        size: log.size + 2_000,
      })),
    );
    const page = await openFile(await openBrowser(), file);
    expect(await verdictIn(page)).toBe('verified');
    expect(await page.locator('.tile', { hasText: 'open task' }).innerText()).toContain('not proved');
    await goTo(page, 'tasks');
    expect(await page.locator('.task', { hasText: 'FORGED' }).innerText()).toContain('not proved');
    await goTo(page, `tasks/${task}`);
    expect(await page.locator('h1').innerText()).toContain('not proved');
    expect(await page.locator('#banner').innerText()).toMatch(
      /As the page itself says, not proved: made .* by Colibri/,
    );
  });

  it('an older revision does not count as proved once a newer one is named', async () => {
    const data = readPage(text);
    const [log] = data?.logs ?? [];
    if (log === undefined) throw new Error('no page');
    const naming = log.records.filter(
      ({ subjects }) => Array.isArray(subjects) && subjects.some(({ type, id }) => type === 'task' && id === task),
    );
    expect(naming.length).toBeGreaterThan(1);
    const old = { ...taskRow(log), seq: Number(naming[0]?.seq) };
    const { proved } = await provedWith({ ...log, rows: [old] });
    expect([...proved]).not.toContain(`task ${task}`);
    expect([...(await provedWith(log)).proved]).toContain(`task ${task}`);
  });
});
