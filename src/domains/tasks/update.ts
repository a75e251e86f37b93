// The tool task_update: moves a task to another state or edits it, and records the note about the change in the same transaction.
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import { arg, defineTool, type Frozen, type Writing, writing } from '../../call/define-tool.js';
import type { ReadTx } from '../../store/store.js';
import { noTask } from '../refusal.js';
import { from1, missingDetails, next, taskIdShape, textField, time } from '../shapes.js';
import { lightSession } from '../trail/light-path.js';
import { insertThought, newestThought } from '../trail/repository.js';
import { sealTask } from '../trail/seal.js';
import { decideChange, type Facts, type TaskChange } from './changes.js';
import { refuseUpdate } from './errors.js';
import * as fields from './fields.js';
import { extendLease, releaseLease } from './lease-repository.js';
import { freeDependents, gatherFacts, replaceDependencies, saveTask } from './repository.js';
import { isTerminal, NOTE_TYPES } from './state-machine.js';
import { isLive, showTask, type TaskRow, taskId, taskNumber } from './task.js';
import { type AskCurrent, meantProject, type TaskNeeds } from './whose.js';

const input = z.strictObject({
  task_id: arg(fields.idField, 'The task.'),
  title: arg(fields.titleField.optional(), 'A new title.'),
  description: arg(fields.descriptionField.nullable().optional(), 'A new description; null removes it.'),
  project: arg(fields.projectField.nullable().optional(), 'Another project, by name or id; null for none.'),
  priority: arg(fields.priorityField.optional(), 'Another priority.'),
  assignee: arg(fields.nameField.nullable().optional(), 'The new assignee; null for nobody.'),
  depends_on: fields.dependenciesField.optional().describe('replaces the list'),
  status: arg(
    fields.statusField.optional(),
    'The state to enter. To name the current state changes nothing and is no error.',
  ),
  note: arg(
    fields.noteField.optional().describe('why: recorded as a thought for the task, in the same transaction'),
    'The reason for the change, recorded as a thought for the task, in its open session or one that Colibri opens; its length is counted as JSON.',
  ),
  expected_version: arg(
    z.int().min(1).optional(),
    'The version that you have read: the change is refused if the task has another one by now.',
  ),
  lease_token: arg(
    z.int().min(1).optional().describe('from a claim; needed while the task is leased'),
    'The token from a claim; needed for a change of status, assignee or dependencies while the task is leased.',
  ),
  release: z.boolean().optional().describe('give the lease back'),
});

/** The arguments of task_update: the change that a caller requests. An absent value stays unchanged. */
export type Wish = Frozen<z.infer<typeof input>>;

/** Records the note as a thought, in the open session of the task or in a session that Colibri opens for the task. */
const recordNote = async (work: Writing, facts: Facts, wish: Wish): Promise<string | undefined> => {
  if (wish.note === undefined) return undefined;
  const { task, lease, agent = null } = facts;
  const held = isLive(lease, work.now) && lease.token === wish.lease_token ? lease.holder : undefined;
  const about = { task_id: taskId(task.n), agent_id: held ?? agent };
  const session_id = await lightSession(work, { ...about, intent: task.title, ended: isTerminal(task.status) });
  const type = NOTE_TYPES[wish.status ?? task.status];
  const thought = { ...about, session_id, type, content: wish.note, attempt: task.attempt, timestamp: work.now };
  return (await insertThought(work, thought)).thought_id;
};

const applyChange = async (work: Writing, { task, lease }: Facts, change: TaskChange): Promise<void> => {
  const { tx } = work;
  if (change.rewired) await replaceDependencies(tx, task.n, change.dependencies);
  if (change.changed) await saveTask(work, change.task, change.dependencies);
  if (change.moved?.to === 'DONE') await freeDependents(tx, task.n);
  if (lease !== undefined && change.lease === 'extend') await extendLease(work, lease);
  if (lease !== undefined && change.lease === 'release') await releaseLease(work, lease);
};

/** Seals the sessions that Colibri opened for a task, which has ended, and has the log signed after the commit. */
const sealWith = (extra: HandlerExtra, { log, now }: Writing, n: number): void => {
  extra.follow(async (tx) => {
    if (await sealTask(tx, { log, at: now }, taskId(n))) extra.afterCommit(extra.signSoon);
  });
};

/** The project columns of the task's new project; undefined if the task keeps its project. */
const wishedProject = async (
  tx: ReadTx,
  project: string | null | undefined,
  task: TaskRow,
  current: AskCurrent,
): Promise<Facts['whose']> => {
  if (project === undefined) return undefined;
  if (project === null) return { project: null, project_id: null, owner: null };
  const meant = await meantProject(tx, project, current());
  const isSame = meant.owner === task.owner && meant.project === task.project;
  return isSame ? undefined : { project: meant.project, project_id: meant.project_id, owner: meant.owner };
};

/**
 * Notes a transition for the outcome record, and what shows that the new state's condition was met (a thought, dependencies that are
 * DONE), because nobody could find that out later.
 */
const noteMove = async (
  extra: HandlerExtra,
  tx: ReadTx,
  { moved, task, dependencies }: TaskChange,
  because: string | undefined,
): Promise<void> => {
  if (moved === undefined) return;
  const { version, attempt } = task;
  const task_id = taskId(task.n);
  const thought = moved.to === 'DONE' ? (because ?? (await newestThought(tx, task_id, attempt))) : undefined;
  const reasons = { ...(because !== undefined && { because }), ...(thought !== undefined && { thought }) };
  const done = dependencies.map((one) => ({ task_id: taskId(one.n), version: one.version }));
  extra.note({
    changes: [{ task_id, ...moved, version, attempt, ...reasons }],
    ...(moved.to === 'APPLY' && { done }),
  });
};

export const taskUpdate = defineTool({
  name: 'task_update',
  title: 'Update task',
  description:
    'Move a task on (INIT → GATHER → ANALYZE → PLAN → APPLY → VERIFY → DONE; VERIFY → GATHER to retry; CANCELLED) or edit it. Say why in note.',
  when: 'At every step of a task, with a `note` that says why: the note becomes a thought in the same transaction. Also to edit it.',
  effect: 'write',
  meta: { 'anthropic/alwaysLoad': true },
  input,
  output: fields.writtenTask,
  errors: {
    ERR_AMBIGUOUS_PROJECT: fields.AMBIGUOUS_PROJECT,
    ERR_NOT_FOUND: { when: 'there is no such task, or none of that name to depend on', details: missingDetails },
    ERR_INVALID_TRANSITION: {
      when: 'that state may not follow',
      details: { from: fields.statusField, to: fields.statusField, allowed: z.array(fields.statusField), next },
    },
    ERR_WRITEBACK_REQUIRED: {
      when: 'DONE without a thought in this attempt',
      details: { missing: z.tuple([z.literal('thought')]), next },
    },
    ERR_BLOCKED: {
      when: 'APPLY before every dependency is DONE',
      details: { blocked_by: z.array(taskIdShape), next },
    },
    ERR_DEPENDENCY_CYCLE: { when: 'it would wait for itself', details: { path: z.array(textField), next } },
    ERR_VERSION_CONFLICT: {
      when: '`expected_version` is not the version of the task',
      details: { actual: from1, next },
    },
    ERR_LEASE_LOST: {
      when: 'somebody else has it, or the token is of a lease that is over',
      details: { holder: textField.nullable(), until: time.nullable(), next },
    },
  },
  examples: [
    { args: { task_id: 'T-0001', status: 'GATHER', note: 'Collected a day of slow queries.', lease_token: 1000001 } },
    { args: { task_id: 'T-0001', status: 'DONE', lease_token: 1000001 }, error: 'ERR_INVALID_TRANSITION' },
    { args: { task_id: 'T-0001', status: 'ANALYZE' }, error: 'ERR_LEASE_LOST' },
    { args: { task_id: 'T-0001', expected_version: 7 }, error: 'ERR_VERSION_CONFLICT' },
    { args: { task_id: 'T-0001', depends_on: ['T-0002'], lease_token: 1000001 }, error: 'ERR_DEPENDENCY_CYCLE' },
    { args: { task_id: 'T-9999', priority: 'low' }, error: 'ERR_NOT_FOUND' },
  ],
  texts: ['title', 'description', 'note'],
  run: async (wish, extra, { current }: TaskNeeds) => {
    const work = writing(extra);
    const gathered = await gatherFacts(work.tx, wish, work.now);
    if (gathered === undefined) throw noTask('ERR_NOT_FOUND', taskId(taskNumber(wish.task_id) ?? 0));
    const whose = await wishedProject(work.tx, wish.project, gathered.task, current);
    const facts = { ...gathered, whose, agent: extra.call.client?.name ?? null };
    const decision = decideChange(facts, wish);
    if ('problem' in decision) throw await refuseUpdate(work.tx, wish, decision.problem, work.now);
    const { change } = decision;
    const because = await recordNote(work, facts, wish);
    await applyChange(work, facts, change);
    if (because !== undefined) extra.note({ attempt: facts.task.attempt });
    if (change.moved !== undefined && isTerminal(change.moved.to)) sealWith(extra, work, change.task.n);
    await noteMove(extra, work.tx, change, because);
    return showTask(change.task, change.dependencies);
  },
});
