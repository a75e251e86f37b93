// The beginning of the page's script. A saved page: shows the data that are in the file, and checks that they and the style are those that the script
// knows the hashes of, and everything that they say. A live page: fetches the data.
import { checkPage } from '../../proof/page-check.js';
import { type PageData, readPageData } from '../../proof/page-data.js';
import { LIVE_DATA } from '../html.js';
import { logIdOf, modelOf } from '../model/model.js';
import type { App } from './app.js';
import { sayBroken, sayChecking, sayLost, sayVerdict } from './banner.js';
import { breathe, crypto, hashOfText, pageHashes, pauses } from './checking.js';
import { clearDocument, documentFault, newBody, parsed } from './document.js';
import { frameOf, type PageFrameView } from './frame.js';
import { PAGE_LIMITS } from './limits.js';
import { follow, loadPage, type PageWanted } from './live.js';

/** The hashes of the data (`live` if they are to be fetched) and of the style, which html.ts writes before the script. */
declare const COLIBRI_PAGE: { readonly data: string; readonly style: string };

/** The text of this script, whose hash the policy of the file must name. */
const OWN_TEXT = document.currentScript?.textContent ?? '';

const textOf = (selector: string): string => document.querySelector(selector)?.textContent ?? '';

const appWith = (data: PageData, more: Pick<App, 'live' | 'now' | 'older' | 'until' | 'newest'>): App => ({
  ...more,
  data,
  model: modelOf(data),
  verdict: undefined,
  filters: { outcome: '', tool: '', server: '', who: '', text: '', until: '', page: 0 },
  redraw: () => {},
});

const begin = (app: App): PageFrameView => {
  const root = newBody();
  sayChecking();
  const frame = frameOf(app, root);
  app.redraw = frame.draw;
  frame.draw();
  return frame;
};

/** Checks everything that is shown; the banner is changed at the very end. */
const judge = async (app: App, pause: () => Promise<void>): Promise<void> => {
  const { data } = app;
  const verdict = await checkPage(data, { hashes: pageHashes, verifyEd25519: crypto.verifyEd25519, pause });
  if (app.data !== data && !app.live) return;
  app.verdict = verdict;
  app.redraw();
  sayVerdict(verdict, data, app.live);
};

const refuse = (why: string): void => {
  clearDocument();
  sayBroken(why);
};

const styleFault = async (pause: () => Promise<void>): Promise<string | undefined> => {
  const isOurs = (await hashOfText(textOf('style'), pause)) === COLIBRI_PAGE.style;
  return isOurs ? undefined : 'The style of this file is not the one that it was made with.';
};

/** Whether the style and the data are those that the file was made with. */
const fileFault = async (block: string, pause: () => Promise<void>): Promise<string | undefined> => {
  const fault = await styleFault(pause);
  if (fault !== undefined) return fault;
  const isOurs = (await hashOfText(block, pause)) === COLIBRI_PAGE.data;
  return isOurs ? undefined : 'The data in this file are not those that it was made with.';
};

/** Shows the data at once, under the words NOT VERIFIED, and checks then: a large page takes a while to hash. */
const startSaved = async (): Promise<void> => {
  await parsed();
  const block = textOf('#data');
  const data = readPageData(JSON.parse(block));
  if (data === undefined) return refuse('The data in this file do not have the form of a page.');
  const wrong = documentFault(data, OWN_TEXT, textOf('style'));
  if (wrong !== undefined) return refuse(wrong);
  const app = appWith(data, { live: false, now: () => data.made_at });
  begin(app);
  await breathe();
  const pause = pauses();
  const fault = await fileFault(block, pause);
  if (fault !== undefined) return refuse(fault);
  await judge(app, pause);
};

/** Where a page of older records ends: the place at which the shown one begins. */
const startOf = ({ logs }: PageData): string =>
  logs.map((log) => `${logIdOf(log)}:${String(log.records[0]?.seq ?? 0)}`).join(',');

const NEWEST: PageWanted = {};

const startLive = async (): Promise<void> => {
  sayChecking();
  const fault = await styleFault(pauses());
  if (fault !== undefined) return refuse(fault);
  let following: { readonly stop: () => void } | undefined;
  let checks = Promise.resolve();
  const check = (): void => {
    checks = checks.then(() => judge(app, pauses()));
  };
  const show = async (wanted: PageWanted): Promise<void> => {
    following?.stop();
    take(app, await loadPage(wanted));
    app.redraw();
    check();
    following = wanted === NEWEST ? followInto(app, check) : undefined;
  };
  const go = (wanted: PageWanted): void => void show(wanted).catch(gone);
  const app = appWith(await loadPage(), {
    live: true,
    now: () => new Date().toISOString(),
    older: () => go({ before: startOf(app.data) }),
    until: (until) => go({ until }),
    newest: () => go(NEWEST),
  });
  begin(app);
  check();
  following = followInto(app, check);
};

const take = (app: App, data: PageData): void => {
  app.data = data;
  app.model = modelOf(data);
  // How many records the page knows of: what a test, or a person with the inspector, compares with the log.
  document.documentElement.setAttribute('data-records', String(data.logs.reduce((sum, { size }) => sum + size, 0)));
};

const gone = (thrown: unknown): void =>
  sayBroken(`The page can no longer reach colibri view: ${thrown instanceof Error ? thrown.message : String(thrown)}.`);

const followInto = (app: App, check: () => void): { readonly stop: () => void } => {
  let [timer, newest]: [ReturnType<typeof setTimeout> | undefined, PageData] = [undefined, app.data];
  const soon = (data: PageData): void => {
    newest = data;
    timer ??= setTimeout(() => {
      timer = undefined;
      take(app, newest);
      app.redraw();
      check();
    }, PAGE_LIMITS.redrawMs);
  };
  const { stop } = follow(app.data, {
    onData: soon,
    onSigned: soon,
    onGone: (why) => (why === '' ? sayLost() : gone(why)),
  });
  return {
    stop: () => {
      stop();
      clearTimeout(timer);
    },
  };
};

// On paper nobody can open what is closed: the keys are printed, too.
window.addEventListener('beforeprint', () => {
  for (const one of document.querySelectorAll('#banner details')) one.setAttribute('open', '');
});
(COLIBRI_PAGE.data === LIVE_DATA ? startLive() : startSaved()).catch((thrown: unknown) =>
  refuse(`This page cannot be shown: ${thrown instanceof Error ? thrown.message : String(thrown)}.`),
);
