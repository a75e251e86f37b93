// usage: node postgres-database.mjs create <address of the server> <name> | copy <address> <folder>
// Makes an empty database, or copies a store into a SQLite file and prints its path; nothing if there is no store yet. A process of its own, so
// that a test can wait for it without giving up its turn.
import pg from 'pg';
import { openPostgresStore } from '../../build/store/postgres/open.js';

const [act, url, name] = process.argv.slice(2);

const create = async () => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'`);
  await client.end();
};

const copy = async () => {
  const store = await openPostgresStore({ url, backups: name });
  if (store.tableCount > 0) process.stdout.write(await store.backup());
  await store.close();
};

await (act === 'create' ? create() : copy());
