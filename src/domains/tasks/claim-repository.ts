// The SQL of claims: which task a claim takes. Every query walks an index in the order of the queue, or begins with the leases of one holder.
import { CLAIM_LOCKS, type ClaimLock } from '../../store/dialect.js';
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import {
  equalities,
  FLAGGED,
  JOINED_ORDER,
  ORDER,
  type QueueFilter,
  READY,
  readyOf,
  rowColumns,
  type Sql,
} from './queue-repository.js';
import { ROW_COLUMNS } from './repository.js';
import { rankOf, type TaskRow } from './task.js';

/** What a claim may take: tasks of nobody and of the claimer; with `assignee`, only those of that assignee. */
export interface ClaimFilter extends QueueFilter {
  readonly claimer: string;
  /** A task that the claimer gave back after this time comes last of its priority. */
  readonly releasedSince: string;
}

/** Whose tasks a claim may take, as conditions of SQL. Each is one walk along an index. */
const claimable = ({ assignee, claimer }: ClaimFilter): readonly Sql[] => {
  const own: Sql = { text: 'assignee = ?', params: [claimer] };
  if (assignee === undefined) return [{ text: 'assignee IS NULL', params: [] }, own];
  return assignee === claimer ? [own] : [];
};

const RELEASED = 'released = 1 AND instance IS NOT NULL AND holder = ? AND until > ?';

/** The first task of the queue that a claim may take and that the claimer did not give back a moment ago. */
const firstFresh = async (
  tx: ReadTx,
  filter: ClaimFilter,
  now: string,
  lock: ClaimLock,
): Promise<TaskRow | undefined> => {
  const { owner, claimer, releasedSince } = filter;
  const inProject = equalities({ owner });
  const walk = (whose: Sql): Sql => ({
    text: `SELECT * FROM (SELECT ${ROW_COLUMNS}, priority_rank, stage FROM tasks t WHERE ${inProject.text}${whose.text} AND ${readyOf('t')}
      AND NOT EXISTS (SELECT 1 FROM leases WHERE task_n = t.n AND ${RELEASED}) ORDER BY ${ORDER} LIMIT 1 ${CLAIM_LOCKS[lock]}) AS walk`,
    params: [...inProject.params, ...whose.params, now, claimer, releasedSince],
  });
  const walks = claimable(filter).map(walk);
  if (walks.length === 0) return undefined;
  return tx.get<TaskRow>(
    `${walks.map(({ text }) => text).join(' UNION ALL ')} ORDER BY ${ORDER} LIMIT 1`,
    ...walks.flatMap(({ params }) => params),
  );
};

/** The first task of the queue that a claim may take among those that the claimer gave back a moment ago. */
const firstReleased = async (tx: ReadTx, filter: ClaimFilter, lock: ClaimLock): Promise<TaskRow | undefined> => {
  const { owner, claimer, releasedSince } = filter;
  const inProject = equalities({ 't.owner': owner });
  const whose = claimable(filter);
  if (whose.length === 0) return undefined;
  return tx.get<TaskRow>(
    `SELECT ${rowColumns('t')} FROM leases l CROSS JOIN tasks t
     WHERE l.holder = ? AND l.until > ? AND l.released = 1 AND l.instance IS NOT NULL AND t.n = l.task_n AND ${inProject.text}
       t.terminal = 0 AND t.open_deps = 0 AND t.leased = 0 AND (${whose.map(({ text }) => `t.${text}`).join(' OR ')})
     ORDER BY ${JOINED_ORDER} LIMIT 1 ${CLAIM_LOCKS[lock]}`,
    ...[claimer, releasedSince, ...inProject.params, ...whose.flatMap(({ params }) => params)],
  );
};

/**
 * The task that a claim takes: the first of the queue. A task that the claimer gave back a moment ago comes after all others of its
 * priority, so that giving back and claiming does not return the same task.
 */
export const firstClaimable = async (
  tx: ReadTx,
  filter: ClaimFilter,
  now: string,
  lock: ClaimLock,
): Promise<TaskRow | undefined> => {
  const fresh = await firstFresh(tx, filter, now, lock);
  const released = await firstReleased(tx, filter, lock);
  if (fresh === undefined || released === undefined) return fresh ?? released;
  return rankOf(released.priority) < rankOf(fresh.priority) ? released : fresh;
};

/** The first task that a claim may take among those whose lease has expired and is still flagged. */
export const firstExpired = async (
  tx: ReadTx,
  filter: ClaimFilter,
  now: string,
  lock: ClaimLock,
): Promise<TaskRow | undefined> => {
  const inProject = equalities({ 't.owner': filter.owner });
  const whose = claimable(filter);
  if (whose.length === 0) return undefined;
  return tx.get<TaskRow>(
    `SELECT ${rowColumns('t')} FROM leases l CROSS JOIN tasks t
     WHERE t.n = l.task_n AND ${inProject.text}${FLAGGED} AND l.until <= ? AND (${whose.map(({ text }) => `t.${text}`).join(' OR ')})
     ORDER BY ${JOINED_ORDER} LIMIT 1 ${CLAIM_LOCKS[lock]}`,
    ...[...inProject.params, now, ...whose.flatMap(({ params }) => params)],
  );
};

/** The first tasks of the queue that are assigned to others than `name`, among the first rows of the queue. */
export const othersTasks = (
  tx: ReadTx,
  { owner, name }: { readonly owner: string | undefined; readonly name: string },
  now: string,
): Promise<TaskRow[]> => {
  const { text, params } = equalities({ owner });
  return tx.all<TaskRow>(
    `SELECT * FROM (SELECT ${ROW_COLUMNS} FROM tasks WHERE ${text}${READY} ORDER BY ${ORDER} LIMIT ?) AS ready
     WHERE assignee IS NOT NULL AND assignee <> ?`,
    ...params,
    ...[now, DOMAIN_LIMITS.silentRows, name],
  );
};
