// Everything that the views show, from the data of a page.
import type { JsonObject } from '../../proof/canonical-json.js';
import type { PageData, PageLog } from '../../proof/page-data.js';
import { type CallEntry, callsOf, type TextBeside } from './calls.js';
import { isTime, numberIn, textIn } from './read.js';
import { healthOf, type ServerEntry, serversFrom } from './servers.js';
import {
  type SessionEntry,
  sessionsFrom,
  type TaskEntry,
  type ThoughtEntry,
  tasksFrom,
  thoughtsOfLog,
} from './tasks.js';

export interface PageModel {
  /** All calls, newest first. */
  readonly calls: readonly CallEntry[];
  readonly tasks: readonly TaskEntry[];
  readonly sessions: readonly SessionEntry[];
  readonly thoughts: readonly ThoughtEntry[];
  readonly servers: readonly ServerEntry[];
  /** The records that are not about one call, newest first. */
  readonly events: readonly JsonObject[];
  /** The times of the first and the last record. */
  readonly first: string;
  readonly last: string;
}

/** The log's id, which its first shown record names; the key's name holds it too. */
export const logIdOf = ({ vkey }: Pick<PageLog, 'vkey'>): string =>
  /^colibri\.dev\/log\/([0-9a-f]+)\+/.exec(vkey)?.[1] ?? '';

const isOfCall = ({ kind }: JsonObject): boolean => kind === 'call.enter' || kind === 'call.exit';

const byTime = (a: string, b: string): number => (a < b ? 1 : a > b ? -1 : 0);

const textsBeside = ({ payloads }: PageLog): TextBeside => {
  const texts = new Map(payloads.map(([seq, , json]) => [seq, json]));
  return (seq) => texts.get(seq);
};

export const modelOf = ({ logs }: Pick<PageData, 'logs'>): PageModel => {
  const parts = logs.map((log) => ({ log, id: logIdOf(log), beside: textsBeside(log) }));
  const records = logs.flatMap((log) => log.records);
  const thoughts = parts.flatMap(({ log, id }) => thoughtsOfLog(log, id));
  const calls = parts
    .flatMap(({ log, beside }) => callsOf(log.records, beside))
    .sort((a, b) => byTime(a.at, b.at) || b.seq - a.seq);
  const rows = parts.flatMap(({ log, id }) => log.rows.map(({ row }) => ({ log: id, row })));
  const changes = parts.flatMap(({ log, beside }) =>
    log.records
      .filter(({ kind, at }) => kind === 'health' && isTime(textIn(at)))
      .map((record) => healthOf(record, beside)),
  );
  const oldestFirst = calls.toReversed();
  const times = records.map(({ at }) => textIn(at)).filter(isTime);
  return {
    calls,
    tasks: tasksFrom(rows, oldestFirst, thoughts),
    sessions: sessionsFrom(rows, records, thoughts),
    thoughts,
    servers: serversFrom(
      changes.toSorted((a, b) => byTime(b.at, a.at)),
      calls,
    ),
    events: records
      .filter((record) => !isOfCall(record))
      .sort((a, b) => byTime(textIn(a.at), textIn(b.at)) || (numberIn(b.seq) ?? 0) - (numberIn(a.seq) ?? 0)),
    first: times.reduce((a, b) => (b < a ? b : a), times[0] ?? ''),
    last: times.reduce((a, b) => (b > a ? b : a), times[0] ?? ''),
  };
};
