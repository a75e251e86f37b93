// Exports records and calls with their stored arguments, in many short read transactions. A log only grows, so reading each
// log up to its size at the beginning makes the export consistent.

import { parseObject } from '../../proof/canonical-json.js';
import type { CallEnterRecord, CallExitRecord } from '../../proof/records.js';
import type { KeptTexts } from '../../proof/switchboard-records.js';
import type { ReadTx, Store } from '../../store/store.js';
import { CLI_LIMITS } from '../limits.js';
import { outcomeShownIn } from '../records/call-view.js';
import {
  argumentsIn,
  checkpointsAfter,
  type ExportedLog,
  type ExportedStretch,
  exportedIntents,
  exportedLogs,
  exportedOutcome,
  exportedRecords,
  type RecordRow,
} from './repository.js';
import type { ExportChoice, ExportPage, ExportRow, Source } from './source.js';

/** What became of the arguments of a record; null if the record never had arguments. */
type PayloadState = 'stored' | 'digest' | 'erased' | 'left out' | null;

interface Payload {
  readonly payload: PayloadState;
  readonly payload_salt: string | null;
  readonly payload_json: string | null;
}

const NONE: Payload = { payload: null, payload_salt: null, payload_json: null };

const wantsPayload = ({ kind, body }: RecordRow): boolean => {
  if (kind !== 'call.enter' && kind !== 'call.exit' && kind !== 'health') return false;
  const { args, texts } = JSON.parse(body) as Pick<CallEnterRecord, 'args'> & KeptTexts;
  return args === 'stored' || args === 'digest' || texts === 'stored';
};

const payloadOf = (row: RecordRow, json: string | null | undefined, { contents }: ExportChoice): Payload => {
  const { salt } = row;
  if (salt === null || (contents && json === undefined)) {
    return wantsPayload(row) ? { ...NONE, payload: 'erased' } : NONE;
  }
  if (!contents) return { ...NONE, payload: 'left out' };
  return { payload: json === null ? 'digest' : 'stored', payload_salt: salt, payload_json: json ?? null };
};

/** Splits rows into parts so small that the arguments of a part fit into memory; a part has at least one row. */
function* slices(rows: readonly RecordRow[]): Generator<readonly RecordRow[]> {
  let [from, bytes] = [0, 0];
  for (const [i, row] of rows.entries()) {
    bytes += row.bytes ?? 0;
    if (i > from && bytes > CLI_LIMITS.exportBytes) {
      yield rows.slice(from, i);
      [from, bytes] = [i, row.bytes ?? 0];
    }
  }
  if (from < rows.length) yield rows.slice(from);
}

function* stretchesOf(logs: readonly ExportedLog[]): Generator<ExportedStretch> {
  for (const log of logs) {
    for (let from = 0; from < log.size; from += CLI_LIMITS.exportRows) {
      yield { log, from, to: Math.min(from + CLI_LIMITS.exportRows, log.size) };
    }
  }
}

/** Makes the exported row of a record; `tx` reads what belongs to the record, such as a call's outcome. */
type Shown = (row: RecordRow, payload: Payload, log: ExportedLog, tx: ReadTx) => Promise<ExportRow>;

const NO_TEXTS: ReadonlyMap<number, string | null> = new Map();

/** The exported rows for some records of a log, with their arguments. */
const complete = async (
  tx: ReadTx,
  log: ExportedLog,
  part: readonly RecordRow[],
  choice: ExportChoice,
  shown: Shown,
) => {
  const kept = part.filter(({ salt }) => salt !== null);
  const [first, last] = [kept[0]?.seq, kept.at(-1)?.seq];
  const isWanted = choice.contents && first !== undefined && last !== undefined;
  const texts = isWanted ? await argumentsIn(tx, { log, from: first, to: last + 1 }) : NO_TEXTS;
  const rows: ExportRow[] = [];
  for (const row of part) rows.push(await shown(row, payloadOf(row, texts.get(row.seq), choice), log, tx));
  return rows;
};

async function* pagesOf(
  store: Store,
  logs: readonly ExportedLog[],
  choice: ExportChoice,
  [read, shown]: readonly [typeof exportedRecords, Shown],
): AsyncGenerator<ExportPage> {
  const total = logs.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  for (const stretch of stretchesOf(logs)) {
    const { log } = stretch;
    const found = await store.read((tx) => read(tx, stretch, choice));
    for (const part of slices(found)) {
      yield { rows: await store.read((tx) => complete(tx, log, part, choice, shown)), done, total };
    }
    done += stretch.to - stretch.from;
    yield { rows: [], done, total };
  }
}

const recordShown: Shown = async ({ seq, kind, at, tool, sequence_no, leaf, body }, payload, { log }) => ({
  row: 'record',
  log,
  seq,
  kind,
  at,
  tool,
  sequence_no,
  leaf,
  body,
  ...payload,
});

const logShown = ({ no: _, ...log }: ExportedLog): ExportRow => ({ row: 'log', ...log });

async function* checkpointsOf(store: Store, logs: readonly ExportedLog[]): AsyncGenerator<ExportRow[]> {
  for (const { log, size } of logs) {
    for (let no = 0; ; ) {
      const rows = await store.read((tx) => checkpointsAfter(tx, log, no, size));
      if (rows.length === 0) break;
      yield rows.map((row) => ({ row: 'checkpoint', ...row }));
      no = rows.at(-1)?.no ?? no;
    }
  }
}

export const records: Source = {
  row: 'record',
  columns: [
    ...['log', 'seq', 'kind', 'at', 'tool', 'sequence_no', 'leaf', 'body'],
    ...['payload', 'payload_salt', 'payload_json'],
  ],
  async *pages(store, choice) {
    // The sizes of the logs are read first: records and signatures that are added later are not exported.
    const logs = await store.read(exportedLogs);
    yield { rows: logs.map(logShown), done: 0, total: 0 };
    yield* pagesOf(store, logs, choice, [exportedRecords, recordShown]);
    for await (const rows of checkpointsOf(store, logs)) yield { rows, done: 0, total: 0 };
  },
};

const callShown: Shown = async ({ seq, at, tool, body }, payload, { log }, tx) => {
  const { call, effect, client } = JSON.parse(body) as CallEnterRecord;
  const exit = await exportedOutcome(tx, log, seq);
  const said = exit && (JSON.parse(exit.body) as CallExitRecord);
  return {
    ...{ row: 'call', log, seq, at, call, tool, effect: effect ?? null },
    ...{ client: client?.name ?? null, client_version: client?.version ?? null, protocol: client?.protocol ?? null },
    ...{
      outcome: exit === undefined ? null : outcomeShownIn(parseObject(exit.body)),
      code: said?.code ?? null,
      duration_us: said?.duration_us ?? null,
    },
    ...{ exit_seq: exit?.seq ?? null, ended_at: exit?.at ?? null },
    ...payload,
  };
};

/** Exports one row for each call, its start (intent) and its outcome together; fields of an outcome that is missing are empty. */
export const calls: Source = {
  row: 'call',
  columns: [
    ...['log', 'seq', 'at', 'call', 'tool', 'effect', 'client', 'client_version', 'protocol'],
    ...['outcome', 'code', 'duration_us', 'exit_seq', 'ended_at', 'payload', 'payload_salt', 'payload_json'],
  ],
  async *pages(store, choice) {
    yield* pagesOf(store, await store.read(exportedLogs), choice, [exportedIntents, callShown]);
  },
};
