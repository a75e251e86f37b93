// Runs in a worker thread, one task per life: what syncs or copies whole files must not stop the event loop
// that serves calls. Opens its own connections, posts one answer and ends.
// It touches the database through SQLite only; node:fs is for the copies.

import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { STORE_LIMITS } from '../limits.js';

export type Task =
  | { readonly kind: 'checkpoint'; readonly path: string }
  | { readonly kind: 'copy'; readonly path: string; readonly to: string }
  | {
      readonly kind: 'backup';
      readonly path: string;
      readonly folder: string;
      readonly stamp: string;
      readonly keep: number;
    };

type BackupTask = Extract<Task, { kind: 'backup' }>;

/** `code` is SQLite's or the file system's; errors lose it on their way between threads. */
export type Answer = { readonly path: string } | { readonly code: string; readonly message: string };

/**
 * PASSIVE folds back the bulk and makes nobody wait. It alone would never do: whatever was committed meanwhile is
 * left over, and the log starts again from its beginning only when nothing is left (measured: at 100 commits a
 * second it grew without end). So FULL takes the write lock for the few frames that came since, some milliseconds.
 */
const checkpoint = (path: string): void => {
  const db = new Database(path, { fileMustExist: true, timeout: STORE_LIMITS.foldMs });
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

/** One snapshot, whoever writes meanwhile; nobody waits for it. Refuses to write over anything. */
const copy = (from: string, to: string): void => {
  // VACUUM INTO accepts an empty file, and this one is readable by its owner alone.
  fs.closeSync(fs.openSync(to, 'wx', 0o600));
  const db = new Database(from, { readonly: true, fileMustExist: true });
  try {
    db.prepare('VACUUM INTO ?').run(to);
  } finally {
    db.close();
  }
  syncPath(to);
};

/** The schema version of a copy: the snapshot decides, not what the caller believed. */
const verifiedVersion = (path: string): number => {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  try {
    const verdict = db.pragma('integrity_check(1)', { simple: true });
    if (verdict !== 'ok') throw new Database.SqliteError(`the copy is damaged: ${verdict}`, 'SQLITE_CORRUPT');
    return db.pragma('user_version', { simple: true }) as number;
  } finally {
    db.close();
  }
};

/** Names sort by time. What is older than the oldest copy kept goes, unfinished ones of a crash too. */
const prune = (folder: string, keep: number, made: string): void => {
  const names = fs.readdirSync(folder).filter((name) => /^\d{8}T\d{9}Z.*\.(?:db|part)$/.test(name));
  const oldest = names
    .filter((name) => name.endsWith('.db'))
    .sort()
    .at(-keep);
  for (const name of names) {
    // The copy just made stays whatever its name says: the clock may have stepped back.
    if (oldest !== undefined && name < oldest && name !== made) fs.rmSync(join(folder, name), { force: true });
  }
};

/** A copy gets its final name only after it was synced and checked. */
const backup = ({ path, folder, stamp, keep }: BackupTask): string => {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const unfinished = join(folder, `${stamp}-${process.pid}.part`);
  try {
    copy(path, unfinished);
    const final = join(folder, `${stamp}-v${verifiedVersion(unfinished)}.db`);
    fs.renameSync(unfinished, final);
    syncPath(folder);
    prune(folder, keep, basename(final));
    return final;
  } catch (thrown) {
    fs.rmSync(unfinished, { force: true });
    throw thrown;
  }
};

const perform = (task: Task): Answer => {
  try {
    if (task.kind === 'backup') return { path: backup(task) };
    if (task.kind === 'checkpoint') checkpoint(task.path);
    else copy(task.path, task.to);
    return { path: task.path };
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : 'unknown';
    return { code, message: String(thrown) };
  }
};

parentPort?.postMessage(perform(workerData as Task));
