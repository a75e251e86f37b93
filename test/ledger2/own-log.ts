// Somebody who can write the store and the folder of heads, and has no key of the store: begins a log under a key of his own, signs it
// and puts its head beside the real ones.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { leafHash } from '../../src/ledger/hashes.js';
import { FORMAT } from '../../src/ledger/head.js';
import { keyRing } from '../../src/ledger/keys.js';
import { signCheckpoint } from '../../src/ledger/notes.js';
import { grow, rootOf } from '../../src/ledger/tree.js';
import { canonicalJson, type JsonObject } from '../../src/proof/canonical-json.js';
import { originOf } from '../../src/proof/checkpoint.js';
import type { Frontier } from '../../src/proof/merkle.js';
import { vkeyOf } from '../../src/proof/verifier.js';
import { verifierOfLog } from '../../src/verify/heads/checkpoint-check.js';
import { rebuildTree } from '../tamper/forgeries.js';

export const AT = '2026-11-17T23:00:00.000Z';
const BOOT = {
  ...{ kind: 'boot', instance: 'forger', node: 'evil/root', pid: 1, os_user: 'root', version: '0', mode: 'FULL' },
  ...{ project: null, machine_boot: null, config_digest: '0'.repeat(64) },
};

const EVIDENCE = ['task_dependencies', 'leases', 'thoughts', 'sessions', 'tasks', 'payloads', 'sqlite_sequence'];

/** The store of a folder that has `colibri.db` and `heads`, in the hands of a forger. */
export class Intruder {
  readonly db: Database.Database;
  readonly dir: string;

  constructor(path: string, db: Database.Database = new Database(path)) {
    this.dir = dirname(path);
    this.db = db;
    this.db.pragma('foreign_keys = OFF');
  }

  get storeId(): string {
    return this.db.prepare<[], string>('SELECT store_id FROM identity').pluck().get() ?? '';
  }

  /** The first log of the store. */
  get victim(): string {
    return this.db.prepare<[], string>('SELECT log_id FROM logs ORDER BY no').pluck().get() ?? '';
  }

  standing(log: string): { log: string; size: number; root: string } {
    const row = this.db
      .prepare<[string], { size: number; frontier: string }>('SELECT size, frontier FROM logs WHERE log_id = ?')
      .get(log);
    return { log, size: row?.size ?? 0, root: rootOf(row?.frontier.match(/.{64}/g) ?? []) };
  }

  /** Cuts a log to its first records, and removes all rows and the checkpoints after them. */
  cut(log: string, size: number): void {
    this.db.prepare('DELETE FROM actions WHERE log_id = ? AND seq >= ?').run(log, size);
    this.db.prepare('DELETE FROM checkpoints WHERE log_id = ? AND size > ?').run(log, size);
    for (const table of EVIDENCE) this.db.exec(`DELETE FROM ${table}`);
    rebuildTree(this.db, log);
  }

  close(log: string): void {
    this.db.prepare('UPDATE logs SET closed_at = ?, head_mac = NULL WHERE log_id = ?').run(AT, log);
  }

  /** Makes a key for a log of the forger. */
  key() {
    const keys = keyRing({ dir: join(this.dir, 'forged-keys') });
    const { logId, publicKey } = keys.create();
    return { log: logId, publicKey, key: keys.find(logId), vkey: vkeyOf(verifierOfLog(logId, publicKey)) };
  }

  /** Adds a log with these records, the first of which gets the id of the store; signs it; plants its head unless told otherwise. */
  begin(
    records: readonly JsonObject[],
    {
      own = this.key(),
      isPlanted = true,
      node = 'evil/root',
    }: { own?: ReturnType<Intruder['key']>; isPlanted?: boolean; node?: string } = {},
  ): string {
    const no = (this.db.prepare<[], number>('SELECT MAX(no) FROM logs').pluck().get() ?? 0) + 1;
    let frontier: Frontier = [];
    for (const [seq, record] of records.entries()) {
      const first = seq === 0 ? { store: this.storeId } : {};
      const body = { v: 1, log: own.log, seq, at: AT, ...first, ...record } as JsonObject;
      const text = canonicalJson(body);
      this.db
        .prepare('INSERT INTO actions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
        .run(
          ...[no * 2 ** 32 + seq, own.log, seq, body.sequence_no ?? null, body.kind, body.tool ?? null, AT, text],
          leafHash(text),
        );
      frontier = grow(frontier, seq, leafHash(text)).frontier;
    }
    const [size, mac] = [records.length, '0'.repeat(64)];
    this.db
      .prepare(`INSERT INTO logs VALUES (?, ?, ?, ?, ${FORMAT}, ?, ?, ?, NULL, ?)`)
      .run(no, own.log, node, own.publicKey, size, frontier.join(''), AT, mac);
    if (own.key === undefined) throw new Error('no key');
    const note = signCheckpoint({ origin: originOf(own.log), size, root: rootOf(frontier) }, own.key);
    this.db.prepare('INSERT INTO checkpoints VALUES (?, 1, ?, ?)').run(own.log, size, note);
    if (isPlanted) this.plant(own.log, size, note);
    return own.log;
  }

  /** Closes a log as if its key were lost, with a log of the forger that goes on with these records. */
  takeOver(log: string, records: readonly JsonObject[], isPlanted = true): string {
    const { size, root } = this.standing(log);
    this.close(log);
    return this.begin([{ kind: 'succeeds', previous: log, size, root }, BOOT, ...records], { isPlanted });
  }

  plant(log: string, size: number, note: string): void {
    fs.mkdirSync(join(this.dir, 'heads', log), { recursive: true });
    fs.writeFileSync(join(this.dir, 'heads', log, String(size)), note);
  }

  /** Writes to which store the heads of a log belong. */
  home(log: string, home: { store_id: string; path: string; host: string }): void {
    fs.writeFileSync(join(this.dir, 'heads', log, 'store'), JSON.stringify(home));
  }

  rename(storeId = 'cd'.repeat(16)): void {
    this.db.prepare('UPDATE identity SET store_id = ?').run(storeId);
  }
}

export const boots = (more: JsonObject = {}): JsonObject => ({ ...BOOT, ...more });
export const accept = (what: string, logs: readonly JsonObject[]): JsonObject => ({
  ...{ kind: 'accept', what, logs, reason: 'r', by: 'b' },
});
