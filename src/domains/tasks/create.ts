// The tool task_create: puts a new task into the queue, or a whole plan of tasks in one transaction.
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import { defineTool, type Writing, writing } from '../../call/define-tool.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { from1, next, taskIdShape, textField } from '../shapes.js';
import type { ClaimNeeds } from './claim.js';
import { type CreateArgs, createInput, type Planned, plannedBy, requestDigest } from './create-input.js';
import { findDependencies } from './dependency-repository.js';
import { cancelledDependency, keyUsedTwice, missingDependency, refusePlan } from './errors.js';
import * as fields from './fields.js';
import { extendLease, findLease, grantLease } from './lease-repository.js';
import { assertMayHold } from './may-hold.js';
import { bareRef, readPlan } from './plan.js';
import { findByKey, insertTasks, type NewTask, ownerOf, tasksOfCall } from './repository.js';
import { cancelledIds, isLive, type Lease, type TaskRow, type TaskValues, taskId, type Whose } from './task.js';
import { type AskCurrent, meantProject, type TaskNeeds, whoseCurrent } from './whose.js';
import { showWritten } from './written.js';

const created = fields.writtenTask.extend({
  lease_token: from1.optional().describe('The token of the lease, if `claim_by` was given: send it with every change.'),
});

/** An idempotency key, the project whose keys it is one of, and the digest of the request. */
interface KeyedRequest {
  readonly key: string;
  readonly owner: string | null;
  readonly digest: string;
}

const keyOf = async (
  { tx }: Writing,
  args: CreateArgs,
  whose: Whose | undefined,
): Promise<KeyedRequest | undefined> => {
  const { idempotency_key: key } = args;
  if (key === undefined || whose === undefined) return undefined;
  const owner = await ownerOf(tx, whose);
  await tx.lock?.(`key of a task ${JSON.stringify([owner, key])}`);
  return { key, owner, digest: requestDigest(args) };
};

/** The first task of a call has the call's idempotency key. */
const withKey = (tasks: readonly NewTask[], keyed: KeyedRequest | undefined): readonly NewTask[] => {
  if (keyed === undefined) return tasks;
  const columns = { idempotency_key: keyed.key, request_digest: keyed.digest };
  return tasks.map((task, i) => (i > 0 ? task : { ...task, values: { ...task.values, ...columns } }));
};

/** The rows of an equal call with the same key, all of them; undefined if there was none. Throws if that call had other arguments. */
const replay = async (
  { tx }: Writing,
  { key, owner, digest }: KeyedRequest,
  count: number,
  extra: HandlerExtra,
): Promise<readonly TaskRow[] | undefined> => {
  const first = await findByKey(tx, key, owner);
  if (first === undefined) return undefined;
  if (first.request_digest !== digest) throw keyUsedTwice(taskId(first.n), 'created');
  extra.note({ replay_of: first.call_no });
  const rows = await tasksOfCall(tx, first, count);
  if (rows.length < count) throw new Error(`tasks of the call that created ${taskId(first.n)} are not there`);
  return rows;
};

/** The lease that a creator took with an equal call before, from this process. Otherwise it has to claim the task as everybody does. */
const leaseAgain = async (work: Writing, task: TaskRow, holder: string): Promise<Lease | undefined> => {
  const lease = await findLease(work.tx, task.n);
  const isOwn = isLive(lease, work.now) && lease.holder === holder && lease.instance === work.instance;
  return isOwn ? extendLease(work, lease, task.version) : undefined;
};

/** The lease for a creator that takes its task at once. `random32`: 32 random bits for a new token; undefined if the call is a replay. */
const leaseOf = (
  work: Writing,
  task: TaskRow,
  holder: string | undefined,
  random32: number | undefined,
): Promise<Lease | undefined> | undefined => {
  if (holder === undefined) return undefined;
  if (random32 === undefined) return leaseAgain(work, task, holder);
  return grantLease(work, task, { holder, minutes: DOMAIN_LIMITS.leaseUsualMinutes, random32 });
};

const whoseOf = async ({ tx }: Writing, project: string | undefined, current: AskCurrent): Promise<Whose> =>
  project === undefined ? whoseCurrent(current()) : meantProject(tx, project, current());

const valuesOf = (task: Planned, whose: Whose, { callNo, now }: Writing): Omit<TaskValues, 'creator'> => ({
  title: task.title,
  description: task.description ?? null,
  project: whose.project,
  project_id: whose.project_id,
  status: 'INIT',
  priority: task.priority ?? 'normal',
  assignee: task.assignee ?? null,
  attempt: 1,
  version: 1,
  created_at: now,
  updated_at: now,
  idempotency_key: null,
  request_digest: null,
  call_no: callNo,
});

/** The rows to insert. Throws if a task depends on one that is not there, is CANCELLED, or waits for the task itself. */
const rowsFor = async (
  work: Writing,
  args: CreateArgs,
  whose: readonly Whose[],
  creator: string | null,
): Promise<NewTask[]> => {
  const tasks = plannedBy(args);
  const plan = readPlan(tasks);
  if ('problem' in plan) throw refusePlan(args, plan.problem);
  const rows: NewTask[] = [];
  const missing = new Set<string>();
  const cancelled = new Set<string>();
  for (const [i, task] of tasks.entries()) {
    const { ids = [], places = [] } = plan.dependencies[i] ?? {};
    const found = await findDependencies(work.tx, ids);
    for (const id of found.missing) missing.add(id);
    for (const id of cancelledIds(found.found)) cancelled.add(id);
    const owner = whose[i] ?? { project: null, project_id: null };
    rows.push({ values: { ...valuesOf(task, owner, work), creator }, dependencies: found.found, onNew: places });
  }
  if (missing.size > 0) throw missingDependency([...missing]);
  if (cancelled.size > 0) throw cancelledDependency(args, [...cancelled]);
  return rows;
};

const shownRows = (args: CreateArgs, rows: readonly TaskRow[]) =>
  rows.map(({ n, status, version }, i) => {
    const ref = args.tasks?.[i]?.ref;
    return { ...(ref !== undefined && { ref: bareRef(ref) }), task_id: taskId(n), status, version };
  });

export const taskCreate = defineTool({
  name: 'task_create',
  title: 'Create task',
  description: 'Put a piece of work, or a plan of several tasks, into the queue before you start. Tasks begin in INIT.',
  when: 'Before you start a piece of work that takes more than one step, and for work that you hand to others. A plan of several tasks is one call.',
  effect: 'write',
  meta: { 'anthropic/alwaysLoad': true },
  input: createInput,
  output: created.partial().extend({
    tasks: z
      .array(
        z.strictObject({
          ref: textField.optional(),
          task_id: taskIdShape,
          status: fields.statusField,
          version: created.shape.version,
        }),
      )
      .optional()
      .describe('Of a plan: its tasks, in the order given. The members above are there for a single task instead.'),
  }),
  errors: {
    ERR_NOT_FOUND: {
      when: 'a task of `depends_on` does not exist, or no task of the list has that `ref`',
      details: { missing: z.array(textField), next },
    },
    ERR_DEPENDENCY_CANCELLED: {
      when: 'a task of `depends_on` is CANCELLED',
      details: { cancelled: z.array(taskIdShape), next },
    },
    ERR_DEPENDENCY_CYCLE: {
      when: 'tasks of the list would wait for each other',
      details: { path: z.array(textField), next },
    },
    ERR_AMBIGUOUS_PROJECT: fields.AMBIGUOUS_PROJECT,
    ERR_TOO_MANY_TASKS: fields.TOO_MANY_TASKS,
    ERR_IDEMPOTENCY_MISMATCH: {
      when: 'the key created a task with other arguments',
      details: { task_id: taskIdShape, next },
    },
  },
  examples: [
    { args: { title: 'Find out why the search is slow' } },
    {
      args: {
        title: 'Add the missing index',
        description: 'One index on orders(date), if that is what the measurements say.',
        priority: 'high',
        depends_on: ['T-0001'],
        idempotency_key: 'add-index-1',
      },
    },
    {
      args: {
        tasks: [
          { ref: 'measure', title: 'Measure again' },
          { title: 'Write the release note', depends_on: ['#measure', 'T-0002'] },
        ],
      },
    },
    { args: { title: 'Add a cache', idempotency_key: 'add-index-1' }, error: 'ERR_IDEMPOTENCY_MISMATCH' },
    { args: { title: 'Add a cache', depends_on: ['T-9999'] }, error: 'ERR_NOT_FOUND' },
  ],
  texts: ['title', 'description', 'tasks.title', 'tasks.description'],
  run: async (args, extra, { current, random32, gates }: TaskNeeds & ClaimNeeds) => {
    const work = writing(extra);
    const tasks = plannedBy(args);
    const whose: Whose[] = [];
    for (const { project } of tasks) whose.push(await whoseOf(work, project, current));
    const keyed = await keyOf(work, args, whose[0]);
    const before = keyed && (await replay(work, keyed, tasks.length, extra));
    const rows =
      before ??
      (await insertTasks(work, withKey(await rowsFor(work, args, whose, extra.call.client?.name ?? null), keyed)));
    const [only] = rows;
    if (only === undefined) throw new Error('no task was created');
    if (gates && before === undefined && args.claim_by !== undefined) await assertMayHold(work, args.claim_by);
    const lease = await leaseOf(work, only, args.claim_by, before === undefined ? random32() : undefined);
    const more = {
      ...(lease && { lease_token: lease.token, lease_until: lease.until }),
      ...(before && { replayed: true as const }),
    };
    return args.tasks === undefined ? { ...showWritten(only), ...more } : { tasks: shownRows(args, rows), ...more };
  },
});
