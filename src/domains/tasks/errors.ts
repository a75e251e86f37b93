// The errors of the task tools: a code, a message that says what to do, and details with calls that the client can send as they are.
import type { ErrorCode } from '../../errors.js';
import { DomainError } from '../../middleware/envelope.js';
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { few, fitting, short } from '../refusal.js';
import { adviseUpdate, lookAt } from './advice.js';
import type { TaskProblem } from './changes.js';
import { taskId, taskNumber } from './task.js';
import type { Wish } from './update.js';

const idOf = (wish: Wish): string => taskId(taskNumber(wish.task_id) ?? 0);

/** Shortens a long path of task ids to its beginning and its end. */
const ends = (path: readonly string[]): readonly string[] =>
  path.length <= DOMAIN_LIMITS.shownPathIds
    ? path
    : [...path.slice(0, DOMAIN_LIMITS.shownPathIds / 2), '…', ...path.slice(-DOMAIN_LIMITS.shownPathIds / 2)];

/** The error code, the message and the details for a problem with a task. */
const describeProblem = (problem: TaskProblem, id: string): readonly [ErrorCode, string, Record<string, unknown>] => {
  switch (problem.kind) {
    case 'lease':
      return problem.holder === null
        ? ['ERR_LEASE_LOST', `The lease on ${id} is over. Leave lease_token out.`, { holder: null, until: null }]
        : [
            'ERR_LEASE_LOST',
            `${id} is leased to ${short(problem.holder)} until ${problem.until}; this change needs the lease's token. If you are the holder: task_next_actions with assignee shows the token.`,
            { holder: problem.holder, until: problem.until },
          ];
    case 'version':
      return [
        'ERR_VERSION_CONFLICT',
        `${id} is at version ${problem.actual} now. Look at what changed, then repeat with that version.`,
        { actual: problem.actual },
      ];
    case 'missing':
      return [
        'ERR_NOT_FOUND',
        `There is no task ${few(problem.ids)} to depend on. Leave it out, or look for the right one with task_list.`,
        { missing: problem.ids },
      ];
    case 'cycle':
      return [
        'ERR_DEPENDENCY_CYCLE',
        `${id} would wait for itself: ${few(problem.path, ' → ')}. Leave ${problem.path[1]} out of depends_on.`,
        { path: ends(problem.path) },
      ];
    case 'transition': {
      const { from, to, allowed } = problem;
      const after = allowed.length === 0 ? `nothing follows ${from}` : `${allowed.join(' or ')} may follow ${from}`;
      return ['ERR_INVALID_TRANSITION', `${id} cannot go from ${from} to ${to}: ${after}.`, { from, to, allowed }];
    }
    case 'blocked':
      return [
        'ERR_BLOCKED',
        `${id} cannot enter APPLY before ${few(problem.blockedBy)} ${problem.blockedBy.length === 1 ? 'is' : 'are'} DONE. A CANCELLED task never will be: drop it from depends_on.`,
        { blocked_by: problem.blockedBy },
      ];
    case 'writeback':
      return [
        'ERR_WRITEBACK_REQUIRED',
        `${id} needs at least one thought in this attempt before DONE. Say in note what was checked and what came out.`,
        { missing: ['thought'] },
      ];
  }
};

export const refuseUpdate = async (tx: ReadTx, wish: Wish, problem: TaskProblem, now: string): Promise<DomainError> => {
  const [code, message, details] = describeProblem(problem, idOf(wish));
  const next = await adviseUpdate(tx, wish, problem, now);
  return new DomainError(code, message, { ...details, next: fitting(next, [lookAt(idOf(wish))], details) });
};
