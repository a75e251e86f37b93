// The tool task_update: moves a task through one state or several, or edits it, and records the notes in the same transaction.
import * as z from 'zod';
import { arg, defineTool, type Frozen, writing } from '../../call/define-tool.js';
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { noTask } from '../refusal.js';
import { from1, missingDetails, next, sessionIdShape, taskIdShape, textField, time } from '../shapes.js';
import { applyChange } from './apply-change.js';
import { decideChange, type Facts } from './changes.js';
import { refuseUpdate } from './errors.js';
import * as fields from './fields.js';
import { keepKey, replayByKey, replayByNotes, withoutSpentToken } from './replays.js';
import { gatherFacts } from './repository.js';
import { type TaskRow, taskId, taskNumber } from './task.js';
import { type AskCurrent, meantProject, type TaskNeeds } from './whose.js';
import { showWritten } from './written.js';

const members = z.strictObject({
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
  steps: arg(
    z
      .array(z.strictObject({ status: fields.statusField, note: fields.noteField.optional() }))
      .min(1)
      .max(DOMAIN_LIMITS.updateSteps)
      .optional()
      .describe('several transitions in one call, instead of status and note'),
    'Several states to enter one after the other, each with its own note, all or none: `[{"status": "GATHER", "note": "…"}, …]`. Instead of `status` and `note`.',
  ),
  idempotency_key: arg(
    fields.nameField.optional(),
    'A key of your choice: the same key and arguments for the same task change nothing again.',
  ),
});

const input = members.superRefine(({ status, note, steps }, refused) => {
  if (steps === undefined) return;
  const other = status !== undefined ? 'status' : note !== undefined ? 'note' : undefined;
  if (other !== undefined)
    refused.addIssue({ code: 'custom', path: [other], message: 'cannot stand beside steps; put it into a step' });
  for (const [i, step] of steps.entries()) {
    if (i > 0 && step.status === steps[i - 1]?.status)
      refused.addIssue({ code: 'custom', path: ['steps', i, 'status'], message: 'the same as in the step before' });
  }
});

/** The arguments of task_update: the change that a caller requests. An absent value stays unchanged. */
export type Wish = Frozen<z.infer<typeof input>>;

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

/** The token that the example of a claim got. */
const TOKEN = '$task_next_actions.actions.0.lease_token';

/** In the errors about a state: which of the steps was refused. */
const step = from1.optional().describe('Which of `steps`, from 1.');

export const taskUpdate = defineTool({
  name: 'task_update',
  title: 'Update task',
  description:
    'Move a task on (INIT → GATHER → ANALYZE → PLAN → APPLY → VERIFY → DONE; VERIFY → GATHER to retry; CANCELLED) or edit it. Say why in note.',
  when: 'At every step of a task, with a `note` that says why: the note becomes a thought in the same transaction. Also to edit it.',
  effect: 'write',
  meta: { 'anthropic/alwaysLoad': true },
  input,
  output: fields.writtenTask.extend({
    unblocked: z.array(taskIdShape).optional().describe('After DONE: the tasks that waited for it and may start now.'),
    strands: z.array(taskIdShape).optional().describe('After CANCELLED: the open tasks that wait for it in vain.'),
    session_id: sessionIdShape.optional().describe('The session that got the notes.'),
  }),
  errors: {
    ERR_AMBIGUOUS_PROJECT: fields.AMBIGUOUS_PROJECT,
    ERR_NOT_FOUND: { when: 'there is no such task, or none of that name to depend on', details: missingDetails },
    ERR_INVALID_TRANSITION: {
      when: 'that state may not follow',
      details: { from: fields.statusField, to: fields.statusField, allowed: z.array(fields.statusField), step, next },
    },
    ERR_WRITEBACK_REQUIRED: {
      when: 'DONE without a thought in this attempt',
      details: { missing: z.tuple([z.literal('thought')]), step, next },
    },
    ERR_BLOCKED: {
      when: 'APPLY before every dependency is DONE',
      details: { blocked_by: z.array(taskIdShape), step, next },
    },
    ERR_DEPENDENCY_CANCELLED: {
      when: 'a new dependency is CANCELLED',
      details: { cancelled: z.array(taskIdShape), next },
    },
    ERR_IDEMPOTENCY_MISMATCH: {
      when: 'the key changed the task with other arguments',
      details: { task_id: taskIdShape, next },
    },
    ERR_DEPENDENCY_CYCLE: { when: 'it would wait for itself', details: { path: z.array(textField), next } },
    ERR_VERSION_CONFLICT: {
      when: '`expected_version` is not the version of the task',
      details: { actual: from1, next },
    },
    ERR_LEASE_LOST: {
      when: 'the lease of this token is over, and somebody else has the task or changed it since',
      details: { holder: textField.nullable(), until: time.nullable(), next },
    },
    ERR_LEASE_REQUIRED: {
      when: 'somebody holds a lease, and there is no `lease_token`',
      details: { holder: textField, until: time, next },
    },
  },
  examples: [
    { args: { task_id: 'T-0001', status: 'GATHER', note: 'Collected a day of slow queries.', lease_token: TOKEN } },
    {
      args: {
        task_id: 'T-0001',
        steps: [
          { status: 'ANALYZE', note: 'Every slow query filters by date.' },
          { status: 'PLAN', note: 'One index on orders(date).' },
        ],
        lease_token: TOKEN,
      },
    },
    { args: { task_id: 'T-0001', status: 'DONE', lease_token: TOKEN }, error: 'ERR_INVALID_TRANSITION' },
    { args: { task_id: 'T-0001', status: 'ANALYZE' }, error: 'ERR_LEASE_REQUIRED' },
    { args: { task_id: 'T-0001', status: 'ANALYZE', lease_token: 1 }, error: 'ERR_LEASE_LOST' },
    { args: { task_id: 'T-0001', expected_version: 7 }, error: 'ERR_VERSION_CONFLICT' },
    { args: { task_id: 'T-0001', depends_on: ['T-0002'], lease_token: TOKEN }, error: 'ERR_DEPENDENCY_CYCLE' },
    { args: { task_id: 'T-9999', priority: 'low' }, error: 'ERR_NOT_FOUND' },
  ],
  // The token is left out of the recorded arguments: whoever reads the ledger must not be able to act as the holder.
  texts: ['title', 'description', 'note', 'steps.note', 'lease_token'],
  run: async (given, extra, { current }: TaskNeeds) => {
    const work = writing(extra);
    const gathered = await gatherFacts(work.tx, given, work.now);
    if (gathered === undefined) throw noTask('ERR_NOT_FOUND', taskId(taskNumber(given.task_id) ?? 0));
    const { task } = gathered;
    const before = await replayByKey(work, task, given, extra);
    if (before !== undefined) return before;
    const whose = await wishedProject(work.tx, given.project, task, current);
    const facts = { ...gathered, whose, agent: extra.call.client?.name ?? null };
    const repeated = await replayByNotes(work, facts, given, extra);
    if (repeated !== undefined && 'problem' in repeated) throw await refuseUpdate(work.tx, given, repeated, work.now);
    if (repeated !== undefined) return repeated;
    const wish = withoutSpentToken(facts, given);
    const decision = decideChange(facts, wish);
    if ('problem' in decision) throw await refuseUpdate(work.tx, wish, decision, work.now);
    const { change } = decision;
    const said = await applyChange(extra, work, facts, { wish: given, change });
    await keepKey(work, task, given);
    return { ...showWritten(change.task), ...said };
  },
});
