// Checks the rows of the evidence tables from outside: what the newest record about a row says must be what the row says,
// and what is derived must be what one derives. Shares no code with what it checks.
import Database from 'better-sqlite3';
import { type Body, canonical, inspectLedger, sha256 } from './ledger-check.js';

type Row = Record<string, string | number | null>;

interface Subject {
  readonly type: string;
  readonly id: string;
  readonly rev: number;
  readonly digest: string;
}

interface Said extends Subject {
  readonly log: string;
  readonly seq: number;
}

const RANKS = ['urgent', 'high', 'normal', 'low'];
const STAGES: Readonly<Record<string, number>> = {
  VERIFY: 0,
  APPLY: 1,
  PLAN: 2,
  ANALYZE: 3,
  GATHER: 4,
  INIT: 5,
  DONE: 9,
  CANCELLED: 9,
};
const TASK_COLUMNS =
  'title description project status priority assignee attempt version created_at updated_at idempotency_key request_digest call_no';
const LEASE_COLUMNS = 'token holder until minutes released';
/** Of leases since format 6, left out where they are null. */
const NEWER_LEASE_COLUMNS = ['instance', 'task_version', 'previous', 'noted', 'handed'] as const;
const SESSION_COLUMNS = 'intent task_id agent_id started_at opened_by genesis_hash finalized_at root record_count';

const nameOf = (n: unknown): string => `T-${String(n).padStart(4, '0')}`;
const only = (row: Row, columns: string): Row =>
  Object.fromEntries(columns.split(' ').map((column) => [column, row[column] ?? null]));
const digestOf = (value: unknown): string => sha256(Buffer.from([0]), canonical(value));

const found = (type: string, id: string, row: Row, columns: object, rev: number): Said => ({
  type,
  id,
  rev,
  digest: digestOf({ type, id, rev, salt: row.salt, ...columns }),
  log: String(row.log_id),
  seq: Number(row.seq),
});

/** The last word about each row, and the attempt a task was in when a record was made. */
const readLog = (records: readonly { log: string; seq: number; body: Body }[]) => {
  const said = new Map<string, Said>();
  const problems: string[] = [];
  const retries = new Map<string, { place: string; attempt: number }[]>();
  const order = new Map<string, number>();
  /** The attempt before the step that a thought gives the reason for. */
  const reasons = new Map<string, number>();
  for (const [index, { log, seq, body }] of records.entries()) {
    const place = `${log} ${seq}`;
    order.set(place, index);
    for (const subject of (body.subjects ?? []) as readonly Subject[]) {
      const key = `${subject.type} ${subject.id}`;
      const before = said.get(key)?.rev ?? 0;
      if (subject.rev !== before + 1) problems.push(`${key}: revision ${subject.rev} after ${before}`);
      said.set(key, { ...subject, log, seq });
    }
    for (const { task_id, from, to, attempt, because } of body.changes ?? []) {
      if (attempt > 1) retries.set(task_id, [...(retries.get(task_id) ?? []), { place, attempt }]);
      if (because !== undefined) reasons.set(because, attempt - (from === 'VERIFY' && to === 'GATHER' ? 1 : 0));
    }
  }
  /** A thought belongs to the attempt in which it was written: the change it comes with happens after it. */
  const attemptAt = (task: string, place: string, thought: string): number => {
    const reason = reasons.get(thought);
    if (reason !== undefined) return reason;
    const at = order.get(place) ?? 0;
    const before = (retries.get(task) ?? []).filter((retry) => (order.get(retry.place) ?? 0) < at);
    return before.at(-1)?.attempt ?? 1;
  };
  return { said, problems, attemptAt };
};

const checkTask = (
  row: Row,
  dependencies: readonly Row[],
  lease: Row | undefined,
  say: (what: string) => void,
): void => {
  const open = dependencies.filter(({ status }) => status !== 'DONE').length;
  const terminal = ['DONE', 'CANCELLED'].includes(String(row.status)) ? 1 : 0;
  const derived: Row = {
    open_deps: open,
    terminal,
    priority_rank: RANKS.indexOf(String(row.priority)),
    stage: STAGES[String(row.status)] ?? -1,
    search_text: `${row.title}\n${row.description ?? ''}`.toLowerCase(),
    leased: lease?.flagged ?? 0,
  };
  for (const [column, value] of Object.entries(derived)) {
    if (row[column] !== value) say(`task ${nameOf(row.n)}: ${column} is ${row[column]}, not ${value}`);
  }
};

/** Each thought goes on from the one before it in its session. */
const checkChains = (thoughts: readonly Row[], sessions: ReadonlyMap<string, Row>, say: (what: string) => void) => {
  const ends = new Map<string, { place: number; hash: string }>();
  for (const row of thoughts) {
    const session = sessions.get(String(row.session_id));
    const end = ends.get(String(row.session_id)) ?? { place: 0, hash: String(session?.genesis_hash) };
    if (row.place !== end.place || row.prev_hash !== end.hash)
      say(`thought ${row.thought_id}: not where the chain goes on`);
    ends.set(String(row.session_id), { place: end.place + 1, hash: String(row.hash) });
    if (row.content === null) continue;
    if (!/^[0-9a-f]{32}$/.test(String(row.content_salt)))
      say(`thought ${row.thought_id}: the salt is no 16 bytes in hex`);
    const digest = sha256(Buffer.from(String(row.content_salt), 'hex'), String(row.content));
    if (digest !== row.content_digest) say(`thought ${row.thought_id}: another content than was digested`);
  }
};

const thoughtHash = (row: Row): string =>
  digestOf({
    v: 1,
    session_id: row.session_id,
    seq: row.place,
    thought_id: row.thought_id,
    type: row.type,
    task_id: row.task_id,
    agent_id: row.agent_id,
    skill: row.skill_name === null ? null : { name: row.skill_name, digest: row.skill_digest },
    content_digest: row.content_digest,
    timestamp: row.timestamp,
    prev_hash: row.prev_hash,
    ...(row.idempotency_key !== null && {
      idempotency: { key: row.idempotency_key, request_digest: row.request_digest },
    }),
  });

const genesisHash = (row: Row): string =>
  digestOf({
    v: 1,
    kind: 'session',
    log: row.log_id,
    session_id: row.session_id,
    intent: row.intent,
    task_id: row.task_id,
    agent_id: row.agent_id,
    started_at: row.started_at,
  });

/** The tables of consensus: type of row, table, key. */
const CONSENSUS = [
  ['round', 'rounds', 'round_id'],
  ['vote', 'votes', 'vote_id'],
  ['voter', 'voters', 'name'],
  ['heard', 'heard', 'event_id'],
] as const;

interface Tables {
  readonly tasks: readonly Row[];
  readonly pairs: readonly Row[];
  readonly leases: readonly Row[];
  readonly sessions: readonly Row[];
  readonly thoughts: readonly Row[];
  readonly replays: readonly Row[];
  readonly definitions: readonly Row[];
  readonly approvals: readonly Row[];
  readonly consensus: readonly (readonly [type: string, id: string, row: Row])[];
}

const readTables = (path: string): Tables => {
  const db = new Database(path, { readonly: true, fileMustExist: true });
  const all = (sql: string): Row[] => db.prepare<[], Row>(sql).all();
  const has = (table: string) => all(`SELECT 1 FROM sqlite_schema WHERE name = '${table}'`).length > 0;
  const [hasReplays, hasDefinitions] = [has('replays'), has('definitions')];
  const tables = {
    tasks: all('SELECT * FROM tasks ORDER BY n'),
    pairs: all('SELECT * FROM task_dependencies ORDER BY task_n, depends_on_n'),
    leases: all('SELECT * FROM leases'),
    sessions: all('SELECT * FROM sessions'),
    thoughts: all('SELECT * FROM thoughts ORDER BY session_id, place'),
    replays: hasReplays ? all('SELECT * FROM replays') : [],
    definitions: hasDefinitions ? all('SELECT * FROM definitions') : [],
    approvals: has('approvals') ? all('SELECT * FROM approvals') : [],
    consensus: CONSENSUS.flatMap(([type, table, key]) =>
      has(table) ? all(`SELECT * FROM ${table}`).map((row) => [type, String(row[key]), row] as const) : [],
    ),
  };
  db.close();
  return tables;
};

const taskRows = ({ tasks, pairs, leases }: Tables, say: (what: string) => void): Said[] => {
  const byNumber = new Map(tasks.map((row) => [row.n, row]));
  const leaseOf = new Map(leases.map((row) => [row.task_n, row]));
  const on = new Map<unknown, unknown[]>(tasks.map(({ n }) => [n, []]));
  for (const { task_n, depends_on_n } of pairs) {
    on.get(task_n)?.push(depends_on_n);
    if (!on.has(task_n) || !on.has(depends_on_n)) say(`dependency of ${task_n} on ${depends_on_n}: of no task`);
  }
  return tasks.map((row) => {
    const numbers = on.get(row.n) ?? [];
    const dependencies = numbers.map((n) => byNumber.get(n as number) ?? {});
    checkTask(row, dependencies, leaseOf.get(row.n ?? 0), say);
    const creator = row.creator ?? null;
    const columns = {
      ...only(row, TASK_COLUMNS),
      ...(creator !== null && { creator }),
      depends_on: numbers.map(nameOf),
    };
    return found('task', nameOf(row.n), row, columns, Number(row.version));
  });
};

const leaseRows = ({ leases }: Tables, now: string, say: (what: string) => void): Said[] =>
  leases.map((row) => {
    // Past its end it is looked past until somebody clears it.
    const flags = row.released === 1 ? [0] : String(row.until) > now ? [1] : [0, 1];
    if (!flags.includes(Number(row.flagged))) say(`lease ${nameOf(row.task_n)}: flagged is ${row.flagged}`);
    const newer = NEWER_LEASE_COLUMNS.filter((column) => row[column] !== null).map((column) => [column, row[column]]);
    const columns = { ...only(row, LEASE_COLUMNS), ...Object.fromEntries(newer) };
    return found('lease', nameOf(row.task_n), row, columns, Number(row.rev));
  });

const sessionRows = ({ sessions }: Tables, say: (what: string) => void): Said[] =>
  sessions.map((row) => {
    if (row.rev === 1 && row.genesis_hash !== genesisHash(row)) say(`session ${row.session_id}: another genesis`);
    return found('session', String(row.session_id), row, only(row, SESSION_COLUMNS), Number(row.rev));
  });

const thoughtRows = (
  { thoughts, sessions }: Tables,
  attemptAt: (task: string, place: string, thought: string) => number,
  say: (what: string) => void,
): Said[] => {
  checkChains(thoughts, new Map(sessions.map((row) => [String(row.session_id), row])), say);
  return thoughts.map((row) => {
    const id = String(row.thought_id);
    const digest = thoughtHash(row);
    if (row.hash !== digest) say(`thought ${id}: its hash is not its own`);
    const attempt = row.task_id === null ? null : attemptAt(String(row.task_id), `${row.log_id} ${row.seq}`, id);
    if (row.attempt !== attempt) say(`thought ${id}: attempt is ${row.attempt}, not ${attempt}`);
    return { type: 'thought', id, rev: 1, digest, log: String(row.log_id), seq: Number(row.seq) };
  });
};

const replayRows = ({ replays }: Tables): Said[] =>
  replays.map((row) =>
    found(
      'replay',
      `${nameOf(row.task_n)}/${row.idempotency_key}`,
      row,
      only(row, 'idempotency_key request_digest call_no'),
      1,
    ),
  );

const definitionRows = ({ definitions }: Tables, say: (what: string) => void): Said[] =>
  definitions.map((row) => {
    const digest = String(row.digest);
    if (row.json !== null && sha256(String(row.json)) !== digest) say(`definition ${digest}: another text`);
    return found('definition', digest, row, {}, 1);
  });

const APPROVAL =
  'exact server tool args_digest definition state via answered_by claimed reason call_id used_by instance asker asked_at expires_at';

const approvalRows = ({ approvals }: Tables): Said[] =>
  approvals.map((row) =>
    found(
      'approval',
      String(row.approval_id),
      row,
      only(row, row.round === null ? APPROVAL : `${APPROVAL} round`),
      Number(row.rev),
    ),
  );

const CONSENSUS_COLUMNS: Readonly<Record<string, string>> = {
  round:
    'home root proposal drawing decision state result voters need expires_at requester instance asker contested decided_log decided_seq cosigned_by known_at',
  vote: 'round_id voter vote root form identity statement instance known_at',
  voter: 'public_key enrolled_at enrolled_by revoked_at revoked_by',
  heard: 'kind log size root statement known_at',
};

const consensusRows = ({ consensus }: Tables): Said[] =>
  consensus.map(([type, id, row]) => found(type, id, row, only(row, CONSENSUS_COLUMNS[type] ?? ''), Number(row.rev)));

/** Everything that does not fit; nothing for a store that nobody has touched from outside. */
export const checkSubjects = (path: string, now = new Date().toISOString()): string[] => {
  const { records, problems: inLog } = inspectLedger(path);
  const { said, problems, attemptAt } = readLog(records);
  const say = (what: string) => void problems.push(what);
  const tables = readTables(path);
  const rows = [
    ...taskRows(tables, say),
    ...leaseRows(tables, now, say),
    ...sessionRows(tables, say),
    ...thoughtRows(tables, attemptAt, say),
    ...replayRows(tables),
    ...definitionRows(tables, say),
    ...approvalRows(tables),
    ...consensusRows(tables),
  ];
  const present = new Set(rows.map(({ type, id }) => `${type} ${id}`));
  for (const row of rows) {
    const last = said.get(`${row.type} ${row.id}`);
    const where = `${row.type} ${row.id}`;
    if (last === undefined) say(`${where}: no record knows it`);
    else if (last.digest !== row.digest || last.rev !== row.rev) say(`${where}: not as its newest record says`);
    else if (last.log !== row.log || last.seq !== row.seq) say(`${where}: points to another record`);
  }
  for (const key of said.keys()) {
    if (
      /^(task|lease|session|thought|replay|definition|approval|round|vote|voter|heard) /.test(key) &&
      !present.has(key)
    )
      say(`${key}: it is gone`);
  }
  return [...inLog, ...problems];
};
