// Stores that several machines write, and what somebody with a database tool does to them.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect } from 'vitest';
import { leafHash } from '../../src/ledger/hashes.js';
import { grow } from '../../src/ledger/tree.js';
import { canonicalJson } from '../../src/proof/canonical-json.js';
import type { Frontier } from '../../src/proof/merkle.js';
import { colibri, headsDir, json, type RunChoice } from '../support/command-line.js';
import type { Body } from '../support/ledger-check.js';
import { type Environment, type Place, serve, session } from '../support/serve.js';

const OTHER_HOST = fileURLToPath(new URL('../children/other-host.mjs', import.meta.url));

/** The environment of a process on another machine that shares disk and home with this one. */
export const onHost = (host: string): { env: Environment } => ({
  env: { NODE_OPTIONS: `--import ${OTHER_HOST}`, TEST_HOST: host },
});

/** The same home and state, another store. */
export const besideOf = (place: Place, db: string): Place => ({
  ...place,
  db,
  env: { ...place.env, COLIBRI_DB_PATH: db },
});

/** One server that answers some pings and ends. */
export const ping = (place: Place, choice: { env?: Environment } = {}, calls = 2) =>
  session(
    place,
    async (peer) => {
      for (let n = 0; n < calls; n++) await peer.call('server_ping', { n });
    },
    choice,
  );

/** What a server says that cannot open the store: its answer to a call. */
export const refusal = async (place: Place): Promise<Body> => {
  const peer = serve(place);
  await peer.initialize();
  await peer.until(() => peer.stderr.includes('phase 2 failed'));
  const answer = await peer.call('task_list', {});
  await peer.end();
  return answer.result.structuredContent.error;
};

export const verdict = async (place: Place, args: readonly string[] = [], choice?: RunChoice) =>
  json(await colibri(place, ['verify', '--json', ...args], choice));

/** Expects that nothing is wrong, and nothing missing. */
export const expectHealthy = async (place: Place): Promise<void> => {
  const { exit, findings, missing } = await verdict(place);
  expect({ exit, findings, missing }).toEqual({ exit: 0, findings: [], missing: [] });
};

export const change = <T>(place: Place, act: (db: Database.Database) => T): T => {
  const db = new Database(place.db, { fileMustExist: true });
  try {
    return act(db);
  } finally {
    db.close();
  }
};

export const storeId = (place: Place): string =>
  change(place, (db) => db.prepare<[], string>('SELECT store_id FROM identity').pluck().get() ?? '');

export const logsOf = (place: Place): { no: number; log_id: string; node: string; size: number }[] =>
  change(place, (db) => db.prepare<[], never>('SELECT no, log_id, node, size FROM logs ORDER BY no').all());

export const bodiesOf = (place: Place, kind?: string): Body[] =>
  change(place, (db) =>
    db
      .prepare<[], string>('SELECT body FROM actions ORDER BY id')
      .pluck()
      .all()
      .map((body) => JSON.parse(body) as Body)
      .filter((body) => kind === undefined || body.kind === kind),
  );

/** Takes a log out of the store, with everything that belongs to it. */
export const removeLog = (place: Place, log: string): void =>
  change(place, (db) => {
    db.pragma('foreign_keys = OFF');
    for (const table of ['actions', 'payloads', 'tiles', 'checkpoints', 'instances', 'logs']) {
      db.prepare(`DELETE FROM ${table} WHERE log_id = ?`).run(log);
    }
  });

/** Replaces records of a log (or cuts it) and makes leaves and head fit again; for logs of less than 256 records. */
export const rewriteLog = (place: Place, log: string, rewrite: (bodies: Body[]) => Body[]): void =>
  change(place, (db) => {
    const bodies = db
      .prepare<[string], string>('SELECT body FROM actions WHERE log_id = ? ORDER BY seq')
      .pluck()
      .all(log)
      .map((body) => JSON.parse(body) as Body);
    const { no } = db.prepare<[string], { no: number }>('SELECT no FROM logs WHERE log_id = ?').get(log) ?? { no: 0 };
    db.prepare('DELETE FROM actions WHERE log_id = ?').run(log);
    let frontier: Frontier = [];
    const after = rewrite(bodies);
    for (const [seq, body] of after.entries()) {
      const text = canonicalJson(body);
      const leaf = leafHash(text);
      db.prepare('INSERT INTO actions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
        ...[no * 2 ** 32 + seq, log, seq, body.sequence_no ?? null, body.kind, body.tool ?? null, body.at, text, leaf],
      );
      frontier = grow(frontier, seq, leaf).frontier;
    }
    db.prepare('UPDATE logs SET size = ?, frontier = ? WHERE log_id = ?').run(after.length, frontier.join(''), log);
  });

export const forgetHeads = (place: Place, log: string): void =>
  fs.rmSync(join(headsDir(place), log), { recursive: true, force: true });

/** Nothing that was signed of a log is left, in the store or outside. */
export const forgetSignatures = (place: Place, log: string): void => {
  forgetHeads(place, log);
  change(place, (db) => db.prepare('DELETE FROM checkpoints WHERE log_id = ?').run(log));
};

/** Appends a record to a log without a signature. */
export const forge = (place: Place, log: string, record: object): void =>
  rewriteLog(place, log, (bodies) => [
    ...bodies,
    { v: 1, log, seq: bodies.length, at: '2026-11-15T18:30:00.123Z', ...record } as unknown as Body,
  ]);

export const homeFile = (place: Place, log: string): string => join(headsDir(place), log, 'store');

/** The files of a store as they lie on the disk, also while a server runs. */
export const copyFiles = (from: Place, to: string): Place => {
  fs.mkdirSync(dirname(to), { recursive: true });
  for (const end of ['', '-wal'])
    if (fs.existsSync(`${from.db}${end}`)) fs.copyFileSync(`${from.db}${end}`, `${to}${end}`);
  return besideOf(from, to);
};

export const moveFiles = (from: Place, to: string): Place => {
  fs.mkdirSync(dirname(to), { recursive: true });
  for (const end of ['', '-wal', '-shm', '.backups', '.instances']) {
    if (fs.existsSync(`${from.db}${end}`)) fs.renameSync(`${from.db}${end}`, `${to}${end}`);
  }
  return besideOf(from, to);
};
