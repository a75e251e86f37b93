// task_get
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import { reading } from '../handler.js';
import { countThoughts } from '../trail/repository.js';
import { notFound } from './errors.js';
import { idField } from './fields.js';
import { dependenciesOf, findTask } from './repository.js';
import { NEXT_STATES } from './state-machine.js';
import { taskId, taskNumber } from './task.js';
import { showTask } from './task-row.js';

export const getInput = z.strictObject({ task_id: idField });

export const getTask = async ({ task_id }: z.infer<typeof getInput>, extra: HandlerExtra) => {
  const { tx } = reading(extra);
  const n = taskNumber(task_id) ?? 0;
  const row = await findTask(tx, n);
  if (row === undefined) throw notFound([taskId(n)]);
  return {
    ...showTask(row, await dependenciesOf(tx, n)),
    next_states: NEXT_STATES[row.status],
    thoughts: await countThoughts(tx, taskId(n)),
  };
};
