// Tells which instances (processes) are alive: each holds an exclusive lock on a tiny file of its own. The kernel drops the lock when the
// process dies, however it dies, and keeps it while the process is only stopped. A process id would be wrong in both cases: it is reused, and
// it means nothing across containers.

import * as fs from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import type { Instances } from '../store.js';
import { folderBeside, isLockFile, makeOwnFolder } from './beside.js';
import { closedError, fromFileSystem, fromSqlite, isBusy, readOnlyError } from './errors.js';
import { FileIdentity } from './identity.js';
import type { BusyRetry } from './queue.js';
import { openDatabase } from './tx.js';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface Held {
  readonly db: Database.Database;
  readonly identity: FileIdentity;
}

export class InstanceLocks implements Instances {
  readonly #folder: string;
  readonly #retry: BusyRetry;
  readonly #held = new Map<string, Held>();
  #closed = false;

  constructor(databasePath: string, retry: BusyRetry) {
    this.#folder = folderBeside(databasePath, 'instances');
    this.#retry = retry;
  }

  async hold(instance: string): Promise<void> {
    const path = this.#pathOf(instance);
    if (this.#closed) throw closedError();
    if (this.#held.has(instance)) return;
    const db = this.#open(path);
    this.#held.set(instance, { db, identity: new FileIdentity(path) });
    try {
      await this.#retry(() => lock(db));
    } catch (thrown) {
      // Whoever holds the lock owns the file too.
      this.#held.delete(instance);
      db.close();
      throw thrown;
    }
  }

  /** Recreates lock files that somebody removed: without its file, a living process would be taken for dead. */
  renew(): void {
    for (const [instance, { db, identity }] of this.#held) {
      if (!identity.isGone()) continue;
      const next = this.#locked(this.#pathOf(instance));
      if (next === undefined) continue; // tried again at the next check
      this.#held.set(instance, next);
      db.close();
    }
  }

  async isAlive(instance: string): Promise<boolean> {
    if (!UUID.test(instance)) return false; // we never write such an id: somebody else wrote the row
    const path = this.#pathOf(instance);
    if (!isLockFile(path)) return false;
    try {
      return isLocked(path);
    } catch (thrown) {
      if (!isLockFile(path)) return false; // the instance ended meanwhile
      throw thrown;
    }
  }

  /** Removes the lock file of an instance if it is dead. */
  async forget(instance: string): Promise<void> {
    if (!UUID.test(instance) || (await this.isAlive(instance))) return;
    removeLockFile(this.#pathOf(instance));
  }

  close(): void {
    this.#closed = true;
    for (const [instance, { db }] of this.#held) release(this.#pathOf(instance), db);
    this.#held.clear();
  }

  /** Creates and locks a file; undefined if something else is in its place or another process is checking it right now. */
  #locked(path: string): Held | undefined {
    let db: Database.Database | undefined;
    try {
      db = this.#open(path);
      lock(db);
      return { db, identity: new FileIdentity(path) };
    } catch {
      db?.close();
      return undefined;
    }
  }

  #open(path: string): Database.Database {
    createLockFile(this.#folder, path);
    return openDatabase(path, { fileMustExist: true });
  }

  /** Ids come from a table that others can write, so only an id in our own form may become part of a path. */
  #pathOf(instance: string): string {
    if (!UUID.test(instance)) throw new TypeError('an instance id is a UUID');
    return join(this.#folder, instance);
  }
}

/** Creates the file exclusively; see file.ts for why an existing file is not opened. */
const createLockFile = (folder: string, path: string): void => {
  makeOwnFolder(folder);
  try {
    fs.closeSync(fs.openSync(path, 'wx', 0o600));
  } catch (thrown) {
    if (!isLockFile(path)) throw fromFileSystem(thrown, path);
  }
};

/** The file is removed before the lock is released, so that nobody finds an unlocked file of a process that ended normally. */
const release = (path: string, db: Database.Database): void => {
  try {
    removeLockFile(path);
  } catch {
    // An unlocked file also means that the instance ended; the next process that cleans up removes it.
  }
  db.close();
};

const removeLockFile = (path: string): void => {
  try {
    if (isLockFile(path)) fs.rmSync(path, { force: true });
  } catch (thrown) {
    throw fromFileSystem(thrown, path);
  }
};

/**
 * The journal is kept in memory: kill -9 would leave one on disk, and then every check of the lock would start a recovery that needs the lock
 * itself.
 */
const lock = (db: Database.Database): void => {
  db.pragma('journal_mode = MEMORY');
  db.exec('BEGIN EXCLUSIVE');
};

/**
 * A read needs the shared lock, which is refused exactly while somebody holds the exclusive one. If the check took the exclusive lock
 * instead, two simultaneous checks would each take the other for the living instance.
 */
const isLocked = (path: string): boolean => {
  const db = openDatabase(path, { readonly: true, fileMustExist: true });
  try {
    db.prepare('SELECT 1 FROM sqlite_schema').get();
    return false;
  } catch (thrown) {
    if (isBusy(thrown)) return true;
    throw fromSqlite(thrown);
  } finally {
    db.close();
  }
};

/** The instances of a read-only store: it can see which are alive, and nothing more. */
export const readOnlyInstances = (locks: InstanceLocks): Instances => ({
  hold: () => Promise.reject(readOnlyError('an instance lock')),
  isAlive: (instance) => locks.isAlive(instance),
  forget: () => Promise.reject(readOnlyError('an instance lock')),
});
