// The arguments that the task tools share, with their bounds.
import * as z from 'zod';
import { TASK_STATES } from './state-machine.js';
import { PRIORITIES, taskNumber } from './task.js';

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
export const idField = z
  .string()
  .refine((text) => taskNumber(text) !== undefined, { error: 'not a task id; use the form T-0042' });
export const titleField = nonBlank(TITLE_CHARS);
export const descriptionField = boundedText(DESCRIPTION_BYTES);
export const noteField = boundedText(NOTE_BYTES).refine((text) => text.trim() !== '', { error: 'only white space' });
export const nameField = nonBlank(NAME_CHARS);
/** `*` stands for all projects where one is asked for, so none is called that. */
export const projectField = nameField.refine((text) => text !== '*', { error: '* means all projects; give a name' });
export const priorityField = z.enum(PRIORITIES);
export const statusField = z.enum(TASK_STATES);
export const dependenciesField = z.array(idField).max(DEPENDENCIES);
