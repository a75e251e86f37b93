// The store of READONLY mode: one connection that cannot write, or, where this user may not write the folder, a copy of the database in
// memory. Nothing is ever written to disk here.

import * as fs from 'node:fs';
import type Database from 'better-sqlite3';
import { ColibriError } from '../../errors.js';
import type { Instances, ReadTx, Store } from '../store.js';
import { closedError, fromFileSystem, isUnreachable, readOnlyError } from './errors.js';
import { inspect, newestOf, type Schema } from './file.js';
import { assertPlainFiles } from './identity.js';
import { InstanceLocks, readOnlyInstances } from './instances.js';
import type { Settings } from './options.js';
import { FileIdentity, lostError } from './presence.js';
import { retryWhileBusy, TurnKeeper } from './queue.js';
import { Reader } from './reader.js';
import { connection, openBytes, openDatabase, type SqliteConnection, useTx } from './tx.js';

const FULL_ONCE = 'Start Colibri once in FULL mode.';

interface Opened {
  readonly db: Database.Database;
  readonly schema: Schema;
  /** The files of the database; undefined for a copy in memory, which nobody can take away. */
  readonly identity?: FileIdentity;
}

const unavailable = (message: string, remedy: string): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', message, { remedy });

/** The bytes of a file, found without opening it; 0 if the file is missing. */
const sizeOf = (path: string): number => fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0;

const assertSettled = (path: string): void => {
  if (sizeOf(`${path}-wal`) === 0) return;
  throw unavailable(
    `${path} has changes in its write-ahead log that cannot be read, because its folder cannot be written`,
    'Stop the Colibri that writes to it, or give this user the right to write the folder.',
  );
};

/**
 * Opens a copy of the database in memory. SQLite cannot read a WAL database where it cannot create the -shm file, and better-sqlite3 does
 * not offer `immutable`. Header bytes 18 and 19 are the write and read version: 1 means "no write-ahead log" (sqlite.org/fileformat2).
 */
const loadIntoMemory = (path: string): Database.Database => {
  assertSettled(path);
  assertPlainFiles(path);
  const before = fs.statSync(path);
  const bytes = fs.readFileSync(path);
  const after = fs.statSync(path);
  assertSettled(path);
  if (before.mtimeMs !== after.mtimeMs || before.size !== after.size) {
    throw unavailable(`${path} was changed while it was read`, 'Try again in a moment.');
  }
  bytes.fill(1, 18, 20);
  return openBytes(bytes);
};

const inspectOpened = async (db: Database.Database, settings: Settings): Promise<Opened> => {
  try {
    return { db, schema: await retryWhileBusy(settings)(() => inspect(db, settings.migrations)) };
  } catch (thrown) {
    db.close();
    throw thrown;
  }
};

const openFile = async (settings: Settings): Promise<Opened> => {
  try {
    const opened = await inspectOpened(openDatabase(settings.path, { readonly: true, fileMustExist: true }), settings);
    return { ...opened, identity: new FileIdentity(settings.path) };
  } catch (thrown) {
    if (!isUnreachable(thrown)) throw thrown;
  }
  return inspectOpened(openCopy(settings), settings);
};

const openCopy = ({ path, logger }: Settings): Database.Database => {
  try {
    const db = loadIntoMemory(path);
    logger.warn('the folder of the store cannot be written: serving a copy of it as it was at start', { path });
    return db;
  } catch (thrown) {
    throw thrown instanceof ColibriError ? thrown : fromFileSystem(thrown, path);
  }
};

class ReadOnlyStore implements Store {
  readonly instances: Instances;
  readonly #settings: Settings;
  readonly #connection: SqliteConnection;
  readonly #reader: Reader;
  readonly #schema: Schema;
  readonly #identity: FileIdentity | undefined;
  #closing: Promise<void> | undefined;

  constructor(settings: Settings, { db, schema, identity }: Opened) {
    const retry = retryWhileBusy(settings);
    const { elapsedMs, path } = settings;
    this.#settings = settings;
    this.#schema = schema;
    this.#identity = identity;
    this.#connection = connection(db, false);
    this.#reader = new Reader({ connection: this.#connection, elapsedMs, retry, turns: new TurnKeeper(elapsedMs) });
    this.instances = readOnlyInstances(new InstanceLocks(path, retry));
  }

  get tableCount(): number {
    return this.#closing === undefined ? this.#schema.tables : 0;
  }

  read<T>(fn: (tx: ReadTx) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(closedError());
    const lost = this.#identity?.lost();
    if (lost !== undefined) return Promise.reject(lostError(lost));
    return this.#reader.snapshot(() => useTx(this.#connection, fn, this.#settings));
  }

  write(): Promise<never> {
    return Promise.reject(this.#closing === undefined ? readOnlyError('a write') : closedError());
  }

  async migrate(): Promise<void> {
    const newest = newestOf(this.#settings.migrations);
    if (this.#closing !== undefined) throw closedError();
    if (this.#schema.version === newest) return;
    throw new ColibriError('STORE_UNAVAILABLE', `the store has schema ${this.#schema.version}, ${newest} is needed`, {
      remedy: FULL_ONCE,
    });
  }

  backup(): Promise<never> {
    return Promise.reject(this.#closing === undefined ? readOnlyError('a backup') : closedError());
  }

  close(): Promise<void> {
    this.#closing ??= this.#reader.idle().then(() => {
      this.#connection.db.close();
    });
    return this.#closing;
  }
}

export const openReadOnlyStore = async (settings: Settings): Promise<Store> => {
  if (!fs.existsSync(settings.path)) throw unavailable(`there is no database at ${settings.path}`, FULL_ONCE);
  return new ReadOnlyStore(settings, await openFile(settings));
};
