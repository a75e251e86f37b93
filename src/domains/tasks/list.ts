// task_list
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import type { ReadTx } from '../../store/store.js';
import { decodeCursor, encodeCursor } from '../cursor.js';
import { reading } from '../handler.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { fitPage } from '../page.js';
import { nameField, priorityField, statusField } from './fields.js';
import { type ListFilter, listNumbers, matching, rowsByNumber } from './queue-repository.js';
import { dependenciesOf } from './repository.js';
import { TASK_STATES } from './state-machine.js';
import type { Task } from './task.js';
import { showTask, type TaskRow } from './task-row.js';
import { type AskCurrent, scopeOf } from './whose.js';

const ONE = { type: 'string', enum: [...TASK_STATES] } as const;

/** One or several. Not a union: that would answer with every mistake of every branch and say nothing. */
const statusesField = z
  .unknown()
  .transform((value) => [value].flat())
  .pipe(z.array(statusField).min(1))
  .meta({ anyOf: [ONE, { minItems: 1, type: 'array', items: ONE }] });

export const listInput = z.strictObject({
  status: statusesField.optional(),
  project: nameField.optional().describe('name or id; default: the current one; * for all'),
  assignee: nameField.optional(),
  priority: priorityField.optional(),
  search: z.string().min(1).max(DOMAIN_LIMITS.searchChars).optional().describe('text in title or description'),
  limit: z.int().min(1).max(DOMAIN_LIMITS.listRows).default(DOMAIN_LIMITS.listUsualRows),
  cursor: z.string().max(DOMAIN_LIMITS.cursorChars).optional(),
});
type ListArgs = z.infer<typeof listInput>;

interface Walk {
  readonly numbers: readonly number[];
  /** The number of the last task looked at, if there may be more behind it. */
  readonly after: number | undefined;
}

const walk = async (tx: ReadTx, filter: ListFilter, after: number, limit: number): Promise<Walk> => {
  const found = await listNumbers(tx, filter, after, limit + 1);
  const numbers = found.slice(0, limit);
  return { numbers, after: found.length > limit ? numbers.at(-1) : undefined };
};

/** Walks on until enough tasks match or so many were looked at that the caller should ask again. */
const searchWalk = async (tx: ReadTx, filter: ListFilter, from: number, args: ListArgs): Promise<Walk> => {
  const found: number[] = [];
  let after: number | undefined = from;
  for (let seen = 0; seen < DOMAIN_LIMITS.searchRows && after !== undefined; seen += DOMAIN_LIMITS.searchStepRows) {
    const part: Walk = await walk(tx, filter, after, DOMAIN_LIMITS.searchStepRows);
    found.push(...(await matching(tx, part.numbers, args.search ?? '')));
    if (found.length > args.limit) {
      const numbers = found.slice(0, args.limit);
      return { numbers, after: numbers.at(-1) };
    }
    after = part.after;
  }
  return { numbers: found, after };
};

type ListedTask = Omit<Task, 'description'>;

const listed = async (tx: ReadTx, row: TaskRow): Promise<ListedTask> => {
  const { description: _left, ...task } = showTask(row, await dependenciesOf(tx, row.n));
  return task;
};

export const listTasksTool =
  (current: AskCurrent) =>
  async (
    args: ListArgs,
    extra: HandlerExtra,
  ): Promise<{ tasks: readonly ListedTask[]; next_cursor: string | null }> => {
    const { tx } = reading(extra);
    const asked = args.status;
    const filter: ListFilter = {
      statuses: asked === undefined ? TASK_STATES : TASK_STATES.filter((status) => asked.includes(status)),
      priority: args.priority,
      owner: (await scopeOf(tx, args.project, current())).owner,
      assignee: args.assignee,
    };
    const bound = { tool: 'task_list', ...JSON.parse(JSON.stringify(filter)), search: args.search ?? null };
    const from = args.cursor === undefined ? 0 : (decodeCursor(bound, args.cursor)[0] ?? 0);
    const part =
      args.search === undefined ? await walk(tx, filter, from, args.limit) : await searchWalk(tx, filter, from, args);
    const tasks: ListedTask[] = [];
    for (const row of await rowsByNumber(tx, part.numbers)) tasks.push(await listed(tx, row));
    const page = fitPage(tasks);
    const after = page.more ? part.numbers[page.rows.length - 1] : part.after;
    return { tasks: page.rows, next_cursor: after === undefined ? null : encodeCursor(bound, [after]) };
  };
