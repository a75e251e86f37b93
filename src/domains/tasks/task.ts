// What a task is: its values, its name, how it is shown.
import * as z from 'zod';
import { TASK_STATES, type TaskState } from './state-machine.js';

/** The most urgent first: the index is the rank in the queue. */
export const PRIORITIES = ['urgent', 'high', 'normal', 'low'] as const;
export type Priority = (typeof PRIORITIES)[number];
export const rankOf = (priority: Priority): number => PRIORITIES.indexOf(priority);

export interface Task {
  readonly task_id: string;
  readonly title: string;
  readonly description: string | null;
  readonly project: string | null;
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

const NAME_CHARS = 128;
const TITLE_CHARS = 256;
/** Counted as they travel: a text of quotes takes twice its length on the wire. */
const DESCRIPTION_BYTES = 16_384;
const NOTE_BYTES = 4_096;
const DEPENDENCIES = 100;

const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

const boundedText = (bytes: number) =>
  z.string().refine((text) => jsonBytes(text) <= bytes, { error: `longer than ${bytes} bytes as JSON; shorten it` });

const nonBlank = (chars: number) =>
  z
    .string()
    .min(1)
    .max(chars)
    .refine((text) => text.trim() !== '', { error: 'only white space; say something' });

/** A refinement, not a pattern: five tools would repeat the pattern to every client. */
export const idField = z.string().refine((text) => TASK_ID.test(text), { error: 'not a task id; use the form T-0042' });
export const titleField = nonBlank(TITLE_CHARS);
export const descriptionField = boundedText(DESCRIPTION_BYTES);
export const noteField = boundedText(NOTE_BYTES).refine((text) => text.trim() !== '', { error: 'only white space' });
export const nameField = nonBlank(NAME_CHARS);
/** `*` stands for all projects where one is asked for, so none is called that. */
export const projectField = nameField.refine((text) => text !== '*', { error: '* means all projects; give a name' });
export const priorityField = z.enum(PRIORITIES);
export const statusField = z.enum(TASK_STATES);
export const dependenciesField = z.array(idField).max(DEPENDENCIES);
