// What tests of backup, export, prune, erase and doctor share: stores with many calls in them, and commands that run while the test
// watches or kills them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { colibri, type Ran } from '../support/command-line.js';
import { inspectLedger } from '../support/ledger-check.js';
import { freshPlace, MAIN, type Message, type Peer, type Place, session } from '../support/serve.js';

/** Calls with arguments that are kept, many at a time. `mark` and the number of the call are in each. */
export const callMany = async (peer: Peer, calls: number, mark: string, chars = 0): Promise<Message[]> => {
  const answers: Message[] = [];
  for (let n = 0; n < calls; n += 32) {
    const some = Array.from({ length: Math.min(32, calls - n) }, (_, i) =>
      peer.call('server_ping', { text: `${mark}${n + i}END${'x'.repeat(chars)}` }, 60_000),
    );
    answers.push(...(await Promise.all(some)));
  }
  return answers;
};

/** A store with so many calls in it, by one server that ended. */
export const filledStore = async (calls: number, mark: string, chars = 0, place = freshPlace()): Promise<Place> => {
  await session(place, (peer) => callMany(peer, calls, mark, chars));
  return place;
};

/** Between what was recorded before and what comes after. */
export const momentNow = async (): Promise<string> => {
  await sleep(2);
  const now = new Date().toISOString();
  await sleep(2);
  return now;
};

export const filesOf = (place: Place): string[] => fs.readdirSync(dirname(place.db)).sort();

/** How often a text stands in the files of the store. */
export const countInFiles = (place: Place, text: RegExp): number =>
  filesOf(place)
    .map((name) => join(dirname(place.db), name))
    .filter((path) => fs.statSync(path).isFile())
    .reduce((sum, path) => sum + (fs.readFileSync(path, 'latin1').match(text)?.length ?? 0), 0);

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ran & { readonly signal: NodeJS.Signals | null }>;
}

/** A command that goes on while the test does something else. `fileKiB`: no file may grow beyond it. */
export const startCommand = (place: Place, args: readonly string[], choice: { fileKiB?: number } = {}): Started => {
  const node = [process.execPath, MAIN, ...args];
  const [command = '', ...rest] =
    choice.fileKiB === undefined ? node : ['bash', '-c', `ulimit -f ${choice.fileKiB} && exec "$@"`, 'bash', ...node];
  const child = spawn(command, rest, { cwd: place.dir, env: place.env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, stderr }));
  place.onEnd(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ended;
  });
  return { child, ended };
};

/** Looks again and again until it is so. */
export const waitUntil = async (isSo: () => boolean, patienceMs = 20_000): Promise<void> => {
  const end = Date.now() + patienceMs;
  while (!isSo()) {
    if (Date.now() > end) throw new Error('waited in vain');
    await sleep(1);
  }
};

/** Calls until it is told to stop, one after the other; every answer must be good. */
export const keepCalling = (peer: Peer): { stop(): Promise<number> } => {
  let isStopped = false;
  const calling = (async () => {
    let calls = 0;
    for (; !isStopped; calls++) {
      const answer = await peer.call('task_create', { title: `busy ${calls}`, description: 'x'.repeat(50) }, 30_000);
      if (answer.result?.structuredContent?.ok !== true) throw new Error(JSON.stringify(answer));
    }
    return calls;
  })();
  calling.catch(() => {}); // told by stop
  return {
    stop: () => {
      isStopped = true;
      return calling;
    },
  };
};

export const countRows = (path: string, table: string, where = '1'): number => {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    return db.prepare<[], { n: number }>(`SELECT COUNT(*) AS n FROM ${table} WHERE ${where}`).get()?.n ?? 0;
  } finally {
    db.close();
  }
};

/** 0 from `colibri verify`, with its text where it is not. */
export const verdictOf = async (place: Place, args: readonly string[] = []): Promise<string> => {
  const { code, stdout, stderr } = await colibri(place, ['verify', ...args]);
  return code === 0 ? '0' : `${code} ${stdout} ${stderr}`;
};

/** The records of prunes. */
export const prunes = (place: Place) =>
  inspectLedger(place.db)
    .records.filter(({ kind }) => kind === 'prune')
    .map(({ body }) => body);

/** Files of the store that still hold a text. */
export const holding = (place: Place, text: string): string[] => {
  const folder = dirname(place.db);
  return fs
    .readdirSync(folder)
    .filter((name) => fs.statSync(join(folder, name)).isFile())
    .filter((name) => fs.readFileSync(join(folder, name)).includes(text));
};
