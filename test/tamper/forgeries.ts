// Changes by somebody who knows the format and makes everything fit again but the signatures: the end of a log cut off,
// a record told otherwise. Only below the newest signed head; what comes after it nobody can vouch for.
import Database from 'better-sqlite3';
import { leafHash } from '../../src/ledger/hashes.js';
import { TILE_LEVEL } from '../../src/ledger/stored-tree.js';
import { grow } from '../../src/ledger/tree.js';
import { canonicalJson } from '../../src/proof/canonical-json.js';
import type { Frontier } from '../../src/proof/merkle.js';
import type { Random } from '../support/random.js';
import type { FileChange, Scene } from './file-changes.js';
import type { Db } from './tables.js';

interface Target {
  readonly log: string;
  readonly no: number;
  /** Records that were signed. */
  readonly head: number;
}

const targetOf = (db: Db, { signed }: Scene, random: Random): Target | undefined => {
  const logs = db.prepare<[], { log_id: string; no: number; size: number }>('SELECT log_id, no, size FROM logs').all();
  const { log_id: log, no, size } = random.pick(logs);
  // A log that went back and was given up has heads beyond its end.
  const head = Math.min(size, signed.get(log) ?? 0);
  return head < 2 ? undefined : { log, no, head };
};

/** The head and the stored nodes that a log of these records has. */
export const rebuildTree = (db: Db, log: string): void => {
  const leaves = db
    .prepare<[string], { leaf: string }>('SELECT leaf FROM actions WHERE log_id = ? ORDER BY id')
    .all(log);
  const insert = db.prepare('INSERT INTO tiles (log_id, level, idx, hash) VALUES (?, ?, ?, ?)');
  db.prepare('DELETE FROM tiles WHERE log_id = ?').run(log);
  let frontier: Frontier = [];
  for (const [i, { leaf }] of leaves.entries()) {
    const grown = grow(frontier, i, leaf);
    for (const { level, index, hash } of grown.completed) if (level >= TILE_LEVEL) insert.run(log, level, index, hash);
    frontier = grown.frontier;
  }
  db.prepare('UPDATE logs SET size = ?, frontier = ? WHERE log_id = ?').run(leaves.length, frontier.join(''), log);
};

const forge =
  (change: (db: Db, target: Target, random: Random) => string): FileChange =>
  (scene, random) => {
    const db = new Database(scene.path);
    try {
      db.pragma('foreign_keys = OFF');
      db.pragma('synchronous = OFF'); // nobody cuts the power here
      const target = targetOf(db, scene, random);
      return target && db.transaction(() => change(db, target, random))();
    } finally {
      db.close();
    }
  };

/** Whatever would still tell of records from `size` on. */
const cutTraces = (db: Db, { log }: Target, size: number): void => {
  db.prepare('DELETE FROM checkpoints WHERE log_id = ? AND size > ?').run(log, size);
  for (const table of ['payloads', 'tasks', 'leases', 'sessions', 'thoughts', 'catalogue', 'instances']) {
    const place = table === 'instances' ? 'boot_seq' : 'seq';
    db.prepare(`DELETE FROM ${table} WHERE log_id = ? AND ${place} >= ?`).run(log, size);
  }
  db.prepare('DELETE FROM task_dependencies WHERE task_n NOT IN (SELECT n FROM tasks)').run();
};

/** The last records of a log, and with care everything else that knows of them. */
export const cutEnd: FileChange = forge((db, target, random) => {
  const { log, no, head } = target;
  const lost = random.chance(0.5) ? 1 + random.int(4) : 1 + random.int(head - 1);
  const size = Math.max(0, head - lost);
  const first = no * 2 ** 32;
  const isCareful = random.chance(0.7);
  db.prepare('DELETE FROM actions WHERE id >= ? AND id < ?').run(first + size, first + 2 ** 32);
  rebuildTree(db, log);
  if (isCareful) cutTraces(db, target, size);
  return `log ${log} cut to ${size} of ${head} signed${isCareful ? ', with care' : ''}`;
});

type Stored = { readonly id: number; readonly body: string };

/** One record says something else, its columns, its leaf and the tree with it; the checkpoints stay or go. */
export const retell: FileChange = forge((db, { log, no, head }, random) => {
  const seq = random.int(head);
  const row = db.prepare<[number], Stored>('SELECT id, body FROM actions WHERE id = ?').get(no * 2 ** 32 + seq);
  if (row === undefined) throw new Error(`no record ${seq}`);
  const at = new Date(Date.parse('2026-01-01') + random.int(2 ** 31)).toISOString();
  const body = canonicalJson({ ...JSON.parse(row.body), at });
  db.prepare('UPDATE actions SET at = ?, body = ?, leaf = ? WHERE id = ?').run(at, body, leafHash(body), row.id);
  rebuildTree(db, log);
  const isCareful = random.chance(0.5);
  if (isCareful) db.prepare('DELETE FROM checkpoints WHERE log_id = ? AND size > ?').run(log, seq);
  return `record ${seq} of log ${log} told otherwise${isCareful ? ', checkpoints gone' : ''}`;
});
