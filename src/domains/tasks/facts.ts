// Gathers what a decision about one task needs.
import type { ReadTx } from '../../store/store.js';
import { countThoughts } from '../trail/repository.js';
import type { Facts, Wish } from './changes.js';
import { findLease } from './lease-repository.js';
import { dependenciesOf, findPath, findStates, findTask } from './repository.js';
import { taskId, taskNumber } from './task.js';
import type { Dependency } from './task-row.js';

/** What `depends_on` names: what exists, and what does not. Ids are already of the right form. */
export const findDependencies = async (
  tx: ReadTx,
  ids: readonly string[],
): Promise<{ readonly found: readonly Dependency[]; readonly missing: readonly string[] }> => {
  const numbers = [...new Set(ids.map((id) => taskNumber(id) ?? 0))];
  const found = await findStates(tx, numbers);
  const known = new Set(found.map(({ n }) => n));
  return { found, missing: numbers.filter((n) => !known.has(n)).map(taskId) };
};

export const gatherFacts = async (tx: ReadTx, wish: Wish, now: string): Promise<Facts | undefined> => {
  const n = taskNumber(wish.task_id) ?? 0;
  const task = await findTask(tx, n);
  if (task === undefined) return undefined;
  const wanted = wish.depends_on === undefined ? undefined : await findDependencies(tx, wish.depends_on);
  const path =
    wanted &&
    (await findPath(
      tx,
      wanted.found.map((dependency) => dependency.n),
      n,
    ));
  return {
    task,
    dependencies: await dependenciesOf(tx, n),
    wanted: wanted?.found,
    missing: wanted?.missing ?? [],
    cycle: path && [taskId(n), ...path.map(taskId)],
    lease: await findLease(tx, n),
    thoughts: await countThoughts(tx, taskId(n), task.attempt),
    now,
  };
};
