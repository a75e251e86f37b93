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
}

/** Reads and writes rows in one transaction that holds the write lock. */
export interface Tx extends ReadTx {
  /** Runs a statement and returns the number of changed rows. */
  run(sql: string, ...params: SqlValue[]): Promise<number>;
  /** Runs the statement once for each row of parameters, in order. */
  runMany(sql: string, rows: readonly (readonly SqlValue[])[]): Promise<void>;
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
  /** If true, the commit is on disk before the promise resolves, whatever the store's durability is. */
  readonly sync?: boolean;
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
   * Brings the schema to the newest version in one transaction, after a backup. If there was something to do, `record` runs once in that
   * transaction, after the last step and with all steps in order, so that migrations and the log's records of them commit together.
   */
  migrate(record: (tx: Tx, steps: readonly MigrationStep[]) => Promise<void>): Promise<void>;
  /** Writes a checked copy of the database into the folder beside it and returns the copy's path. */
  backup(): Promise<string>;
  /** The number of tables when the store was opened or after the last migration; 0 when the store is closed. */
  readonly tableCount: number;
  readonly instances: Instances;
  /** The error with which all reads and writes fail once the database's files were taken away while the store was open; undefined until then. */
  readonly fault?: ColibriError | undefined;
  close(): Promise<void>;
}
