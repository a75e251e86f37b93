// The built `colibri` as a person or a script runs it, and stores that real servers have filled for it.

import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { type Receipt, receiptOf } from './ledger-check.js';
import { type Environment, freshPlace, MAIN, type Message, MODULES, type Peer, type Place, session } from './serve.js';

const RUN_COMMANDS = fileURLToPath(new URL('../children/run-commands.mjs', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunChoice {
  readonly env?: Environment;
  readonly input?: string;
  readonly uid?: number;
  readonly cwd?: string;
}

export const colibri = (place: Place, args: readonly string[], choice?: RunChoice): Promise<Ran> =>
  runNode(place, [MAIN, ...args], choice);

/** Several command lines in one process, for help texts: a process for each would take most of the time. */
export const helpTexts = async (place: Place, lines: readonly (readonly string[])[]): Promise<Ran[]> => {
  const ran = await runNode(place, [RUN_COMMANDS, MODULES, JSON.stringify(lines)]);
  if (ran.code !== 0) throw new Error(ran.stderr);
  return json(ran);
};

const runNode = (place: Place, args: readonly string[], choice: RunChoice = {}): Promise<Ran> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: choice.cwd ?? place.dir,
      env: { ...place.env, ...choice.env },
      ...(choice.uid !== undefined && { uid: choice.uid, gid: choice.uid }),
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.on('error', () => {});
    child.stdin.end(choice.input ?? '');
  });

// biome-ignore lint/suspicious/noExplicitAny: looked at field by field, each test at other ones
export const json = ({ stdout }: Ran): any => JSON.parse(stdout);

export const dataOf = (answer: Message): Message => answer.result.structuredContent.data;

/** What one server has left behind: a task in work with a note, a thought of its own, sealed with the process. */
export interface Used {
  readonly place: Place;
  readonly log: string;
  /** In the open session of the task. */
  readonly note: string;
  /** In the sealed session of the process. */
  readonly thought: string;
  /** Receipts of the calls, in order: task_create, task_update, thought_record. */
  readonly receipts: readonly Receipt[];
}

export const SECRET = 'the customer lives in Sesame Street 17';

const work = async (peer: Peer): Promise<Omit<Used, 'place' | 'log'>> => {
  const create = await peer.call('task_create', { title: 'Find the leak' });
  const { task_id } = dataOf(create);
  const update = await peer.call('task_update', { task_id, status: 'GATHER', note: 'looked at the logs' });
  const record = await peer.call('thought_record', { type: 'decision', content: SECRET });
  const receipts = [create, update, record].map(receiptOf).filter((it) => it !== undefined);
  return { note: '', thought: dataOf(record).thought_id, receipts };
};

export const rows = <T>(place: Place, sql: string, ...params: unknown[]): T[] => {
  const db = new Database(place.db, { readonly: true, fileMustExist: true });
  try {
    return db.prepare<unknown[], T>(sql).all(...params);
  } finally {
    db.close();
  }
};

/** A store after one server that ended well. */
export const usedStore = async (
  place: Place = freshPlace(),
  choice: { env?: Environment; uid?: number } = {},
): Promise<Used> => {
  const { value } = await session(place, work, choice);
  const [note] = rows<{ thought_id: string }>(place, 'SELECT thought_id FROM thoughts WHERE task_id IS NOT NULL');
  return { ...value, place, log: value.receipts[0]?.log ?? '', note: note?.thought_id ?? '' };
};

/** Some more calls by another server. */
export const useMore = (place: Place, calls = 3) =>
  session(place, async (peer) => {
    const answers: Message[] = [];
    for (let n = 0; n < calls; n++) answers.push(await peer.call('server_ping', { n }));
    return answers;
  });

export const stateDir = (place: Place): string => join(place.home, 'state', 'colibri');
export const keysDir = (place: Place): string => join(stateDir(place), 'keys');
export const headsDir = (place: Place): string => join(stateDir(place), 'heads');

/** Heads of a log, largest last. */
export const headFiles = (place: Place, log: string): string[] =>
  fs
    .readdirSync(join(headsDir(place), log))
    .filter((name) => name !== 'store')
    .sort((a, b) => Number(a) - Number(b))
    .map((size) => join(headsDir(place), log, size));

/** A whole copy of the database as a backup makes it. No server may run. */
export const copyStore = (place: Place): string => {
  const copy = join(place.dir, 'copy.db');
  const db = new Database(place.db, { fileMustExist: true });
  db.prepare('VACUUM INTO ?').run(copy);
  db.close();
  return copy;
};

/** Puts a database in the place of the store. */
export const replaceStore = (place: Place, file: string): void => {
  for (const suffix of ['', '-wal', '-shm']) fs.rmSync(`${place.db}${suffix}`, { force: true });
  fs.copyFileSync(file, place.db);
};

/** A store whose newest records are gone: three pings of a second server, then the copy from before them. */
export const rolledBackStore = async (): Promise<Used> => {
  const used = await usedStore();
  const copy = copyStore(used.place);
  await useMore(used.place);
  replaceStore(used.place, copy);
  return used;
};
