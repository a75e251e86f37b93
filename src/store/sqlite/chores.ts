// Starts the worker for checkpoints of the write-ahead log and for backups.

import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { bundledFile } from '../../core/installed.js';
import { asError, ColibriError, ERRORS, type ErrorCode } from '../../errors.js';
import { folderBeside } from './beside.js';
import { fromFileSystem, fromSqlite } from './errors.js';
import type { Settings } from './options.js';
import type { Failure, WorkerAnswer, WorkerTask } from './worker.js';

const WORKER = bundledFile('store/sqlite/worker.js');

/** Rebuilds an error that a worker thread reported: its class is lost between threads and is found again by the error's code. */
const errorOf = ({ code, message, remedy }: Failure, path: string): unknown => {
  if (code.startsWith('SQLITE_')) return fromSqlite(new Database.SqliteError(message, code));
  if (Object.hasOwn(ERRORS, code)) return new ColibriError(code as ErrorCode, message, { ...(remedy && { remedy }) });
  return fromFileSystem(Object.assign(new Error(message), { code }), path);
};

/** Runs a task in a worker thread. The promise settles only after the thread has ended, so that its connections are closed before this thread's. */
const inWorker = (task: WorkerTask): Promise<string> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(WORKER, { workerData: task, execArgv: [] });
    let answer: WorkerAnswer = { code: 'unknown', message: 'the worker ended without an answer' };
    worker.once('message', (posted: WorkerAnswer) => {
      answer = posted;
    });
    worker.once('error', reject);
    worker.once('exit', () => {
      if ('path' in answer) resolve(answer.path);
      else reject(errorOf(answer, task.kind === 'copy' ? task.to : task.path));
    });
  });

/** Copies a database consistently while others write to it. The target file must not exist. The copy is synced to disk but not checked. */
export const copyDatabase = async (path: string, to: string): Promise<void> => {
  await inWorker({ kind: 'copy', path, to });
};

/** A time as `20261115T183000123Z`, which sorts by time and is a valid file name on every system. */
export const stampOf = (nowMs: number): string => new Date(nowMs).toISOString().replace(/[-:.]/g, '');

export class Chores {
  readonly #settings: Settings;
  #checkpoint: Promise<void> | undefined;
  #backup: Promise<unknown> = Promise.resolve();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Starts a checkpoint of the write-ahead log; returns false if one is running. */
  startCheckpoint(): boolean {
    if (this.#checkpoint !== undefined) return false;
    this.#checkpoint = this.#runCheckpoint();
    return true;
  }

  /** Makes a backup of the database and returns its path. Backups run one after the other: two at once would only slow each other down. */
  backup(): Promise<string> {
    const { path, limits, now } = this.#settings;
    const copy = this.#backup.then(() =>
      inWorker({
        kind: 'backup',
        path,
        folder: folderBeside(path, 'backups'),
        stamp: stampOf(now()),
        keep: limits.backups,
      }),
    );
    this.#backup = copy.catch(() => {});
    return copy;
  }

  async idle(): Promise<void> {
    await this.#backup;
    await this.#checkpoint;
  }

  /** Runs a checkpoint of the write-ahead log. A failure is written to the log file and is not an error: the write-ahead log only grows. */
  async #runCheckpoint(): Promise<void> {
    try {
      await inWorker({ kind: 'checkpoint', path: this.#settings.path });
    } catch (thrown) {
      this.#settings.logger.warn('the write-ahead log was not folded back into the database', {
        error: asError(thrown).message,
      });
    } finally {
      this.#checkpoint = undefined;
    }
  }
}
