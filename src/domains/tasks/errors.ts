// The refusals of the task tools: code, a sentence that says what to do, details with ready calls.
import type { ErrorCode } from '../../errors.js';
import { DomainError } from '../../middleware/envelope.js';
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { adviseUpdate, lookAt, type NextCall } from './advice.js';
import type { Problem } from './changes.js';
import { taskId, taskNumber } from './task.js';
import type { Wish } from './update.js';

const idOf = (wish: Wish): string => taskId(taskNumber(wish.task_id) ?? 0);

/** The first few: a message is cut at its end, and there stands what to do. */
const few = (ids: readonly string[], between = ', '): string =>
  ids.length <= DOMAIN_LIMITS.shownIds + 1
    ? ids.join(between)
    : `${ids.slice(0, DOMAIN_LIMITS.shownIds).join(between)} and ${ids.length - DOMAIN_LIMITS.shownIds} more`;

const short = (name: string): string =>
  name.length <= DOMAIN_LIMITS.shownNameChars ? name : `${name.slice(0, DOMAIN_LIMITS.shownNameChars).toWellFormed()}…`;

/** Both ends of a long way. */
const ends = (path: readonly string[]): readonly string[] =>
  path.length <= DOMAIN_LIMITS.shownPathIds
    ? path
    : [...path.slice(0, DOMAIN_LIMITS.shownPathIds / 2), '…', ...path.slice(-DOMAIN_LIMITS.shownPathIds / 2)];

const LIST_ALL: readonly NextCall[] = [{ tool: 'task_list', arguments: { project: '*' } }];

export const notFound = (ids: readonly string[]): DomainError =>
  new DomainError('ERR_NOT_FOUND', `There is no task ${few(ids)}. task_list shows what there is.`, {
    missing: ids,
    next: LIST_ALL,
  });

/** The code, the sentence and the details of a problem with a task. */
const describeProblem = (problem: Problem, id: string): readonly [ErrorCode, string, Record<string, unknown>] => {
  switch (problem.kind) {
    case 'lease':
      return problem.holder === null
        ? ['ERR_LEASE_LOST', `That lease on ${id} is over. Leave lease_token out.`, nobody]
        : [
            'ERR_LEASE_LOST',
            `${id} is leased to ${short(problem.holder)} until ${problem.until}; this change needs its token. If that is you: task_next_actions with assignee shows it.`,
            { holder: problem.holder, until: problem.until },
          ];
    case 'version':
      return [
        'ERR_VERSION_CONFLICT',
        `${id} is at version ${problem.actual} now. Look what changed, then repeat with that version.`,
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
      const after = allowed.length === 0 ? 'nothing follows it' : `${allowed.join(' or ')} may follow it`;
      return ['ERR_INVALID_TRANSITION', `${id} cannot go from ${from} to ${to}: ${after}.`, { from, to, allowed }];
    }
    case 'blocked':
      return [
        'ERR_BLOCKED',
        `${id} cannot enter APPLY before ${few(problem.blockedBy)} ${problem.blockedBy.length === 1 ? 'is' : 'are'} DONE. What is CANCELLED never will be: drop it from depends_on.`,
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
  const next = await adviseUpdate(tx, wish, problem, now);
  // Ready calls repeat the texts that were sent: together with the rest they may be too long for an answer.
  const fits =
    Buffer.byteLength(JSON.stringify({ ...details, next })) <=
    DOMAIN_LIMITS.resultBytes - DOMAIN_LIMITS.errorEnvelopeBytes;
  return new DomainError(code, message, { ...details, next: fits ? next : [lookAt(idOf(wish))] });
};
