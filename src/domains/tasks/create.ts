// The tool task_create: puts a new task into the queue.
import { hash } from 'node:crypto';
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import { arg, defineTool, writing } from '../../call/define-tool.js';
import { DomainError } from '../../middleware/envelope.js';
import { canonicalJson } from '../../proof/canonical-json.js';
import type { Tx } from '../../store/store.js';
import { nextCall, noTask } from '../refusal.js';
import { missingDetails, next, taskIdShape } from '../shapes.js';
import * as fields from './fields.js';
import { findByKey, findDependencies, insertTask, ownerOf, showWhole } from './repository.js';
import { showTask, type Task, taskId, type Whose } from './task.js';
import { meantProject, type TaskNeeds, whoseCurrent } from './whose.js';

/** Returns the task that an earlier request with the same idempotency key created. Throws if that request had other arguments. */
const replay = async (
  { tx, key, whose }: { readonly tx: Tx; readonly key: string; readonly whose: Whose },
  digest: string,
  extra: HandlerExtra,
): Promise<Task | undefined> => {
  const row = await findByKey(tx, key, await ownerOf(tx, whose));
  if (row === undefined) return undefined;
  const id = taskId(row.n);
  if (row.request_digest !== digest) {
    throw new DomainError(
      'ERR_IDEMPOTENCY_MISMATCH',
      `This idempotency_key already created ${id}, with other arguments.`,
      {
        task_id: id,
        next: [nextCall('task_get', { task_id: id })],
      },
    );
  }
  extra.note({ replay_of: row.call_no });
  return showWhole(tx, row);
};

export const taskCreate = defineTool({
  name: 'task_create',
  title: 'Create task',
  description: 'Put a piece of work into the queue before you start it. It begins in INIT.',
  when: 'Before you start a piece of work that takes more than one step, and for work that you hand to others.',
  effect: 'write',
  input: z.strictObject({
    title: arg(fields.titleField, 'What is to be done, in a line.'),
    description: arg(
      fields.descriptionField.optional(),
      'Everything else about the task; its length is counted as JSON.',
    ),
    project: fields.projectField.optional().describe('name or id; default: the current project'),
    priority: arg(fields.priorityField.default('normal'), 'How urgent the task is; the queue is sorted by this.'),
    assignee: arg(fields.nameField.optional(), 'Who should do it.'),
    depends_on: fields.dependenciesField.optional().describe('ids that must be DONE before APPLY'),
    idempotency_key: fields.nameField.optional().describe('same key, same task: safe to repeat'),
  }),
  output: fields.writtenTask,
  errors: {
    ERR_NOT_FOUND: { when: 'a task of `depends_on` does not exist', details: missingDetails },
    ERR_AMBIGUOUS_PROJECT: fields.AMBIGUOUS_PROJECT,
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
    { args: { title: 'Add a cache', idempotency_key: 'add-index-1' }, error: 'ERR_IDEMPOTENCY_MISMATCH' },
    { args: { title: 'Add a cache', depends_on: ['T-9999'] }, error: 'ERR_NOT_FOUND' },
  ],
  texts: ['title', 'description'],
  run: async (args, extra, { current }: TaskNeeds) => {
    const work = writing(extra);
    const { tx, callNo, now } = work;
    const { idempotency_key: key = null, depends_on = [], ...request } = args;
    const digest = key === null ? null : hash('sha256', canonicalJson({ ...request, depends_on }));
    const whose =
      args.project === undefined ? whoseCurrent(current()) : await meantProject(tx, args.project, current());
    const existing = key !== null && digest !== null ? await replay({ tx, key, whose }, digest, extra) : undefined;
    if (existing !== undefined) return existing;
    const { found, missing } = await findDependencies(tx, depends_on);
    if (missing.length > 0) throw noTask('ERR_NOT_FOUND', ...missing);
    const values = {
      title: args.title,
      description: args.description ?? null,
      project: whose.project,
      project_id: whose.project_id,
      status: 'INIT',
      priority: args.priority,
      assignee: args.assignee ?? null,
      attempt: 1,
      version: 1,
      created_at: now,
      updated_at: now,
      idempotency_key: key,
      request_digest: digest,
      call_no: callNo,
    } as const;
    return showTask(await insertTask(work, values, found), found);
  },
});
