// Opens the store on SQLite: one writing and one read-only connection to a WAL database, each with a queue of its own. No connection sleeps
// inside SQLite, and before close() nothing that syncs or copies whole files runs on this thread.

import type Database from 'better-sqlite3';
import type { ColibriError } from '../../errors.js';
import type { Migration, NowTx, ReadTx, RecordSteps, Store, Tx, WriteOptions } from '../store.js';
import { Chores, stampOf } from './chores.js';
import { closedError } from './errors.js';
import { countTables, inspect, prepareFile, walError } from './file.js';
import { assertNotNewThroughLink, assertOneName } from './identity.js';
import { InstanceLocks } from './instances.js';
import { migrateInside } from './migrate.js';
import { type Settings, type SqliteOptions, settingsOf } from './options.js';
import { FileIdentity, Presence, replacedError } from './presence.js';
import { retryWhileBusy, TurnKeeper } from './queue.js';
import { openReadOnlyStore } from './read-only.js';
import { Reader } from './reader.js';
import { writeAside } from './rescue.js';
import { connection, openDatabase, type SqliteConnection, useNow, useTx } from './tx.js';
import { Writer } from './writer.js';

interface Opened {
  readonly writing: Database.Database;
  readonly reading: Database.Database;
  readonly identity: FileIdentity;
  readonly tables: number;
}

class SqliteStore implements Store {
  readonly instances: InstanceLocks;
  readonly #settings: Settings;
  readonly #writing: SqliteConnection;
  readonly #reading: SqliteConnection;
  readonly #writer: Writer;
  readonly #reader: Reader;
  readonly #chores: Chores;
  readonly #presence: Presence;
  #tables: number;
  #closing: Promise<void> | undefined;

  constructor(settings: Settings, { writing, reading, identity, tables }: Opened) {
    const { elapsedMs, path } = settings;
    const retry = retryWhileBusy(settings);
    const turns = new TurnKeeper(elapsedMs);
    this.#settings = settings;
    this.#tables = tables;
    this.#writing = connection(writing, true);
    this.#reading = connection(reading, false);
    this.#chores = new Chores(settings);
    let commits = 0;
    const onCommit = () => {
      commits += 1;
      if (commits >= settings.limits.commitsPerCheckpoint && this.#chores.startCheckpoint()) commits = 0;
    };
    const rescue = () => this.#rescue();
    const logNeeds = () => logBytes(writing);
    const onLook = () => this.instances.renew();
    this.#presence = new Presence({ identity, elapsedMs, logger: settings.logger, rescue, logNeeds, onLook });
    const presence = this.#presence;
    const guard = schemaGuard(writing, settings.migrations);
    this.#writer = new Writer({ connection: this.#writing, settings, retry, turns, onCommit, presence, guard });
    this.#reader = new Reader({ connection: this.#reading, elapsedMs, retry, turns });
    this.instances = new InstanceLocks(path, retry);
  }

  get tableCount(): number {
    return this.#closing === undefined ? this.#tables : 0;
  }

  get fault(): ColibriError | undefined {
    return this.#presence.fault;
  }

  async read<T>(fn: (tx: ReadTx) => Promise<T>): Promise<T> {
    this.#assertOpen();
    return this.#reader.snapshot(() => useTx(this.#reading, fn, this.#settings));
  }

  async write<T>(fn: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T> {
    this.#assertOpen();
    return this.#writer.transact(() => useTx(this.#writing, fn, this.#settings), options);
  }

  writeNow<T>(fn: (tx: NowTx) => T | undefined): T | undefined {
    this.#assertOpen();
    return this.#writer.transactNow(() => useNow(this.#writing, fn));
  }

  async migrate(record: RecordSteps): Promise<void> {
    this.#assertOpen();
    const { migrations, checkAwaits } = this.#settings;
    const plan = { migrations, checkAwaits, record, backup: () => this.#chores.backup() };
    const migrated = async () => {
      await migrateInside(this.#writing, plan);
      return countTables(this.#writing.db);
    };
    this.#tables = await this.#writer.transact(migrated, { sync: true });
  }

  async backup(): Promise<string> {
    this.#assertOpen();
    return this.#chores.backup();
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw closedError();
    if (this.#presence.fault !== undefined) throw this.#presence.fault;
  }

  /**
   * Copies the open database to another file once its own file was taken away. Waiting jobs are already refused, so the queue ends soon and
   * no transaction is open.
   */
  async #rescue(): Promise<string> {
    await this.#writer.idle();
    return writeAside(this.#writing.db, this.#settings.path, stampOf(this.#settings.now()));
  }

  /** Closes the store after the jobs in its queues have run. */
  async #shutDown(): Promise<void> {
    await Promise.all([this.#writer.idle(), this.#reader.idle()]);
    await this.#chores.idle();
    await this.#presence.end();
    this.#closeFiles(this.#presence.fault !== undefined);
    this.instances.close();
  }

  /**
   * Closes both connections. The last to close folds the write-ahead log into the database, so the reader, whose snapshot would prevent
   * that, is closed first. But a log that was taken away must not be folded in: a process that opened the database since has begun another
   * log, and our old pages would replace its pages. Then the writer is closed first, while it is not the last, and the reader cannot write.
   */
  #closeFiles(wasTakenAway: boolean): void {
    const [reader, writer] = [this.#reading.db, this.#writing.db];
    if (wasTakenAway) writer.close();
    reader.close();
    if (wasTakenAway) return;
    truncateLog(writer);
    writer.close();
  }
}

const LOG_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** The bytes that the write-ahead log must have to hold everything SQLite has written to it (sqlite.org/fileformat2, section 4). */
const logBytes = (db: Database.Database): number => {
  if (db.inTransaction) return 0; // SQLite cannot be asked inside a transaction
  const [state] = db.pragma('wal_checkpoint(NOOP)') as { log: number }[];
  const frames = state?.log ?? 0;
  return frames > 0
    ? LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + Number(db.pragma('page_size', { simple: true })))
    : 0;
};

/** Folds the write-ahead log into the database and truncates it. If another process prevents this, the log stays long until that process does so. */
const truncateLog = (db: Database.Database): void => {
  try {
    db.pragma('wal_checkpoint(TRUNCATE)');
  } catch {
    // If the checkpoint fails, nothing is lost: the write-ahead log is part of the database.
  }
};

/** Sets up the writing connection, after checking that the database is Colibri's, and returns how many tables the database has. */
const openWriter = async (settings: Settings, db: Database.Database): Promise<number> => {
  const retry = retryWhileBusy(settings);
  const { tables } = await retry(() => inspect(db, settings.migrations));
  // The page size applies to a new file only. Most commits touch four small rows, and every page of a commit is written and checksummed
  // completely.
  db.pragma('page_size = 2048');
  const mode = await retry(() => db.pragma('journal_mode = WAL', { simple: true }));
  if (mode !== 'wal') throw walError(settings.path);
  db.pragma('foreign_keys = ON');
  db.pragma('wal_autocheckpoint = 0');
  // secure_delete = ON overwrites erased content also where rows have moved between pages; FAST leaves freed pages as they are.
  db.pragma(`secure_delete = ${settings.wipe === 'pages' ? 'ON' : 'FAST'}`);
  return tables;
};

/** Opens the reading connection. Its first read makes SQLite open all of its files. */
const openReading = async (settings: Settings): Promise<Database.Database> => {
  const reading = openDatabase(settings.path, { readonly: true, fileMustExist: true });
  await retryWhileBusy(settings)(() => reading.prepare('SELECT 1 FROM sqlite_schema').get());
  return reading;
};

const openBoth = async (settings: Settings): Promise<Opened> => {
  const { path } = settings;
  prepareFile(path);
  assertOneName(path);
  const before = new FileIdentity(path);
  const writing = openDatabase(path, { fileMustExist: true });
  try {
    const tables = await openWriter(settings, writing);
    const reading = await openReading(settings);
    const identity = new FileIdentity(path);
    if (identity.isSameAs(before)) return { writing, reading, identity, tables };
    reading.close();
    throw replacedError(path);
  } catch (thrown) {
    writing.close();
    throw thrown;
  }
};

/** Opens or creates the store at `options.path`. The schema is not changed here: see `migrate`. */
export const openSqliteStore = async (options: SqliteOptions): Promise<Store> => {
  assertNotNewThroughLink(options.path);
  const settings = settingsOf(options);
  return settings.readOnly ? openReadOnlyStore(settings) : new SqliteStore(settings, await openBoth(settings));
};

/**
 * Returns a function that inspects the schema again whenever SQLite's counter says that the schema changed: a trigger that somebody adds to
 * a store in use must not run with the next write. The function must be called inside the writing transaction.
 */
const schemaGuard = (db: Database.Database, migrations: readonly Migration[]): (() => void) => {
  const version = db.prepare<[], number>('PRAGMA schema_version').pluck();
  let known: number | undefined; // undefined before the first write, which therefore always inspects the schema
  return () => {
    const now = version.get();
    if (now === known) return;
    inspect(db, migrations);
    known = now;
  };
};
