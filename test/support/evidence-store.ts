// A small store with every kind of evidence row, made by the repositories themselves and recorded as calls are, and the
// whole of the evidence checks over a file. Needs no process.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { dependenciesOf } from '../../src/domains/tasks/dependency-repository.js';
import { grantLease, releaseLease } from '../../src/domains/tasks/lease-repository.js';
import { freeDependents, insertTasks, saveTask } from '../../src/domains/tasks/repository.js';
import type { TaskRow } from '../../src/domains/tasks/task.js';
import { insertSession, insertThought, type NewThought } from '../../src/domains/trail/repository.js';
import { sealSession } from '../../src/domains/trail/seal.js';
import { Evidence } from '../../src/ledger/evidence.js';
import { FORMAT } from '../../src/ledger/head.js';
import { append } from '../../src/ledger/ledger.js';
import type { LedgerRecord } from '../../src/proof/records.js';
import { openSqliteStore } from '../../src/store/sqlite/open.js';
import type { Store, Tx } from '../../src/store/store.js';
import { rememberTools } from '../../src/switchboard/records/catalogue-repository.js';
import { checkSubjects, type EvidenceCheck, evidenceChecks, type Key } from '../../src/verify/evidence/index.js';
import { openReader, type StoreReader } from '../../src/verify/reading.js';
import type { Finding } from '../../src/verify/verdict/finding.js';
import { logWithoutKey } from './log-without-key.js';
import { boot } from './stores.js';

export interface Told {
  readonly path: string;
  /** A copy from before the last changes. */
  readonly earlier: string;
  /** When to ask: one lease has run out, others have not. */
  readonly now: string;
  readonly sealed: string;
  readonly sealedThoughts: number;
  /** What the sealed session is about. */
  readonly task: string;
  readonly thought: string;
  /** An erase record names it, and its content is gone. */
  readonly erasable: string;
  remove(): void;
}

const AT = '2026-11-15T18:30:00.123Z';
const NOW = '2026-11-15T19:30:00.000Z';
const LOG = '0'.repeat(32);
const OTHER_LOG = '1'.repeat(32);
const OWN = logWithoutKey(LOG);
const INSTANCE = '01a1ebdc-bfaa-7b2e-b6d6-c4cb2f5006f6';

type Notes = { readonly attempt?: number };
type Work = { readonly tx: Tx; readonly evidence: Evidence };

/** One writing call: what it changes and its outcome record, in one transaction. */
const actor = (store: Store) => {
  let call = 0;
  return <T>(use: (work: Work) => Promise<T>, notes: Notes = {}): Promise<T> =>
    store.write(async (tx) => {
      const evidence = new Evidence(tx, OWN);
      const value = await use({ tx, evidence });
      const { subjects } = evidence;
      const said = { kind: 'call.exit', call: 'c', tool: 't', outcome: 'ok', subjects } as const;
      await append(tx, OWN, [{ at: AT, record: { ...said, ...notes }, sequenceNo: call++ }]);
      return value;
    });
};

const openLogs = async (store: Store): Promise<void> => {
  await store.migrate(async () => {});
  await store.write(async (tx) => {
    for (const log of [LOG, OTHER_LOG]) {
      await tx.run(
        `INSERT INTO logs (log_id, node, public_key, format, size, frontier, opened_at) VALUES (?, ?, '', ?, 0, '', ?)`,
        ...[log, log, FORMAT, AT],
      );
    }
    // A session is sealed in the other log, and no log begins with a seal.
    await append(tx, logWithoutKey(OTHER_LOG), [{ at: AT, record: boot('i') }]);
  });
};

const values = {
  description: null,
  project: null,
  project_id: null,
  status: 'INIT',
  priority: 'normal',
  assignee: null,
  attempt: 1,
  version: 1,
  created_at: AT,
  updated_at: AT,
  idempotency_key: null,
  request_digest: null,
  call_no: 0,
  creator: null,
} as const;

type Act = ReturnType<typeof actor>;

const makeTasks = async (act: Act): Promise<TaskRow[]> => {
  const rows: TaskRow[] = [];
  const given = [{ description: 'Ünïts' }, { idempotency_key: 'k', request_digest: 'd' }, { project: 'p' }, {}, {}];
  for (const [i, more] of given.entries()) {
    const title = i === 3 ? '\ufffd ' : `task ${i}`;
    const task = { values: { ...values, title, ...more }, dependencies: rows.slice(0, i), onNew: [] };
    rows.push(...(await act((work) => insertTasks(work, [task]))));
  }
  return rows;
};

const makeLeases = async (act: Act, tasks: readonly TaskRow[]): Promise<void> => {
  for (const [i, task] of tasks.slice(0, 3).entries()) {
    const grant = { holder: 'me', minutes: i === 0 ? 30 : 1440, random32: i };
    const lease = await act((work) => grantLease({ ...work, now: AT, instance: INSTANCE }, task, grant));
    if (i === 1) await act((work) => releaseLease({ ...work, now: AT }, lease, false));
  }
};

const makeTrail = async (act: Act): Promise<{ sessions: string[]; thoughts: string[] }> => {
  const sessions: string[] = [];
  const thoughts: string[] = [];
  for (const task_id of ['T-0001', null, 'T-0002', null]) {
    const start = { intent: 'why', task_id, agent_id: 'me', opened_by: 'agent', started_at: AT };
    sessions.push((await act((work) => insertSession(work, start))).session_id);
  }
  const plain = { type: 'plan', task_id: null, agent_id: null, attempt: null, timestamp: AT } as const;
  const more: readonly (Partial<NewThought> & Notes)[] = [
    { task_id: 'T-0001', attempt: 2 },
    { skill: { name: 'skill', digest: 'd' }, agent_id: 'me' },
    { idempotency: { key: 'k', request: 'r' } },
  ];
  for (const session_id of sessions.slice(0, 3)) {
    for (const given of more) {
      const thought = { ...plain, session_id, content: `thought ${thoughts.length}`, ...given };
      const notes = given.attempt === undefined || given.attempt === null ? {} : { attempt: given.attempt };
      const row = await act((work) => insertThought(work, thought), notes);
      thoughts.push(row.thought_id);
    }
  }
  return { sessions, thoughts };
};

const TOOLS = [{ name: 'search', inputSchema: { type: 'object' } }, { name: 'fetch' }];

/** Other servers' tools, as a process saw them. */
const remember = (store: Store, server: string, tools: typeof TOOLS): Promise<boolean> =>
  store.write((tx) =>
    rememberTools(tx, { server, connection: 'c'.repeat(64), client: '' }, tools, { log: OWN, instance: 'i', at: AT }),
  );

const finishTask = (act: Act, task: TaskRow): Promise<void> =>
  act(async (work) => {
    const { tx } = work;
    const done = { ...task, status: 'DONE', version: 2, updated_at: NOW } as const;
    await saveTask(work, done, await dependenciesOf(tx, task.n));
    await freeDependents(tx, task.n);
  });

const erase = (store: Store, id: string): Promise<void> =>
  store.write(async (tx) => {
    await tx.run('UPDATE thoughts SET content = NULL, content_salt = NULL WHERE thought_id = ?', id);
    const payload = { type: 'payload', id: `${LOG}/7` } as const;
    const targets = [{ type: 'thought', id }, payload] as const;
    const record: LedgerRecord = { kind: 'erase', targets, reason: 'r', by: 'b' };
    await append(tx, OWN, [{ at: AT, record }]);
  });

const copyTo = (path: string, copy: string): void => {
  const db = new Database(path);
  db.exec(`VACUUM INTO '${copy}'`);
  db.close();
};

export const evidenceStore = async (): Promise<Told> => {
  const dir = mkdtempSync(join(tmpdir(), 'colibri-evidence-'));
  const path = join(dir, 'colibri.db');
  const store = await openSqliteStore({ path });
  await openLogs(store);
  const act = actor(store);
  const tasks = await makeTasks(act);
  await makeLeases(act, tasks);
  const { sessions, thoughts } = await makeTrail(act);
  const [first = '', , elsewhere = '', empty = ''] = sessions;
  for (const server of ['one', 'two']) await remember(store, server, TOOLS);
  const earlier = join(dir, 'earlier.db');
  copyTo(path, earlier);
  const [task] = tasks;
  if (task !== undefined) await finishTask(act, task);
  const again = { holder: 'you', minutes: 600, random32: 7 };
  await act((work) => grantLease({ ...work, now: AT, instance: INSTANCE }, { n: 2, version: 1 }, again));
  await remember(store, 'one', TOOLS.slice(1));
  const erasable = thoughts[4] ?? '';
  await erase(store, erasable);
  // One by the log it began in, one by another, one without a thought.
  for (const [sessionId, log] of [
    [first, OWN],
    [elsewhere, logWithoutKey(OTHER_LOG)],
    [empty, OWN],
  ] as const) {
    await store.write((tx) => sealSession(tx, { log, at: NOW }, sessionId));
  }
  await store.close();
  const remove = () => rmSync(dir, { recursive: true, force: true });
  const found = { sealed: first, sealedThoughts: 3, task: 'T-0001', thought: thoughts[0] ?? '', erasable };
  return { path, earlier, now: NOW, ...found, remove };
};

const recordFindings = (reader: StoreReader): Finding[] =>
  reader.snapshot((tx) =>
    tx
      .all<{ log_id: string; seq: number; body: string }>('SELECT log_id, seq, body FROM actions ORDER BY id')
      .flatMap(({ log_id: log, seq, body }) => checkSubjects(tx, { log, seq, body: JSON.parse(body) })),
  );

const walk = (reader: StoreReader, check: EvidenceCheck, limit: number): Finding[] => {
  const findings: Finding[] = [];
  const next = (after: Key | null): Key | null =>
    reader.snapshot((tx) => {
      const batch = check.batch(tx, after, limit);
      findings.push(...batch.findings);
      return batch.last;
    });
  for (let after = next(null); after !== null; after = next(after));
  return findings;
};

/** Every row against its record, and every record against its rows. */
export const checkEvidence = (path: string, limit = 100): Finding[] => {
  const reader = openReader({ path });
  try {
    return [...recordFindings(reader), ...evidenceChecks().flatMap((check) => walk(reader, check, limit))];
  } finally {
    reader.close();
  }
};
