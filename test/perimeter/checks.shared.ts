// What checks.test.ts and checks.deep.test.ts share.
import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Message, Place } from '../support/serve.js';

/** A check every second; the user's own file may have one so often. */
export const capability = (more: object = {}) => ({
  health: { capability: { tool: 'look', arguments: { q: 'alive?' }, intervalMs: 1_000, ...more } },
  tools: { readOnly: ['look'] },
});

/** The records of calls, read from outside. */
export const recorded = (place: Place): Message[] => {
  const db = new Database(place.db, { readonly: true, fileMustExist: true });
  try {
    const rows = db.prepare<[], { body: string }>("SELECT body FROM actions WHERE kind LIKE 'call.%' ORDER BY id");
    return rows.all().map(({ body }) => JSON.parse(body) as Message);
  } finally {
    db.close();
  }
};

/** The ids of the checks of a tool whose intents stand in journals beside the store, settled ones among them. */
export const checksNotedIn = ({ db }: Place, tool: string): Set<string> => {
  const folder = `${db}.journal`;
  const texts = fs.readdirSync(folder).map((name) => fs.readFileSync(join(folder, name), 'latin1'));
  const found = texts.flatMap((text) => [...text.matchAll(/"call":"([^"]+)","check":true[^\n]*?"tool":"([^"]+)"/g)]);
  return new Set(found.filter(([, , name]) => name === tool).map(([, call = '']) => call));
};
