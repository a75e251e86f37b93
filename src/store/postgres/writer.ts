// The writes of one process to the server, one after the other: each in a transaction on a connection of the pool, or as one statement. A write whose
// connection was cut runs again; a COMMIT without an answer is looked up first, so nothing is written twice.

import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { ColibriError, isUnknownEnd } from '../../errors.js';
import { STORE_LIMITS } from '../limits.js';
import type { GuardedInsert, SqlValue, Tx, WriteOptions } from '../store.js';
import { bindable } from '../values.js';
import type { ServerConnections } from './connections.js';
import { fromConnection, fromServer, isCollision, isConnectionLost } from './errors.js';
import { type ColumnTypes, columnTypes, oneStatement } from './guarded-insert.js';
import type { PostgresSettings } from './options.js';
import { translator } from './statement.js';
import { NeedsSavepoints, SERVER_TIME, serverTime, useServerTx } from './tx.js';

/** `0x436f6c69` is 'Coli': other programs' locks are others. Whoever has the lock of the store alone excludes all other writes. */
const STORE_LOCK = `${0x436f6c69}, hashtext(current_schema())`;
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';
const LOCK_ALONE = `SELECT pg_advisory_xact_lock(${STORE_LOCK})`;
const LOCK_SHARED = `SELECT pg_advisory_xact_lock_shared(${STORE_LOCK})`;
const LOCK_LOG = 'SELECT no FROM logs WHERE log_id = $1 FOR UPDATE';
const LOCK_NAME = 'SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || $1, 0))';

/** A query that finds a row only if a transaction was committed. */
interface Witness {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

export type ServerWork<T> = (tx: Tx, client: pg.ClientBase) => Promise<T>;

/** What became of a transaction: its value, or that nobody knows whether it was committed. */
type Ended<T> =
  | { readonly value: T; readonly unanswered?: undefined }
  | { readonly value: T; readonly unanswered: Witness };

const unknownEnd = (): ColibriError =>
  new ColibriError(
    'STORE_UNAVAILABLE',
    'the database server did not say whether the write was committed, and cannot be asked',
    {
      remedy: 'Look whether it is there before you repeat it.',
      retryAfterMs: STORE_LIMITS.serverRetryAfterMs,
      details: { committed: 'unknown' },
    },
  );

const waitedInVain = (): ColibriError =>
  new ColibriError('STORE_BUSY', 'earlier writes of this process still wait for the database server', {
    remedy: 'Try again in a moment.',
    retryAfterMs: STORE_LIMITS.busyRetryAfterMs,
  });

export class ServerWriter {
  readonly #settings: PostgresSettings;
  readonly #connections: ServerConnections;
  readonly #translate = translator(true);
  #types: ColumnTypes | undefined;
  #last: Promise<unknown> = Promise.resolve();
  onUnknownEnd: () => void = () => {};

  constructor(settings: PostgresSettings, connections: ServerConnections) {
    this.#settings = settings;
    this.#connections = connections;
  }

  /** Runs `fn` in one transaction, after all writes that were asked for before. */
  transact<T>(fn: ServerWork<T>, options: WriteOptions = {}): Promise<T> {
    return this.#queued(() => this.#again((savepoints) => this.#once(fn, options.log, savepoints), options.log));
  }

  /** Runs one statement, after all writes that were asked for before. */
  insert(make: () => GuardedInsert | undefined): Promise<boolean> {
    return this.#queued(async () => {
      const insert = make();
      if (insert === undefined) return false;
      const { sql, values } = oneStatement(insert, await this.#columnTypes(insert.log));
      for (const value of values) bindable(Array.isArray(value) ? value : [value]);
      const { text, name } = this.#translate(sql);
      let isSent = false;
      const send = async (client: pg.ClientBase): Promise<boolean> => {
        isSent = true;
        const { rows } = await fromServer(client.query({ text, name, values: [...values] }));
        return rows[0]?.changed === 1;
      };
      try {
        return await this.#connections.with(send);
      } catch (thrown) {
        const isLost = isConnectionLost(thrown);
        if (!isLost && !isCollision(thrown)) throw thrown;
        const again = () => this.#insertAgain(insert, send);
        return isSent && isLost ? this.#lookedUp(again) : again();
      }
    });
  }

  /**
   * Looks whether a statement without an answer was run, and runs it if not, in one transaction that has the lock of the log: the lost statement may
   * still be on its way, and must then find another head than the one that its guard asks for.
   */
  #insertAgain({ log, witness }: GuardedInsert, send: (client: pg.ClientBase) => Promise<boolean>): Promise<boolean> {
    const { sql, params } = witness;
    const lookAndSend: ServerWork<boolean> = async (tx, client) => {
      tx.witness?.(sql, ...params);
      return (await tx.get(sql, ...params)) !== undefined || (await send(client));
    };
    return this.#again((savepoints) => this.#once(lookAndSend, log, savepoints), log);
  }

  async #columnTypes(log: string): Promise<ColumnTypes> {
    this.#types ??= (await this.#once((tx) => columnTypes(tx), log, false)).value;
    return this.#types;
  }

  /** Jobs run one after the other. One that has not begun in time is refused: callers wait no longer for a server that does not answer. */
  #queued<T>(act: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        reject(waitedInVain());
      }, this.#settings.limits.queueMs).unref();
      this.#last = this.#last.then(async () => {
        clearTimeout(timer);
        if (isLate) return;
        await act().then(resolve, reject);
      });
    });
  }

  /** Runs `act` again after a collision or a cut connection, as often as the limits allow. */
  async #again<T>(act: (savepoints: boolean) => Promise<Ended<T>>, log: string | undefined): Promise<T> {
    let savepoints = false;
    for (let tries = 0; ; tries += 1) {
      try {
        const { value, unanswered } = await act(savepoints);
        if (unanswered === undefined || (await this.#isCommitted(unanswered, log))) return value;
      } catch (thrown) {
        savepoints ||= thrown instanceof NeedsSavepoints;
        const isWorthIt = thrown instanceof NeedsSavepoints || isCollision(thrown) || isConnectionLost(thrown);
        if (!isWorthIt || tries >= this.#settings.limits.serverRetries) throw thrown;
        if (isConnectionLost(thrown) && !(await this.#connections.isReachable())) throw thrown;
      }
    }
  }

  /** Runs `fn` in one transaction. The statements that begin it go to the server together. */
  #once<T>(fn: ServerWork<T>, log: string | undefined, savepoints: boolean): Promise<Ended<T>> {
    return this.#connections.with(async (client) => {
      let witness: Witness | undefined;
      let value: T;
      try {
        const begun = await fromServer(Promise.all(beginning(log).map((query) => client.query(query))));
        const began = serverTime(begun);
        value = await useServerTx({ client, translate: this.#translate, savepoints }, (tx) =>
          fn(
            {
              ...tx,
              began,
              lock: async (name) => void (await fromServer(client.query(LOCK_NAME, [` ${name}`]))),
              witness: (sql, ...params) => {
                witness = { sql, params };
              },
            },
            client,
          ),
        );
      } catch (thrown) {
        await client.query('ROLLBACK').catch(() => {}); // the connection may be gone, and with it the transaction
        throw thrown;
      }
      return committed(client, value, () => witness);
    });
  }

  /** Looks whether a transaction was committed whose COMMIT had no answer. The lock of its log is free once the server has ended that transaction. */
  async #isCommitted({ sql, params }: Witness, log: string | undefined): Promise<boolean> {
    return this.#lookedUp(
      async () => (await this.#once((tx) => tx.get(sql, ...params), log, false)).value !== undefined,
    );
  }

  /** Repeats `act` until the server answers; when that takes too long, nobody knows what became of the write. */
  async #lookedUp<T>(act: () => Promise<T>): Promise<T> {
    const { lookUpMs, lookUpPauseMs } = this.#settings.limits;
    const sinceMs = this.#settings.elapsedMs();
    while (this.#settings.elapsedMs() - sinceMs < lookUpMs) {
      try {
        return await act();
      } catch (thrown) {
        if (!(thrown instanceof ColibriError) || isUnknownEnd(thrown)) throw thrown;
        await sleep(lookUpPauseMs);
      }
    }
    this.onUnknownEnd();
    throw unknownEnd();
  }
}

const beginning = (log: string | undefined): pg.QueryConfig[] =>
  log === undefined
    ? [{ text: BEGIN }, { text: LOCK_ALONE }, { text: SERVER_TIME }]
    : [{ text: BEGIN }, { text: LOCK_SHARED }, { text: LOCK_LOG, values: [log] }, { text: SERVER_TIME }];

/** Commits. Without an answer the end is unknown, unless nothing could tell it later. */
const committed = async <T>(client: pg.ClientBase, value: T, witness: () => Witness | undefined): Promise<Ended<T>> => {
  try {
    await client.query('COMMIT');
    return { value };
  } catch (thrown) {
    const error = fromConnection(thrown);
    const unanswered = witness();
    if (!isConnectionLost(error)) throw error;
    if (unanswered === undefined) throw unknownEnd();
    return { value, unanswered };
  }
};
