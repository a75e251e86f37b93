// The arguments that the task tools share, with their bounds.
import * as z from 'zod';
import { DOMAIN_LIMITS } from '../limits.js';
import { TASK_STATES } from './state-machine.js';
import { PRIORITIES, taskNumber } from './task.js';

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
export const idField = z
  .string()
  .refine((text) => taskNumber(text) !== undefined, { error: 'not a task id; use the form T-0042' });
export const titleField = nonBlank(DOMAIN_LIMITS.titleChars);
export const descriptionField = boundedText(DOMAIN_LIMITS.descriptionBytes);
export const noteField = boundedText(DOMAIN_LIMITS.noteBytes).refine((text) => text.trim() !== '', {
  error: 'only white space',
});
export const nameField = nonBlank(DOMAIN_LIMITS.nameChars);
/** `*` stands for all projects where one is asked for, so none is called that. */
export const projectField = nameField.refine((text) => text !== '*', { error: '* means all projects; give a name' });
export const priorityField = z.enum(PRIORITIES);
export const statusField = z.enum(TASK_STATES);
export const dependenciesField = z.array(idField).max(DOMAIN_LIMITS.dependencies);
