// Every cell of the tables of consensus, changed by somebody without the key: our verifier and the one in Python say 20. Rows that are gone or there twice, too.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import type { Message, Place } from '../support/serve.js';
import { verdictOf } from '../tamper/verdicts.js';
import { richStore } from './rich-store.js';

const VERIFIER = fileURLToPath(new URL('../python/verify.py', import.meta.url));
const isCi = !['', 'false', undefined].includes(process.env.CI);
const hasPython = spawnSync('python3', ['--version']).status === 0;
const KEYS = { rounds: 'round_id', votes: 'vote_id', voters: 'name', heard: 'event_id' } as const;

const verdict = async (place: Place, db: string): Promise<{ exit: number; said: string }> => {
  const none = join(place.dir, 'none');
  const told = await verdictOf(db, { headsDir: none, keysDir: none });
  return { exit: told.exit, said: JSON.stringify(told.findings) };
};

const secondOpinion = (db: string): { exit: number | null; said: string } => {
  const { status, stdout } = spawnSync('python3', [VERIFIER, db, '--json'], { encoding: 'utf8' });
  return { exit: status, said: stdout };
};

const changed = (value: unknown): string | number => {
  if (typeof value === 'number') return value + 1;
  return value === null ? 'x' : `${String(value).slice(0, -1)}${String(value).endsWith('0') ? '1' : '0'}`;
};

it.skipIf(!hasPython && !isCi)('every change is found, by both', { timeout: 900_000 }, async () => {
  const place = await richStore();
  const copy = join(place.dir, 'copy.db');
  const fresh = (): Database.Database => {
    for (const end of ['', '-wal', '-shm']) fs.rmSync(`${copy}${end}`, { force: true });
    fs.copyFileSync(place.db, copy);
    return new Database(copy);
  };
  fresh().close();
  expect(await verdict(place, copy)).toMatchObject({ said: '[]' });
  expect(secondOpinion(copy).exit).not.toBe(20);
  const judge = async (what: string, change: (db: Database.Database) => void): Promise<void> => {
    const db = fresh();
    change(db);
    db.close();
    const [ours, theirs] = [await verdict(place, copy), secondOpinion(copy)];
    expect([what, ours.exit, theirs.exit], `${ours.said}\n${theirs.said}`).toEqual([what, 20, 20]);
  };
  let changes = 0;
  for (const [table, key] of Object.entries(KEYS)) {
    const db = fresh();
    const rows = db.prepare<[], Message>(`SELECT * FROM ${table}`).all();
    db.close();
    expect(rows.length, table).toBeGreaterThan(0);
    // The row of each table that says most: the checks of a row do not look at others of its kind.
    for (const row of rows.toSorted((a, b) => JSON.stringify(b).length - JSON.stringify(a).length).slice(0, 1)) {
      const where = ` WHERE ${key} = ?`;
      for (const column of Object.keys(row)) {
        const value = changed(row[column]);
        await judge(`${table} ${row[key]} ${column} := ${value}`, (to) =>
          to.prepare(`UPDATE ${table} SET ${column} = ?${where}`).run(value, row[key]),
        );
        changes += 1;
      }
      await judge(`${table} ${row[key]} gone`, (to) => to.prepare(`DELETE FROM ${table}${where}`).run(row[key]));
      const twin: Message = {
        ...row,
        [key]: '5'.repeat(64),
        ...(table === 'voters' && { public_key: '5'.repeat(64) }),
      };
      const names = Object.keys(twin);
      const marks = names.map(() => '?').join(', ');
      await judge(`${table} ${row[key]} twice`, (to) =>
        to.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${marks})`).run(...Object.values(twin)),
      );
    }
  }
  process.stderr.write(`${changes} cells changed\n`);
});
