// Follows a running `colibri view`: loads its newest records, takes in what is recorded meanwhile, and checks it under each new signature.
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import { type PageData, type PageLog, readPageData } from '../../proof/page-data.js';
import { logIdOf } from '../model/model.js';
import { numberIn, objectsIn, textIn } from '../model/read.js';
import { PAGE_LIMITS } from './limits.js';

export interface LiveHandlers {
  readonly onData: (data: PageData) => void;
  /** What changed is a signature: everything is to be checked again. */
  readonly onSigned: (data: PageData) => void;
  readonly onGone: (why: string) => void;
}

const seqIn = (record: JsonObject): number => numberIn(record.seq) ?? -1;

const fetched = async (path: string): Promise<unknown> => {
  const answer = await fetch(path, { credentials: 'same-origin', cache: 'no-store' });
  if (!answer.ok) throw new Error(`the server answered ${answer.status}`);
  return answer.json();
};

/** Which page: the one before a place, or up to a moment; the newest without either. */
export interface PageWanted {
  readonly before?: string;
  readonly until?: string;
}

export const loadPage = async (wanted: PageWanted = {}): Promise<PageData> => {
  const data = readPageData(await fetched(`/data?${new URLSearchParams({ ...wanted })}`));
  if (data === undefined) throw new Error('what the server sent is not the data of a page');
  return data;
};

const nameOf = ({ row }: PageLog['rows'][number]): string => `${textIn(row.type)} ${textIn(row.id)}`;

/** Without the rows of these names: newer ones came, perhaps with another log, because another machine changed them. */
const withoutRows = (log: PageLog, names: ReadonlySet<string>): PageLog => ({
  ...log,
  rows: log.rows.filter((row) => !names.has(nameOf(row))),
});

/** A log with what came since, and without what is too old to be kept. */
const grown = (log: PageLog, more: PageLog): PageLog => {
  const last = seqIn(log.records.at(-1) ?? {});
  const records = [...log.records, ...more.records.filter((record) => seqIn(record) > last)].slice(
    -PAGE_LIMITS.liveRecords,
  );
  const first = seqIn(records[0] ?? {});
  return {
    ...log,
    size: Math.max(log.size, more.size),
    records,
    rows: [...log.rows, ...more.rows],
    payloads: [...log.payloads, ...more.payloads.filter(([seq]) => seq > last)].filter(([seq]) => seq >= first),
    definitions: [...new Map([...log.definitions, ...more.definitions])],
    thoughts: [...log.thoughts, ...more.thoughts.filter(({ seq }) => seq > last)].filter(({ seq }) => seq >= first),
  };
};

export const withMore = (data: PageData, more: PageData): PageData => {
  const known = new Set(data.logs.map(logIdOf));
  const names = new Set(more.logs.flatMap(({ rows }) => rows.map(nameOf)));
  const logs = data.logs.map((log) => {
    const found = more.logs.find((one) => logIdOf(one) === logIdOf(log));
    const kept = withoutRows(log, names);
    return found === undefined ? kept : grown(kept, found);
  });
  return {
    ...data,
    made_at: more.made_at,
    unproved: more.unproved,
    logs: [...logs, ...more.logs.filter((log) => !known.has(logIdOf(log)))],
  };
};

const beginOf = (log: PageLog | undefined): number => seqIn(log?.records[0] ?? {});

/** The logs that lost their oldest records. */
const cutLogs = (before: PageData, after: PageData): string[] =>
  after.logs.filter((log, i) => beginOf(before.logs[i]) >= 0 && beginOf(before.logs[i]) < beginOf(log)).map(logIdOf);

/** The proof of the records that the page has, under the newest signature. */
const withProof = async (data: PageData, log: string): Promise<PageData> => {
  const own = data.logs.find((one) => logIdOf(one) === log);
  const [first, last] = [own?.records[0], own?.records.at(-1)];
  if (own === undefined || first === undefined || last === undefined) return data;
  const answer = await fetched(`/proof?log=${log}&from=${seqIn(first)}&to=${seqIn(last) + 1}`);
  if (!isObject(answer) || !Array.isArray(answer.nodes)) return data;
  const checkpoint = typeof answer.checkpoint === 'string' ? answer.checkpoint : null;
  const nodes = answer.nodes.filter((node) => typeof node === 'string');
  // Records may have come in between, and the size is at least what is signed.
  return {
    ...data,
    logs: data.logs.map((one) =>
      logIdOf(one) === log ? { ...one, checkpoint, nodes, size: Math.max(one.size, numberIn(answer.size) ?? 0) } : one,
    ),
  };
};

/** Follows the server from the place that `data` ends at, until the server goes. */
export const follow = (start: PageData, { onData, onSigned, onGone }: LiveHandlers): { readonly stop: () => void } => {
  const from = start.logs.map((log) => `${logIdOf(log)}:${log.size}`).join(',');
  const source = new EventSource(`/events?from=${encodeURIComponent(from)}`);
  let data = start;
  let last: Promise<void> = Promise.resolve();
  /** One after the other: a proof that is fetched must not be put beside records that came later. */
  const inOrder = (work: () => Promise<void>): void => {
    last = last
      .then(work)
      .catch((thrown: unknown) => onGone(thrown instanceof Error ? thrown.message : String(thrown)));
  };
  source.addEventListener('records', (event) =>
    inOrder(async () => {
      const more = readPageData(JSON.parse(String(event.data)));
      if (more === undefined) throw new Error('what the server sent is not the data of a page');
      const before = data;
      data = withMore(data, more);
      // What is left after older records went needs the hashes of those, too.
      for (const log of cutLogs(before, data)) data = await withProof(data, log);
      onData(data);
    }),
  );
  source.addEventListener('signed', (event) =>
    inOrder(async () => {
      for (const { log } of objectsIn(JSON.parse(String(event.data)))) data = await withProof(data, textIn(log));
      onSigned(data);
    }),
  );
  source.addEventListener('resync', () =>
    inOrder(async () => {
      source.close();
      location.reload();
    }),
  );
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) onGone('the connection was refused');
    else onGone('');
  });
  return { stop: () => source.close() };
};
