// Somebody without the key who knows the format: appends records with their leaves and the tree over them, changes rows with the digests
// that belong to them, and lets everything fit but what really happened.
import Database from 'better-sqlite3';
import { digestedLease, digestedOf, taskId } from '../../src/domains/tasks/task.js';
import { hashedFields, type ThoughtRow, thoughtHash } from '../../src/domains/trail/thought.js';
import { rowSalt, subjectOf } from '../../src/ledger/evidence.js';
import { leafHash } from '../../src/ledger/hashes.js';
import { canonicalJson } from '../../src/proof/canonical-json.js';
import type { Subject } from '../../src/proof/records.js';
import { rebuildTree } from '../tamper/forgeries.js';
import type { Answer } from '../tasks/task-tools.js';

const AT = '2026-11-16T00:00:00.000Z';

export class Forger {
  readonly db: Database.Database;
  readonly log: string;
  readonly #no: number;
  #size: number;

  constructor(path: string, no = 1) {
    this.db = new Database(path);
    this.db.pragma('foreign_keys = OFF');
    const row = this.db.prepare<[number], Answer>('SELECT log_id, size FROM logs WHERE no = ?').get(no);
    [this.log, this.#no, this.#size] = [row?.log_id, no, row?.size];
  }

  row(sql: string, ...params: (string | number)[]): Answer {
    return this.db.prepare<(string | number)[], Answer>(sql).get(...params) ?? {};
  }

  /** The first process that wrote the store. */
  get instance(): string {
    return JSON.parse(this.row("SELECT body FROM actions WHERE kind = 'boot'").body).instance;
  }

  /** The seq of the next call's outcome: its intent comes first. */
  get next(): number {
    return this.#size + 1;
  }

  append(record: Answer): void {
    const seq = this.#size++;
    const whole = { v: 1, log: this.log, seq, at: AT, ...record };
    const body = canonicalJson(whole as never);
    this.db
      .prepare('INSERT INTO actions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
      .run(
        ...[this.#no * 2 ** 32 + seq, this.log, seq, record.sequence_no ?? null, record.kind, record.tool ?? null],
        ...[AT, body, leafHash(body)],
      );
  }

  /** A call of task_update, with what its outcome says. */
  call(notes: Answer, intent: Answer = {}): void {
    const call = crypto.randomUUID();
    const { instance } = this;
    const sequence_no = this.#size;
    const both = { sequence_no, call, tool: 'task_update' };
    this.append({ kind: 'call.enter', ...both, instance, client: null, effect: 'write', args: 'none', ...intent });
    this.append({ kind: 'call.exit', ...both, outcome: 'ok', result_digest: '0'.repeat(64), duration_us: 1, ...notes });
  }

  /** Changes a task's row for the next call, and says what the call's outcome has to name. */
  task(n: number, change: Answer, version?: number, salt = rowSalt()): Subject {
    const row = this.row('SELECT * FROM tasks WHERE n = ?', n);
    const next = { ...row, ...change, version: version ?? row.version + 1, salt };
    const sets = Object.keys(change).map((column) => `${column} = @${column}`);
    this.db
      .prepare(
        `UPDATE tasks SET ${[...sets, 'version = @version', 'salt = @salt', 'log_id = @log', 'seq = @seq']} WHERE n = @n`,
      )
      .run({ ...next, log: this.log, seq: this.next });
    const on = this.db
      .prepare<[number], Answer>('SELECT depends_on_n AS n FROM task_dependencies WHERE task_n = ? ORDER BY 1')
      .all(n);
    const columns = { ...digestedOf(next), depends_on: on.map((one) => taskId(one.n)) };
    return subjectOf({ type: 'task', id: taskId(n), rev: next.version, salt: next.salt, columns });
  }

  lease(n: number, change: Answer, rev?: number): Subject {
    const row = this.row('SELECT * FROM leases WHERE task_n = ?', n);
    const next = { ...row, ...change, rev: rev ?? row.rev + 1, salt: rowSalt(), log_id: this.log, seq: this.next };
    const columns = Object.keys(next);
    this.db
      .prepare(`UPDATE leases SET ${columns.map((column) => `${column} = @${column}`)} WHERE task_n = @task_n`)
      .run(next);
    return subjectOf({ type: 'lease', id: taskId(n), rev: next.rev, salt: next.salt, columns: digestedLease(next) });
  }

  /** Adds a thought about a task to the session of its newest one, for the next call or one so many records later. */
  thought(task: string, change: Answer = {}, later = 0): Subject {
    const last = this.row('SELECT * FROM thoughts WHERE task_id = ? ORDER BY seq DESC LIMIT 1', task);
    const thought_id = crypto.randomUUID();
    const at = { place: last.place + 1, prev_hash: last.hash, log_id: this.log, seq: this.next + later };
    const row = { ...last, thought_id, ...at, idempotency_key: null, request_digest: null, ...change };
    const hash = thoughtHash(hashedFields(row as unknown as ThoughtRow));
    const columns = Object.keys(row);
    this.db
      .prepare(`INSERT INTO thoughts (${columns}) VALUES (${columns.map((column) => `@${column}`)})`)
      .run({ ...row, hash });
    return { type: 'thought', id: thought_id, rev: 1, digest: hash };
  }

  /** Makes the tree fit. */
  end(): void {
    rebuildTree(this.db, this.log);
    this.db.close();
  }
}
