// The command `colibri view`: the page, live and read-only, in a browser of this user.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { isNotYet, sayNotYet } from '../access.js';
import { CLI_LIMITS } from '../limits.js';
import { projectShown } from '../page/page.js';
import { findStore, type PlaceOptions, type StoreAt } from '../place.js';
import { storeCommand } from '../run.js';
import { say, sayExactly, sayJsonLine, tell } from '../screen/print.js';
import { untilStopped } from '../until-stopped.js';
import { serveView } from './answers.js';
import { openSource, type ViewSource } from './source.js';

const AFTER = `
Shows calls, tasks, reasons and servers in your browser as they happen, checked
in the browser under each new signature. Read-only, on 127.0.0.1 alone, until
Ctrl-C. The browser gets in with a token that works once; no other site, user
or program gets an answer.

  colibri view                 opens a browser
  colibri view --no-open       prints the address to open
  colibri view --port 8123     on this port instead of any that is free

Exit codes: 0 ended by Ctrl-C, 1 failed.`;

interface ViewOptions extends PlaceOptions {
  readonly port: number;
  readonly open: boolean;
}

const parsePort = (text: string): number => {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= CLI_LIMITS.viewPort) return port;
  throw new InvalidArgumentError(`A port from 0 to ${CLI_LIMITS.viewPort}.`);
};

/** How each system opens a file in the person's browser. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'open', linux: 'xdg-open' };

/** Opens a file; false if that cannot be begun. The token is in the file and never on a command line, which other users can read. */
const openFile = async (file: string): Promise<boolean> => {
  const opener = OPENERS[process.platform];
  if (opener === undefined) return false;
  const child = spawn(opener, [file], { stdio: 'ignore', detached: true });
  const began = await Promise.race([once(child, 'spawn').then(() => true), once(child, 'error').then(() => false)]);
  child.unref();
  return began;
};

/** A file that only this user may read, in a folder of its own, which leads a browser to the address. */
const redirectFile = (opening: string): { readonly file: string; readonly remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'colibri-view-'));
  const file = join(folder, 'open.html');
  const text = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${opening}"><title>Colibri</title>\n`;
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
};

const view = async (options: ViewOptions): Promise<number> => {
  const at = findStore(options);
  if (isNotYet(at, options)) return sayNotYet(at, {}, options.json);
  const source = await openSource(at, projectShown(at));
  return serveUntilStopped(at, source, options).finally(source.close);
};

const serveUntilStopped = async (at: StoreAt, source: ViewSource, options: ViewOptions): Promise<number> => {
  const { signal, end } = untilStopped();
  try {
    const { server, address, opening } = await serveView(source, options.port, signal);
    const { file, remove } = redirectFile(opening);
    try {
      if (options.json) sayJsonLine({ address, open: file, store: at.path });
      else {
        say(`The page is at ${address} until Ctrl-C.`);
        const isOpened = options.open && (await openFile(file));
        if (!isOpened) tell('To open it, give this file to a browser of yours (it works once):');
        if (!isOpened) sayExactly(pathToFileURL(file).href);
      }
      await once(server, 'close');
    } finally {
      remove();
    }
    return 0;
  } finally {
    end();
  }
};

export const viewCommand = (): Command =>
  storeCommand('view', 'the page, live and read-only, in your browser', AFTER, view)
    .addOption(new Option('--port <n>', 'the port on 127.0.0.1').default(0, 'any that is free').argParser(parsePort))
    .option('--no-open', 'print the address instead of opening a browser');
