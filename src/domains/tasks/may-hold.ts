// Refuses a claim where scores bind (COLIBRI_GATES) and the claimer holds as many tasks as its score permits. One task is always permitted.
import type { Writing } from '../../call/define-tool.js';
import { DomainError } from '../../middleware/envelope.js';
import { agentNode, epochOf } from '../../proof/credits.js';
import { nextCall, short } from '../refusal.js';
import { maxParallelTasks } from '../reputation/gates.js';
import { daysOfNode } from '../reputation/repository.js';
import { scoreOf } from '../reputation/score.js';
import { heldLeases } from './lease-repository.js';
import { taskId } from './task.js';

export const assertMayHold = async ({ tx, now }: Writing, claimer: string): Promise<void> => {
  const held = await heldLeases(tx, claimer, undefined, now);
  const today = epochOf(now);
  const score = scoreOf((await daysOfNode(tx, agentNode(claimer), today)).get('execution')?.days ?? [], today);
  const most = maxParallelTasks(score);
  if (held.length < most) return;
  const [first] = held;
  throw new DomainError(
    'ERR_TOO_MANY_TASKS',
    `${short(claimer)} holds ${held.length} of at most ${most} tasks at once, because its execution score is ${score}. Finish one or give it back (task_update with release).`,
    {
      ...{ max_parallel_tasks: most, held: held.length, score },
      next: first === undefined ? [] : [nextCall('task_get', { task_id: taskId(first.task_n) })],
    },
  );
};
