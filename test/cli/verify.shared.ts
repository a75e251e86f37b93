// What verify.test.ts and verify.deep.test.ts share: a change to a store from outside.
import Database from 'better-sqlite3';
import type { Place } from '../support/serve.js';

export const change = (place: Place, sql: string): void => {
  const db = new Database(place.db);
  db.exec(sql);
  db.close();
};
