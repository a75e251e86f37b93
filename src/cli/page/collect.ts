// Makes the data of a page from the store: records with their multiproof, the texts beside them, the rows that they name. All of it from one
// snapshot, and checked as the browser will check it.
import { dependenciesOf } from '../../domains/tasks/dependency-repository.js';
import { digestedOf, taskId, taskNumber } from '../../domains/tasks/task.js';
import { hashedFields, type ThoughtRow } from '../../domains/trail/thought.js';
import { ColibriError } from '../../errors.js';
import { hashes } from '../../ledger/hashes.js';
import { verifierFor } from '../../ledger/heads.js';
import { isSignedBy } from '../../ledger/notes.js';
import { brokenProof, coveringCheckpoint } from '../../ledger/prove.js';
import { multiproofNodes } from '../../ledger/stored-tree.js';
import { canonicalJson, isObject, type JsonObject, parseObject } from '../../proof/canonical-json.js';
import { checkPage, type PageVerdict } from '../../proof/page-check.js';
import {
  PAGE_FORMAT,
  type PageData,
  type PageLog,
  type PagePayload,
  type PageRow,
  type PageThought,
} from '../../proof/page-data.js';
import { vkeyOf } from '../../proof/verifier.js';
import { readVersion } from '../../start/version.js';
import type { ReadTx } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import { definitionText } from '../records/log-repository.js';
import {
  bodiesIn,
  openTaskNumbers,
  type PageStretch,
  sessionNamed,
  tasksNumbered,
  textsStoredIn,
  thoughtsStoredIn,
} from './repository.js';
import type { ShownLog } from './shown.js';

/** What a page is made of besides its records. */
export interface PageFrame extends Pick<PageData, 'project' | 'scope' | 'payloads' | 'unproved' | 'made_at'> {
  /** Whether tasks that have not ended are shown too if no shown record names them. */
  readonly openTasks: boolean;
}

const recordIn = (body: string, log: string, seq: number): JsonObject => {
  const record = parseObject(body);
  if (canonicalJson(record) === body) return record;
  throw brokenProof(`record ${log}/${seq} is not in canonical form`);
};

const recordsOf = async (tx: ReadTx, stretches: readonly PageStretch[]): Promise<JsonObject[]> => {
  const records: JsonObject[] = [];
  for (const one of stretches) {
    for (const { seq, body } of await bodiesIn(tx, one)) records.push(recordIn(body, one.log, seq));
  }
  return records;
};

const subjectsIn = (records: readonly JsonObject[], type: string): string[] => {
  const ids = records.flatMap(({ subjects }) =>
    (Array.isArray(subjects) ? subjects : [])
      .filter((one) => isObject(one) && one.type === type)
      .map(({ id }) => String(id)),
  );
  return [...new Set(ids)];
};

interface PlacedRow {
  readonly log: string;
  readonly at: PageRow;
}

const taskRows = async (tx: ReadTx, records: readonly JsonObject[], openTasks: boolean): Promise<PlacedRow[]> => {
  const named = subjectsIn(records, 'task').flatMap((id) => taskNumber(id) ?? []);
  const open = openTasks ? await openTaskNumbers(tx, CLI_LIMITS.pageOpenTasks) : [];
  const numbers = [...new Set([...named.sort((a, b) => b - a).slice(0, CLI_LIMITS.pageTasks), ...open])];
  const rows: PlacedRow[] = [];
  for (let at = 0; at < numbers.length; at += CLI_LIMITS.exportRows) {
    for (const task of await tasksNumbered(tx, numbers.slice(at, at + CLI_LIMITS.exportRows))) {
      const depends_on = (await dependenciesOf(tx, task.n)).map(({ n }) => taskId(n));
      const { n, version: rev, salt, log_id: log, seq } = task;
      rows.push({ log, at: { seq, row: { type: 'task', id: taskId(n), rev, salt, ...digestedOf(task), depends_on } } });
    }
  }
  return rows;
};

const sessionRows = async (tx: ReadTx, ids: readonly string[]): Promise<PlacedRow[]> => {
  const rows: PlacedRow[] = [];
  for (const id of ids.slice(-CLI_LIMITS.pageSessions)) {
    const row = await sessionNamed(tx, id);
    if (row === undefined) continue;
    const { session_id, log_id: log, seq, ...columns } = row;
    rows.push({ log, at: { seq, row: { type: 'session', id: session_id, ...columns } } });
  }
  return rows;
};

const thoughtOf = (row: ThoughtRow, withText: boolean): PageThought => {
  const isShown = withText && row.content !== null;
  return {
    seq: row.seq,
    record: { v: 1, ...hashedFields(row) },
    content: isShown ? row.content : null,
    salt: isShown ? row.content_salt : null,
  };
};

const textsBeside = async (tx: ReadTx, stretches: readonly PageStretch[]) => {
  const payloads: PagePayload[] = [];
  for (const one of stretches) {
    for (const { seq, salt, json } of await textsStoredIn(tx, one)) payloads.push([seq, salt, json]);
  }
  return payloads;
};

const thoughtsOf = async (tx: ReadTx, stretches: readonly PageStretch[], withText: boolean) => {
  const thoughts: PageThought[] = [];
  for (const one of stretches)
    thoughts.push(...(await thoughtsStoredIn(tx, one)).map((row) => thoughtOf(row, withText)));
  return thoughts;
};

/** The part of the checkpoint that a log's records are proved under: its note, and how many records it covers. */
const signedOf = async (tx: ReadTx, log: string) => {
  const newest = await coveringCheckpoint(tx, { log, seq: -1 });
  return { checkpoint: newest?.note ?? null, signed: newest?.size ?? 0 };
};

/** The proof of the shown records of a log: the newest checkpoint and the hashes of the rest of its tree. */
export const proofOfShown = async (tx: ReadTx, { info, stretches }: ShownLog) => {
  const { log_id: log, base } = info;
  const { checkpoint, signed } = await signedOf(tx, log);
  const indexes = stretches.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i));
  const shown = { size: signed, indexes: indexes.filter((seq) => seq < signed) };
  return { checkpoint, nodes: signed === 0 ? [] : await multiproofNodes(tx, { log, base }, shown) };
};

/** The definitions of tools that the records name, as far as they are stored. */
const definitionsOf = async (tx: ReadTx, records: readonly JsonObject[]) => {
  const digests = new Set(records.flatMap(({ definition }) => (typeof definition === 'string' ? [definition] : [])));
  const found: (readonly [string, string])[] = [];
  for (const digest of digests) {
    const text = await definitionText(tx, digest);
    if (typeof text === 'string') found.push([digest, text]);
  }
  return found;
};

const logOf = async (tx: ReadTx, shown: ShownLog, withText: boolean): Promise<PageLog> => {
  const { info, stretches } = shown;
  const records = await recordsOf(tx, stretches);
  return {
    vkey: vkeyOf(await verifierFor(tx, info.log_id)),
    node: info.node,
    size: info.size,
    ...(await proofOfShown(tx, shown)),
    records,
    payloads: withText ? await textsBeside(tx, stretches) : [],
    rows: [],
    definitions: withText ? await definitionsOf(tx, records) : [],
    thoughts: await thoughtsOf(tx, stretches, withText),
  };
};

const sessionsNamed = ({ records, thoughts }: PageLog): string[] => [
  ...subjectsIn(records, 'session'),
  ...thoughts.map(({ record }) => String(record.session_id)),
];

export const collectPage = async (tx: ReadTx, shown: readonly ShownLog[], frame: PageFrame): Promise<PageData> => {
  const { openTasks, ...rest } = frame;
  const logs: PageLog[] = [];
  for (const one of shown) logs.push(await logOf(tx, one, frame.payloads === 'shown'));
  const records = logs.flatMap((log) => log.records);
  const rows = [
    ...(await taskRows(tx, records, openTasks)),
    ...(await sessionRows(tx, [...new Set(logs.flatMap(sessionsNamed))])),
  ];
  const ids = shown.map(({ info }) => info.log_id);
  return {
    format: PAGE_FORMAT,
    version: readVersion(),
    ...rest,
    logs: logs.map((log, i) => ({ ...log, rows: rows.filter((row) => row.log === ids[i]).map(({ at }) => at) })),
  };
};

/** Checks a page as its reader will: a page that failed there would be blamed on Colibri, not on whoever changed the store. */
export const heldPage = async (data: PageData): Promise<PageVerdict> => {
  const verdict = await checkPage(data, { hashes, verifyEd25519: isSignedBy, pause: async () => {} });
  const [fault] = verdict.logs.flatMap(({ log, faults }) => faults.map((why) => `log ${log}: ${why}`));
  if (verdict.verdict !== 'broken') return verdict;
  throw new ColibriError('STORE_CORRUPT', `The page does not hold: ${fault ?? 'it has no log'}.`, {
    remedy: '`colibri verify` says what is wrong.',
  });
};
