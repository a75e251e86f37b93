// The command `colibri tasks`: its options, its help, and whether the board or one task is printed.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { nearest } from '../../core/nearest.js';
import { isTerminal, TASK_STATES, type TaskState } from '../../domains/tasks/state-machine.js';
import { taskId, taskNumber } from '../../domains/tasks/task.js';
import { type CurrentProject, scopeOf } from '../../domains/tasks/whose.js';
import { isNotYet, readingOnce, sayNotYet } from '../access.js';
import { CLI_LIMITS } from '../limits.js';
import { placeNames } from '../log/line.js';
import { findStore, type PlaceOptions, type StoreAt, whoseStore } from '../place.js';
import { numberUpTo } from '../place-options.js';
import { allLogs } from '../records/record-repository.js';
import { storeCommand } from '../run.js';
import { plain, sayAnswer, tell } from '../screen/print.js';
import { screenWidth } from '../screen/width.js';
import { wrong } from '../target.js';
import { boardLines, readTaskBoard, scopeText } from './board.js';
import { projectNote } from './namesakes.js';
import { readTask, taskLines } from './one.js';

const AFTER = `
Shows the tasks that task_list shows: those of the current project, or all if
there is no project. Nothing is written.

  colibri tasks                     the board: counts, and the first few of
                                    every state
  colibri tasks --state apply       the tasks of one state
  colibri tasks --assignee ada      those of one assignee
  colibri tasks --of other-project  those of another project, or --all
  colibri tasks T-0042              one task with its history: when, who, which
                                    call, why

--project <dir> says whose store is read; --of <name or id> which tasks in it.
Two projects of one name share nothing: --of tells them apart by id, and
--of =<name> finds tasks that have only the name.

Exit codes: 0, 1 failed.`;

interface TasksOptions extends PlaceOptions {
  readonly of?: string;
  readonly all?: true;
  readonly state: readonly TaskState[];
  readonly assignee?: string;
  readonly limit?: number;
}

const parseState = (text: string, before: readonly TaskState[]): TaskState[] => {
  const state = TASK_STATES.find((one) => one === text.toUpperCase());
  if (state !== undefined) return before.includes(state) ? [...before] : [...before, state];
  const meant = nearest(text.toUpperCase(), TASK_STATES);
  throw new InvalidArgumentError(
    `${meant === undefined ? '' : `The nearest is ${meant}. `}States: ${TASK_STATES.join(' ')}.`,
  );
};

/** The project that the options ask for, in the form that the tool task_list takes. */
const askedOf = ({ of, all }: TasksOptions): string | undefined => {
  if (all && of !== undefined) throw wrong('--of and --all exclude each other.', 'Give one.');
  return all ? '*' : of;
};

const currentOf = (at: StoreAt): CurrentProject | null => {
  const { project, identity } = whoseStore(at);
  return project.none || identity === undefined ? null : { id: identity.id, name: project.name };
};

const board = async (at: StoreAt, options: TasksOptions): Promise<number> => {
  const nowMs = Date.now();
  const { assignee, state, limit } = options;
  const [asked, current] = [askedOf(options), currentOf(at)];
  const states = state.length > 0 ? state : TASK_STATES;
  const few = (one: TaskState): number => (isTerminal(one) ? CLI_LIMITS.boardEndedTasks : CLI_LIMITS.boardTasks);
  const most = (one: TaskState): number => limit ?? (state.length > 0 ? CLI_LIMITS.stateUsualTasks : few(one));
  const { board: found, note } = await readingOnce(at, async (tx) => {
    const scope = await scopeOf(tx, asked, current);
    const board = await readTaskBoard(tx, { scope, assignee, states, most, now: new Date(nowMs).toISOString() });
    return { board, note: asked === undefined && board.tasks.length === 0 ? await projectNote(tx, at) : undefined };
  });
  sayAnswer(options.json, found, () => boardLines(found, states, nowMs, screenWidth()));
  if (!options.json && found.tasks.length === 0) {
    const elsewhere = found.project === null ? '' : '; --all looks at every project';
    const isAsked = state.length > 0 || assignee !== undefined || options.of !== undefined;
    const some = isAsked ? 'No task matches the filters' : 'There are no tasks yet';
    tell(`${some} (${scopeText(found)})${elsewhere}.`);
    if (note !== undefined) tell(plain(`${note.message} ${note.remedy}`));
  }
  return 0;
};

const one = async (at: StoreAt, text: string, options: TasksOptions): Promise<number> => {
  const n = taskNumber(text);
  if (n === undefined) throw wrong(`${JSON.stringify(text)} is not a task.`, 'Tasks are named like T-0042.');
  const nowMs = Date.now();
  const { found, placeName } = await readingOnce(at, async (tx) => ({
    found: await readTask(tx, n, new Date(nowMs).toISOString()),
    placeName: placeNames(await allLogs(tx)),
  }));
  if (found === undefined)
    throw wrong(`The store has no task ${taskId(n)}.`, '`colibri tasks --all` shows all tasks of the store.');
  sayAnswer(options.json, found, () => taskLines(found, nowMs, placeName, screenWidth()));
  return 0;
};

const tasks = async (text: string | undefined, options: TasksOptions): Promise<number> => {
  const at = findStore(options);
  if (text !== undefined) return one(at, text, options);
  return isNotYet(at, options) ? sayNotYet(at, { tasks: [] }, options.json) : board(at, options);
};

export const tasksCommand = (): Command =>
  storeCommand('tasks', 'the tasks of the project by state; one task with its history', AFTER, tasks)
    .argument('[task]', 'one task, with its history')
    .option('--of <name>', 'tasks of this project (a name or an id) instead of the current one')
    .option('--all', 'tasks of every project')
    .addOption(new Option('--state <state>', 'only this state; repeatable').default([], 'all').argParser(parseState))
    .option('--assignee <name>', 'only those of one assignee')
    .addOption(new Option('--limit <n>', 'how many of a state').argParser(numberUpTo(CLI_LIMITS.stateTasks)));
