// The pipeline of a task: one table of what may follow what, one pure step. Nobody else decides.

export const TASK_STATES = ['INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE', 'CANCELLED'] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** VERIFY → GATHER is the retry: what was verified did not hold, the work begins again. */
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

/** What entering a state asks for besides the arrow. */
export const ENTRY_RULES: Readonly<Partial<Record<TaskState, 'dependencies done' | 'a thought in this attempt'>>> = {
  APPLY: 'dependencies done',
  DONE: 'a thought in this attempt',
};

/** The kind of thought that gives the reason for entering a state. */
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

/** How far a task is from DONE, for the queue: 0 is closest. */
export const stageOf = (state: TaskState): number => {
  const steps: Readonly<Record<TaskState, number>> = {
    VERIFY: 0,
    APPLY: 1,
    PLAN: 2,
    ANALYZE: 3,
    GATHER: 4,
    INIT: 5,
    DONE: 9,
    CANCELLED: 9,
  };
  return steps[state];
};

export interface StepFacts {
  /** Dependencies that are not DONE. */
  readonly blockedBy: readonly string[];
  /** Thoughts recorded for the task in its current attempt, the note of this very change included. */
  readonly thoughts: number;
  readonly attempt: number;
}

export type TaskStep =
  | { readonly kind: 'stay' }
  | { readonly kind: 'move'; readonly attempt: number }
  | { readonly kind: 'invalid'; readonly allowed: readonly TaskState[] }
  | { readonly kind: 'blocked'; readonly blockedBy: readonly string[] }
  | { readonly kind: 'writeback required' };

/** May a task go from one state to another? Same state is no transition and no error. */
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
