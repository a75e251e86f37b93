// Starts the worker for checkpoints and backups, and counts the commits between two checkpoints.

import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { asError, ColibriError, ERRORS, type ErrorCode } from '../../errors.js';
import { folderBeside } from './beside.js';
import { fromFileSystem, fromSqlite } from './errors.js';
import type { Settings } from './options.js';
import type { Failure, WorkerAnswer, WorkerTask } from './worker.js';

/**
 * Node 20 cannot load TypeScript in a worker, and vitest transforms only what it loads itself. So from src/ (the
 * tests) the worker is the built one in dist/, which `npm test` builds first; from dist/ it is the file beside us.
 */
const WORKER = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/store/sqlite/worker.js' : './worker.js',
  import.meta.url,
);

/** An error loses its class between threads; its code says which class it had. */
const errorOf = ({ code, message, remedy }: Failure, path: string): unknown => {
  if (code.startsWith('SQLITE_')) return fromSqlite(new Database.SqliteError(message, code));
  if (Object.hasOwn(ERRORS, code)) return new ColibriError(code as ErrorCode, message, { ...(remedy && { remedy }) });
  return fromFileSystem(Object.assign(new Error(message), { code }), path);
};

/** Settles only after the thread has ended, so that its connections are closed before ours. */
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

/** Makes a consistent copy while others write. The target must not exist yet. The copy is synced but not checked. */
export const copyDatabase = async (path: string, to: string): Promise<void> => {
  await inWorker({ kind: 'copy', path, to });
};

/** 20261115T183000123Z: sorts by time and is a file name everywhere. */
export const stampOf = (nowMs: number): string => new Date(nowMs).toISOString().replace(/[-:.]/g, '');

export class Chores {
  readonly #settings: Settings;
  #commits = 0;
  #checkpoint: Promise<void> | undefined;
  #backup: Promise<unknown> = Promise.resolve();

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /** Starts folding back the write-ahead log every so many commits, unless that is still running. */
  countCommit(): void {
    this.#commits += 1;
    if (this.#commits < this.#settings.limits.commitsPerCheckpoint || this.#checkpoint !== undefined) return;
    this.#commits = 0;
    this.#checkpoint = this.#runCheckpoint();
  }

  /** Backups run one after the other: two at once would only slow each other down. */
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

  /** If folding back fails, the log only grows: that is logged and is not an error. */
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
