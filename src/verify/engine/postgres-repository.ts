// The statements of a verification that only PostgreSQL knows.
import type { EvidenceTable, StoredRow } from '../evidence/evidence-repository.js';
import type { Key } from '../evidence/walk.js';
import { LEAF_MARK, type RecordLines } from '../log/ledger-repository.js';
import type { ActionRow } from '../log/record.js';
import type { StoreReading, StoreSnapshot } from '../reading.js';

const recordsIn = (tx: StoreSnapshot, from: number, to: number): ActionRow[] =>
  tx.rows(
    `SELECT id, log_id, seq, sequence_no, kind, tool, at, body, leaf FROM actions WHERE id >= ? AND id < ? ORDER BY id`,
    from,
    to,
  );

/** Stands before the body in a line from the server, because a text of PostgreSQL cannot hold LEAF_MARK (U+0000). */
const BODY_MARK = String.fromCharCode(30);
const BEFORE_BODY = new RegExp(`^([^${BODY_MARK}\\n]*)${BODY_MARK}`, 'gm');

const recordLines = (
  tx: StoreSnapshot,
  { log, base }: { readonly log: string; readonly base: number },
  [from, to]: readonly [number, number],
): RecordLines => {
  const [[count, text] = []] = tx.rows(
    `SELECT count(*), string_agg(CASE WHEN log_id = ? AND seq = id - ? AND sequence_no IS NOT NULL AND tool IS NOT NULL
       THEN concat(concat_ws(chr(31), seq, sequence_no, kind, at, leaf, tool), chr(30), body) ELSE '' END,
       chr(10) ORDER BY id) FROM actions WHERE id >= ? AND id < ?`,
    ...[log, base, from, to],
  );
  return { count: Number(count), text: typeof text === 'string' ? text.replace(BEFORE_BODY, `$1${LEAF_MARK}`) : '' };
};

export const storedBody = (tx: StoreReading, id: number): unknown =>
  tx.get<{ body: unknown }>('SELECT body FROM actions WHERE id = ?', id)?.body;

export const storedPayload = (tx: StoreReading, log: string, seq: number): unknown =>
  tx.get<{ json: unknown }>('SELECT json FROM payloads WHERE log_id = ? AND seq = ?', log, seq)?.json;

/** The primary key of each evidence table. No column of one can be null, and each has one type, so reading page by page always ends. */
const KEYS: Readonly<Record<EvidenceTable, readonly string[]>> = {
  tasks: ['n'],
  task_dependencies: ['task_n', 'depends_on_n'],
  leases: ['task_n'],
  sessions: ['session_id'],
  thoughts: ['thought_id'],
  catalogue: ['connection', 'client', 'server'],
  adoptions: ['owner'],
  replays: ['task_n', 'idempotency_key'],
  definitions: ['digest'],
  reputation_events: ['node_id', 'domain', 'at', 'record', 'place'],
  approvals: ['approval_id'],
  rounds: ['round_id'],
  votes: ['vote_id'],
  voters: ['name'],
  heard: ['event_id'],
};

const keyOf = (table: EvidenceTable, row: StoredRow): Key => KEYS[table].map((column) => row[column] as string);

const evidencePage = (tx: StoreReading, table: EvidenceTable, after: Key | null, limit: number): StoredRow[] => {
  const columns = KEYS[table].join(', ');
  if (after === null) return tx.all<StoredRow>(`SELECT * FROM ${table} ORDER BY ${columns} LIMIT ?`, limit);
  const places = KEYS[table].map(() => '?').join(', ');
  return tx.all<StoredRow>(
    `SELECT * FROM ${table} WHERE (${columns}) > (${places}) ORDER BY ${columns} LIMIT ?`,
    ...after,
    limit,
  );
};

/**
 * The highest number that was given to a task, as far as a task has it: a number that was given and never used is no fault. A sequence that
 * was set back would give numbers again.
 */
const numbersGiven = (tx: StoreReading): StoredRow[] =>
  tx.all<StoredRow>(
    `SELECT 'tasks' AS name, LEAST(CASE WHEN s.is_called THEN s.last_value ELSE s.last_value - 1 END, t.n) AS seq
     FROM tasks_n_seq s, (SELECT MAX(n) AS n FROM tasks) t WHERE t.n IS NOT NULL`,
  );

const sessionRow = (tx: StoreReading, id: string): StoredRow | undefined =>
  tx.get<StoredRow>('SELECT * FROM sessions WHERE session_id = ?', id);

const thoughtsOf = (
  tx: StoreReading,
  sessionId: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): StoredRow[] =>
  tx.all<StoredRow>(
    'SELECT * FROM thoughts WHERE session_id = ? ORDER BY place LIMIT ? OFFSET ?',
    sessionId,
    limit,
    offset,
  );

/** The tables of the ledger that exist where the connection looks for them. */
export const hasLogs = (tx: StoreReading): boolean =>
  tx.get("SELECT 1 AS one FROM pg_catalog.pg_class WHERE oid = to_regclass('logs')") !== undefined;

/** A reference of one evidence table to another. */
export interface Reference {
  readonly table: string;
  readonly column: string;
  readonly parent: string;
  readonly key: string;
}

/** The rows of a table that name a row which does not exist: a superuser can insert such rows. */
export const danglingRows = (tx: StoreReading, { table, column, parent, key }: Reference): unknown[] =>
  tx
    .all<{ id: unknown }>(
      `SELECT c.${column} AS id FROM ${table} c WHERE NOT EXISTS (SELECT 1 FROM ${parent} p WHERE p.${key} = c.${column})`,
    )
    .map(({ id }) => id);

/** How many rows the table of records has, and how many the logs say that they have. */
export const recordCounts = (tx: StoreReading): { readonly rows: number; readonly said: number } =>
  tx.get<{ rows: number; said: number }>(
    'SELECT (SELECT COUNT(*) FROM actions) AS rows, (SELECT COALESCE(SUM(size), 0) FROM logs) AS said',
  ) ?? { rows: 0, said: 0 };

export interface CatalogueRow {
  readonly type: string;
  readonly name: string;
  readonly on_table: string;
  readonly definition: string;
}

const OURS = `n.nspname = current_schema() AND NOT EXISTS (
  SELECT 1 FROM pg_catalog.pg_depend d WHERE d.objid = o.oid AND d.deptype = 'e')`;

/** One line for each column: name, type, collation, NOT NULL, identity or default. */
const COLUMNS = `(SELECT string_agg(concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
    CASE WHEN a.attcollation <> 0 THEN (SELECT 'collate ' || l.collname FROM pg_catalog.pg_collation l WHERE l.oid = a.attcollation) END,
    CASE WHEN a.attnotnull THEN 'not null' END, CASE a.attidentity WHEN '' THEN NULL ELSE 'identity ' || a.attidentity::text END,
    CASE a.attgenerated WHEN '' THEN NULL ELSE 'generated' END,
    (SELECT 'default ' || pg_get_expr(f.adbin, f.adrelid) FROM pg_catalog.pg_attrdef f WHERE f.adrelid = a.attrelid AND f.adnum = a.attnum)
  ), ', ' ORDER BY a.attname) FROM pg_catalog.pg_attribute a WHERE a.attrelid = o.oid AND a.attnum > 0 AND NOT a.attisdropped)`;

/**
 * Every object in the schema of the store, with its definition as the server writes it. Objects that belong to an extension are left out;
 * so are the triggers by which the server keeps foreign keys, unless somebody switched one off.
 */
const CATALOGUE = `
SELECT CASE o.relkind WHEN 'r' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'S' THEN 'sequence'
    WHEN 'i' THEN 'index' WHEN 'f' THEN 'foreign table' ELSE 'relation ' || o.relkind::text END AS type, o.relname::text AS name,
  COALESCE((SELECT t.relname FROM pg_catalog.pg_index x JOIN pg_catalog.pg_class t ON t.oid = x.indrelid WHERE x.indexrelid = o.oid),
    (SELECT t.relname FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_class t ON t.oid = d.refobjid
     WHERE d.objid = o.oid AND o.relkind = 'S' AND d.deptype IN ('a', 'i') LIMIT 1), o.relname)::text AS on_table,
  CASE o.relkind WHEN 'i' THEN pg_get_indexdef(o.oid, 0, true) || CASE WHEN (SELECT x.indisvalid FROM pg_catalog.pg_index x WHERE x.indexrelid = o.oid) THEN '' ELSE ' invalid' END
    WHEN 'r' THEN ${COLUMNS} || CASE WHEN o.relrowsecurity OR o.relforcerowsecurity THEN ' row security' ELSE '' END
      || CASE WHEN o.relpersistence <> 'p' THEN ' not permanent' ELSE '' END
      || CASE WHEN EXISTS (SELECT 1 FROM pg_catalog.pg_inherits h WHERE o.oid IN (h.inhrelid, h.inhparent)) THEN ' inherits' ELSE '' END
    ELSE '' END AS definition
FROM pg_catalog.pg_class o JOIN pg_catalog.pg_namespace n ON n.oid = o.relnamespace WHERE ${OURS} AND o.relkind NOT IN ('c', 't')
UNION ALL SELECT 'constraint', o.conname::text, t.relname::text, pg_get_constraintdef(o.oid, true)
FROM pg_catalog.pg_constraint o JOIN pg_catalog.pg_class t ON t.oid = o.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
WHERE ${OURS} AND o.contype <> 'n'
UNION ALL SELECT 'trigger', o.tgname::text, t.relname::text, pg_get_triggerdef(o.oid, true)
FROM pg_catalog.pg_trigger o JOIN pg_catalog.pg_class t ON t.oid = o.tgrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
WHERE ${OURS} AND (NOT o.tgisinternal OR o.tgenabled <> 'O')
UNION ALL SELECT 'rule', o.rulename::text, t.relname::text, ''
FROM pg_catalog.pg_rewrite o JOIN pg_catalog.pg_class t ON t.oid = o.ev_class JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
WHERE ${OURS} AND t.relkind = 'r'
UNION ALL SELECT 'policy', o.polname::text, t.relname::text, ''
FROM pg_catalog.pg_policy o JOIN pg_catalog.pg_class t ON t.oid = o.polrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
WHERE ${OURS}
UNION ALL SELECT 'function', o.proname::text, o.proname::text, ''
FROM pg_catalog.pg_proc o JOIN pg_catalog.pg_namespace n ON n.oid = o.pronamespace WHERE ${OURS}
ORDER BY 1, 2, 3`;

export const catalogueOf = (tx: StoreReading): CatalogueRow[] => tx.all<CatalogueRow>(CATALOGUE);

/** The encoding of the database, and the names of tables in other schemas of the search path that stand before the store's. */
export const databaseEncoding = (tx: StoreReading): unknown =>
  tx.get<{ encoding: unknown }>("SELECT current_setting('server_encoding') AS encoding")?.encoding;

/** The answers to the questions of engine.ts that are one statement. */
export const postgresQueries = { recordsIn, recordLines, numbersGiven, sessionRow, thoughtsOf, evidencePage, keyOf };
