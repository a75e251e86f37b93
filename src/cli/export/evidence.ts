// Exports tasks, sessions and thoughts with every column that is part of a digest, so that anybody can recompute the digests.
import { dependenciesOf } from '../../domains/tasks/dependency-repository.js';
import { taskId } from '../../domains/tasks/task.js';
import type { ThoughtRow } from '../../domains/trail/thought.js';
import type { ReadTx, Store } from '../../store/store.js';
import {
  countAllThoughts,
  highestTask,
  sessionsAfter,
  type TaskExport,
  tasksAfter,
  thoughtsAfter,
} from './repository.js';
import type { ExportChoice, ExportPage, ExportRow, Source } from './source.js';

const taskShown = (
  { n, owner: _owner, leased: _leased, log_id: log, seq, ...task }: TaskExport,
  dependsOn: readonly string[],
): ExportRow => ({
  row: 'task',
  task_id: taskId(n),
  ...task,
  depends_on: dependsOn,
  log,
  record_seq: seq,
});

const taskPage = async (tx: ReadTx, after: number, choice: ExportChoice) => {
  const found = await tasksAfter(tx, after, choice);
  const rows: ExportRow[] = [];
  for (const task of found) {
    const dependencies = await dependenciesOf(tx, task.n);
    rows.push(
      taskShown(
        task,
        dependencies.map(({ n }) => taskId(n)),
      ),
    );
  }
  return { rows, last: found.at(-1)?.n };
};

export const tasks: Source = {
  row: 'task',
  columns: [
    ...[
      'task_id',
      'title',
      'description',
      'project',
      'project_id',
      'status',
      'priority',
      'assignee',
      'depends_on',
      'attempt',
      'version',
    ],
    ...['created_at', 'updated_at', 'idempotency_key', 'request_digest', 'call_no', 'creator', 'salt'],
    ...['log', 'record_seq'],
  ],
  async *pages(store, choice): AsyncGenerator<ExportPage> {
    const total = await store.read(highestTask);
    for (let n = 0; ; ) {
      const after = n;
      const page = await store.read((tx) => taskPage(tx, after, choice));
      if (page.last === undefined) return;
      n = page.last;
      yield { rows: page.rows, done: n, total };
    }
  },
};

/** A thought's content with its salt: neither proves anything without the other, so both or none are exported. */
const contentOf = ({ content, content_salt }: ThoughtRow, contents: boolean) => {
  if (content === null) return { contents: 'erased', content: null, content_salt: null };
  return contents
    ? { contents: 'stored', content, content_salt }
    : { contents: 'left out', content: null, content_salt: null };
};

const thoughtShown = (row: ThoughtRow, contents: boolean): ExportRow => {
  const { place, log_id: log, seq, content: _, content_salt: _salt, ...rest } = row;
  return { row: 'thought', ...rest, seq: place, log, record_seq: seq, ...contentOf(row, contents) };
};

async function* sessionPages(store: Store): AsyncGenerator<ExportRow[]> {
  for (let id = ''; ; ) {
    const after = id;
    const rows = await store.read((tx) => sessionsAfter(tx, after));
    if (rows.length === 0) return;
    yield rows.map(({ log_id: log, seq, ...session }) => ({ row: 'session', ...session, log, record_seq: seq }));
    id = rows.at(-1)?.session_id ?? id;
  }
}

async function* thoughtPages(store: Store, choice: ExportChoice): AsyncGenerator<ExportPage> {
  const total = await store.read(countAllThoughts);
  let done = 0;
  for (let id = ''; ; ) {
    const after = id;
    const rows = await store.read((tx) => thoughtsAfter(tx, after, choice));
    if (rows.length === 0) return;
    done += rows.length;
    yield { rows: rows.map((row) => thoughtShown(row, choice.contents)), done, total };
    id = rows.at(-1)?.thought_id ?? id;
  }
}

export const exportedThoughts: Source = {
  row: 'thought',
  columns: [
    ...['thought_id', 'session_id', 'seq', 'type', 'task_id', 'agent_id', 'skill_name', 'skill_digest', 'timestamp'],
    ...['content_digest', 'prev_hash', 'hash', 'idempotency_key', 'request_digest', 'attempt', 'log', 'record_seq'],
    ...['contents', 'content', 'content_salt'],
  ],
  async *pages(store, choice) {
    for await (const rows of sessionPages(store)) yield { rows, done: 0, total: 0 };
    yield* thoughtPages(store, choice);
  },
};
