// The command `colibri page`: one HTML file that shows what happened and checks itself in the browser that opens it.
import { statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { count } from '../../core/figures.js';
import { asError } from '../../errors.js';
import { hashes } from '../../ledger/hashes.js';
import { writePage } from '../../page/html.js';
import type { PageVerdict } from '../../proof/page-check.js';
import type { PageData } from '../../proof/page-data.js';
import { readingStore } from '../access.js';
import { CLI_LIMITS } from '../limits.js';
import { findStore, type PlaceOptions, type StoreAt, whoseStore } from '../place.js';
import { storeCommand } from '../run.js';
import { bytesText } from '../screen/bytes.js';
import { plain, sayExactly, sayJson, sayWhole, tell, tellExactly } from '../screen/print.js';
import { signFirst } from '../signing.js';
import { wrong } from '../target.js';
import { parseTime } from '../when.js';
import { collectPage, heldPage } from './collect.js';
import { keyOptions } from './key-options.js';
import { pageParts } from './parts.js';
import { type PageQuestion, shownRecords } from './shown.js';
import { processesAlive, unprovedIn } from './unproved.js';

const AFTER = `
Writes one HTML file: calls, tasks, reasons, servers, with the signed records
that prove them. It needs no network and nothing installed: the browser that
opens it checks signatures, records and texts, and says which records it does
not show. What no record proves is marked. The log is signed first.

  colibri page --out report.html         the newest ${CLI_LIMITS.pageRecords.toLocaleString('en')} records
  colibri page --since 7d --out week.html
  colibri page --task T-0042 --out t42.html
                                         one task: its calls and reasons
  colibri page --no-payloads --out x.html
                                         digests in place of arguments, errors
                                         and thoughts

A page cannot vouch for itself: whoever gets it compares the key in it with one
from elsewhere, or runs: colibri verify report.html --key <vkey>

Exit codes: 0 written, 1 failed.`;

export interface PageChoice extends PlaceOptions, PageQuestion {
  readonly payloads: boolean;
}

export interface PageOptions extends PageChoice {
  readonly out?: string;
  readonly force?: true;
}

/** The options that say which part of the store a page is about. */
export const withScope = (command: Command): Command =>
  command
    .option('--task <id>', 'one task: the calls that changed it, and its thoughts')
    .option('--session <id>', 'one session of thoughts')
    .option('--since <when>', 'records since then: 7d, 12h, yesterday, 2026-11-16')
    .option('--no-payloads', 'leave arguments, errors and thoughts out; their digests stay');

const questionOf = ({ task, session, since }: PageQuestion, nowMs: number): PageQuestion => {
  if ([task, session, since].filter((one) => one !== undefined).length > 1)
    throw wrong('--task, --session and --since exclude each other.', 'Give one of them.');
  return {
    task: task?.toUpperCase(),
    session,
    since: since === undefined ? undefined : parseTime(since, '--since', nowMs),
  };
};

/** The project that a page is about; null if the store was named by hand or has no project. */
export const projectShown = (at: StoreAt): string | null => {
  const { project } = whoseStore(at);
  return project.none ? null : project.name;
};

export const pageDataOf = async (
  at: StoreAt,
  choice: PageChoice,
): Promise<{ data: PageData; verdict: PageVerdict }> => {
  const nowMs = Date.now();
  const made_at = new Date(nowMs).toISOString();
  const { task = null, session = null, since = null } = questionOf(choice, nowMs);
  const question = { task: task ?? undefined, session: session ?? undefined, since: since ?? undefined };
  await signFirst(at);
  const data = await readingStore(at, async (store) => {
    const alive = await processesAlive(store);
    return store.read(async (tx) =>
      collectPage(tx, await shownRecords(tx, question), {
        made_at,
        project: projectShown(at),
        scope: { task, session, since },
        payloads: choice.payloads ? 'shown' : 'left out',
        unproved: await unprovedIn(tx, alive, made_at),
        openTasks: task === null && session === null,
      }),
    );
  });
  return { data, verdict: await heldPage(data) };
};

const assertSmall = (bytes: number): void => {
  if (bytes <= CLI_LIMITS.pageBytes) return;
  const most = bytesText(CLI_LIMITS.pageBytes);
  throw wrong(
    `The page would have ${bytesText(bytes)}, and browsers should not open more than ${most}.`,
    'Shorten it with --since or --task, or leave texts out with --no-payloads.',
  );
};

/** Throws if there is something at the path that may not be written over. Called before anything is signed. */
const assertWritable = (path: string): void => {
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return;
  throw wrong(`${path} already exists and was not changed.`, 'Name another file, or add --force.');
};

/** Writes a file that only its owner may read: it holds what agents were asked to do. Throws if there is one already, unless forced. */
export const writeNew = (path: string, text: string, force: boolean): void => {
  if (!force) assertWritable(path);
  try {
    writeFileSync(path, text, { mode: 0o600, flag: force ? 'w' : 'wx' });
  } catch (thrown) {
    throw wrong(`The file cannot be written: ${asError(thrown).message}`, 'Name another file with --out.');
  }
};

const logLine = ({ log, vkey, shown, size, unsigned }: PageVerdict['logs'][number]): string[] => {
  const rest = size - shown;
  const left =
    rest === 0
      ? 'all its records'
      : `${count(shown, 'record')} of ${size.toLocaleString('en')}; ${rest.toLocaleString('en')} not shown`;
  return [
    `log ${log}: ${left}${unsigned === 0 ? '' : `, ${unsigned.toLocaleString('en')} not signed yet`}. Key:`,
    vkey,
  ];
};

/** Writes the page that the options ask for, and says so. */
export const writePageFile = async (options: PageOptions): Promise<number> => {
  const at = findStore(options);
  const out = options.out === undefined ? undefined : resolve(options.out);
  if (out === undefined && process.stdout.isTTY === true)
    throw wrong('A page is a file.', 'Name it with --out report.html.');
  if (out !== undefined && !options.force) assertWritable(out);
  const { data, verdict } = await pageDataOf(at, options);
  const text = writePage(data, pageParts(), hashes);
  assertSmall(Buffer.byteLength(text));
  if (out === undefined) {
    sayWhole(text);
    return 0;
  }
  writeNew(out, text, options.force === true);
  const logs = verdict.logs.map(({ log, vkey, size, signed, shown, unsigned }) => ({
    log,
    vkey,
    size,
    signed,
    shown,
    unsigned,
  }));
  if (options.json) {
    sayJson({ out, bytes: Buffer.byteLength(text), verdict: verdict.verdict, logs });
    return 0;
  }
  sayExactly(out);
  for (const line of verdict.logs.flatMap(logLine)) tellExactly(plain(line));
  tell('A page cannot vouch for itself: give the keys by another way, or have it checked with');
  tellExactly(plain(`colibri verify ${options.out} ${logs.length === 0 ? '--key <vkey>' : keyOptions(logs)}`));
  return 0;
};

export const pageCommand = (): Command =>
  withScope(
    storeCommand('page', 'one HTML file of what happened, which checks itself in any browser', AFTER, writePageFile),
  )
    .option('--out <file>', 'where to write the page; stdout if left out')
    .option('--force', 'write over a file that is there');
