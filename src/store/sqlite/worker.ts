// Runs one task in a worker thread, because syncing or copying whole files would block the event loop that serves calls. The thread opens
// its own connections, posts one answer and ends. It touches the database through SQLite only; node:fs is used for the copies.

import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { asError, ColibriError, systemCode } from '../../errors.js';
import { STORE_LIMITS } from '../limits.js';
import { makeOwnFolder, thinCopies } from './beside.js';
import { openDatabase } from './tx.js';

export type WorkerTask =
  | { readonly kind: 'checkpoint'; readonly path: string }
  | { readonly kind: 'copy'; readonly path: string; readonly to: string }
  | {
      readonly kind: 'backup';
      readonly path: string;
      readonly folder: string;
      readonly stamp: string;
      readonly keep: number;
    };

type BackupTask = Extract<WorkerTask, { kind: 'backup' }>;

/**
 * The answer of the worker thread: the path of a copy, or a failure with SQLite's or the file system's code, which an error object would
 * lose between threads.
 */
export type WorkerAnswer = { readonly path: string } | Failure;

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly remedy?: string | undefined;
}

/**
 * Moves the write-ahead log into the database. A PASSIVE checkpoint moves most of the log and makes nobody wait. Alone it is not enough:
 * commits made meanwhile are left over, and the log restarts from its beginning only when nothing is left (measured: at 100 commits a
 * second the log grew without end). So a FULL checkpoint then takes the write lock for the few new frames, for some milliseconds.
 */
const checkpoint = (path: string): void => {
  const db = openDatabase(path, { fileMustExist: true, timeout: STORE_LIMITS.foldMs });
  try {
    db.pragma('wal_checkpoint(PASSIVE)');
    db.pragma('wal_checkpoint(FULL)');
  } finally {
    db.close();
  }
};

const syncPath = (path: string): void => {
  const descriptor = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
};

/** Copies one snapshot of a database to a new file while others write to the database; nobody waits. Never overwrites a file. */
const copy = (from: string, to: string): void => {
  // VACUUM INTO accepts an empty file, and the one created here is readable by its owner alone.
  fs.closeSync(fs.openSync(to, 'wx', 0o600));
  const db = openDatabase(from, { readonly: true, fileMustExist: true, timeout: STORE_LIMITS.busyMs });
  try {
    db.prepare('VACUUM INTO ?').run(to);
  } finally {
    db.close();
  }
  syncPath(to);
};

/** Checks a copy of a database and returns its schema version, which may differ from what the caller expected. */
const verifiedVersion = (path: string): number => {
  const db = openDatabase(path, { readonly: true, fileMustExist: true, timeout: STORE_LIMITS.busyMs });
  try {
    const verdict = db.pragma('integrity_check(1)', { simple: true });
    if (verdict !== 'ok') throw new Database.SqliteError(`the copy is damaged: ${verdict}`, 'SQLITE_CORRUPT');
    return db.pragma('user_version', { simple: true }) as number;
  } finally {
    db.close();
  }
};

/** Makes a backup and returns its path. The copy gets its final name only after it was synced to disk and checked. */
const backup = ({ path, folder, stamp, keep }: BackupTask): string => {
  makeOwnFolder(folder);
  const unfinished = join(folder, `${stamp}-${process.pid}.part`);
  try {
    copy(path, unfinished);
    const final = join(folder, `${stamp}-v${verifiedVersion(unfinished)}.db`);
    fs.renameSync(unfinished, final);
    syncPath(folder);
    thinCopies(folder, keep, basename(final));
    return final;
  } catch (thrown) {
    fs.rmSync(unfinished, { force: true });
    throw thrown;
  }
};

const perform = (task: WorkerTask): WorkerAnswer => {
  try {
    if (task.kind === 'backup') return { path: backup(task) };
    if (task.kind === 'checkpoint') checkpoint(task.path);
    else copy(task.path, task.to);
    return { path: task.path };
  } catch (thrown) {
    const cause = thrown instanceof ColibriError ? (thrown.cause ?? thrown) : thrown;
    const remedy = cause instanceof ColibriError ? cause.remedy : undefined;
    return { code: String(systemCode(cause) ?? 'unknown'), message: asError(cause).message, remedy };
  }
};

parentPort?.postMessage(perform(workerData as WorkerTask));
