// Two stores with tasks on the PostgreSQL server, made when a row asks for them. A row works on copies, so that no round finds what another left.
import { drawRows, makeProject, taskStoreEnv } from '../fill-tasks.mjs';
import { inFolder, withServer } from '../servers.mjs';
import { connected, makeDatabase, withDatabase } from './server.mjs';
import { onDatabase } from './team.mjs';

const ROWS_AT_ONCE = 5_000;
/** A table comes after those that its rows name. */
const ORDER = ['tasks', 'task_dependencies', 'leases'];

/** @param {import('pg').Client} client @param {string} table @param {readonly object[]} rows */
const insert = async (client, table, rows) => {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first).join(', ');
  const text = `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${table}, $1)`;
  await client.query(text, [JSON.stringify(rows)]);
};

/** @param {import('pg').Client} client @param {number} count */
const insertTasks = async (client, count) => {
  const log = (await client.query('SELECT log_id FROM logs LIMIT 1')).rows[0].log_id;
  /** @type {Map<string, object[]>} */
  const waiting = new Map();
  const flush = async () => {
    for (const table of ORDER) await insert(client, table, waiting.get(table) ?? []);
    waiting.clear();
  };
  for (const { table, row } of drawRows(count, log)) {
    waiting.set(table, [...(waiting.get(table) ?? []), row]);
    if ((waiting.get('tasks')?.length ?? 0) >= ROWS_AT_ONCE) await flush();
  }
  await flush();
  await client.query(`SELECT setval(pg_get_serial_sequence('tasks', 'n'), ${count})`);
};

/** Makes the tables as the product does, then puts the rows straight in. @param {number} count */
const makeTaskDatabase = async (count) => {
  console.error(`making a store of ${count} tasks on PostgreSQL`);
  const { name, url } = await makeDatabase();
  await withTaskServer(url, async () => {});
  await connected(url, async (client) => {
    await client.query('BEGIN');
    await client.query('SET LOCAL session_replication_role = replica'); // references are right as they are drawn
    await insertTasks(client, count);
    await client.query('COMMIT');
    await client.query('VACUUM ANALYZE'); // as the server does by itself, a while after many changes
  });
  return name;
};

/** @template T @param {string} url @param {(client: import('../client.mjs').Client) => Promise<T>} use */
const withTaskServer = (url, use) =>
  inFolder((folder) => {
    makeProject(folder);
    return withServer('ours', folder, { env: { ...taskStoreEnv(folder), ...onDatabase(url).env } }, use);
  });

/** @param {import('../task-stores.mjs').TaskStores['counts']} counts @returns {import('../task-stores.mjs').TaskStores} */
export const postgresTaskStores = (counts) => {
  /** @type {Map<string, Promise<string>>} */
  const made = new Map();
  return {
    counts,
    withCopy: async (size, use) => {
      const original = made.get(size) ?? makeTaskDatabase(counts[size]);
      made.set(size, original);
      return withDatabase(({ url }) => withTaskServer(url, use), await original);
    },
  };
};
