// task_update
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import type { ReadTx } from '../../store/store.js';
import { type Writing, writing } from '../handler.js';
import { lightSession } from '../trail/light-path.js';
import { insertThought } from '../trail/repository.js';
import { sealTask } from '../trail/seal.js';
import { type Redacted, withoutSecrets } from '../without-secrets.js';
import { type Change, decide, type Facts, type Wish } from './changes.js';
import { notFound, refuseUpdate } from './errors.js';
import { gatherFacts } from './facts.js';
import {
  dependenciesField,
  descriptionField,
  idField,
  nameField,
  noteField,
  priorityField,
  projectField,
  statusField,
  titleField,
} from './fields.js';
import { isLive } from './lease.js';
import { extendLease, releaseLease } from './lease-repository.js';
import { freeDependents, replaceDependencies, saveTask } from './repository.js';
import { isTerminal, NOTE_TYPES } from './state-machine.js';
import { type Task, taskId, taskNumber } from './task.js';
import { showTask, type TaskRow } from './task-row.js';
import { type AskCurrent, type CurrentProject, meantProject } from './whose.js';

export const updateInput = z.strictObject({
  task_id: idField,
  title: titleField.optional(),
  description: descriptionField.nullable().optional(),
  project: projectField.nullable().optional(),
  priority: priorityField.optional(),
  assignee: nameField.nullable().optional(),
  depends_on: dependenciesField.optional().describe('replaces the list'),
  status: statusField.optional(),
  note: noteField.optional().describe('why: recorded as a thought for the task, in the same transaction'),
  expected_version: z.int().min(1).optional(),
  lease_token: z.int().min(1).optional().describe('from a claim; needed while the task is leased'),
  release: z.boolean().optional().describe('give the lease back'),
});

type UpdateArgs = z.infer<typeof updateInput>;

/** The note becomes a thought in the open session of the task, or in one that we open for it. */
const recordNote = async (work: Writing, facts: Facts, wish: Wish): Promise<string | undefined> => {
  if (wish.note === undefined) return undefined;
  const { tx, evidence, now } = work;
  const { task, lease, agent = null } = facts;
  const taskName = taskId(task.n);
  const held = isLive(lease, now) && lease.token === wish.lease_token ? lease.holder : undefined;
  const agentId = held ?? agent;
  const session = { taskId: taskName, intent: task.title, agentId, ended: isTerminal(task.status) };
  const { attempt } = task;
  const sessionId = await lightSession(work, session);
  const type = NOTE_TYPES[wish.status ?? task.status];
  const thought = { sessionId, type, content: wish.note, taskId: taskName, agentId, attempt, at: now };
  return (await insertThought(tx, evidence, thought)).thought_id;
};

const applyChange = async ({ tx, evidence, now }: Writing, { task, lease }: Facts, change: Change): Promise<void> => {
  if (change.changed) {
    if (change.rewired) await replaceDependencies(tx, task.n, change.dependencies);
    await saveTask(tx, evidence, change.task, change.dependencies);
  }
  if (change.moved?.to === 'DONE') await freeDependents(tx, task.n);
  if (lease !== undefined && change.lease === 'extend') await extendLease(tx, evidence, lease, now);
  if (lease !== undefined && change.lease === 'release') await releaseLease(tx, evidence, lease);
};

/** What Colibri opened for the task is sealed with its end, and signed as soon as that is committed. */
const sealWith = (extra: HandlerExtra, { log, now }: Writing, n: number): void => {
  extra.follow(async (tx) => {
    if (await sealTask(tx, { log, at: now }, taskId(n))) extra.afterCommit(extra.signSoon);
  });
};

/** What becomes of the task's project. One that it has already stays as it is written. */
const whoseWished = async (
  tx: ReadTx,
  project: string | null | undefined,
  task: TaskRow,
  current: CurrentProject | null,
): Promise<Facts['whose']> => {
  if (project === undefined) return undefined;
  if (project === null) return { project: null, project_id: null, owner: null };
  const meant = await meantProject(tx, project, current);
  const isSame = meant.owner === task.owner && meant.project === task.project;
  return isSame ? undefined : { project: meant.project, project_id: meant.project_id, owner: meant.owner };
};

const noteMove = (extra: HandlerExtra, { moved, task }: Change, because: string | undefined): void => {
  if (moved === undefined) return;
  const { version, attempt } = task;
  const change = { task_id: taskId(task.n), ...moved, version, attempt };
  extra.note({ change: because === undefined ? change : { ...change, because } });
};

export const updateTask =
  (current: AskCurrent) =>
  async (given: UpdateArgs, extra: HandlerExtra): Promise<Task & Redacted> => {
    const { args: wish, told } = withoutSecrets(given, ['title', 'description', 'note']);
    const work = writing(extra);
    const gathered = await gatherFacts(work.tx, wish, work.now);
    if (gathered === undefined) throw notFound([taskId(taskNumber(wish.task_id) ?? 0)]);
    const whose = await whoseWished(work.tx, wish.project, gathered.task, current());
    const facts = { ...gathered, whose, agent: extra.call.client?.name ?? null };
    const decision = decide(facts, wish, taskId);
    if ('problem' in decision) throw await refuseUpdate(work.tx, wish, decision.problem, work.now);
    const { change } = decision;
    const because = await recordNote(work, facts, wish);
    await applyChange(work, facts, change);
    if (because !== undefined) extra.note({ attempt: facts.task.attempt });
    if (change.moved !== undefined && isTerminal(change.moved.to)) sealWith(extra, work, change.task.n);
    noteMove(extra, change, because);
    return { ...showTask(change.task, change.dependencies), ...told };
  };
