// Appends records to a log as somebody does who can write the file, knows the format and does not have the key: bodies, leaves, nodes and
// head fit together; only the MAC of the head cannot be right.
import Database from 'better-sqlite3';
import { leafHash } from '../../src/ledger/hashes.js';
import { TILE_LEVEL } from '../../src/ledger/stored-tree.js';
import { grow } from '../../src/ledger/tree.js';
import { canonicalJson } from '../../src/proof/canonical-json.js';

interface LogRow {
  readonly no: number;
  readonly log_id: string;
  readonly size: number;
  readonly frontier: string;
}

/** What the forger writes into `head_mac`: leaves what was there, nothing, or something that looks like one. */
export type MacChoice = 'leave' | 'null' | 'random';

export type Forged = Readonly<Record<string, unknown>> & { readonly kind: string };

const MACS: Readonly<Record<MacChoice, string>> = {
  leave: '',
  null: ', head_mac = NULL',
  random: ', head_mac = lower(hex(randomblob(32)))',
};

/** Records for the log of this number (the only one if left out). The seq of a record may be used: `{seq}` makes it. */
export const forgeTail = (
  path: string,
  records: readonly ((seq: number) => Forged)[],
  { mac = 'leave', no }: { readonly mac?: MacChoice; readonly no?: number } = {},
): void => {
  const db = new Database(path);
  try {
    const sql = 'SELECT no, log_id, size, frontier FROM logs WHERE ? IS NULL OR no = ? ORDER BY no LIMIT 1';
    const row = db.prepare<unknown[], LogRow>(sql).get(no ?? null, no ?? null);
    if (row === undefined) throw new Error('no such log');
    let size = row.size;
    let frontier: readonly string[] = row.frontier.match(/.{64}/g) ?? [];
    const insert = db.prepare('INSERT INTO actions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
    const node = db.prepare('INSERT INTO tiles (log_id, level, idx, hash) VALUES (?, ?, ?, ?)');
    db.transaction(() => {
      for (const record of records) {
        const said = { v: 1, log: row.log_id, seq: size, at: '2026-11-15T18:30:00.123Z', ...record(size) };
        const body = canonicalJson(said);
        const leaf = leafHash(body);
        const { sequence_no = null, tool = null, kind, at } = said as Forged & { at: string };
        insert.run(row.no * 2 ** 32 + size, row.log_id, size, sequence_no, kind, tool, at, body, leaf);
        const grown = grow(frontier, size, leaf);
        for (const { level, index, hash } of grown.completed)
          if (level >= TILE_LEVEL) node.run(row.log_id, level, index, hash);
        frontier = grown.frontier;
        size += 1;
      }
      const set = `UPDATE logs SET size = ?, frontier = ?${MACS[mac]} WHERE log_id = ?`;
      db.prepare(set).run(size, frontier.join(''), row.log_id);
    })();
  } finally {
    db.close();
  }
};
