// Which credits, for reputation, the changes and claims of tasks earn. Pure. What a credit counts follows from its reason alone (proof/credits.ts).
import { agentNode, type Credit } from '../../proof/credits.js';
import { type Facts, ownLease, type TaskChange } from './changes.js';
import { isLive, type Lease, type TaskRow } from './task.js';
import type { Wish } from './update.js';

const credit = (agent: string, why: Credit['why']): Credit => ({ node: agentNode(agent), why });

/** A task that entered DONE: to its holder, to its creator if that is somebody else, and to who had given it back with a note. */
const creditsOfDone = ({ creator }: TaskRow, { holder, handed }: Lease): Credit[] => [
  ...(creator === holder ? [] : [credit(holder, 'done')]),
  ...(creator === null || creator === holder ? [] : [credit(creator, 'delivered')]),
  ...(handed === null || handed === holder ? [] : [credit(handed, 'handed')]),
];

export const creditsOfChange = (facts: Facts, wish: Wish, { steps }: TaskChange): readonly Credit[] => {
  const { task, lease, now } = facts;
  const held = ownLease(facts, wish) ?? (isLive(lease, now) ? lease : undefined);
  return steps.flatMap(({ from, to }): readonly Credit[] => {
    if (from === to) return [];
    if (to === 'CANCELLED') return task.creator === null ? [] : [credit(task.creator, 'cancelled')];
    if (held === undefined) return [];
    if (to === 'DONE') return creditsOfDone(task, held);
    return from === 'VERIFY' && to === 'GATHER' ? [credit(held.holder, 'reopened')] : [];
  });
};

/** The holders of leases that were found to have run out. */
export const creditsOfExpired = (holders: readonly string[]): readonly Credit[] =>
  holders.map((holder) => credit(holder, 'expired'));

export const creditOfTakeOver = (holder: string): Credit => credit(holder, 'taken');
