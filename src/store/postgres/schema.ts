// Checks that the tables of the database are Colibri's, and which version of the schema they have. The version is in a comment on the table
// `identity`, which changes in the transaction of a migration.

import { ColibriError } from '../../errors.js';
import { STORE_LIMITS } from '../limits.js';
import type { Migration, ReadTx } from '../store.js';

export interface ServerSchema {
  readonly version: number;
  readonly tables: number;
  /** How the database keeps text. */
  readonly encoding: string;
}

export const versionComment = (version: number): string => `COMMENT ON TABLE identity IS 'Colibri schema ${version}'`;

const VERSION_IN = /^Colibri schema ([1-9][0-9]{0,8})$/;

const LOOK = `SELECT count(*) AS tables, obj_description(to_regclass(quote_ident(current_schema()) || '.identity'), 'pg_class') AS comment,
    current_setting('server_encoding') AS encoding FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f')`;
const NAMES = `SELECT relname::text AS name FROM pg_class
  WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p', 'v', 'm', 'f') ORDER BY relname LIMIT ?`;
/** What somebody else added to our tables and what would run with our statements. */
const PROGRAMS = `SELECT t.tgname::text AS name, 'trigger' AS type, c.relname::text AS table FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
    WHERE c.relnamespace = current_schema()::regnamespace AND NOT t.tgisinternal
  UNION ALL SELECT r.rulename::text, 'rule', c.relname::text FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') LIMIT 1`;

export const newestIn = (migrations: readonly Migration[]): number => migrations.at(-1)?.version ?? 0;

const foreign = async (tx: ReadTx): Promise<ColibriError> => {
  const names = await tx.all<{ name: string }>(NAMES, STORE_LIMITS.foreignTables);
  return new ColibriError(
    'STORE_UNAVAILABLE',
    `the database holds tables that are not Colibri's: ${names.map(({ name }) => name).join(', ')}`,
    { remedy: 'Give Colibri a database or a schema (search_path) of its own.' },
  );
};

const upgraded = (version: number, newest: number): ColibriError =>
  new ColibriError('STORE_UPGRADED', `the store has schema ${version}, this process knows ${newest}`, {
    remedy: 'Restart this client, so that it starts the newer Colibri.',
  });

/** Whether the role may make the tables, or change them: it is their owner, or acts for it. */
const MAY_MIGRATE = `SELECT coalesce(
    pg_has_role((SELECT relowner FROM pg_class WHERE oid = to_regclass(quote_ident(current_schema()) || '.identity')), 'USAGE'),
    has_schema_privilege(current_schema(), 'CREATE')) AS may`;

export const mayMigrate = async (tx: ReadTx): Promise<boolean> =>
  (await tx.get<{ may: number | null }>(MAY_MIGRATE))?.may === 1;

/** Throws if the database does not keep every text as it is given. */
export const assertUtf8 = ({ encoding }: ServerSchema): void => {
  if (encoding === 'UTF8') return;
  throw new ColibriError('STORE_UNAVAILABLE', `the database keeps text as ${encoding}: not every text fits`, {
    remedy: "Make another one: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0 (docs/postgres.md, step 2).",
  });
};

/** Reads the version and the number of tables. Throws for a database that is not Colibri's, is newer, or in which somebody put a program. */
export const inspectServer = async (tx: ReadTx, migrations: readonly Migration[]): Promise<ServerSchema> => {
  const found = await tx.get<{ tables: number; comment: string | null; encoding: string }>(LOOK);
  const { tables = 0, comment = null, encoding = '' } = found ?? {};
  const version = Number(VERSION_IN.exec(comment ?? '')?.[1] ?? 0);
  const newest = newestIn(migrations);
  if (version > newest) throw upgraded(version, newest);
  if (version === 0 && tables > 0) throw await foreign(tx);
  const program = await tx.get<{ name: string; type: string; table: string }>(PROGRAMS);
  if (program !== undefined) {
    const what = `${program.type} ${JSON.stringify(program.name)} on ${JSON.stringify(program.table)}`;
    throw new ColibriError('STORE_CORRUPT', `the store holds the ${what}, which Colibri did not make`, {
      remedy: 'Somebody changed the database. `colibri verify` lists the changes.',
      details: program,
    });
  }
  return { version, tables, encoding };
};
