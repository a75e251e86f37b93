// The tool task_get: returns one task with all its fields.
import * as z from 'zod';
import { arg, defineTool, reading } from '../../call/define-tool.js';
import { noTask } from '../refusal.js';
import { countShape, missingDetails } from '../shapes.js';
import { countThoughts } from '../trail/repository.js';
import { idField, statusField, taskShape } from './fields.js';
import { findTask, showWhole } from './repository.js';
import { NEXT_STATES } from './state-machine.js';
import { taskId, taskNumber } from './task.js';

export const taskGet = defineTool({
  name: 'task_get',
  title: 'Get task',
  description: 'Read one task whole: description, dependencies, the states that may follow.',
  when: 'To read one task whole before you work on it: its description, and which states may follow.',
  effect: 'read',
  input: z.strictObject({ task_id: arg(idField, 'The task.') }),
  output: taskShape.extend({
    next_states: z.array(statusField).describe('What may follow.'),
    thoughts: countShape.describe('How many thoughts were recorded for the task, in all attempts.'),
  }),
  errors: { ERR_NOT_FOUND: { when: 'there is no such task', details: missingDetails } },
  examples: [{ args: { task_id: 'T-0001' } }, { args: { task_id: 'T-9999' }, error: 'ERR_NOT_FOUND' }],
  run: async ({ task_id }, extra) => {
    const { tx, now } = reading(extra);
    const n = taskNumber(task_id) ?? 0;
    const row = await findTask(tx, n);
    if (row === undefined) throw noTask('ERR_NOT_FOUND', taskId(n));
    const next_states = NEXT_STATES[row.status];
    return { ...(await showWhole(tx, row, now)), next_states, thoughts: await countThoughts(tx, taskId(n)) };
  },
});
