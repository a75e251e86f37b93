// Tells which instances (Colibri processes) are alive: each holds an exclusive lock on a tiny file of its own. The kernel drops the lock
// when the process dies, however it dies, and keeps it while the process is only stopped. A process id would not do: it is reused, and it
// means nothing across containers.

import * as fs from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { quietly } from '../../errors.js';
import type { Instances } from '../store.js';
import { folderBeside, isLockFile, makeOwnFolder } from './beside.js';
import { closedError, fromFileSystem, fromSqlite, isBusy, readOnlyError } from './errors.js';
import { FileIdentity } from './presence.js';
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
      // Another process holds the lock, and only that process may remove the lock file.
      this.#held.delete(instance);
      db.close();
      throw thrown;
    }
  }

  /** Recreates lock files of this process that somebody removed: without its file, a living process would be taken for dead. */
  renew(): void {
    for (const [instance, { db, identity }] of this.#held) {
      if (!identity.isGone()) continue;
      const next = this.#locked(this.#pathOf(instance));
      if (next === undefined) continue; // the next periodic check tries again
      this.#held.set(instance, next);
      db.close();
    }
  }

  async isAlive(instance: string): Promise<boolean> {
    if (!UUID.test(instance)) return false; // Colibri never writes such an id: somebody else wrote the row
    const path = this.#pathOf(instance);
    if (!isLockFile(path)) return false;
    try {
      return isLocked(path);
    } catch (thrown) {
      if (!isLockFile(path)) return false; // the instance has ended meanwhile
      throw thrown;
    }
  }

  async isHeld(instance: string): Promise<boolean> {
    return UUID.test(instance) && isLockFile(this.#pathOf(instance));
  }

  /** Removes an instance's lock file if the instance is dead. */
  async forget(instance: string): Promise<void> {
    if (!UUID.test(instance) || (await this.isAlive(instance))) return;
    removeLockFile(this.#pathOf(instance));
  }

  close(): void {
    this.#closed = true;
    for (const [instance, { db }] of this.#held) release(this.#pathOf(instance), db);
    this.#held.clear();
  }

  /** Creates and locks a lock file; undefined if something else has its name or another process is checking the lock right now. */
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

  /** The path of an instance's lock file. Ids come from a table that others can write, so only a UUID may become part of a path. */
  #pathOf(instance: string): string {
    if (!UUID.test(instance)) throw new TypeError('an instance id is a UUID');
    return join(this.#folder, instance);
  }
}

/** Creates a lock file exclusively; file.ts says why an existing file is not opened. */
const createLockFile = (folder: string, path: string): void => {
  makeOwnFolder(folder);
  try {
    fs.closeSync(fs.openSync(path, 'wx', 0o600));
  } catch (thrown) {
    if (!isLockFile(path)) throw fromFileSystem(thrown, path);
  }
};

/** Removes a lock file, then releases its lock, so that nobody finds an unlocked file of a process that ended normally. */
const release = (path: string, db: Database.Database): void => {
  try {
    removeLockFile(path);
  } catch {
    // The lock file stays. Closing the connection releases its lock, and a lock file without a lock means, like a missing one, that the
    // instance has ended. The next process that cleans up removes the file.
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
 * Takes the exclusive lock. SQLite's journal is kept in memory: kill -9 would leave a journal on disk, and then every check of the lock
 * would start a recovery that needs the lock itself.
 */
const lock = (db: Database.Database): void => {
  db.pragma('journal_mode = MEMORY');
  db.exec('BEGIN EXCLUSIVE');
};

/**
 * Whether a process holds the exclusive lock of a lock file: then a read, which needs the shared lock, is refused. If the check took the
 * exclusive lock instead, two simultaneous checks would each take the other for the living instance.
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

/** The `Instances` of a read-only store, which can tell which instances are alive and change nothing. */
export const readOnlyInstances = (locks: InstanceLocks): Instances => ({
  hold: () => Promise.reject(readOnlyError('an instance lock')),
  isAlive: (instance) => locks.isAlive(instance),
  isHeld: (instance) => locks.isHeld(instance),
  forget: () => Promise.reject(readOnlyError('an instance lock')),
});

/** The instances that hold a lock beside a database, which need not be readable for that. */
export const livingInstances = async (databasePath: string): Promise<readonly string[]> => {
  const locks = new InstanceLocks(databasePath, async (attempt) => attempt());
  const names = quietly(() => fs.readdirSync(folderBeside(databasePath, 'instances'))) ?? [];
  const living: string[] = [];
  for (const name of names) if (await locks.isAlive(name)) living.push(name);
  return living;
};
