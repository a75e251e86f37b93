// The store's interface: what the ledger and the domains may ask of a database. It is asynchronous, so that SQLite and PostgreSQL can both
// implement it. Rules of the common SQL: docs/adr/0006-store-port.md.

import type { ColibriError } from '../errors.js';

/** The values that may be bound to a statement. SQLite binds every number as REAL: never store a bound number as text. */
export type SqlValue = string | number | null;
export type Row = Record<string, SqlValue>;

/** Reads rows from one snapshot of the database. A ReadTx may be used only inside the function that gets it. */
export interface ReadTx {
  get<T extends Row = Row>(sql: string, ...params: SqlValue[]): Promise<T | undefined>;
  all<T extends Row = Row>(sql: string, ...params: SqlValue[]): Promise<T[]>;
  /** The time when the transaction began, by the clock that all machines share; absent if the process's own clock is the only one. */
  readonly began?: string | undefined;
}

/** Reads and writes rows in one transaction that holds the write lock, or the lock of one log. */
export interface Tx extends ReadTx {
  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, ...params: SqlValue[]): Promise<number>;
  /** Runs the statement once for each row of parameters, in order. */
  runMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<void>;
  /**
   * Waits until no other transaction holds the lock of that name, and holds it until this transaction ends. Absent if the transaction excludes all
   * others anyway.
   */
  readonly lock?: ((name: string) => Promise<void>) | undefined;
  /**
   * Names a query that finds a row only if this transaction was committed: with it, the store finds out what became of a COMMIT without an answer.
   * Absent if that cannot happen.
   */
  readonly witness?: ((sql: string, ...params: SqlValue[]) => void) | undefined;
  /** Functions that run statements in this transaction without promises; undefined if the database has none. */
  readonly now?: NowTx | undefined;
}

/** The part of a transaction that needs no promise, for a database inside this process. */
export interface NowTx {
  get<T extends Row = Row>(sql: string, ...params: SqlValue[]): T | undefined;
  /** Runs a statement without a promise and returns the number of changed rows. */
  run(sql: string, ...params: SqlValue[]): number;
  runMany(sql: string, rows: readonly (readonly SqlValue[])[]): void;
}

export interface WriteOptions {
  /** If true, the write may share one commit with other grouped writes; each still succeeds or fails by itself. */
  readonly group?: boolean;
  /**
   * The log that the transaction appends to. On a server, the transaction then excludes others that append to that log, and of all other rows only
   * those that it locks. Without it, the transaction excludes all others.
   */
  readonly log?: string;
  /** If true, the commit is on disk before the promise resolves, whatever the store's durability is. */
  readonly sync?: boolean;
}

/** Receives warnings about failed background work, for which no caller waits. */
export interface StoreLog {
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Records all steps of a migration, when the schema is at its newest version. */
export type RecordSteps = (tx: Tx, steps: readonly MigrationStep[]) => Promise<void>;

/** Rows for a table, all with the same columns. */
export interface InsertedRows {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
}

/** An update of one row that only succeeds if the row is as it was left, and the rows that are inserted with it. */
export interface GuardedInsert {
  readonly guard: { readonly sql: string; readonly params: readonly SqlValue[] };
  readonly inserts: readonly InsertedRows[];
  /** A query that finds a row only if the rows were inserted. */
  readonly witness: { readonly sql: string; readonly params: readonly SqlValue[] };
  readonly log: string;
}

/** One migration of the schema. `sql` may hold several statements; the log records its SHA-256 as the checksum. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

export interface MigrationStep {
  readonly from: number;
  readonly to: number;
  readonly checksum: string;
}

/** Tells which instances (Colibri processes that share the store) are alive. */
export interface Instances {
  /** Whether an instance that is not alive here may still run, because only its connection to the database was cut. */
  readonly mayRunOn?: boolean;
  /** Takes this instance's lock, which is held until the store closes. */
  hold(instance: string): Promise<void>;
  isAlive(instance: string): Promise<boolean>;
  /** Whether the instance's lock is still there, held or not: an instance that ended normally has removed it. */
  isHeld(instance: string): Promise<boolean>;
  /** Removes the lock file of a dead instance. */
  forget(instance: string): Promise<void>;
}

export interface Store {
  /** Runs `fn` on one consistent snapshot of the database. `fn` may await only calls of its `tx`. */
  read<T>(fn: (tx: ReadTx) => Promise<T>): Promise<T>;
  /**
   * Runs `fn` in one transaction that took the write lock before anything was read, and resolves after COMMIT has returned. `fn` may run
   * again (busy file, failed group, serialization failure): it must have no effect outside `tx` and may await only calls of `tx`.
   */
  write<T>(fn: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T>;
  /**
   * Runs `fn` in one transaction and commits the transaction before this call returns. Returns undefined, with nothing written, if that is
   * not possible at once (another write waits, another process has the lock), or if `fn` returned undefined or threw: the caller then uses
   * `write`, which waits or says what is wrong. Throws if the store is closed, or if the database's files were found missing, also after the commit. Absent if the
   * database cannot commit without a promise.
   */
  writeNow?<T>(fn: (tx: NowTx) => T | undefined): T | undefined;
  /**
   * Runs one statement as a transaction of its own, in one round trip: if `guard` changes its row, all rows are inserted, and the promise resolves to
   * true; otherwise nothing is written. `make` is called when all writes before it have ended; if it returns undefined, nothing is sent. Absent if the
   * database has no round trips.
   */
  writeOnce?(make: () => GuardedInsert | undefined): Promise<boolean>;
  /** Sets who is told at once when nobody can say whether a write was committed. Absent if the database always says so. */
  onUnknownEnd?(listener: () => void): void;
  /**
   * Brings the schema to the newest version in one transaction, after a backup. If there was something to do, `record` runs once in that
   * transaction, after the last step and with all steps in order, so that migrations and the log's records of them commit together.
   */
  migrate(record: RecordSteps): Promise<void>;
  /** Writes a checked copy of the database into the folder beside it and returns the copy's path. */
  backup(): Promise<string>;
  /** The number of tables when the store was opened or after the last migration; 0 when the store is closed. */
  readonly tableCount: number;
  readonly instances: Instances;
  /** The error with which all reads and writes fail once the database's files were taken away while the store was open; undefined until then. */
  readonly fault?: ColibriError | undefined;
  close(): Promise<void>;
}
