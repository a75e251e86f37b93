// task_list
import * as z from 'zod';
import type { HandlerExtra } from '../../context.js';
import { LIMITS } from '../../limits.js';
import type { ReadTx } from '../../store/store.js';
import { decodeCursor, encodeCursor } from '../cursor.js';
import { reading } from '../handler.js';
import { fitPage } from '../page.js';
import { type ListFilter, listTasks, matching } from './queue-repository.js';
import { dependenciesOf, showTask, type TaskRow } from './repository.js';
import { TASK_STATES } from './state-machine.js';
import { nameField, priorityField, statusField, type Task } from './task.js';

export const listInput = z.strictObject({
  status: z.union([statusField, z.array(statusField).min(1)]).optional(),
  project: nameField.optional().describe('default: the current one; * for all'),
  assignee: nameField.optional(),
  priority: priorityField.optional(),
  search: z.string().min(1).max(200).optional().describe('text in title or description'),
  limit: z.int().min(1).max(200).default(50),
  cursor: z.string().max(1000).optional(),
});
type ListArgs = z.infer<typeof listInput>;

/** The project that a filter means: the current one unless told otherwise, all for `*` or where there is none. */
export const projectFilter = (asked: string | undefined, current: string | null): string | undefined =>
  asked === '*' ? undefined : (asked ?? current ?? undefined);

const SEARCH_STEP = 500;

interface Walk {
  readonly rows: readonly TaskRow[];
  /** The number of the last task looked at, if there may be more behind it. */
  readonly after: number | undefined;
}

const walk = async (tx: ReadTx, filter: ListFilter, after: number, limit: number): Promise<Walk> => {
  const rows = await listTasks(tx, filter, after, limit + 1);
  const shown = rows.slice(0, limit);
  return { rows: shown, after: rows.length > limit ? shown.at(-1)?.n : undefined };
};

/** Walks on until enough rows match or so many were looked at that the caller should ask again. */
const searchWalk = async (tx: ReadTx, filter: ListFilter, from: number, args: ListArgs): Promise<Walk> => {
  const found: TaskRow[] = [];
  let after: number | undefined = from;
  for (let seen = 0; seen < LIMITS.searchRows && after !== undefined; seen += SEARCH_STEP) {
    const part: Walk = await walk(tx, filter, after, SEARCH_STEP);
    found.push(...(await matching(tx, part.rows, args.search ?? '')));
    if (found.length > args.limit) {
      const rows = found.slice(0, args.limit);
      return { rows, after: rows.at(-1)?.n };
    }
    after = part.after;
  }
  return { rows: found, after };
};

type ListedTask = Omit<Task, 'description'>;

const listed = async (tx: ReadTx, row: TaskRow): Promise<ListedTask> => {
  const { description: _left, ...task } = showTask(row, await dependenciesOf(tx, row.n));
  return task;
};

export const listTasksTool =
  (current: string | null) =>
  async (
    args: ListArgs,
    extra: HandlerExtra,
  ): Promise<{ tasks: readonly ListedTask[]; next_cursor: string | null }> => {
    const { tx } = reading(extra);
    const asked = args.status === undefined ? undefined : [args.status].flat();
    const filter: ListFilter = {
      statuses: asked === undefined ? TASK_STATES : TASK_STATES.filter((status) => asked.includes(status)),
      priority: args.priority,
      project: projectFilter(args.project, current),
      assignee: args.assignee,
    };
    const bound = { tool: 'task_list', ...JSON.parse(JSON.stringify(filter)), search: args.search ?? null };
    const from = args.cursor === undefined ? 0 : (decodeCursor(bound, args.cursor)[0] ?? 0);
    const part =
      args.search === undefined ? await walk(tx, filter, from, args.limit) : await searchWalk(tx, filter, from, args);
    const tasks: ListedTask[] = [];
    for (const row of part.rows) tasks.push(await listed(tx, row));
    const page = fitPage(tasks);
    const after = page.more ? part.rows[page.rows.length - 1]?.n : part.after;
    return { tasks: page.rows, next_cursor: after === undefined ? null : encodeCursor(bound, [after]) };
  };
