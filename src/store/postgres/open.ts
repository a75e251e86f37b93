// Opens the store on a PostgreSQL server. Writes of this process run one after the other, each in a transaction on a connection of the pool;
// reads run beside them, each on one snapshot.

import type { GuardedInsert, ReadTx, RecordSteps, Store, Tx, WriteOptions } from '../store.js';
import { copyToFile } from './backup.js';
import { ServerConnections } from './connections.js';
import { closedServer, fromServer, isConnectionLost, olderServer, serverReadOnly } from './errors.js';
import { ServerInstances } from './instances.js';
import { migrateServer } from './migrate.js';
import { type PostgresOptions, type PostgresSettings, postgresSettings } from './options.js';
import { assertUtf8, inspectServer, mayMigrate, newestIn } from './schema.js';
import { translator } from './statement.js';
import { SERVER_TIME, serverTime, useServerTx } from './tx.js';
import { ServerWriter } from './writer.js';

const BEGIN_READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

class PostgresStore implements Store {
  readonly instances: ServerInstances;
  readonly #settings: PostgresSettings;
  readonly #connections: ServerConnections;
  readonly #translate = translator(false);
  readonly #writer: ServerWriter;
  readonly #running = new Set<Promise<unknown>>();
  #tables: number;
  #closing: Promise<void> | undefined;

  constructor(settings: PostgresSettings, connections: ServerConnections, tables: number) {
    this.#settings = settings;
    this.#connections = connections;
    this.#tables = tables;
    this.#writer = new ServerWriter(settings, connections);
    this.instances = new ServerInstances(settings, (fn) => this.#snapshot(fn));
  }

  get tableCount(): number {
    return this.#closing === undefined ? this.#tables : 0;
  }

  read<T>(fn: (tx: ReadTx) => Promise<T>): Promise<T> {
    return this.#closing === undefined ? this.#tracked(this.#snapshot(fn)) : Promise.reject(closedServer());
  }

  write<T>(fn: (tx: Tx) => Promise<T>, options?: WriteOptions): Promise<T> {
    return this.#writing('a write', () => this.#writer.transact(fn, options));
  }

  writeOnce(make: () => GuardedInsert | undefined): Promise<boolean> {
    return this.#writing('a write', () => this.#writer.insert(make));
  }

  onUnknownEnd(listener: () => void): void {
    this.#writer.onUnknownEnd = listener;
  }

  async migrate(record: RecordSteps): Promise<void> {
    const { migrations, readOnly } = this.#settings;
    if (this.#closing !== undefined) throw closedServer();
    const look = (tx: ReadTx) => inspectServer(tx, migrations);
    const [{ version }, newest] = [await this.#snapshot(look), newestIn(migrations)];
    if (version === newest) return;
    if (readOnly || !(await this.#snapshot(mayMigrate))) throw olderServer(version, newest);
    this.#tables = await this.#writing('a migration', () =>
      this.#writer.transact(async (tx, client) => {
        await migrateServer(tx, client, { migrations, record, backup: () => this.#copy() });
        return (await look(tx)).tables;
      }),
    );
  }

  backup(): Promise<string> {
    if (this.#closing !== undefined) return Promise.reject(closedServer());
    return this.#settings.readOnly ? Promise.reject(serverReadOnly('a backup')) : this.#tracked(this.#copy());
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
    await this.instances.close();
    await this.#connections.end();
  }

  #copy(): Promise<string> {
    const { backups, now } = this.#settings;
    return this.#snapshot((tx) => copyToFile(tx, backups, now()));
  }

  #tracked<T>(work: Promise<T>): Promise<T> {
    this.#running.add(work);
    const done = (): void => {
      this.#running.delete(work);
    };
    work.then(done, done);
    return work;
  }

  #writing<T>(what: string, act: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) return Promise.reject(closedServer());
    return this.#settings.readOnly ? Promise.reject(serverReadOnly(what)) : this.#tracked(act());
  }

  /** Runs `fn` on one snapshot. If the connection is cut, it runs again on another one, once. */
  async #snapshot<T>(fn: (tx: ReadTx) => Promise<T>): Promise<T> {
    try {
      return await this.#snapshotOnce(fn);
    } catch (thrown) {
      if (!isConnectionLost(thrown) || !(await this.#connections.isReachable())) throw thrown;
      return this.#snapshotOnce(fn);
    }
  }

  #snapshotOnce<T>(fn: (tx: ReadTx) => Promise<T>): Promise<T> {
    return this.#connections.with(async (client) => {
      try {
        const begun = await fromServer(Promise.all([client.query(BEGIN_READ), client.query(SERVER_TIME)]));
        const began = serverTime(begun);
        const open = { client, translate: this.#translate, savepoints: false };
        return await useServerTx(open, (tx) => fn({ ...tx, began }));
      } finally {
        await client.query('ROLLBACK').catch(() => {}); // a read has nothing to commit, and the connection may be gone
      }
    });
  }
}

/** Opens the store on the server at `options.url`. The schema is not changed here: see `migrate`. */
export const openPostgresStore = async (options: PostgresOptions): Promise<Store> => {
  const settings = postgresSettings(options);
  const connections = new ServerConnections(settings);
  const translate = translator(false);
  try {
    const schema = await connections.with((client) =>
      useServerTx({ client, translate, savepoints: false }, (tx) => inspectServer(tx, settings.migrations)),
    );
    if (!settings.readOnly) assertUtf8(schema);
    return new PostgresStore(settings, connections, schema.tables);
  } catch (thrown) {
    await connections.end();
    throw thrown;
  }
};
