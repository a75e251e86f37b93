// The refusals of the task tools: code, a sentence that says what to do, details with ready calls.
import type { ErrorCode } from '../../errors.js';
import { DomainError } from '../../middleware/envelope.js';
import type { ReadTx } from '../../store/store.js';
import { adviseUpdate, type NextCall } from './advice.js';
import type { Problem, Wish } from './changes.js';
import { taskId, taskNumber } from './task.js';

const idOf = (wish: Wish): string => taskId(taskNumber(wish.task_id) ?? 0);

export const notFound = (ids: readonly string[], next: readonly NextCall[] = LIST_ALL): DomainError =>
  new DomainError('ERR_NOT_FOUND', `There is no task ${ids.join(', ')}. task_list shows what there is.`, {
    missing: ids,
    next,
  });

const LIST_ALL: readonly NextCall[] = [{ tool: 'task_list', arguments: { project: '*' } }];

/** The code, the sentence and the details of a problem with a task. */
const describeProblem = (problem: Problem, id: string): readonly [ErrorCode, string, Record<string, unknown>] => {
  switch (problem.kind) {
    case 'lease':
      return problem.holder === null
        ? ['ERR_LEASE_LOST', `The lease on ${id} is over. Leave lease_token out, or claim it again.`, nobody]
        : [
            'ERR_LEASE_LOST',
            `${id} is leased to ${problem.holder} until ${problem.until}; this change needs that lease's token.`,
            { holder: problem.holder, until: problem.until },
          ];
    case 'version':
      return [
        'ERR_VERSION_CONFLICT',
        `${id} is at version ${problem.actual} now. Look what changed, then repeat with that version.`,
        { actual: problem.actual },
      ];
    case 'missing':
      return ['ERR_NOT_FOUND', `There is no task ${problem.ids.join(', ')} to depend on.`, { missing: problem.ids }];
    case 'cycle':
      return [
        'ERR_DEPENDENCY_CYCLE',
        `${id} would wait for itself: ${problem.path.join(' → ')}.`,
        { path: problem.path },
      ];
    case 'transition': {
      const { from, to, allowed } = problem;
      const after = allowed.length === 0 ? 'nothing follows it' : `${allowed.join(' or ')} may follow it`;
      return ['ERR_INVALID_TRANSITION', `${id} cannot go from ${from} to ${to}: ${after}.`, { from, to, allowed }];
    }
    case 'blocked':
      return [
        'ERR_BLOCKED',
        `${id} cannot enter APPLY before ${problem.blockedBy.join(', ')} ${problem.blockedBy.length === 1 ? 'is' : 'are'} DONE.`,
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

const nobody = { holder: null, until: null };

export const refuseUpdate = async (tx: ReadTx, wish: Wish, problem: Problem, now: string): Promise<DomainError> => {
  const [code, message, details] = describeProblem(problem, idOf(wish));
  return new DomainError(code, message, { ...details, next: await adviseUpdate(tx, wish, problem, now) });
};
