// What whoever can write the file and knows the format can append to a log without its key: records with right leaves, nodes and columns,
// and the head folded again. Nothing is signed.

import { hash } from 'node:crypto';
import Database from 'better-sqlite3';
import { keyRing } from '../../src/ledger/keys.js';
import { ownLogOf } from '../../src/ledger/own-log.js';
import { TILE_LEVEL } from '../../src/ledger/stored-tree.js';
import { grow } from '../../src/ledger/tree.js';
import { canonicalJson, type JsonObject } from '../../src/proof/canonical-json.js';

interface LogRow {
  readonly no: number;
  readonly log_id: string;
  readonly size: number;
  readonly frontier: string;
}

const hashesIn = (text: string): string[] => text.match(/.{64}/g) ?? [];

const appendBody = (db: Database.Database, log: LogRow, members: JsonObject): LogRow => {
  const { no, log_id, size: seq, frontier } = log;
  const whole: JsonObject = { v: 1, log: log_id, seq, at: '2026-11-15T18:30:00.123Z', ...members };
  const body = canonicalJson(whole);
  const leaf = hash('sha256', `\u0000${body}`);
  db.prepare(
    'INSERT INTO actions (id, log_id, seq, sequence_no, kind, tool, at, body, leaf) VALUES (?,?,?,?,?,?,?,?,?)',
  ).run(
    ...[
      no * 2 ** 32 + seq,
      log_id,
      seq,
      whole.sequence_no ?? null,
      whole.kind,
      whole.tool ?? null,
      whole.at,
      body,
      leaf,
    ],
  );
  const grown = grow(hashesIn(frontier), seq, leaf);
  for (const { level, index, hash: node } of grown.completed) {
    if (level >= TILE_LEVEL) db.prepare('INSERT INTO tiles VALUES (?,?,?,?)').run(log_id, level, index, node);
  }
  return { no, log_id, size: seq + 1, frontier: grown.frontier.join('') };
};

/** Makes the members of the records to append, from the number that the first of them gets. */
export type Forgery = (seq: number, log: string) => readonly JsonObject[];

/** What stands for the MAC of the head, which a forger cannot make: what was there, nothing, something that looks like one. */
const MACS = {
  leave: '',
  null: ', head_mac = NULL',
  random: ', head_mac = lower(hex(randomblob(32)))',
} as const;
export type MacChoice = keyof typeof MACS;

/** Appends records to the log with the number `no`. */
export const forgeTail = (path: string, forgery: Forgery, { no = 1, mac = 'leave' as MacChoice } = {}): void => {
  const db = new Database(path);
  try {
    db.transaction(() => {
      let log = db.prepare('SELECT no, log_id, size, frontier FROM logs WHERE no = ?').get(no) as LogRow;
      for (const members of forgery(log.size, log.log_id)) log = appendBody(db, log, members);
      db.prepare(`UPDATE logs SET size = ?, frontier = ?${MACS[mac]} WHERE no = ?`).run(log.size, log.frontier, no);
    })();
  } finally {
    db.close();
  }
};

/** Gives the heads the MACs of their logs' keys, as somebody does who has the keys. */
export const macAgain = (path: string, keysDir: string): void => {
  const db = new Database(path);
  try {
    for (const { log_id, size, frontier } of db.prepare<[], LogRow>('SELECT * FROM logs').all()) {
      const mac = ownLogOf(keyRing({ dir: keysDir }), log_id).mac({ size, frontier });
      db.prepare('UPDATE logs SET head_mac = ? WHERE log_id = ?').run(mac, log_id);
    }
  } finally {
    db.close();
  }
};
