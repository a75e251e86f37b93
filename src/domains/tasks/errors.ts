// The errors of the task tools: a code, a message that says what to do, and details with calls that the client can send as they are.
import type { ErrorCode } from '../../errors.js';
import { DomainError } from '../../middleware/envelope.js';
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { few, fitting, type NextCall, nextCall, noTask, short } from '../refusal.js';
import { adviseUpdate, lookAt } from './advice.js';
import type { TaskProblem } from './changes.js';
import { correctedPlan, type PlannedTask, type PlanProblem, withoutIds } from './plan.js';
import { taskId, taskNumber } from './task.js';
import type { Wish } from './update.js';

const idOf = (wish: Wish): string => taskId(taskNumber(wish.task_id) ?? 0);

/** Shortens a long path of task ids to its beginning and its end. */
const ends = (path: readonly string[]): readonly string[] =>
  path.length <= DOMAIN_LIMITS.shownPathIds
    ? path
    : [...path.slice(0, DOMAIN_LIMITS.shownPathIds / 2), '…', ...path.slice(-DOMAIN_LIMITS.shownPathIds / 2)];

const CLAIM_IT = 'task_next_actions (claim_by and task_id)';

const leaseLost = ({ why, holder, until }: Extract<TaskProblem, { kind: 'lease lost' }>, id: string): string => {
  switch (why) {
    case 'ended':
      return `${id} has ended, and its lease with it. Only a note can follow: leave lease_token out.`;
    case 'held':
      return `${short(holder ?? '')} holds ${id} until ${until}, with another token. If that is you, ${CLAIM_IT} gives you the token again; if not, take another task.`;
    case 'over':
      return `The lease of this token is over, and ${id} was changed or given back since. Look at it, then claim it with ${CLAIM_IT}.`;
    case 'other token':
      return `This token does not belong to ${id} (any more). Look at it, then claim it with ${CLAIM_IT}.`;
  }
};

/** The error code, the message and the details for a problem with a task. */
const describeProblem = (problem: TaskProblem, id: string): readonly [ErrorCode, string, Record<string, unknown>] => {
  switch (problem.kind) {
    case 'lease lost':
      return ['ERR_LEASE_LOST', leaseLost(problem, id), { holder: problem.holder, until: problem.until }];
    case 'lease required': {
      const { holder, until } = problem;
      return [
        'ERR_LEASE_REQUIRED',
        `${id} is leased to ${short(holder)} until ${until}; this change needs lease_token. If you are ${short(holder)}: task_next_actions with claim_by and task_id gives you the token again.`,
        { holder, until },
      ];
    }
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
    case 'cancelled':
      return [
        'ERR_DEPENDENCY_CANCELLED',
        `${few(problem.ids)} ${problem.ids.length === 1 ? 'is' : 'are'} CANCELLED and will never be DONE. Leave ${problem.ids.length === 1 ? 'it' : 'them'} out of depends_on.`,
        { cancelled: problem.ids },
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
        `${id} needs at least one thought in this attempt before DONE. Repeat the call, and say in its note what was checked and what came out.`,
        { missing: ['thought'] },
      ];
  }
};

/** Says which of several steps a problem is about, from 1. */
const atStep = (step: number | undefined, message: string): string =>
  step === undefined ? message : `Step ${step + 1}: ${message} Nothing was changed.`;

/** The kinds of problems whose message says what is wrong with the dependencies. */
const ABOUT_DEPENDENCIES: readonly TaskProblem['kind'][] = ['blocked', 'cancelled', 'missing', 'cycle'];

/** A sentence for a message that is about something else while the suggested call also drops dependencies. */
const alsoDrops = (wish: Wish, { kind }: TaskProblem, next: readonly NextCall[]): string => {
  const isOther = next.some(
    ({ arguments: { depends_on } }) => depends_on !== undefined && depends_on !== wish.depends_on,
  );
  return isOther && !ABOUT_DEPENDENCIES.includes(kind)
    ? ' It also waits for a CANCELLED task; details.next drops that one from depends_on.'
    : '';
};

export const refuseUpdate = async (
  tx: ReadTx,
  wish: Wish,
  { problem, step }: { readonly problem: TaskProblem; readonly step?: number | undefined },
  now: string,
): Promise<DomainError> => {
  const [code, message, said] = describeProblem(problem, idOf(wish));
  const details = { ...said, ...(step !== undefined && { step: step + 1 }) };
  const next = await adviseUpdate(tx, wish, problem, now);
  return new DomainError(code, atStep(step, message + alsoDrops(wish, problem, next)), {
    ...details,
    next: fitting(next, [lookAt(idOf(wish))], details),
  });
};

// The errors of task_create.

type CreateCall = Readonly<Record<string, unknown>> & {
  readonly tasks?: readonly PlannedTask[] | undefined;
  readonly depends_on?: readonly string[] | undefined;
};

const LIST_ALL = nextCall('task_list', { project: '*' });

/** The caller's call with other tasks in its plan, if the error can hold it. */
const createAgain = (args: CreateCall, details: Readonly<Record<string, unknown>>): readonly NextCall[] =>
  fitting([nextCall('task_create', args)], [LIST_ALL], details);

export const missingDependency = (ids: readonly string[]): DomainError => noTask('ERR_NOT_FOUND', ...ids);

export const cancelledDependency = (args: CreateCall, cancelled: readonly string[]): DomainError => {
  const isRefused = (id: string): boolean => cancelled.includes(taskId(taskNumber(id) ?? 0));
  const [task] = withoutIds([args], isRefused);
  const better = args.tasks === undefined ? task : { ...args, tasks: withoutIds(args.tasks, isRefused) };
  const [code, message, details] = describeProblem({ kind: 'cancelled', ids: cancelled }, '');
  return new DomainError(code, message, { ...details, next: createAgain(better ?? args, details) });
};

export const refusePlan = (args: CreateCall, problem: PlanProblem): DomainError => {
  const better = { ...args, tasks: correctedPlan(args.tasks ?? [], problem) };
  if (problem.kind === 'cycle') {
    const details = { path: ends(problem.path) };
    const message = `The tasks ${few(problem.path, ' → ')} would wait for each other. Leave one of these dependencies out.`;
    return new DomainError('ERR_DEPENDENCY_CYCLE', message, { ...details, next: createAgain(better, details) });
  }
  const details = { missing: problem.refs };
  const known = problem.known.length === 0 ? 'no task has a ref' : `the refs are ${few(problem.known.map(short))}`;
  const message = `No task of the list has the ref ${few(problem.refs.map(short))}: ${known}.`;
  return new DomainError('ERR_NOT_FOUND', message, { ...details, next: createAgain(better, details) });
};

export const keyUsedTwice = (task_id: string, did: 'created' | 'changed'): DomainError =>
  new DomainError('ERR_IDEMPOTENCY_MISMATCH', `This idempotency_key already ${did} ${task_id}, with other arguments.`, {
    task_id,
    next: [lookAt(task_id)],
  });
