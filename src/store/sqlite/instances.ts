// Signs of life. A living instance holds an exclusive lock on a tiny file of its own; the kernel drops it with
// the process, however that died, and keeps it while the process is merely stopped. A process id would lie in
// both cases: it is reused, and it says nothing across containers.

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
      // Whoever holds it owns the file too.
      this.#held.delete(instance);
      db.close();
      throw thrown;
    }
  }

  /** Somebody may have removed the folder: without its file a living process would be taken for dead. */
  renew(): void {
    for (const [instance, { db, identity }] of this.#held) {
      if (!identity.isGone()) continue;
      const next = this.#locked(this.#pathOf(instance));
      if (next === undefined) continue; // tried again with the next look
      this.#held.set(instance, next);
      db.close();
    }
  }

  async isAlive(instance: string): Promise<boolean> {
    if (!UUID.test(instance)) return false; // not one of ours: a row that somebody wrote
    const path = this.#pathOf(instance);
    if (!isLockFile(path)) return false;
    try {
      return isLocked(path);
    } catch (thrown) {
      if (!isLockFile(path)) return false; // it ended while we looked
      throw thrown;
    }
  }

  /** Removes the file of a dead instance; one that lives is left alone. */
  async forget(instance: string): Promise<void> {
    if (!UUID.test(instance) || (await this.isAlive(instance))) return;
    removeLockFile(this.#pathOf(instance));
  }

  close(): void {
    this.#closed = true;
    for (const [instance, { db }] of this.#held) release(this.#pathOf(instance), db);
    this.#held.clear();
  }

  /** Undefined where something else is in its place, or somebody looks at it just now. */
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

  /** Ids come out of a table that others can write: only what we would have written may reach the file system. */
  #pathOf(instance: string): string {
    if (!UUID.test(instance)) throw new TypeError('an instance id is a UUID');
    return join(this.#folder, instance);
  }
}

/** Created once and exclusively; see file.ts on why an existing file is not opened. */
const createLockFile = (folder: string, path: string): void => {
  makeOwnFolder(folder);
  try {
    fs.closeSync(fs.openSync(path, 'wx', 0o600));
  } catch (thrown) {
    if (!isLockFile(path)) throw fromFileSystem(thrown, path);
  }
};

/** The file goes before the lock, so that nobody finds an unlocked file of a process that ended well. */
const release = (path: string, db: Database.Database): void => {
  try {
    removeLockFile(path);
  } catch {
    // An unlocked file says the same; whoever sweeps next removes it.
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
 * The journal stays in memory: one on disk would be left behind by kill -9 and make every look at the lock a
 * recovery that needs the lock itself.
 */
const lock = (db: Database.Database): void => {
  db.pragma('journal_mode = MEMORY');
  db.exec('BEGIN EXCLUSIVE');
};

/**
 * A read needs the shared lock, which is refused exactly while somebody holds the exclusive one. Taking the
 * exclusive lock instead would make two that look at the same time take each other for the living instance.
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

/** For a store that may not write: it can see who lives, and no more. */
export const onlookers = (locks: InstanceLocks): Instances => ({
  hold: () => Promise.reject(readOnlyError('an instance lock')),
  isAlive: (instance) => locks.isAlive(instance),
  forget: () => Promise.reject(readOnlyError('an instance lock')),
});
