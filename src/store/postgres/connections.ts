// The connections of one process to the database server: a small pool, one connection for each transaction. The driver is told how values are
// read; nothing else of it leaves this folder.

import pg from 'pg';
import { fromConnection, unreachable } from './errors.js';
import type { PostgresSettings } from './options.js';

/** The types of columns and expressions that the shared SQL has, by their OID (catalog pg_type). */
const OIDS = { numbers: [20, 21, 23, 26, 700, 701, 1700], boolean: 16 };

/** Numbers come as numbers; digits that a number cannot hold are found by `readable`. Truth values are 0 and 1, as in SQLite. */
const readValue =
  (oid: number) =>
  (text: string): string | number => {
    if (OIDS.numbers.includes(oid)) return Number(text);
    return oid === OIDS.boolean ? Number(text === 't') : text;
  };

const TYPES = { getTypeParser: readValue } as unknown as pg.CustomTypesConfig;

/** What the driver is told about every connection. `pipeline`: statements are sent without waiting for the answers to those before them. */
export const clientConfig = ({ url, limits }: PostgresSettings): pg.ClientConfig =>
  ({
    connectionString: url,
    application_name: 'colibri',
    connectionTimeoutMillis: limits.connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: limits.connectMs,
    types: TYPES,
    pipeline: true,
  }) as pg.ClientConfig;

/** Settings of a session. Sent as statements, because some poolers refuse them as parameters of the connection. */
const sessionSetup = ({ limits, readOnly }: PostgresSettings): string =>
  [
    `SET statement_timeout = ${limits.statementMs}`,
    `SET lock_timeout = ${limits.lockMs}`,
    `SET idle_in_transaction_session_timeout = ${limits.statementMs}`,
    'SET standard_conforming_strings = on',
    ...(readOnly ? ['SET default_transaction_read_only = on'] : []),
  ].join('; ');

export class ServerConnections {
  readonly #settings: PostgresSettings;
  readonly #pool: pg.Pool;
  #refused: { readonly error: unknown; readonly untilMs: number } | undefined;

  constructor(settings: PostgresSettings) {
    this.#settings = settings;
    this.#pool = new pg.Pool({
      ...clientConfig(settings),
      query_timeout: settings.limits.answerMs,
      max: settings.limits.connections,
      idleTimeoutMillis: settings.limits.statementMs,
      onConnect: async (client: pg.ClientBase) => {
        await client.query(sessionSetup(settings));
      },
    } as pg.PoolConfig);
    // A connection that breaks while nobody uses it is dropped; the next transaction opens another one.
    this.#pool.on('error', () => {});
  }

  /** Runs `use` with a connection of its own, which goes back into the pool unless it is broken. */
  async with<T>(use: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let broken: Error | undefined;
    const onError = (error: Error): void => {
      broken = error;
    };
    client.on('error', onError);
    try {
      return await use(client);
    } finally {
      client.off('error', onError);
      client.release(broken ?? !isIdle(client));
    }
  }

  /** Whether a connection can be had, so that it is worth while to run something again. */
  async isReachable(): Promise<boolean> {
    try {
      await this.with(async () => {});
      return true;
    } catch {
      return false;
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    const refused = this.#refused;
    if (refused !== undefined && this.#settings.elapsedMs() < refused.untilMs) throw refused.error;
    try {
      const client = await this.#pool.connect();
      this.#refused = undefined;
      return client;
    } catch (thrown) {
      const error = this.#isFull(thrown)
        ? unreachable('all connections of this process are in use')
        : fromConnection(thrown);
      // Calls that come while the server is away are refused at once, and not one after the other after a time-out each.
      this.#refused = { error, untilMs: this.#settings.elapsedMs() + this.#settings.limits.connectPauseMs };
      throw error;
    }
  }

  /** Whether no connection became free in time. The driver has no code for it. */
  #isFull(thrown: unknown): boolean {
    const isCoded = thrown instanceof Error && 'code' in thrown;
    return !isCoded && this.#pool.totalCount >= this.#settings.limits.connections && this.#pool.idleCount === 0;
  }

  end(): Promise<void> {
    return this.#pool.end();
  }
}

/** Whether the server says that no transaction is open on the connection: only then may others use it. */
const isIdle = (client: pg.PoolClient): boolean =>
  (client as pg.PoolClient & { getTransactionStatus(): string | null }).getTransactionStatus() === 'I';
