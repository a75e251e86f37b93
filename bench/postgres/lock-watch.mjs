// How often sessions of Colibri wait for a lock of another transaction, as `pg_stat_activity` shows it: looked at again and again.
import { setTimeout as sleep } from 'node:timers/promises';
import { asAdmin } from './server.mjs';

const EVERY_MS = 10;
const WAITING = `SELECT wait_event AS lock, count(*)::int AS sessions FROM pg_stat_activity
  WHERE datname = $1 AND application_name = 'colibri' AND wait_event_type = 'Lock' GROUP BY 1`;
/** Held for the moment in which the server makes a table's file longer: whoever inserts needs it, whatever the rows are. No transaction holds it. */
const OF_THE_FILE = 'extend';

/** @typedef {{ looks: number, waiting: number, locks: Record<string, number> }} Watched sessions that were seen waiting, and for which kinds of locks */

/** Looks while `use` runs. @param {string} name of the database @param {() => Promise<void>} use @returns {Promise<Watched>} */
export const watchingLocks = (name, use) =>
  asAdmin(async (client) => {
    /** @type {Watched} */
    const seen = { looks: 0, waiting: 0, locks: {} };
    let isOver = false;
    const look = async () => {
      while (!isOver) {
        const { rows } = await client.query(WAITING, [name]);
        seen.looks += 1;
        for (const { lock, sessions } of rows) {
          seen.locks[lock] = (seen.locks[lock] ?? 0) + sessions;
          if (lock !== OF_THE_FILE) seen.waiting += sessions;
        }
        await sleep(EVERY_MS);
      }
    };
    const looking = look();
    try {
      await use();
    } finally {
      isOver = true;
      await looking;
    }
    return seen;
  });
