// Says why task_next_actions lists or claims nothing, and what the caller can do about it.
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { few, short } from '../refusal.js';
import { newestNotes } from '../trail/repository.js';
import { othersTasks } from './claim-repository.js';
import { hasWorkedSince } from './lease-repository.js';
import { type BlockedTask, firstLeaseEnd, type QueueFilter } from './queue-repository.js';
import { minutesAfter, type TaskRow, taskId } from './task.js';
import type { TaskScope } from './whose.js';

export type NamedFilter = QueueFilter & Pick<TaskScope, 'project'>;

/** A question for tasks: the caller's filter, and who wanted to claim one. */
export interface QueueQuestion {
  readonly tx: ReadTx;
  readonly filter: NamedFilter;
  readonly now: string;
  readonly claimer?: string;
}

/**
 * Whether the assignee of a task was silent for a day: nobody changed the task or noted anything about it, and the assignee held no lease.
 */
const isSilent = async ({ tx, now }: QueueQuestion, task: TaskRow): Promise<boolean> => {
  const since = minutesAfter(now, -DOMAIN_LIMITS.silentHours * 60);
  if (task.updated_at > since || (await hasWorkedSince(tx, task.assignee ?? '', since))) return false;
  const [note] = await newestNotes(tx, taskId(task.n), 1);
  return note === undefined || note.timestamp <= since;
};

/** What a claimer learns about tasks that are free, but assigned to others: whose they are, and which of those were silent for a day. */
const aboutOthers = async (asked: QueueQuestion, others: readonly TaskRow[]): Promise<string> => {
  const silent: TaskRow[] = [];
  for (const task of others) {
    if (silent.length >= DOMAIN_LIMITS.shownIds) break;
    if (await isSilent(asked, task)) silent.push(task);
  }
  const named = (tasks: readonly TaskRow[]) =>
    few(tasks.map(({ n, assignee }) => `${taskId(n)} (${short(assignee ?? '')})`));
  const [first] = silent;
  if (first === undefined) return `the tasks that are free are assigned to others: ${named(others)}`;
  const call = `task_update {"task_id":"${taskId(first.n)}","assignee":null}`;
  return `the tasks that are free are assigned to others, and these assignees were silent for a day: ${named(silent)}. ${call} frees the first`;
};

/** Says why no task is listed: every task is leased or assigned to others, none is for this assignee, all wait for others, or there is no open task. */
export const reasonFor = async (asked: QueueQuestion, blocked: readonly BlockedTask[]): Promise<string> => {
  const { tx, filter, now, claimer } = asked;
  const { owner, assignee, project } = filter;
  const others = claimer === undefined ? [] : await othersTasks(tx, { owner, name: claimer }, now);
  const until = await firstLeaseEnd(tx, filter, now);
  const leased = until === undefined ? '' : `; the others are leased, the first until ${until}`;
  if (others.length > 0) return `${await aboutOthers(asked, others)}${leased}`;
  if (until !== undefined) return `every task that could be worked on is leased; the first lease ends at ${until}`;
  if (assignee !== undefined)
    return `no task assigned to ${assignee} can be worked on now; leave assignee out to see the others`;
  const [first] = blocked;
  if (first !== undefined)
    return `every open task waits for others; ${first.task_id} waits for ${first.waits_for.join(', ')}`;
  return project === undefined
    ? 'there is no open task'
    : `there is no open task in project ${project}; project "*" looks at all`;
};
