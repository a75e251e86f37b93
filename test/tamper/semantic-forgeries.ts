// Forgeries by somebody who can write the file, knows the format and has another store of the same user, but not the key: everything that
// can be made to fit is made to fit. Each one changes something that a reader of the store would believe.
import { randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import { leafHash } from '../../src/ledger/hashes.js';
import { FORMAT } from '../../src/ledger/head.js';
import { canonicalJson } from '../../src/proof/canonical-json.js';
import { accept, boots, Intruder } from '../ledger2/own-log.js';
import type { Random } from '../support/random.js';
import { rebuildTree } from './forgeries.js';
import type { Db } from './tables.js';

type Body = Record<string, unknown> & { kind: string; seq: number; log: string };

interface LogRow {
  readonly no: number;
  readonly log_id: string;
  readonly size: number;
}

export interface Forging {
  readonly db: Db;
  /** The file of another store of the same user. */
  readonly other: string;
  readonly random: Random;
}

/** Makes the forgery and says what was done; undefined if this store has nothing for it. */
type Forgery = (forging: Forging) => string | undefined;

const logsOf = (db: Db): LogRow[] => db.prepare<[], LogRow>('SELECT no, log_id, size FROM logs ORDER BY no').all();

const bodiesOf = (db: Db, log: string): Body[] =>
  db
    .prepare<[string], { body: string }>('SELECT body FROM actions WHERE log_id = ? ORDER BY id')
    .all(log)
    .map(({ body }) => JSON.parse(body) as Body);

const insertRecord = (db: Db, no: number, body: Body): string => {
  const text = canonicalJson(body);
  const leaf = leafHash(text);
  db.prepare('INSERT INTO actions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
    ...[no * 2 ** 32 + body.seq, body.log, body.seq, body.sequence_no ?? null, body.kind],
    ...[body.tool ?? null, body.at ?? null, text, leaf],
  );
  return leaf;
};

const forgeMac = ({ db, random }: Forging, log: string): string => {
  const [what, sql] = random.pick([
    ['left', ''],
    ['null', 'UPDATE logs SET head_mac = NULL WHERE log_id = ?'],
    ['random', 'UPDATE logs SET head_mac = lower(hex(randomblob(32))) WHERE log_id = ?'],
    ['of another log', 'UPDATE logs SET head_mac = (SELECT MAX(head_mac) FROM logs) WHERE log_id = ?'],
  ] as const);
  if (sql !== '') db.prepare(sql).run(log);
  return what;
};

// --- tails

const AT = '2026-11-15T18:30:00.123Z';

/** A record for the end of a log, in the likeness of those that are there. */
const TAILS: readonly ((bodies: readonly Body[], db: Db, random: Random) => readonly Partial<Body>[])[] = [
  (bodies) => likeness(bodies, 'call.enter').slice(0, 1),
  (bodies) => {
    const exit = bodies.findLast(({ kind, outcome }) => kind === 'call.exit' && outcome === 'ok');
    const enter = bodies.find(({ kind, seq }) => kind === 'call.enter' && seq === exit?.sequence_no);
    if (exit === undefined || enter === undefined) return [];
    const call = randomUUID();
    return [
      { ...enter, call },
      { ...exit, call, sequence_no: -1 },
    ];
  },
  (_, db) => {
    const ids = db.prepare<[], { id: string }>('SELECT thought_id AS id FROM thoughts').all();
    const targets = ids.map(({ id }) => ({ type: 'thought', id }));
    db.exec('UPDATE thoughts SET content = NULL, content_salt = NULL');
    return [{ kind: 'erase', targets, reason: 'asked for', by: 'me' }];
  },
  (bodies, db, random) => {
    const log = bodies[0]?.log ?? '';
    const seqs = db.prepare<[string], { seq: number }>('SELECT seq FROM payloads WHERE log_id = ?').all(log);
    if (seqs.length === 0) return [];
    const { seq } = random.pick(seqs);
    db.prepare('DELETE FROM payloads WHERE log_id = ? AND seq = ?').run(log, seq);
    return [{ kind: 'prune', before: AT, from_seq: seq, to_seq: seq, count: 1 }];
  },
  () => [{ kind: 'note', text: 'of a kind that no format has' }],
  (bodies, _, random) => {
    // A call that reads, and says that it has changed something.
    const enter = bodies.findLast(({ kind, effect }) => kind === 'call.enter' && effect !== 'write');
    const exit = bodies.findLast(({ kind, subjects }) => kind === 'call.exit' && Array.isArray(subjects));
    if (enter === undefined || exit === undefined) return [];
    const both = { call: randomUUID(), tool: enter.tool };
    const written = random.pick([
      { subjects: exit.subjects },
      { expired: [{ task_id: 'T-0001', rev: 1 }] },
      { attempt: 1 },
      { replay_of: 1 },
    ]);
    return [
      { ...enter, ...both },
      { kind: 'call.exit', ...both, outcome: 'ok', sequence_no: -1, ...written },
    ];
  },
  () => [{ kind: 'gap', count: 2, first_at: AT, last_at: AT, reason: 'backlog full' }],
  (bodies) => likeness(bodies, 'boot').map((boot) => ({ ...boot, instance: randomUUID() })),
  (bodies) => likeness(bodies, 'shutdown'),
  (bodies) => likeness(bodies, 'health'),
  (bodies) => likeness(bodies, 'seal'),
];

const likeness = (bodies: readonly Body[], kind: string): Partial<Body>[] =>
  bodies.filter((body) => body.kind === kind).slice(-1);

const tail: Forgery = (forging) => {
  const { db, random } = forging;
  const { no, log_id: log, size } = random.pick(logsOf(db));
  const bodies = bodiesOf(db, log);
  const added: Partial<Body>[] = [];
  for (let n = 1 + random.int(4); n > 0; n--) added.push(...random.pick(TAILS)(bodies, db, random));
  if (added.length === 0) return undefined;
  for (const [i, body] of added.entries()) {
    const seq = size + i;
    const number = body.kind === 'call.enter' ? seq : body.kind === 'call.exit' ? seq - 1 : undefined;
    const said = { v: 1, at: AT, ...body, log, seq, ...(number !== undefined && { sequence_no: number }) };
    insertRecord(db, no, said as unknown as Body);
  }
  rebuildTree(db, log);
  return `${added.map(({ kind }) => kind).join(', ')} appended to log ${no}, MAC ${forgeMac(forging, log)}`;
};

/** A task moves on in a record of the forger, with row, digest and pointer made to fit. */
const taskTail: Forgery = (forging) => {
  const { db, random } = forging;
  const tasks = db.prepare<[], Record<string, unknown>>('SELECT * FROM tasks WHERE version > 0').all();
  if (tasks.length === 0) return undefined;
  const task = random.pick(tasks);
  const { no, log_id: log, size } = random.pick(logsOf(db));
  const call = randomUUID();
  const enter = bodiesOf(db, log).find(({ kind }) => kind === 'call.enter');
  if (enter === undefined) return undefined;
  const base = { v: 1, at: AT, log };
  insertRecord(db, no, { ...enter, ...base, seq: size, sequence_no: size, call, tool: 'task_update', args: 'none' });
  const rev = Number(task.version) + random.pick([1, 1, 8]);
  const subject = { type: 'task', id: `T-${String(task.n).padStart(4, '0')}`, rev, digest: leafHash(call) };
  const exit = { kind: 'call.exit', call, tool: 'task_update', outcome: 'ok', sequence_no: size, subjects: [subject] };
  insertRecord(db, no, { ...base, ...exit, seq: size + 1 } as unknown as Body);
  db.prepare('UPDATE tasks SET version = ?, log_id = ?, seq = ?, status = ? WHERE n = ?').run(
    ...[rev, log, size + 1, random.pick(['DONE', 'CANCELLED', 'INIT']), task.n],
  );
  rebuildTree(db, log);
  return `task ${task.n} to rev ${rev} by log ${no}, MAC ${forgeMac(forging, log)}`;
};

/** A later format, so that a verifier of this one judges less; with a record that leads to it, or without one. */
const newerFormat: Forgery = (forging) => {
  const { db, random } = forging;
  const { no, log_id: log, size } = random.pick(logsOf(db));
  const isTold = random.chance(0.5);
  if (isTold) {
    const migrate = { kind: 'migrate', from: FORMAT, to: FORMAT + 1, checksum: leafHash('newer') };
    insertRecord(db, no, { v: 1, at: AT, log, seq: size, ...migrate });
    rebuildTree(db, log);
  }
  db.exec(`UPDATE logs SET format = ${FORMAT + 1}`);
  if (random.chance(0.7)) db.pragma(`user_version = ${FORMAT + 1}`);
  db.exec("UPDATE tasks SET title = 'mine'");
  return `format ${FORMAT + 1}${isTold ? ` by a record of log ${no}` : ''}, MAC ${forgeMac(forging, log)}`;
};

/** A thought counts for another attempt, in its row and in a record of the forger. */
const otherAttempt: Forgery = (forging) => {
  const { db, random } = forging;
  const thoughts = db
    .prepare<[], { id: string; hash: string; attempt: number }>(
      'SELECT thought_id AS id, hash, attempt FROM thoughts WHERE attempt IS NOT NULL',
    )
    .all();
  const { no, log_id: log, size } = random.pick(logsOf(db));
  const enter = bodiesOf(db, log).find(({ kind }) => kind === 'call.enter');
  if (thoughts.length === 0 || enter === undefined) return undefined;
  const { id, hash, attempt } = random.pick(thoughts);
  const both = { v: 1, at: AT, log, sequence_no: size, call: randomUUID(), tool: 'thought_record' };
  insertRecord(db, no, { ...enter, ...both, seq: size, effect: 'write', args: 'none' });
  const subjects = [{ type: 'thought', id, rev: 1, digest: hash }];
  const exit = { kind: 'call.exit', outcome: 'ok', subjects, attempt: attempt + 1 };
  insertRecord(db, no, { ...both, ...exit, seq: size + 1 });
  db.prepare('UPDATE thoughts SET attempt = ?, log_id = ?, seq = ? WHERE thought_id = ?').run(
    ...[attempt + 1, log, size + 1, id],
  );
  rebuildTree(db, log);
  return `thought ${id} to attempt ${attempt + 1} by log ${no}, MAC ${forgeMac(forging, log)}`;
};

// --- whole logs

const LOG_TABLES = ['actions', 'payloads', 'tiles', 'checkpoints', 'instances', 'logs'] as const;
const ROW_TABLES = ['tasks', 'leases', 'sessions', 'thoughts', 'catalogue', 'adoptions'] as const;

const removedLog: Forgery = ({ db, random }) => {
  const logs = logsOf(db);
  if (logs.length < 2) return undefined;
  const { no, log_id: log } = random.pick(logs);
  const withRows = random.chance(0.5);
  for (const table of LOG_TABLES) db.prepare(`DELETE FROM ${table} WHERE log_id = ?`).run(log);
  if (withRows) {
    for (const table of ROW_TABLES) db.prepare(`DELETE FROM ${table} WHERE log_id = ?`).run(log);
    db.exec('DELETE FROM task_dependencies WHERE task_n NOT IN (SELECT n FROM tasks)');
    db.exec('DELETE FROM leases WHERE task_n NOT IN (SELECT n FROM tasks)');
  }
  return `log ${no} removed${withRows ? ' with its rows' : ''}`;
};

const renumbered: Forgery = ({ db, random }) => {
  const logs = logsOf(db);
  const { no, log_id: log } = random.pick(logs);
  const to = random.chance(0.5) ? logs.length + 1 + random.int(3) : random.pick(logs).no;
  if (to === no) return undefined;
  const other = logs.find((it) => it.no === to);
  const move = (id: string, from: number, into: number): void => {
    db.prepare('UPDATE actions SET id = id + ? WHERE log_id = ?').run((into - from) * 2 ** 32, id);
    db.prepare('UPDATE logs SET no = ? WHERE log_id = ?').run(into, id);
  };
  move(log, no, 900);
  if (other !== undefined) move(other.log_id, to, no);
  move(log, 900, to);
  return `log ${no} renumbered to ${to}`;
};

const grafted: Forgery = ({ db, other, random }) => {
  db.prepare('ATTACH ? AS other').run(other);
  const theirs = db.prepare<[], LogRow>('SELECT no, log_id, size FROM other.logs ORDER BY no').all();
  const { no, log_id: log } = random.pick(theirs);
  const mine = logsOf(db);
  if (mine.some(({ log_id }) => log_id === log)) return undefined;
  const into = Math.max(...mine.map((it) => it.no)) + 1;
  const columns = db
    .prepare<[], { name: string }>("SELECT name FROM pragma_table_info('logs')")
    .all()
    .map(({ name }) => name)
    .filter((name) => name !== 'no' && name !== 'node');
  db.prepare(
    `INSERT INTO main.logs (no, node, ${columns.join(', ')}) SELECT ?, node || '-2', ${columns.join(', ')} FROM other.logs WHERE log_id = ?`,
  ).run(into, log);
  db.prepare(
    `INSERT INTO main.actions SELECT id + ?, log_id, seq, sequence_no, kind, tool, at, body, leaf FROM other.actions WHERE log_id = ?`,
  ).run((into - no) * 2 ** 32, log);
  for (const table of ['payloads', 'tiles', 'checkpoints'])
    db.prepare(`INSERT INTO main.${table} SELECT * FROM other.${table} WHERE log_id = ?`).run(log);
  const withRows = random.chance(0.6);
  if (withRows) {
    for (const table of ['tasks', 'leases', 'sessions', 'thoughts'])
      db.prepare(`INSERT OR REPLACE INTO main.${table} SELECT * FROM other.${table} WHERE log_id = ?`).run(log);
  }
  return `log ${no} of another store put in as ${into}${withRows ? ' with its rows' : ''}`;
};

// --- logs under a key of the forger

const openLog = ({ db, random }: Forging): LogRow =>
  random.pick(db.prepare<[], LogRow>('SELECT no, log_id, size FROM logs WHERE closed_at IS NULL').all());

/** A log ends with a rotation that its key never signed, and a log of the forger goes on. */
const rotated: Forgery = (forging) => {
  const { db } = forging;
  const { no, log_id: log, size: seq } = openLog(forging);
  const intruder = new Intruder(db.name, db);
  const own = intruder.key();
  insertRecord(db, no, { v: 1, at: AT, log, seq, kind: 'rotate', successor: own.vkey });
  rebuildTree(db, log);
  const { size, root } = intruder.standing(log);
  intruder.close(log);
  intruder.begin([{ kind: 'succeeds', previous: log, size, root }, boots()], { own, isPlanted: false });
  return `log ${no} rotated to a log of the forger`;
};

/** A log is cut, and a log of the forger takes over from it and accepts what suits him. */
const accepted: Forgery = (forging) => {
  const { db, random } = forging;
  const { no, log_id: log, size } = openLog(forging);
  const intruder = new Intruder(db.name, db);
  intruder.cut(log, 1 + random.int(size - 1));
  const what = random.pick(['copy', 'missing log'] as const);
  if (random.chance(0.5)) intruder.rename();
  intruder.takeOver(log, [accept(what, [intruder.standing(log)])], false);
  return `log ${no} cut and taken over, and ${what} accepted`;
};

// --- rows

const ROWS = { tasks: 'n', leases: 'task_n', sessions: 'session_id', thoughts: 'thought_id' } as const;
type RowTable = keyof typeof ROWS;

/** Two rows exchange everything but their names. */
const swapped: Forgery = ({ db, random }) => {
  const table = random.pick(Object.keys(ROWS) as RowTable[]);
  const key = ROWS[table];
  const rows = db.prepare<[], Record<string, unknown>>(`SELECT * FROM ${table} ORDER BY random() LIMIT 2`).all();
  const [one, two] = rows;
  if (one === undefined || two === undefined) return undefined;
  const kept = new Set<string>([key, 'place', 'session_id', 'idempotency_key']);
  const names = Object.keys(one).filter((name) => !kept.has(name));
  if (names.every((name) => one[name] === two[name])) return undefined;
  const set = db.prepare(`UPDATE ${table} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE ${key} = ?`);
  set.run(...names.map((name) => two[name]), one[key]);
  set.run(...names.map((name) => one[name]), two[key]);
  return `two rows of ${table} exchanged`;
};

/** A row takes the place of one of the same name in another store. */
const takenOver: Forgery = ({ db, other, random }) => {
  const table = random.pick(['tasks', 'leases'] as const);
  const key = ROWS[table];
  db.prepare('ATTACH ? AS other').run(other);
  const names = db.prepare<[], Record<string, unknown>>(`SELECT * FROM main.${table} ORDER BY random() LIMIT 1`).get();
  if (names === undefined) return undefined;
  const theirs = db
    .prepare<unknown[], Record<string, unknown>>(`SELECT * FROM other.${table} WHERE ${key} = ?`)
    .get(names[key]);
  if (theirs === undefined) return undefined;
  const some = Object.keys(theirs).filter((name) => name !== key && theirs[name] !== names[name]);
  const set = db.prepare(`UPDATE main.${table} SET ${some.map((name) => `${name} = ?`).join(', ')} WHERE ${key} = ?`);
  set.run(...some.map((name) => theirs[name]), names[key]);
  return `a row of ${table} taken from another store`;
};

const DERIVED: readonly (readonly [table: string, sql: string])[] = [
  ['leases', 'flagged = 1 - flagged'],
  ['tasks', 'leased = 1 - leased'],
  ['tasks', 'open_deps = open_deps + 1'],
  ['tasks', 'terminal = 1 - terminal'],
  ['tasks', 'priority_rank = (priority_rank + 1) % 4'],
  ['tasks', 'stage = (stage + 1) % 6'],
  ['tasks', "search_text = search_text || ' x'"],
  ['tasks', "owner = coalesce(owner, '') || 'x'"],
  ['thoughts', 'attempt = coalesce(attempt, 0) + 1'],
];

const derived: Forgery = ({ db, random }) => {
  const [table, sql] = random.pick(DERIVED);
  const row = db.prepare<[], { at: number }>(`SELECT rowid AS at FROM ${table} ORDER BY random() LIMIT 1`).get();
  if (row === undefined) return undefined;
  db.prepare(`UPDATE ${table} SET ${sql} WHERE rowid = ?`).run(row.at);
  return `${table}: ${sql}`;
};

/** Both derived columns of a lease at once: its task looks free. */
const freed: Forgery = ({ db, random }) => {
  const held = db.prepare<[], { n: number }>('SELECT task_n AS n FROM leases WHERE flagged = 1 AND released = 0').all();
  if (held.length === 0) return undefined;
  const { n } = random.pick(held);
  db.prepare('UPDATE leases SET flagged = 0 WHERE task_n = ?').run(n);
  db.prepare('UPDATE tasks SET leased = 0 WHERE n = ?').run(n);
  return `the lease of task ${n} freed`;
};

export const SEMANTIC_FORGERIES: Readonly<Record<string, Forgery>> = {
  tail,
  'tail of a task': taskTail,
  'newer format': newerFormat,
  'other attempt': otherAttempt,
  'log removed': removedLog,
  'log renumbered': renumbered,
  graft: grafted,
  'rotation without a signature': rotated,
  'accepted by a log of the forger': accepted,
  'rows exchanged': swapped,
  'row of another store': takenOver,
  'derived column': derived,
  'lease freed': freed,
};

/** One forgery in a file, drawn at random; tries kinds until one has something to work on. */
export const forgeAtRandom = (path: string, other: string, random: Random): { kind: string; what: string } => {
  for (;;) {
    const [kind, forge] = random.pick(Object.entries(SEMANTIC_FORGERIES));
    const db = new Database(path);
    try {
      db.pragma('foreign_keys = OFF');
      db.pragma('synchronous = OFF');
      const what = forge({ db, other, random });
      if (what !== undefined) return { kind, what };
    } finally {
      db.close();
    }
  }
};
