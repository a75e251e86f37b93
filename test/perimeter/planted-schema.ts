// What somebody can put into the schema of a store that comes with a repository, and a store to put it into.
import * as fs from 'node:fs';
import Database from 'better-sqlite3';
import { onTestFinished } from 'vitest';
import { freshPlace, type Place, session } from '../support/serve.js';

/** Never ends. */
const ENDLESS = 'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i';

/** Each with the name that the refusal must give. */
export const PLANTED: Readonly<Record<string, readonly [sql: string, name: string]>> = {
  'a trigger that names files of others as dead processes': [
    `CREATE TRIGGER evil AFTER INSERT ON actions BEGIN INSERT OR IGNORE INTO instances VALUES ('Cookies', NEW.log_id, 0, 1, 'x'); END`,
    'evil',
  ],
  'a trigger that deletes what was recorded': [
    'CREATE TRIGGER quiet AFTER INSERT ON payloads BEGIN DELETE FROM payloads; END',
    'quiet',
  ],
  'a view in the place of a table': [
    `DROP TABLE server_states; CREATE VIEW server_states AS ${ENDLESS} AS instance, i AS server FROM n`,
    'server_states',
  ],
  'an endless view in the place of the logs': [
    `PRAGMA foreign_keys = OFF; DROP TABLE logs; CREATE VIEW logs AS ${ENDLESS} AS no, i AS log_id, 1 AS size, 4 AS format FROM n`,
    'logs',
  ],
  'a view beside the tables': [`CREATE VIEW more AS ${ENDLESS} FROM n`, 'more'],
  'a trigger on that view': [
    'CREATE VIEW w AS SELECT 1 AS a; CREATE TRIGGER instead INSTEAD OF INSERT ON w BEGIN SELECT 1; END',
    'instead',
  ],
  'a table of others': ['CREATE TABLE "notes of mine" (a)', 'notes of mine'],
  'a virtual table': ['CREATE VIRTUAL TABLE search USING fts5(body)', 'search'],
  'an index that computes': ['CREATE INDEX slow ON actions (length(body) + abs(id))', 'slow'],
  'a table defined anew with a check that never ends': [
    `DROP TABLE server_eras; CREATE TABLE server_eras (connection TEXT PRIMARY KEY NOT NULL, era TEXT NOT NULL, version TEXT, at INTEGER NOT NULL CHECK (at < length(hex(zeroblob(100000000)))))`,
    'server_eras',
  ],
  'a column more': ['ALTER TABLE tiles ADD COLUMN more TEXT', 'tiles'],
  'an index that holds less': [
    `DROP INDEX actions_outcome; CREATE INDEX actions_outcome ON actions (log_id, sequence_no)`,
    'actions_outcome',
  ],
  'a missing index': ['DROP INDEX actions_outcome', 'actions_outcome'],
};

let used: Promise<string> | undefined;

/** A store that a server has used, made once for a file of tests. */
const usedOnce = async (): Promise<string> => {
  const place = freshPlace(() => {});
  await session(place, (peer) => peer.call('task_create', { title: 'Find the leak' }));
  return place.dir;
};

/** A copy of a used store in a place of its own, with its keys and heads. */
export const usedPlace = async (): Promise<Place> => {
  used ??= usedOnce();
  const place = freshPlace(onTestFinished);
  // Without what names the original's path: this is the store as it would be on another machine, not a copy beside it.
  const filter = (from: string): boolean => !/\/heads\/[0-9a-f]{32}\/store$/.test(from);
  fs.cpSync(await used, place.dir, { recursive: true, filter });
  return place;
};

export const forgetUsed = async (): Promise<void> => {
  const dir = await used;
  used = undefined; // files of tests share this module: the next one makes its own
  if (dir !== undefined) fs.rmSync(dir, { recursive: true, force: true });
};

export const plant = (db: string, sql: string): void => {
  const open = new Database(db);
  open.exec(sql);
  open.pragma('wal_checkpoint(TRUNCATE)');
  open.close();
};
