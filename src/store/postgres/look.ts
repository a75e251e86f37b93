// What `colibri doctor` asks a database server about itself. Nothing is changed.

import type pg from 'pg';
import { ServerConnections } from './connections.js';
import { fromServer } from './errors.js';
import { type PostgresOptions, postgresSettings } from './options.js';
import { type RoleRights, rightsOf } from './rights.js';
import { inspectServer, newestIn } from './schema.js';
import { type PreparedText, translator } from './statement.js';
import { useServerTx } from './tx.js';

export interface ServerLook {
  /** The version of the schema, 0 if the database is empty, and the newest version that this program knows. */
  readonly version: number;
  readonly newest: number;
  readonly server: string;
  readonly encoding: string;
  /** By how much the server's clock is ahead of this machine's. */
  readonly aheadMs: number;
  /** False if a pooler between here and the server gives each transaction another session. */
  readonly keepsSession: boolean;
  readonly isEncrypted: boolean;
  readonly role: string;
  /** Undefined if the database is empty. */
  readonly rights: RoleRights | undefined;
}

const SELF = `SELECT current_setting('server_version') AS server, current_setting('server_encoding') AS encoding,
  current_user::text AS role,
  (SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()) AS encrypted,
  floor(extract(epoch FROM clock_timestamp()) * 1000) AS now_ms`;
const SESSION = 'SELECT pg_backend_pid() AS pid';

const sessionOf = async (client: pg.ClientBase): Promise<unknown> => (await client.query(SESSION)).rows[0]?.pid;

/**
 * Whether a connection keeps its session. While another connection has a transaction open, in the session that was used last, a pooler that
 * shares sessions has to use another one for the second question. Both connections are there before the first: a login may open a session too.
 */
const keepsSession = (connections: ServerConnections): Promise<boolean> =>
  connections.with((other) =>
    connections.with(async (one) => {
      const before = await sessionOf(one);
      await other.query('BEGIN READ ONLY');
      try {
        await sessionOf(other);
        return (await sessionOf(one)) === before;
      } finally {
        await other.query('ROLLBACK');
      }
    }),
  );

/** Without a name, nothing stays prepared: doctor has to be able to look through a pooler in transaction mode too. */
const unnamed = (sql: string): PreparedText => ({ ...translator(false)(sql), name: '' });

const lookThrough = async (connections: ServerConnections, client: pg.ClientBase, newest: number) => {
  const askedMs = Date.now();
  const { server, encoding, role, encrypted, now_ms } = (await client.query(SELF)).rows[0] ?? {};
  const middleMs = (askedMs + Date.now()) / 2;
  return {
    newest,
    server: String(server),
    encoding: String(encoding),
    role: String(role),
    isEncrypted: encrypted === 1,
    aheadMs: Math.round(Number(now_ms) - middleMs),
    keepsSession: await keepsSession(connections),
  };
};

/** Asks the server at `options.url`. Throws if it cannot be reached, or if the database is not Colibri's. */
export const lookAtServer = async (options: PostgresOptions): Promise<ServerLook> => {
  const settings = postgresSettings({ ...options, readOnly: true });
  const connections = new ServerConnections(settings);
  try {
    return await connections.with(async (client) => {
      const self = await fromServer(lookThrough(connections, client, newestIn(settings.migrations)));
      const scope = { client, translate: unnamed, savepoints: false };
      const { version } = await useServerTx(scope, (tx) => inspectServer(tx, settings.migrations));
      return { ...self, version, rights: version === 0 ? undefined : await fromServer(rightsOf(client)) };
    });
  } finally {
    await connections.end();
  }
};
