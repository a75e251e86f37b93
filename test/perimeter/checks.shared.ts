// What checks.test.ts and checks.deep.test.ts share.
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
