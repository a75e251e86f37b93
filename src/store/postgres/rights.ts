// The rights on tables that each role of docs/postgres.md has, and which of them the role of a connection lacks. test/postgres/rights.test.ts
// compares this table with the program's SQL and with the page.

import type pg from 'pg';

/** What the application may change; it may add rows to every table but `NEVER_ADDED`, and read all. The keeper may do all that, and more. */
export const ROLE_RIGHTS = {
  app: {
    UPDATE: [
      ...['logs', 'tasks', 'leases', 'sessions', 'catalogue', 'approvals', 'rounds', 'voters', 'reputation_days'],
      ...['beside', 'projects'],
    ],
    DELETE: ['task_dependencies', 'instances', 'server_states', 'server_eras'],
  },
  keeper: { UPDATE: ['payloads', 'thoughts', 'definitions'], DELETE: ['payloads'] },
} as const;

/** Made with the store, by its owner. */
const NEVER_ADDED: readonly string[] = ['identity'];

const RIGHTS = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;
type Right = (typeof RIGHTS)[number];

export interface RoleRights {
  /** The rights that serving needs and the role lacks, such as `INSERT on votes, heard`. */
  readonly lacks: readonly string[];
  /** Whether the role may read every table. */
  readonly readsAll: boolean;
  /** Whether the role may write anything. One that may not is meant for reading. */
  readonly writes: boolean;
  /** Whether the role may change records, which `serve` never does. */
  readonly mayRewrite: boolean;
}

const HELD = `SELECT relname::text AS name, ${RIGHTS.map((right) => `has_table_privilege(oid, '${right}') AS "${right}"`).join(', ')}
  FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p') ORDER BY relname`;

type Held = Readonly<Record<Right, 0 | 1>> & { readonly name: string };

const isNeeded = (right: Right, table: string): boolean => {
  if (right === 'SELECT') return true;
  if (right === 'INSERT') return !NEVER_ADDED.includes(table);
  const tables: readonly string[] = ROLE_RIGHTS.app[right];
  return tables.includes(table);
};

/** What the role of the connection may do with the tables, and what it lacks to serve. */
export const rightsOf = async (client: pg.ClientBase): Promise<RoleRights> => {
  const tables = (await client.query<Held>(HELD)).rows;
  const lacking = RIGHTS.map((right) => ({
    right,
    on: tables.filter((table) => table[right] === 0 && isNeeded(right, table.name)).map(({ name }) => name),
  }));
  return {
    lacks: lacking.filter(({ on }) => on.length > 0).map(({ right, on }) => `${right} on ${on.join(', ')}`),
    readsAll: tables.every((table) => table.SELECT === 1),
    writes: tables.some(({ INSERT, UPDATE, DELETE }) => INSERT + UPDATE + DELETE > 0),
    mayRewrite: tables.some(({ name, UPDATE }) => name === 'actions' && UPDATE === 1),
  };
};
