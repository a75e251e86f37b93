// The tool task_next_actions: lists tasks that can be worked on now, or claims one with a lease.
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import { arg, defineTool, type Frozen, reading } from '../../call/define-tool.js';
import { DomainError } from '../../middleware/envelope.js';
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { fitPage } from '../page.js';
import { nextCall } from '../refusal.js';
import {
  callShape,
  flagField,
  from1,
  limitMeaning,
  missingDetails,
  next,
  taskIdShape,
  textField,
  time,
} from '../shapes.js';
import { type Claimed, type ClaimNeeds, type ClaimResult, type ClaimWish, claimTask } from './claim.js';
import { startingPoint } from './claim-reply.js';
import { unblockedBy } from './dependency-repository.js';
import {
  AMBIGUOUS_PROJECT,
  idField,
  listedTask,
  nameField,
  scopeField,
  statusField,
  TOO_MANY_TASKS,
} from './fields.js';
import { type BlockedTask, blockedTasks, expiredTasks, heldTasks, readyTasks } from './queue-repository.js';
import { type NamedFilter, type QueueQuestion, reasonFor } from './reason.js';
import { showListed } from './repository.js';
import { NEXT_STATES, stageOf } from './state-machine.js';
import { rankOf, showLease, type TaskRow, taskId } from './task.js';
import { scopeOf, type TaskNeeds } from './whose.js';

/** The arguments that only a claim may have. */
const OF_CLAIMS = ['task_id', 'another', 'take_over'] as const;

const input = z
  .strictObject({
    project: scopeField,
    assignee: arg(nameField.optional(), 'Only tasks of this assignee, and those that it works on.'),
    limit: arg(z.int().min(1).max(DOMAIN_LIMITS.actionRows).default(DOMAIN_LIMITS.actionUsualRows), limitMeaning),
    claim_by: arg(
      nameField.optional().describe('your name: takes a task for you'),
      'Your name: takes the first task that is free and assigned to nobody or to you. If you hold one already, you get that one again.',
    ),
    task_id: arg(idField.optional().describe('claim this one'), 'With `claim_by`: the task to claim.'),
    another: arg(
      flagField.optional().describe('one more, besides what you hold'),
      'With `claim_by`: true takes one more task, although you hold one.',
    ),
    take_over: arg(
      flagField.optional().describe('with task_id: move your lease here'),
      'With `claim_by` and `task_id`: true moves a lease that another running process took under your name. That process loses it.',
    ),
    lease_minutes: arg(
      z.int().min(1).max(DOMAIN_LIMITS.leaseMinutes).default(DOMAIN_LIMITS.leaseUsualMinutes),
      'How many minutes the lease lasts unless its holder extends it.',
    ),
  })
  .refine((args) => args.claim_by !== undefined || OF_CLAIMS.every((name) => args[name] === undefined), {
    error: 'task_id, another and take_over need claim_by; task_get reads a task',
  })
  .refine(({ take_over, task_id }) => take_over !== true || task_id !== undefined, {
    error: 'take_over needs task_id; also_held names the tasks that you hold elsewhere',
  });
type NextArgs = z.infer<typeof input>;

const action = z.strictObject({
  task: listedTask,
  next_states: z.array(statusField),
  unblocks: z.array(taskIdShape).describe('The first 10 tasks that wait only for this task.'),
  lease_token: from1
    .optional()
    .describe('Of a claim: the token of the lease. Send it with every change of the task; nobody else gets it.'),
  lease_until: time.optional().describe('Of a claim: when the lease ends; every update with the token extends it.'),
  resumed: z.literal(true).optional().describe('Of a claim: you held the task already.'),
  description: textField.nullable().optional().describe('Of a claim: the description, which may be cut.'),
  description_cut: z.literal(true).optional().describe('The description was cut; `task_get` has all of it.'),
  notes: z
    .array(
      z.strictObject({
        at: time,
        agent: textField.nullable(),
        text: textField,
        thought_id: textField
          .optional()
          .describe('Only if the note was cut: `thought_record_list` with this id has all of it.'),
      }),
    )
    .optional()
    .describe('Of a claim: the last three notes on the task, oldest first, 280 characters of each.'),
  notes_cut: z.literal(true).optional().describe('There are older notes; `thought_record_list` has all of them.'),
  previous_holder: textField
    .nullable()
    .optional()
    .describe('Of a claim: who held the task before; null if nobody did.'),
  dependencies: z
    .array(z.strictObject({ task_id: taskIdShape, status: statusField, note: textField.nullable() }))
    .optional()
    .describe('Of a claim: the last 10 tasks that it depends on, each with its last note: what was decided there.'),
});
type Action = Frozen<z.infer<typeof action>>;

const output = z.strictObject({
  actions: z
    .array(action)
    .describe('The tasks: urgent first, then the closest to DONE, then the oldest. A claim returns one task.'),
  blocked: z
    .array(
      z.strictObject({
        task_id: taskIdShape,
        waits_for: z.array(taskIdShape),
        cancelled: z
          .array(taskIdShape)
          .optional()
          .describe('Those of `waits_for` that are CANCELLED, so the task waits for them in vain.'),
        next: callShape.optional().describe('The call that drops these; absent while somebody holds the task.'),
      }),
    )
    .optional()
    .describe('The first 10 tasks that wait for other tasks; absent where a claim got a task.'),
  also_held: z
    .array(z.strictObject({ task_id: taskIdShape, until: time }))
    .optional()
    .describe('Of a claim: the first 10 other tasks that you hold.'),
  reason: textField.nullable().describe('Why no task is listed; null if a task is listed.'),
});
type NextActions = Frozen<z.infer<typeof output>>;

const actionFor = async (tx: ReadTx, row: TaskRow, now: string): Promise<Action> => ({
  task: await showListed(tx, row, now),
  next_states: NEXT_STATES[row.status],
  unblocks: await unblockedBy(tx, row.n, DOMAIN_LIMITS.shownTasks),
});

const queueOrder = (a: TaskRow, b: TaskRow): number =>
  rankOf(a.priority) - rankOf(b.priority) || stageOf(a.status) - stageOf(b.status) || a.n - b.n;

const firstBlocked = ({ tx, filter }: QueueQuestion): Promise<BlockedTask[]> =>
  blockedTasks(tx, filter.owner, DOMAIN_LIMITS.shownTasks);

/** Lists what can be worked on. Tasks of one assignee come with those that it works on, but never with a token. */
const look = async (args: NextArgs, filter: NamedFilter, extra: HandlerExtra): Promise<NextActions> => {
  const { tx, now } = reading(extra);
  const { assignee, limit } = args;
  const found = [...(await readyTasks(tx, filter, now, limit)), ...(await expiredTasks(tx, filter, now, limit))];
  if (assignee !== undefined)
    found.push(...(await heldTasks(tx, { holder: assignee, owner: filter.owner }, now, limit)));
  const actions: Action[] = [];
  for (const row of found.sort(queueOrder).slice(0, limit)) actions.push(await actionFor(tx, row, now));
  const asked = { tx, filter, now };
  const blocked = await firstBlocked(asked);
  const { rows } = fitPage(actions, Buffer.byteLength(JSON.stringify(blocked)));
  return { actions: rows, blocked, reason: rows.length > 0 ? null : await reasonFor(asked, blocked) };
};

/** The task that a claim got, with what is needed to start. `spentBytes` of the answer are in use already. */
const claimedAction = async (
  { tx, now }: QueueQuestion,
  { task, lease, resumed }: Claimed,
  spentBytes: number,
): Promise<Action> => {
  const shown = await actionFor(tx, task, now);
  const bare = {
    ...shown,
    task: { ...shown.task, lease: showLease(lease, now) },
    lease_token: lease.token,
    lease_until: lease.until,
    ...(resumed && { resumed: true as const }),
  };
  const room = DOMAIN_LIMITS.claimBytes - spentBytes - Buffer.byteLength(JSON.stringify(bare));
  return { ...bare, ...(await startingPoint(tx, task, lease.previous, room)) };
};

const answerClaim = async (asked: QueueQuestion, { claimed, alsoHeld, ended }: ClaimResult): Promise<NextActions> => {
  const held = alsoHeld
    .slice(0, DOMAIN_LIMITS.shownTasks)
    .map(({ task_n, until }) => ({ task_id: taskId(task_n), until }));
  const rest = { reason: null, ...(held.length > 0 && { also_held: held }) };
  if (claimed !== undefined) {
    const spent = DOMAIN_LIMITS.resultEnvelopeBytes + Buffer.byteLength(JSON.stringify(rest));
    return { ...rest, actions: [await claimedAction(asked, claimed, spent)] };
  }
  const blocked = await firstBlocked(asked);
  const reason =
    ended === undefined
      ? await reasonFor(asked, blocked)
      : `${taskId(ended.n)} is ${ended.status}: nothing is left to do there. Leave task_id out to get another task`;
  return { ...rest, actions: [], blocked, reason };
};

export const taskNextActions = defineTool({
  name: 'task_next_actions',
  title: 'Next actions',
  description:
    'See what can be worked on now, or claim a task with claim_by: your own again if you hold one. Start here.',
  when: 'First of all, and whenever a task is done. With `claim_by` it takes a task for you, so that nobody else gets it. If you hold one already, you get that one and its token again: also after you lost your context.',
  effect: 'read',
  writesWith: 'claim_by',
  meta: { 'anthropic/alwaysLoad': true },
  input,
  output,
  errors: {
    ERR_AMBIGUOUS_PROJECT: AMBIGUOUS_PROJECT,
    ERR_NOT_FOUND: { when: 'there is no task `task_id`', details: missingDetails },
    ERR_ASSIGNED: {
      when: 'the task `task_id` is assigned to somebody else',
      details: { assignee: textField, reassign: callShape.describe('The call that makes it yours.'), next },
    },
    ERR_LEASED: {
      when: 'somebody else works on the task `task_id`, or another running process under your name does',
      details: {
        holder: textField,
        until: time,
        take_over: callShape
          .optional()
          .describe(
            'If another running process holds it under your name: the call that takes it away from that process.',
          ),
        next,
      },
    },
    ERR_TOO_MANY_TASKS: TOO_MANY_TASKS,
    ERR_READ_ONLY: { when: 'a claim in mode READONLY', details: { next } },
  },
  examples: [
    { args: {} },
    { args: { claim_by: 'bob', task_id: 'T-0002' } },
    { args: { claim_by: 'ada', task_id: 'T-0002' }, error: 'ERR_LEASED' },
    { args: { claim_by: 'ada', task_id: 'T-9999' }, error: 'ERR_NOT_FOUND' },
    { args: { claim_by: 'ada' } },
  ],
  run: async (args, extra, { current, mode, ...needs }: TaskNeeds & ClaimNeeds) => {
    const filter = { ...(await scopeOf(reading(extra).tx, args.project, current())), assignee: args.assignee };
    const { claim_by } = args;
    if (claim_by === undefined) return look(args, filter, extra);
    if (mode === 'READONLY') {
      throw new DomainError('ERR_READ_ONLY', 'Nothing can be claimed in mode READONLY. Leave claim_by out to look.', {
        next: [nextCall('task_next_actions')],
      });
    }
    const wish: ClaimWish = { ...args, claim_by };
    const result = await claimTask(wish, filter, extra, needs);
    return answerClaim({ ...reading(extra), filter, claimer: claim_by }, result);
  },
});
