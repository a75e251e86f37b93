// The state machine of tasks: a table of allowed transitions, and a pure function that decides one transition. No other code decides.

export const TASK_STATES = ['INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE', 'CANCELLED'] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** The states that a task may enter from each state. VERIFY → GATHER is the retry: verification failed, and the work begins again. */
export const NEXT_STATES: Readonly<Record<TaskState, readonly TaskState[]>> = {
  INIT: ['GATHER', 'CANCELLED'],
  GATHER: ['ANALYZE', 'CANCELLED'],
  ANALYZE: ['PLAN', 'CANCELLED'],
  PLAN: ['APPLY', 'CANCELLED'],
  APPLY: ['VERIFY', 'CANCELLED'],
  VERIFY: ['DONE', 'GATHER', 'CANCELLED'],
  DONE: [],
  CANCELLED: [],
};

/** What a task needs before it can enter a state, besides an allowed transition. */
export const ENTRY_RULES: Readonly<Partial<Record<TaskState, 'dependencies done' | 'a thought in this attempt'>>> = {
  APPLY: 'dependencies done',
  DONE: 'a thought in this attempt',
};

/** The type of the thought that a note on a task becomes, by the state that the task enters. */
export const NOTE_TYPES: Readonly<Record<TaskState, 'plan' | 'analysis' | 'decision' | 'reflection'>> = {
  INIT: 'analysis',
  GATHER: 'analysis',
  ANALYZE: 'analysis',
  PLAN: 'plan',
  APPLY: 'decision',
  VERIFY: 'reflection',
  DONE: 'reflection',
  CANCELLED: 'decision',
};

export const isTerminal = (state: TaskState): boolean => NEXT_STATES[state].length === 0;

/** How many steps a task in this state is from VERIFY, in the order of TASK_STATES; 9 if it has ended. The queue sorts by this number. */
export const stageOf = (state: TaskState): number =>
  isTerminal(state) ? 9 : TASK_STATES.indexOf('VERIFY') - TASK_STATES.indexOf(state);

export interface StepFacts {
  /** The ids of the task's dependencies that are not DONE. */
  readonly blockedBy: readonly string[];
  /** How many thoughts were recorded for the task in its current attempt, including the note of this change. */
  readonly thoughts: number;
  readonly attempt: number;
}

export type TaskStep =
  | { readonly kind: 'stay' }
  | { readonly kind: 'move'; readonly attempt: number }
  | { readonly kind: 'invalid'; readonly allowed: readonly TaskState[] }
  | { readonly kind: 'blocked'; readonly blockedBy: readonly string[] }
  | { readonly kind: 'writeback required' };

/** Decides whether a task may go from one state to another. To stay in the same state is allowed and changes nothing. */
export const stepTask = (from: TaskState, to: TaskState, facts: StepFacts): TaskStep => {
  if (from === to) return { kind: 'stay' };
  const allowed = NEXT_STATES[from];
  if (!allowed.includes(to)) return { kind: 'invalid', allowed };
  const rule = ENTRY_RULES[to];
  if (rule === 'dependencies done' && facts.blockedBy.length > 0)
    return { kind: 'blocked', blockedBy: facts.blockedBy };
  if (rule === 'a thought in this attempt' && facts.thoughts === 0) return { kind: 'writeback required' };
  const retry = from === 'VERIFY' && to === 'GATHER';
  return { kind: 'move', attempt: facts.attempt + (retry ? 1 : 0) };
};
