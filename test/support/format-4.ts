// Makes a store what the version before format 5 would have left: its schema, records without what came since, signed again.
import { createPrivateKey } from 'node:crypto';
import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { digestedOf, taskId } from '../../src/domains/tasks/task.js';
import { subjectOf } from '../../src/ledger/evidence.js';
import { leafHash } from '../../src/ledger/hashes.js';
import { signCheckpoint } from '../../src/ledger/notes.js';
import { grow, rootOf } from '../../src/ledger/tree.js';
import { canonicalJson } from '../../src/proof/canonical-json.js';
import { originOf } from '../../src/proof/checkpoint.js';
import type { Frontier } from '../../src/proof/merkle.js';
import { headsDir, keysDir } from './command-line.js';
import type { Body } from './ledger-check.js';
import type { Place } from './serve.js';

const SCHEMA = `
DROP TABLE heard; DROP TABLE votes; DROP TABLE voters; DROP TABLE rounds;
DROP TABLE reputation_events; DROP TABLE reputation_days;
ALTER TABLE tasks DROP COLUMN creator; ALTER TABLE leases DROP COLUMN noted; ALTER TABLE leases DROP COLUMN handed;
DROP TABLE approvals;
DROP TABLE definitions;
DROP TABLE replays;
DROP INDEX leases_by_holder; DROP INDEX leases_by_giver; DROP INDEX tasks_ready_assignee;
ALTER TABLE leases DROP COLUMN instance; ALTER TABLE leases DROP COLUMN task_version; ALTER TABLE leases DROP COLUMN previous;
CREATE INDEX tasks_held ON tasks (assignee, priority_rank, stage, n)
  WHERE terminal = 0 AND open_deps = 0 AND leased = 1 AND assignee IS NOT NULL;
CREATE INDEX tasks_ready_assignee ON tasks (assignee, priority_rank, stage, n)
  WHERE terminal = 0 AND open_deps = 0 AND leased = 0 AND assignee IS NOT NULL;
DROP TABLE identity; DROP TABLE beside; DROP INDEX actions_accepted; DROP INDEX actions_outcome;
CREATE UNIQUE INDEX actions_outcome ON actions (log_id, sequence_no) WHERE kind = 'call.exit';
ALTER TABLE logs DROP COLUMN head_mac;
DROP TABLE adoptions; DROP TABLE projects;
DROP INDEX tasks_list_owner; DROP INDEX tasks_list_both; DROP INDEX tasks_ready_owner; DROP INDEX tasks_ready_both;
DROP INDEX tasks_blocked_owner; DROP INDEX tasks_by_key;
ALTER TABLE tasks DROP COLUMN owner; ALTER TABLE tasks DROP COLUMN project_id;
CREATE UNIQUE INDEX tasks_by_key ON tasks (idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX tasks_list_project ON tasks (project, status, priority_rank, n) WHERE project IS NOT NULL;
CREATE INDEX tasks_list_both ON tasks (project, assignee, status, priority_rank, n)
  WHERE project IS NOT NULL AND assignee IS NOT NULL;
CREATE INDEX tasks_ready_project ON tasks (project, priority_rank, stage, n)
  WHERE terminal = 0 AND open_deps = 0 AND leased = 0 AND project IS NOT NULL;
CREATE INDEX tasks_ready_both ON tasks (project, assignee, priority_rank, stage, n)
  WHERE terminal = 0 AND open_deps = 0 AND leased = 0 AND project IS NOT NULL AND assignee IS NOT NULL;
CREATE INDEX tasks_blocked_project ON tasks (project, n) WHERE terminal = 0 AND open_deps > 0;
UPDATE logs SET format = 4; PRAGMA user_version = 4;`;

/** Digests of tasks that name no creator, by the record that last changed the task. */
type OlderDigests = ReadonlyMap<string, string>;

const olderDigests = (db: Database.Database): OlderDigests => {
  const waitsFor = db
    .prepare<[number], number>('SELECT depends_on_n FROM task_dependencies WHERE task_n = ? ORDER BY depends_on_n')
    .pluck();
  const tasks = db.prepare<[], Record<string, string | number>>('SELECT * FROM tasks').all();
  return new Map(
    tasks.map(({ n, version, salt, log_id, seq, ...row }) => {
      const id = taskId(Number(n));
      const values = digestedOf({ ...row, version, project_id: row.project_id ?? null, creator: null });
      const columns = { ...values, depends_on: waitsFor.all(Number(n)).map(taskId) };
      const { digest } = subjectOf({ type: 'task', id, rev: Number(version), salt: String(salt), columns });
      return [`${log_id}/${seq}/${id}`, digest];
    }),
  );
};

/** A record as it would have been. In the place of one of a newer kind stands one that erased nothing. */
const olderBody = ({ store, ...body }: Body, digests: OlderDigests): Body => {
  const { v, log, seq, at, subjects } = body;
  const isNewer = body.kind === 'beside' || (body.kind === 'migrate' && Number(body.to) >= 5);
  if (isNewer) return { v, log, seq, at, kind: 'erase', targets: [], reason: 'none', by: 'test' };
  if (subjects === undefined) return body;
  const older = (subjects as { id: string; digest: string }[]).map((subject) => ({
    ...subject,
    digest: digests.get(`${log}/${seq}/${subject.id}`) ?? subject.digest,
  }));
  return { ...body, subjects: older };
};

/** Rewrites the records of a log of less than 256 records; returns its frontier. */
const rewrite = (db: Database.Database, log: string, digests: OlderDigests): { frontier: Frontier; size: number } => {
  const rows = db
    .prepare<[string], { id: number; body: string }>('SELECT id, body FROM actions WHERE log_id = ? ORDER BY seq')
    .all(log);
  let frontier: Frontier = [];
  for (const [seq, { id, body }] of rows.entries()) {
    const older = olderBody(JSON.parse(body) as Body, digests);
    const text = canonicalJson(older);
    db.prepare('UPDATE actions SET kind = ?, body = ?, leaf = ? WHERE id = ?').run(
      older.kind,
      text,
      leafHash(text),
      id,
    );
    frontier = grow(frontier, seq, leafHash(text)).frontier;
  }
  db.prepare('UPDATE logs SET frontier = ? WHERE log_id = ?').run(frontier.join(''), log);
  return { frontier, size: rows.length };
};

/** Signs a log anew, in the store and outside. */
const sign = (
  db: Database.Database,
  place: Place,
  log: string,
  { frontier, size }: ReturnType<typeof rewrite>,
): void => {
  const key = createPrivateKey(fs.readFileSync(join(keysDir(place), log)));
  const note = signCheckpoint({ origin: originOf(log), size, root: rootOf(frontier) }, key);
  db.prepare('DELETE FROM checkpoints WHERE log_id = ?').run(log);
  db.prepare('INSERT INTO checkpoints (log_id, no, size, note) VALUES (?, 1, ?, ?)').run(log, size, note);
  const heads = join(headsDir(place), log);
  fs.rmSync(heads, { recursive: true, force: true });
  fs.mkdirSync(heads, { recursive: true });
  fs.writeFileSync(join(heads, String(size)), note);
};

/** Turns a store of a place back to format 4. No server may run. */
export const asFormat4 = (place: Place): void => {
  const db = new Database(place.db, { fileMustExist: true });
  try {
    const digests = olderDigests(db);
    db.exec(SCHEMA);
    for (const log of db.prepare<[], string>('SELECT log_id FROM logs').pluck().all()) {
      sign(db, place, log, rewrite(db, log, digests));
    }
  } finally {
    db.close();
  }
};
