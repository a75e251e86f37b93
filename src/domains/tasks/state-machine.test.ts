// Tests which transitions of a task are allowed.
import { describe, expect, it } from 'vitest';
import { isTerminal, NEXT_STATES, stageOf, stepTask, TASK_STATES, type TaskState } from './state-machine.js';

const free = { blockedBy: [], thoughts: 1, attempt: 1 };

/** The pipeline as one would draw it; everything else is refused. */
const ARROWS: readonly `${TaskState} ${TaskState}`[] = [
  'INIT GATHER',
  'GATHER ANALYZE',
  'ANALYZE PLAN',
  'PLAN APPLY',
  'APPLY VERIFY',
  'VERIFY DONE',
  'VERIFY GATHER',
  'INIT CANCELLED',
  'GATHER CANCELLED',
  'ANALYZE CANCELLED',
  'PLAN CANCELLED',
  'APPLY CANCELLED',
  'VERIFY CANCELLED',
];

describe.each(TASK_STATES)('from %s', (from) => {
  it.each(TASK_STATES)('to %s', (to) => {
    const { kind } = stepTask(from, to, free);
    const expected = from === to ? 'stay' : ARROWS.includes(`${from} ${to}`) ? 'move' : 'invalid';
    expect(kind).toBe(expected);
  });
});

it('only the retry raises the attempt', () => {
  for (const arrow of ARROWS) {
    const [from, to] = arrow.split(' ') as [TaskState, TaskState];
    expect(stepTask(from, to, free)).toEqual({ kind: 'move', attempt: arrow === 'VERIFY GATHER' ? 2 : 1 });
  }
});

it('APPLY needs every dependency done, DONE a thought in this attempt', () => {
  expect(stepTask('PLAN', 'APPLY', { ...free, blockedBy: ['T-0001'] })).toEqual({
    kind: 'blocked',
    blockedBy: ['T-0001'],
  });
  expect(stepTask('VERIFY', 'DONE', { ...free, thoughts: 0 })).toEqual({ kind: 'writeback required' });
  expect(stepTask('PLAN', 'CANCELLED', { ...free, blockedBy: ['T-0001'], thoughts: 0 }).kind).toBe('move');
});

it('a wrong arrow is told before a rule of the state it leads to', () => {
  expect(stepTask('INIT', 'DONE', { ...free, thoughts: 0 }).kind).toBe('invalid');
});

it('DONE and CANCELLED end a task; every other state can reach DONE', () => {
  expect(TASK_STATES.filter(isTerminal)).toEqual(['DONE', 'CANCELLED']);
  const reaches = (state: TaskState, seen: readonly TaskState[] = []): boolean =>
    state === 'DONE' || NEXT_STATES[state].some((next) => !seen.includes(next) && reaches(next, [...seen, state]));
  expect(TASK_STATES.filter((state) => !isTerminal(state) && !reaches(state))).toEqual([]);
});

it('the stage falls on the way to DONE', () => {
  const way = ['INIT', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY'] as const;
  expect(way.map(stageOf)).toEqual([5, 4, 3, 2, 1, 0]);
});
