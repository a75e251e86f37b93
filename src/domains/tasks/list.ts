// The tool task_list: finds tasks by filter or text, in pages.
import * as z from 'zod';
import { arg, defineTool, reading } from '../../call/define-tool.js';
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { decodeCursor, encodeCursor, fitPage } from '../page.js';
import { cursorMeaning, limitMeaning, nextCursor } from '../shapes.js';
import * as fields from './fields.js';
import { type ListFilter, listNumbers, matching, rowsByNumber } from './queue-repository.js';
import { showListed } from './repository.js';
import { TASK_STATES } from './state-machine.js';
import { scopeOf, type TaskNeeds } from './whose.js';

const ONE = { type: 'string', enum: [...TASK_STATES] } as const;

/** The schema of one task status or several. It is not a Zod union, because the error message of a union lists the problems of every branch. */
const statusesField = z
  .unknown()
  .transform((value) => [value].flat())
  .pipe(z.array(fields.statusField).min(1))
  .meta({ anyOf: [ONE, { minItems: 1, type: 'array', items: ONE }] });

const input = z.strictObject({
  status: arg(statusesField.optional(), 'One state or a list of them.'),
  project: fields.scopeField,
  assignee: arg(fields.nameField.optional(), 'Whose tasks.'),
  priority: arg(fields.priorityField.optional(), 'Of that priority.'),
  search: z.string().min(1).max(DOMAIN_LIMITS.searchChars).optional().describe('text in title or description'),
  limit: arg(z.int().min(1).max(DOMAIN_LIMITS.listRows).default(DOMAIN_LIMITS.listUsualRows), limitMeaning),
  cursor: arg(z.string().max(DOMAIN_LIMITS.cursorChars).optional(), cursorMeaning),
});
type ListArgs = z.infer<typeof input>;

interface Walk {
  readonly numbers: readonly number[];
  /** The number of the last task that was looked at; undefined if no task follows. */
  readonly after: number | undefined;
}

const walk = async (tx: ReadTx, filter: ListFilter, after: number, limit: number): Promise<Walk> => {
  const found = await listNumbers(tx, filter, after, limit + 1);
  const numbers = found.slice(0, limit);
  return { numbers, after: found.length > limit ? numbers.at(-1) : undefined };
};

/** Reads tasks until enough of them match, or until the search limit is reached and the caller has to ask for the next page. */
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

export const taskList = defineTool({
  name: 'task_list',
  title: 'List tasks',
  description: 'Find tasks, oldest first. Use task_next_actions to learn what to do next.',
  when: 'To find tasks by state, project, person, priority or words. To learn what to do next, ask `task_next_actions`.',
  effect: 'read',
  input,
  output: z.strictObject({ tasks: z.array(fields.listedTask).describe('Oldest first.'), next_cursor: nextCursor }),
  errors: { ERR_AMBIGUOUS_PROJECT: fields.AMBIGUOUS_PROJECT },
  examples: [{ args: { status: ['INIT', 'GATHER'], limit: 1 } }],
  run: async (args, extra, { current }: TaskNeeds) => {
    const { tx, now } = reading(extra);
    const asked = args.status;
    const filter: ListFilter = {
      statuses: asked === undefined ? TASK_STATES : TASK_STATES.filter((status) => asked.includes(status)),
      priority: args.priority,
      owner: (await scopeOf(tx, args.project, current())).owner,
      assignee: args.assignee,
    };
    const bound = { tool: 'task_list', ...JSON.parse(JSON.stringify(filter)), search: args.search ?? null };
    const from = decodeCursor(bound, args.cursor)[0] ?? 0;
    const part =
      args.search === undefined ? await walk(tx, filter, from, args.limit) : await searchWalk(tx, filter, from, args);
    const tasks: fields.ListedTask[] = [];
    for (const row of await rowsByNumber(tx, part.numbers)) tasks.push(await showListed(tx, row, now));
    const page = fitPage(tasks);
    const after = page.more ? part.numbers[page.rows.length - 1] : part.after;
    return { tasks: page.rows, next_cursor: after === undefined ? null : encodeCursor(bound, [after]) };
  },
});
