// Tells which instances (Colibri processes) are alive: each holds an advisory lock of the server on a connection of its own. The server drops
// the lock when the connection ends, so a cut connection frees the lock of a process that lives (docs/adr/0073-postgresql.md).

import pg from 'pg';
import { ColibriError } from '../../errors.js';
import type { Instances, ReadTx } from '../store.js';
import { clientConfig } from './connections.js';
import { closedServer, fromConnection, fromServer, KEEP_SESSION, serverReadOnly } from './errors.js';
import { heldQuery, isInstanceId, lockNumber } from './instance-lock.js';
import type { PostgresSettings } from './options.js';

const TAKE = 'SELECT pg_try_advisory_lock($1::bigint) AS taken';
const SESSION = 'SELECT pg_backend_pid() AS pid';
type Ask = <T>(fn: (tx: ReadTx) => Promise<T>) => Promise<T>;

const sharedSession = (): ColibriError =>
  new ColibriError(
    'STORE_UNAVAILABLE',
    'the connection to the database server does not keep its session: a pooler in transaction mode is in between',
    {
      remedy: KEEP_SESSION,
    },
  );

export class ServerInstances implements Instances {
  readonly mayRunOn = true;
  readonly #settings: PostgresSettings;
  readonly #ask: Ask;
  /** The instances whose locks this process holds, or takes again after its connection was cut. */
  readonly #held = new Set<string>();
  #client: Promise<pg.Client> | undefined;
  #watch: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(settings: PostgresSettings, ask: Ask) {
    this.#settings = settings;
    this.#ask = ask;
  }

  async hold(instance: string): Promise<void> {
    if (!isInstanceId(instance)) throw new TypeError('an instance id is a UUID');
    if (this.#closed) throw closedServer();
    if (this.#settings.readOnly) throw serverReadOnly('an instance lock');
    if (this.#held.has(instance)) return;
    await this.#take(instance);
    if (!(await this.#isHere(instance))) throw sharedSession();
    this.#held.add(instance);
    this.#watch ??= setInterval(() => void this.#look(), this.#settings.limits.instanceMs).unref();
  }

  async isAlive(instance: string): Promise<boolean> {
    if (!isInstanceId(instance)) return false; // Colibri never writes such an id: somebody else wrote the row
    return (await this.#ask((tx) => tx.get(...heldQuery(instance)))) !== undefined;
  }

  /** The server keeps the lock of every living process, and nobody can remove it: whoever has no lock is dead. */
  async isHeld(instance: string): Promise<boolean> {
    return isInstanceId(instance);
  }

  /** Does nothing: the lock of a dead process is gone with its connection. */
  async forget(): Promise<void> {}

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    clearTimeout(this.#again);
    const client = await this.#client?.catch(() => undefined);
    this.#client = undefined;
    this.#held.clear();
    await client?.end().catch(() => {});
  }

  /** Looks whether the locks are still there: a pooler may have given the session to somebody else, and a cut may go unnoticed. */
  async #look(): Promise<void> {
    try {
      for (const instance of this.#held) if (!(await this.#isHere(instance))) await this.#take(instance);
    } catch {
      this.#reconnectSoon();
    }
  }

  /**
   * Whether the lock belongs to the session behind this process's connection. Asked while a transaction is open on another connection, so that a
   * pooler that shares sessions between transactions has to use another session for the question.
   */
  async #isHere(instance: string): Promise<boolean> {
    const client = await this.#connection();
    return this.#ask(async (tx) => {
      const holder = await tx.get<{ pid: number }>(...heldQuery(instance));
      const { rows } = await fromServer(client.query(SESSION));
      return holder !== undefined && holder.pid === rows[0]?.pid;
    });
  }

  async #take(instance: string): Promise<void> {
    const client = await this.#connection();
    const { rows } = await fromServer(client.query(TAKE, [lockNumber(instance)]));
    if (rows[0]?.taken === 1) return;
    throw new ColibriError('STORE_BUSY', `another process has the lock of instance ${instance}`);
  }

  #connection(): Promise<pg.Client> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client(clientConfig(this.#settings));
    const lost = (): void => {
      this.#client = undefined;
      this.#reconnectSoon();
    };
    client.on('error', lost);
    client.on('end', lost);
    try {
      await client.connect();
      return client;
    } catch (thrown) {
      this.#client = undefined;
      throw fromConnection(thrown);
    }
  }

  /** After a cut, the locks are taken again as soon as the server is there: until then others may take this process for dead. */
  #reconnectSoon(): void {
    if (this.#closed || this.#held.size === 0 || this.#again !== undefined) return;
    this.#again = setTimeout(() => {
      this.#again = undefined;
      void this.#look();
    }, this.#settings.limits.connectPauseMs).unref();
  }
}
