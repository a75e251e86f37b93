// What a task is: its values, its name, how it is shown. Loads nothing: verifying threads know tasks by this file.
import type { TaskState } from './state-machine.js';

/** The most urgent first: the index is the rank in the queue. */
export const PRIORITIES = ['urgent', 'high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];
export const rankOf = (priority: Priority): number => PRIORITIES.indexOf(priority);

export interface Task {
  readonly task_id: string;
  readonly title: string;
  readonly description: string | null;
  readonly project: string | null;
  readonly project_id: string | null;
  readonly status: TaskState;
  readonly priority: Priority;
  readonly assignee: string | null;
  readonly depends_on: readonly string[];
  readonly blocked_by: readonly string[];
  readonly attempt: number;
  readonly version: number;
  readonly created_at: string;
  readonly updated_at: string;
}

/** `T-` and the number, at least four digits. */
export const taskId = (n: number): string => `T-${String(n).padStart(4, '0')}`;

const TASK_ID = /^(?:[Tt]-)?0*([1-9]\d{0,14})$/;

/** The number in `T-0042`, `t-42` or `42`; undefined if there is none. */
export const taskNumber = (text: string): number | undefined => {
  const digits = TASK_ID.exec(text)?.[1];
  return digits === undefined ? undefined : Number(digits);
};
