// Tasks with their history, and sessions with their thoughts.
import type { JsonObject } from '../../proof/canonical-json.js';
import type { PageLog } from '../../proof/page-data.js';
import type { CallEntry } from './calls.js';
import { grouped, numberIn, objectsIn, textIn, textsIn } from './read.js';

export interface ThoughtEntry {
  readonly log: string;
  readonly id: string;
  readonly session: string;
  readonly task: string;
  readonly agent: string;
  readonly type: string;
  readonly at: string;
  readonly place: number;
  readonly recordSeq: number;
  readonly digest: string;
  readonly previous: string;
  /** Null if it is not in the page: erased, or left out. */
  readonly content: string | null;
}

/** One call that changed a task, or said something about it. */
export interface TaskEvent {
  readonly call: CallEntry;
  readonly steps: readonly JsonObject[];
  readonly thoughts: readonly ThoughtEntry[];
  /** The types of rows of the task that the call changed. */
  readonly changed: readonly string[];
}

export interface TaskEntry {
  readonly id: string;
  readonly log: string;
  readonly title: string;
  readonly description: string;
  readonly status: string;
  readonly priority: string;
  readonly assignee: string;
  readonly attempt: number;
  readonly version: number;
  readonly created: string;
  readonly updated: string;
  readonly needs: readonly string[];
  readonly history: readonly TaskEvent[];
}

export interface SessionEntry {
  readonly id: string;
  readonly log: string;
  readonly intent: string;
  readonly task: string;
  readonly agent: string;
  readonly started: string;
  /** The record that closed it; undefined while it is open, or if the record is not shown. */
  readonly seal: JsonObject | undefined;
  readonly finalized: string;
  readonly root: string;
  readonly recordCount: number | undefined;
  readonly genesis: string;
  readonly thoughts: readonly ThoughtEntry[];
}

export const thoughtsOfLog = ({ thoughts }: PageLog, log: string): readonly ThoughtEntry[] =>
  thoughts.map(({ seq, record, content }) => ({
    log,
    id: textIn(record.thought_id),
    session: textIn(record.session_id),
    task: textIn(record.task_id),
    agent: textIn(record.agent_id),
    type: textIn(record.type),
    at: textIn(record.timestamp),
    place: numberIn(record.seq) ?? 0,
    recordSeq: seq,
    digest: textIn(record.content_digest),
    previous: textIn(record.prev_hash),
    content,
  }));

const stepsOf = ({ exit }: CallEntry, id: string): readonly JsonObject[] =>
  objectsIn(exit?.changes ?? (exit?.change === undefined ? [] : [exit.change])).filter(({ task_id }) => task_id === id);

/** The calls that changed each task, by the task's id. */
const eventsByTask = (
  calls: readonly CallEntry[],
  thoughts: readonly ThoughtEntry[],
): ReadonlyMap<string, TaskEvent[]> => {
  const said = grouped(thoughts, ({ log, recordSeq }) => `${log}/${recordSeq}`);
  const events = new Map<string, TaskEvent[]>();
  for (const call of calls) {
    const subjects = objectsIn(call.exit?.subjects).filter(({ type }) => type === 'task' || type === 'lease');
    const own = said.get(`${call.log}/${call.seq}`) ?? [];
    for (const id of new Set([...subjects.map((one) => textIn(one.id)), ...own.map(({ task }) => task)])) {
      if (id === '') continue;
      const changed = subjects.filter((one) => one.id === id).map(({ type }) => textIn(type));
      const event = { call, steps: stepsOf(call, id), thoughts: own.filter(({ task }) => task === id), changed };
      events.set(id, [...(events.get(id) ?? []), event]);
    }
  }
  return events;
};

interface Found {
  readonly log: string;
  readonly row: JsonObject;
}

const taskOf = ({ log, row }: Found, history: readonly TaskEvent[]): TaskEntry => ({
  id: textIn(row.id),
  log,
  title: textIn(row.title),
  description: textIn(row.description),
  status: textIn(row.status),
  priority: textIn(row.priority),
  assignee: textIn(row.assignee),
  attempt: numberIn(row.attempt) ?? 1,
  version: numberIn(row.version) ?? 1,
  created: textIn(row.created_at),
  updated: textIn(row.updated_at),
  needs: textsIn(row.depends_on),
  history,
});

export const tasksFrom = (
  rows: readonly Found[],
  calls: readonly CallEntry[],
  thoughts: readonly ThoughtEntry[],
): readonly TaskEntry[] => {
  const events = eventsByTask(calls, thoughts);
  return rows
    .filter(({ row }) => row.type === 'task')
    .map((found) => taskOf(found, events.get(textIn(found.row.id)) ?? []))
    .sort((a, b) => a.id.length - b.id.length || (a.id < b.id ? -1 : 1));
};

export const sessionsFrom = (
  rows: readonly Found[],
  records: readonly JsonObject[],
  thoughts: readonly ThoughtEntry[],
): readonly SessionEntry[] => {
  const seals = new Map(records.filter(({ kind }) => kind === 'seal').map((seal) => [textIn(seal.session_id), seal]));
  const said = grouped(thoughts, ({ session }) => session);
  return rows
    .filter(({ row }) => row.type === 'session')
    .map(({ log, row }) => ({
      id: textIn(row.id),
      log,
      intent: textIn(row.intent),
      task: textIn(row.task_id),
      agent: textIn(row.agent_id),
      started: textIn(row.started_at),
      seal: seals.get(textIn(row.id)),
      finalized: textIn(row.finalized_at),
      root: textIn(row.root),
      recordCount: numberIn(row.record_count),
      genesis: textIn(row.genesis_hash),
      thoughts: (said.get(textIn(row.id)) ?? []).toSorted((a, b) => a.place - b.place),
    }))
    .sort((a, b) => (a.started < b.started ? 1 : -1));
};
