// The tool task_next_actions: lists tasks that can be worked on now, or claims the first of them with a lease.
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import { arg, defineTool, type Frozen, reading, writing } from '../../call/define-tool.js';
import { DomainError } from '../../middleware/envelope.js';
import type { ExpiredLease } from '../../proof/records.js';
import type { ReadTx, Tx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { fitPage } from '../page.js';
import { nextCall } from '../refusal.js';
import { from1, limitMeaning, next, taskIdShape, textField, time } from '../shapes.js';
import { AMBIGUOUS_PROJECT, listedTask, nameField, scopeField, statusField } from './fields.js';
import { findLease, grantLease, unflag, unflagExpired } from './lease-repository.js';
import {
  type BlockedTask,
  blockedTasks,
  firstLeaseEnd,
  flaggedTasks,
  pickReady,
  type QueueFilter,
  readyTasks,
} from './queue-repository.js';
import { dependenciesOf, findTask, saveTask, showListed, unblockedBy } from './repository.js';
import { NEXT_STATES, stageOf } from './state-machine.js';
import { isLive, rankOf, type TaskRow } from './task.js';
import { scopeOf, type TaskNeeds, type TaskScope } from './whose.js';

const input = z.strictObject({
  project: scopeField,
  assignee: arg(nameField.optional(), 'Only tasks of this assignee; those that it holds come with their lease.'),
  limit: arg(z.int().min(1).max(DOMAIN_LIMITS.actionRows).default(DOMAIN_LIMITS.actionUsualRows), limitMeaning),
  claim_by: arg(
    nameField.optional().describe('your name: takes the first one for you'),
    'Your name: takes the first task that nobody has, sets the assignee and a lease.',
  ),
  lease_minutes: arg(
    z.int().min(1).max(DOMAIN_LIMITS.leaseMinutes).default(DOMAIN_LIMITS.leaseUsualMinutes),
    'How many minutes the lease lasts unless its holder extends it.',
  ),
});
type NextArgs = z.infer<typeof input>;

const action = z.strictObject({
  task: listedTask,
  next_states: z.array(statusField),
  unblocks: z.array(taskIdShape).describe('The first 10 tasks that wait only for this task.'),
  lease_token: from1
    .optional()
    .describe('The token of the lease, for its holder: send it with every change of the task.'),
  lease_until: time.optional().describe('When the lease ends; every update with the token extends it.'),
});
type Action = Frozen<z.infer<typeof action>>;

const output = z.strictObject({
  actions: z
    .array(action)
    .describe('The tasks: urgent first, then the closest to DONE, then the oldest. A claim returns one task.'),
  blocked: z
    .array(z.strictObject({ task_id: taskIdShape, waits_for: z.array(taskIdShape) }))
    .describe('The first 10 tasks that wait for other tasks.'),
  reason: textField.nullable().describe('Why no task is listed; null if a task is listed.'),
});
type NextActions = Frozen<z.infer<typeof output>>;

const actionFor = async (tx: ReadTx, row: TaskRow): Promise<Action> => ({
  task: await showListed(tx, row),
  next_states: NEXT_STATES[row.status],
  unblocks: await unblockedBy(tx, row.n, DOMAIN_LIMITS.shownTasks),
});

const queueOrder = (a: TaskRow, b: TaskRow): number =>
  rankOf(a.priority) - rankOf(b.priority) || stageOf(a.status) - stageOf(b.status) || a.n - b.n;

type NamedFilter = QueueFilter & Pick<TaskScope, 'project'>;

interface Asked {
  readonly tx: ReadTx;
  readonly filter: NamedFilter;
  readonly now: string;
}

/** Says why no task is listed: every task is leased, none is for this assignee, all wait for others, or there is no open task. */
const reasonFor = async ({ tx, filter, now }: Asked, blocked: readonly BlockedTask[]): Promise<string> => {
  const until = await firstLeaseEnd(tx, filter, now);
  if (until !== undefined) return `every task that could be worked on is leased; the first lease ends at ${until}`;
  if (filter.assignee !== undefined)
    return `no task assigned to ${filter.assignee} can be worked on now; leave assignee out to see the others`;
  const first = blocked[0];
  if (first !== undefined)
    return `every open task waits for others; ${first.task_id} waits for ${first.waits_for.join(', ')}`;
  return filter.project === undefined
    ? 'there is no open task'
    : `there is no open task in project ${filter.project}; project "*" looks at all`;
};

const answer = async (asked: Asked, actions: readonly Action[]): Promise<NextActions> => {
  const blocked = await blockedTasks(asked.tx, asked.filter.owner, DOMAIN_LIMITS.shownTasks);
  const spent = Buffer.byteLength(JSON.stringify(blocked));
  const { rows } = fitPage(actions, spent);
  return { actions: rows, blocked, reason: rows.length > 0 ? null : await reasonFor(asked, blocked) };
};

/** The token and the end of the lease that `holder` has on a task: an agent that asks for its own tasks may have lost the tokens. */
const ownLease = async (
  tx: ReadTx,
  row: TaskRow,
  holder: string | undefined,
  now: string,
): Promise<Pick<Action, 'lease_token' | 'lease_until'>> => {
  const lease = holder === undefined ? undefined : await findLease(tx, row.n);
  return isLive(lease, now) && lease.holder === holder ? { lease_token: lease.token, lease_until: lease.until } : {};
};

const look = async (args: NextArgs, filter: NamedFilter, extra: HandlerExtra): Promise<NextActions> => {
  const { tx, now } = reading(extra);
  const ready = await readyTasks(tx, filter, now, args.limit);
  const freed = await flaggedTasks(tx, { ...filter, holder: args.assignee }, now, args.limit);
  const rows = [...ready, ...freed].sort(queueOrder);
  const actions: Action[] = [];
  for (const row of rows.slice(0, args.limit)) {
    actions.push({ ...(await actionFor(tx, row)), ...(await ownLease(tx, row, args.assignee, now)) });
  }
  return answer({ tx, filter, now }, actions);
};

/** The task to claim, if there is one, and the leases that were found to have run out. */
interface Picked {
  readonly n: number | undefined;
  readonly expired: readonly ExpiredLease[];
}

/** Picks the task to claim. A limited number of expired leases is cleared at once, so the next task may still be flagged as leased. */
const pick = async (tx: Tx, filter: QueueFilter, now: string): Promise<Picked> => {
  const expired = await unflagExpired(tx, now, DOMAIN_LIMITS.expiredLeases);
  const n = await pickReady(tx, filter, now);
  if (n !== undefined) return { n, expired };
  const [missed] = await flaggedTasks(tx, { ...filter, holder: undefined }, now, 1);
  if (missed === undefined) return { n, expired };
  expired.push(await unflag(tx, missed.n));
  return { n: await pickReady(tx, filter, now), expired };
};

const claim = async (
  args: NextArgs,
  holder: string,
  filter: NamedFilter,
  extra: HandlerExtra,
): Promise<NextActions> => {
  const work = writing(extra);
  const { tx, now } = work;
  const { n, expired } = await pick(tx, filter, now);
  if (expired.length > 0) extra.note({ expired });
  const picked = n === undefined ? undefined : await findTask(tx, n);
  if (picked === undefined) return answer({ tx, filter, now }, []);
  const row =
    picked.assignee === holder ? picked : { ...picked, assignee: holder, version: picked.version + 1, updated_at: now };
  if (row !== picked) await saveTask(work, row, await dependenciesOf(tx, row.n));
  const lease = await grantLease(work, row.n, holder, args.lease_minutes);
  const claimed = { ...(await actionFor(tx, row)), lease_token: lease.token, lease_until: lease.until };
  return answer({ tx, filter, now }, [claimed]);
};

export const taskNextActions = defineTool({
  name: 'task_next_actions',
  title: 'Next actions',
  description: 'See what can be worked on now, or take the first one with claim_by. Start here.',
  when: 'First of all, and whenever a task is done. With `claim_by` it takes the first task for you, so that nobody else gets it.',
  effect: 'read',
  writesWith: 'claim_by',
  meta: { 'anthropic/alwaysLoad': true },
  input,
  output,
  errors: {
    ERR_AMBIGUOUS_PROJECT: AMBIGUOUS_PROJECT,
    ERR_READ_ONLY: { when: 'a claim in mode READONLY', details: { next } },
  },
  examples: [{ args: {} }, { args: { claim_by: 'ada' } }],
  run: async (args, extra, { current, mode }: TaskNeeds) => {
    const filter = { ...(await scopeOf(reading(extra).tx, args.project, current())), assignee: args.assignee };
    if (args.claim_by === undefined) return look(args, filter, extra);
    if (mode === 'READONLY') {
      throw new DomainError('ERR_READ_ONLY', 'Nothing can be claimed in mode READONLY. Leave claim_by out to look.', {
        next: [nextCall('task_next_actions')],
      });
    }
    return claim(args, args.claim_by, filter, extra);
  },
});
