// The queue of reads. Reads have a connection of their own: on the writer's connection, a read would see the uncommitted rows of a running
// write (measured).

import { fromSqlite } from './errors.js';
import { type BusyRetry, Queue, type TurnKeeper } from './queue.js';
import type { SqliteConnection } from './tx.js';

interface Job {
  readonly body: () => Promise<unknown>;
  readonly queuedMs: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export interface ReaderParts {
  readonly connection: SqliteConnection;
  readonly elapsedMs: () => number;
  readonly retry: BusyRetry;
  readonly turns: TurnKeeper;
}

export class Reader {
  readonly #parts: ReaderParts;
  readonly #queue: Queue<Job>;
  readonly #sql;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
    this.#queue = new Queue((job) => this.#serve(job), parts.turns);
    const { db } = parts.connection;
    this.#sql = {
      begin: db.prepare('BEGIN'),
      end: db.prepare('ROLLBACK'),
    };
  }

  /** Queues the read `body`, which runs in a snapshot of its own. */
  snapshot<T>(body: () => Promise<T>): Promise<T> {
    const queuedMs = this.#parts.elapsedMs();
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ body, queuedMs, resolve: resolve as (value: unknown) => void, reject });
    });
  }

  idle(): Promise<void> {
    return this.#queue.idle();
  }

  async #serve(job: Job): Promise<void> {
    try {
      await this.#parts.retry(() => this.#begin(), job.queuedMs);
      const value = await job.body();
      this.#end();
      job.resolve(value);
    } catch (thrown) {
      this.#end();
      job.reject(fromSqlite(thrown));
    }
  }

  /** Begins a snapshot. BEGIN alone takes none; the first read does. That read can find the database locked too, so it happens here, inside the retry. */
  #begin(): void {
    this.#sql.begin.run();
    try {
      this.#parts.connection.statement('SELECT 1 FROM sqlite_schema LIMIT 1').get();
    } catch (thrown) {
      this.#end();
      throw thrown;
    }
  }

  /** Ends the snapshot by a rollback: a read has nothing to commit. */
  #end(): void {
    if (this.#parts.connection.db.inTransaction) this.#sql.end.run();
  }
}
