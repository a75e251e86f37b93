// What the tools that write tasks answer: where the task stands now. The caller knows what it sent, so nothing of that is repeated.
import type * as z from 'zod';
import type { Frozen } from '../../call/define-tool.js';
import type { writtenTask } from './fields.js';
import { NEXT_STATES } from './state-machine.js';
import { type TaskRow, taskId } from './task.js';

export type WrittenTask = Omit<Frozen<z.infer<typeof writtenTask>>, 'redacted'>;

export const showWritten = ({ n, status, version, attempt }: TaskRow): WrittenTask => ({
  task_id: taskId(n),
  status,
  version,
  attempt,
  next_states: NEXT_STATES[status],
});
