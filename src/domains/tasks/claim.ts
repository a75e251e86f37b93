// The rules of claims: which task a claim gets, and with which lease. A claimer that already works on a task gets that task back, because
// it may have lost its memory of it; two processes that use one name never get the same token.
import type { HandlerExtra } from '../../call/context.js';
import { type Writing, writing } from '../../call/define-tool.js';
import { DomainError } from '../../middleware/envelope.js';
import type { Credit } from '../../proof/credits.js';
import type { ClaimLock } from '../../store/dialect.js';
import type { Tx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { type NextCall, nextCall, noTask, short } from '../refusal.js';
import { type ClaimFilter, firstClaimable, firstExpired } from './claim-repository.js';
import { creditOfTakeOver, creditsOfExpired } from './credits.js';
import {
  extendLease,
  findLease,
  grantLease,
  heldLeases,
  type RunOutLease,
  unflag,
  unflagExpired,
  unflagIfExpired,
} from './lease-repository.js';
import { assertMayHold } from './may-hold.js';
import type { QueueFilter } from './queue-repository.js';
import { findTask } from './repository.js';
import { isTerminal } from './state-machine.js';
import { isLive, type Lease, minutesAfter, type TaskRow, taskId, taskNumber } from './task.js';

/** What claims need from the process. */
export interface ClaimNeeds {
  /** Whether a Colibri process is alive: its lock, which the kernel keeps, decides. */
  readonly isAlive: (instance: string) => Promise<boolean>;
  /** Whether scores bind: a claimer may hold only as many tasks as its score permits. */
  readonly gates: boolean;
  /** Returns 32 random bits. */
  readonly random32: () => number;
}

/** What a claimer asks for. */
export interface ClaimWish {
  readonly claim_by: string;
  readonly lease_minutes: number;
  readonly task_id?: string | undefined;
  readonly another?: boolean | undefined;
  readonly take_over?: boolean | undefined;
}

/** The task that a claim got, with its lease. `resumed`: the claimer held it before. */
export interface Claimed {
  readonly task: TaskRow;
  readonly lease: Lease;
  readonly resumed: boolean;
}

export interface ClaimResult {
  readonly claimed: Claimed | undefined;
  /** The other live leases of the claimer. */
  readonly alsoHeld: readonly Lease[];
  /** The task that was asked for, if it has ended and so cannot be claimed. */
  readonly ended?: TaskRow;
}

interface Claiming {
  readonly work: Writing;
  readonly wish: ClaimWish;
  readonly needs: ClaimNeeds;
}

/** How a lease of the claimer stands to this process: taken by it, by a process that is dead, or by another living one. */
type LeaseSide = 'here' | 'dead' | 'elsewhere';

const sideOf = async ({ work, needs }: Claiming, { instance }: Lease): Promise<LeaseSide> => {
  if (instance === work.instance) return 'here';
  // Before format 6 leases named no process. Processes of that version can no longer write to this store.
  return instance !== null && (await needs.isAlive(instance)) ? 'elsewhere' : 'dead';
};

/** Grants a lease on a task that the claimer does not hold. */
const grantNew = async (claiming: Claiming, task: TaskRow): Promise<Claimed> => {
  const { work, wish, needs } = claiming;
  if (needs.gates) await assertMayHold(work, wish.claim_by);
  return { task, lease: await grant(claiming, task), resumed: false };
};

const grant = ({ work, wish, needs }: Claiming, task: TaskRow, minutes = wish.lease_minutes): Promise<Lease> =>
  grantLease(work, task, { holder: wish.claim_by, minutes, random32: needs.random32() });

/** Gives the claimer a lease again that it holds: with the same token only if this process took the lease. */
const resume = async (claiming: Claiming, task: TaskRow, lease: Lease, side: LeaseSide): Promise<Claimed> => {
  const minutes = Math.max(lease.minutes, claiming.wish.lease_minutes);
  const again =
    side === 'here'
      ? await extendLease(claiming.work, { ...lease, minutes }, task.version)
      : await grant(claiming, task, minutes);
  return { task, lease: again, resumed: true };
};

/** The first lease that the claimer can have back: one that this process took, else one of a dead process. */
const resumable = async (claiming: Claiming, held: readonly Lease[]): Promise<[Lease, LeaseSide] | undefined> => {
  const sides = new Map<string | null, LeaseSide>();
  let dead: Lease | undefined;
  for (const lease of held) {
    const side = sides.get(lease.instance) ?? (await sideOf(claiming, lease));
    sides.set(lease.instance, side);
    if (side === 'here') return [lease, side];
    if (side === 'dead') dead ??= lease;
  }
  return dead && [dead, 'dead'];
};

/** The task to claim, if there is one, and the leases that were found to have run out. */
interface Picked {
  readonly task: TaskRow | undefined;
  readonly expired: readonly RunOutLease[];
}

/** Picks the task to claim. A limited number of expired leases is cleared at once, so the next task may still be flagged as leased. */
const pick = async (tx: Tx, filter: ClaimFilter, now: string): Promise<Picked> => {
  const expired = await unflagExpired(tx, now, DOMAIN_LIMITS.expiredLeases);
  // Where others may be at work beside this transaction, what they hold at this moment is waited for before the answer is that there is nothing.
  const locks: readonly ClaimLock[] = tx.lock === undefined ? ['skip'] : ['skip', 'wait'];
  for (const lock of locks) {
    const task = await firstClaimable(tx, filter, now, lock);
    if (task !== undefined) return { task, expired };
    const missed = await firstExpired(tx, filter, now, lock);
    // Another transaction may have granted the lease anew before the task was locked.
    if (missed === undefined || isLive(await findLease(tx, missed.n), now)) continue;
    expired.push(await unflag(tx, missed.n));
    return { task: missed, expired };
  }
  return { task: undefined, expired };
};

/** Notes the leases that had run out, and what that says about their holders. */
const noteExpired = (extra: HandlerExtra, found: readonly RunOutLease[]): void => {
  if (found.length === 0) return;
  const expired = found.map(({ task_id, rev }) => ({ task_id, rev }));
  extra.note({ expired, credits: creditsOfExpired(found.map(({ holder }) => holder)) });
};

const claimNext = async (
  claiming: Claiming,
  filter: QueueFilter,
  extra: HandlerExtra,
): Promise<Claimed | undefined> => {
  const { work, wish } = claiming;
  const releasedSince = minutesAfter(work.now, -DOMAIN_LIMITS.releasedMinutes);
  const { task, expired } = await pick(work.tx, { ...filter, claimer: wish.claim_by, releasedSince }, work.now);
  noteExpired(extra, expired);
  return task && grantNew(claiming, task);
};

/** The arguments of the claim, with others put in or taken out. */
const claimCall = ({ claim_by, lease_minutes }: ClaimWish, more: NextCall['arguments'] = {}): NextCall =>
  nextCall('task_next_actions', {
    claim_by,
    ...(lease_minutes !== DOMAIN_LIMITS.leaseUsualMinutes && { lease_minutes }),
    ...more,
  });

const refuseLeased = (wish: ClaimWish, { task_n, holder, until }: Lease): DomainError => {
  const id = taskId(task_n);
  const isOwn = holder === wish.claim_by;
  return new DomainError(
    'ERR_LEASED',
    isOwn
      ? `${id} is held by ${short(holder)} in another process that is running, until ${until}. Take another task. Only if that process is yours to stop: details.take_over moves the task here, and that process loses it.`
      : `${short(holder)} works on ${id} until ${until}. Take another task, or try again then.`,
    {
      ...{ holder, until },
      ...(isOwn && { take_over: claimCall(wish, { task_id: id, take_over: true }) }),
      next: [claimCall(wish)],
    },
  );
};

const refuseAssigned = (wish: ClaimWish, task: TaskRow): DomainError => {
  const task_id = taskId(task.n);
  const assignee = task.assignee ?? '';
  return new DomainError(
    'ERR_ASSIGNED',
    `${task_id} is assigned to ${short(assignee)}. Take another task. Only if you were told to do this one: send details.reassign, then claim it again.`,
    {
      assignee,
      reassign: nextCall('task_update', { task_id, assignee: wish.claim_by }),
      next: [claimCall(wish)],
    },
  );
};

/** Claims the task that the claimer named, whatever else it holds. */
const claimNamed = async (
  claiming: Claiming,
  id: string,
  extra: HandlerExtra,
): Promise<Omit<ClaimResult, 'alsoHeld'>> => {
  const { work, wish } = claiming;
  const n = taskNumber(id) ?? 0;
  const task = await findTask(work.tx, n);
  if (task === undefined) throw noTask('ERR_NOT_FOUND', taskId(n));
  const lease = await findLease(work.tx, n);
  if (isLive(lease, work.now)) {
    if (lease.holder !== wish.claim_by) throw refuseLeased(wish, lease);
    const side = await sideOf(claiming, lease);
    if (side === 'elsewhere' && wish.take_over !== true) throw refuseLeased(wish, lease);
    if (side === 'elsewhere') extra.note({ credits: [creditOfTakeOver(lease.holder)] satisfies Credit[] });
    return { claimed: await resume(claiming, task, lease, side) };
  }
  if (isTerminal(task.status)) return { claimed: undefined, ended: task };
  if (task.assignee !== null && task.assignee !== wish.claim_by) throw refuseAssigned(wish, task);
  const expired = await unflagIfExpired(work.tx, n, work.now);
  noteExpired(extra, expired === undefined ? [] : [expired]);
  return { claimed: await grantNew(claiming, task) };
};

/** Gives the claimer a task: the one it named, else one that it holds already, else the first of the queue that it may take. */
export const claimTask = async (
  wish: ClaimWish,
  filter: QueueFilter,
  extra: HandlerExtra,
  needs: ClaimNeeds,
): Promise<ClaimResult> => {
  const work = writing(extra);
  const claiming = { work, wish, needs };
  const held = await heldLeases(work.tx, wish.claim_by, filter.owner, work.now);
  const others = (claimed: Claimed | undefined) => held.filter(({ task_n }) => task_n !== claimed?.task.n);
  if (wish.task_id !== undefined) {
    const result = await claimNamed(claiming, wish.task_id, extra);
    return { ...result, alsoHeld: others(result.claimed) };
  }
  const [lease, side] = (wish.another === true ? undefined : await resumable(claiming, held)) ?? [];
  const task = lease && (await findTask(work.tx, lease.task_n));
  // The leases were read before the task was locked.
  const isSame = lease !== undefined && (await findLease(work.tx, lease.task_n))?.rev === lease.rev;
  const claimed =
    task !== undefined && lease !== undefined && side !== undefined && isSame
      ? await resume(claiming, task, lease, side)
      : await claimNext(claiming, filter, extra);
  return { claimed, alsoHeld: others(claimed) };
};
