// The queue of writes, with group commit. There is one connection and one transaction at a time, and each transaction takes the write lock
// before it reads anything, so two processes never append to the same state of a log.

import type { WriteOptions } from '../store.js';
import { fromSqlite } from './errors.js';
import type { Settings } from './options.js';
import type { Presence } from './presence.js';
import { type BusyRetry, Queue, type TurnKeeper } from './queue.js';
import type { SqliteConnection } from './tx.js';

type Synchronous = 'NORMAL' | 'FULL';

interface Job {
  /** The work of the job, run inside the transaction; it may run a second time. */
  readonly body: () => Promise<unknown>;
  readonly group: boolean;
  readonly sync: boolean;
  readonly queuedMs: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** A job that ran in a group, and a function that reports the result to the job's caller after the commit. */
interface Ran {
  readonly job: Job;
  readonly failed: boolean;
  readonly settle: () => void;
}

export interface WriterParts {
  readonly connection: SqliteConnection;
  readonly settings: Settings;
  readonly retry: BusyRetry;
  readonly turns: TurnKeeper;
  readonly onCommit: () => void;
  readonly presence: Pick<Presence, 'check' | 'beforeWrite'>;
  /** Throws if the schema is no longer Colibri's; called with the write lock held. */
  readonly guard: () => void;
}

export class Writer {
  readonly #parts: WriterParts;
  readonly #queue: Queue<Job>;
  readonly #sql;
  readonly #usual: Synchronous;
  #synchronous: Synchronous | undefined;

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#usual = parts.settings.durability === 'full' ? 'FULL' : 'NORMAL';
    this.#queue = new Queue((job) => this.#serve(job), parts.turns);
    const { db } = parts.connection;
    this.#sql = {
      begin: db.prepare('BEGIN IMMEDIATE'),
      commit: db.prepare('COMMIT'),
      rollback: db.prepare('ROLLBACK'),
      savepoint: db.prepare('SAVEPOINT member'),
      release: db.prepare('RELEASE member'),
      undo: db.prepare('ROLLBACK TO member'),
    };
  }

  /** Queues `body` for a transaction. The promise resolves after COMMIT has returned. */
  transact<T>(body: () => Promise<T>, { group = false, sync = false }: WriteOptions = {}): Promise<T> {
    const queuedMs = this.#parts.settings.elapsedMs();
    return new Promise<T>((resolve, reject) => {
      const settle = resolve as (value: unknown) => void;
      this.#queue.push({ body, group: group && !sync, sync, queuedMs, resolve: settle, reject });
    });
  }

  /** Runs `act` in a transaction of its own at once, as `Store.writeNow` says; only if no job runs or waits and the event loop need not run first. */
  transactNow<T>(act: () => T | undefined): T | undefined {
    if (!this.#queue.isIdle || !this.#parts.turns.mayGoOn()) return undefined;
    let value: T | undefined;
    try {
      this.#open(this.#usual);
      value = act();
      if (value !== undefined) this.#commit();
    } catch {
      value = undefined;
    }
    this.#rollback();
    const lost = value === undefined ? undefined : this.#parts.presence.check();
    if (lost !== undefined) throw lost;
    return value;
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }

  #serve(job: Job): Promise<void> {
    return job.group ? this.#group(job) : this.#alone(job);
  }

  async #alone(job: Job): Promise<void> {
    try {
      await this.#begin(job);
      const value = await job.body();
      this.#commit();
      this.#settle([{ job, failed: false, settle: () => job.resolve(value) }]);
    } catch (thrown) {
      this.#rollback();
      job.reject(fromSqlite(thrown));
    }
  }

  /**
   * Runs one transaction for the job `first` and for every grouped job that waits behind it or arrives while it runs. If SQLite drops the
   * transaction or refuses the commit, nothing has happened and no caller has a result: each job then runs again alone, once, in order.
   */
  async #group(first: Job): Promise<void> {
    try {
      await this.#begin(first);
    } catch (thrown) {
      first.reject(thrown);
      return;
    }
    // The first job needs no savepoint: if it fails, the whole transaction is rolled back.
    const opener = await this.#attempt(first);
    if (opener.failed && this.#inTransaction) {
      this.#rollback();
      opener.settle();
      return;
    }
    await this.#complete([opener]);
  }

  async #complete(ran: Ran[]): Promise<void> {
    try {
      await this.#admitFollowers(ran);
      this.#commit(); // also throws if SQLite has dropped the transaction
    } catch {
      this.#rollback();
      for (const { job } of ran) await this.#alone(job);
      return;
    }
    this.#settle(ran);
  }

  /** Reports the results to the callers; if the database file is gone, their writes are rejected although they were committed. */
  #settle(ran: readonly Ran[]): void {
    const lost = this.#parts.presence.check();
    for (const { job, settle } of ran) {
      if (lost === undefined) settle();
      else job.reject(lost);
    }
  }

  /** Runs waiting jobs in the same transaction. A job that fails is undone alone. Returns early if SQLite has ended the transaction. */
  async #admitFollowers(ran: Ran[]): Promise<void> {
    const next = () => this.#queue.takeIf((job) => job.group);
    while (this.#inTransaction && ran.length < this.#parts.settings.limits.groupCalls) {
      const job = next();
      if (job === undefined) return;
      ran.push(await this.#nested(job));
    }
  }

  async #nested(job: Job): Promise<Ran> {
    try {
      this.#sql.savepoint.run();
      const result = await this.#attempt(job);
      if (!this.#inTransaction) return result;
      if (result.failed) this.#sql.undo.run();
      this.#sql.release.run();
      return result;
    } catch (thrown) {
      // The savepoint itself failed, so the state of the transaction is unknown.
      this.#rollback();
      return { job, failed: true, settle: () => job.reject(fromSqlite(thrown)) };
    }
  }

  /** Runs a job. Its failure, too, is reported only after the commit: it may result from rows that are rolled back with the group. */
  async #attempt(job: Job): Promise<Ran> {
    try {
      const value = await job.body();
      return { job, failed: false, settle: () => job.resolve(value) };
    } catch (thrown) {
      return { job, failed: true, settle: () => job.reject(fromSqlite(thrown)) };
    }
  }

  get #inTransaction(): boolean {
    return this.#parts.connection.db.inTransaction;
  }

  #begin(job: Job): Promise<void> {
    return this.#parts.retry(() => this.#open(job.sync ? 'FULL' : this.#usual), job.queuedMs);
  }

  #open(level: Synchronous): void {
    const fault = this.#parts.presence.beforeWrite();
    if (fault !== undefined) throw fault;
    this.#setSynchronous(level);
    this.#sql.begin.run();
    this.#guard();
  }

  #guard(): void {
    try {
      this.#parts.guard();
    } catch (thrown) {
      this.#rollback();
      throw thrown;
    }
  }

  /** Sets SQLite's `synchronous` before BEGIN, since it cannot be changed inside a transaction, and only if the level differs. */
  #setSynchronous(level: Synchronous): void {
    if (level === this.#synchronous) return;
    this.#parts.connection.db.pragma(`synchronous = ${level}`);
    this.#synchronous = level;
  }

  #commit(): void {
    this.#sql.commit.run();
    this.#parts.onCommit();
  }

  /** Rolls the transaction back. Never throws: an earlier error is already on its way to the caller. */
  #rollback(): void {
    if (!this.#inTransaction) return;
    try {
      this.#sql.rollback.run();
    } catch (thrown) {
      this.#parts.settings.logger.warn('a transaction could not be rolled back', { error: String(thrown) });
    }
  }
}
