import { describe, expect, it } from 'vitest';
import { TASK_STATES } from '../domains/tasks/state-machine.js';
import { PRIORITIES } from '../domains/tasks/task.js';
import { THOUGHT_TYPES } from '../domains/trail/thought.js';
import { meantBy } from './meant.js';

describe('a word from elsewhere', () => {
  it.each([
    ['in_progress', TASK_STATES, 'APPLY'],
    ['In Progress', TASK_STATES, 'APPLY'],
    ['in-progress', TASK_STATES, 'APPLY'],
    ['todo', TASK_STATES, 'INIT'],
    ['TO DO', TASK_STATES, 'INIT'],
    ['completed', TASK_STATES, 'DONE'],
    ['canceled', TASK_STATES, 'CANCELLED'],
    ["won't do", TASK_STATES, 'CANCELLED'],
    ['review', TASK_STATES, 'VERIFY'],
    ['analysis', TASK_STATES, 'ANALYZE'],
    ['analysis', THOUGHT_TYPES, 'analysis'],
    ['todo', THOUGHT_TYPES, 'plan'],
    ['finding', THOUGHT_TYPES, 'analysis'],
    ['lesson', THOUGHT_TYPES, 'reflection'],
    ['medium', PRIORITIES, 'normal'],
    ['critical', PRIORITIES, 'urgent'],
    ['DOEN', TASK_STATES, 'DONE'],
  ])('%s', (word, values, meant) => {
    expect(meantBy(word, values)).toBe(meant);
  });

  it.each(['', 'blocked by the moon', 'constructor', '__proto__', 'x'.repeat(100_000)])(
    '%s: nothing is known',
    (word) => {
      expect(meantBy(word, TASK_STATES)).toBeUndefined();
    },
  );
});
