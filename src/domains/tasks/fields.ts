// The schemas of the arguments and results that the task tools share, with their bounds.
import * as z from 'zod';
import { arg, bounded, type Frozen } from '../../call/define-tool.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { from1, next, redacted, taskIdShape, textField, time } from '../shapes.js';
import { TASK_STATES } from './state-machine.js';
import { PRIORITIES, taskNumber } from './task.js';

const jsonBytes = (words: string): number => Buffer.byteLength(JSON.stringify(words)) - 2;

const boundedText = (bytes: number) =>
  z.string().refine((words) => jsonBytes(words) <= bytes, { error: `longer than ${bytes} bytes as JSON; shorten it` });

const nonBlank = (chars: number) =>
  z
    .string()
    .min(1)
    .max(chars)
    .refine((words) => words.trim() !== '', { error: 'only white space; say something' });

/** A task id. A refinement checks its form, because a pattern would be sent to every client five times, once per tool. */
export const idField = bounded(
  z.string().refine((id) => taskNumber(id) !== undefined, { error: 'not a task id; use the form T-0042' }),
  { form: '`T-0042`, also `t-42` and `42`', takes: ['T-0042', 't-42', '42'], refuses: ['', 'T-0', 'X-1', '4.2'] },
);
export const titleField = nonBlank(DOMAIN_LIMITS.titleChars);
export const descriptionField = bounded(boundedText(DOMAIN_LIMITS.descriptionBytes), {
  ...{ unit: 'bytes', least: 0, most: DOMAIN_LIMITS.descriptionBytes },
});
export const noteField = bounded(
  boundedText(DOMAIN_LIMITS.noteBytes).refine((words) => words.trim() !== '', { error: 'only white space' }),
  { unit: 'bytes', least: 1, most: DOMAIN_LIMITS.noteBytes },
);
export const nameField = nonBlank(DOMAIN_LIMITS.nameChars);
/** A project's name or id. In a filter `*` means all projects, so no project can have that name. */
export const projectField = nameField.refine((name) => name !== '*', { error: '* means all projects; give a name' });
/** The project whose tasks a list or the queue covers. */
export const scopeField = arg(
  nameField.optional().describe('name or id; default: the current one; * for all'),
  'The project, by name or id; by default the current one. `*` means all projects, `=name` tasks that have this project name and no project id.',
);
export const priorityField = z.enum(PRIORITIES);
export const statusField = z.enum(TASK_STATES);
export const dependenciesField = z.array(idField).max(DOMAIN_LIMITS.dependencies);

export const taskShape = z
  .strictObject({
    task_id: taskIdShape,
    title: textField,
    description: textField.nullable(),
    project: textField.nullable().describe('Its name.'),
    project_id: textField
      .nullable()
      .describe(
        'The id of the project, which tells it from others of the same name; null if the project has only a name, or there is no project.',
      ),
    status: statusField,
    priority: priorityField,
    assignee: textField.nullable(),
    depends_on: z.array(taskIdShape).describe('The tasks that must be DONE before this task enters APPLY.'),
    blocked_by: z.array(taskIdShape).describe('The tasks in `depends_on` that are not DONE.'),
    attempt: from1.describe('The number of the attempt; VERIFY → GATHER begins the next one.'),
    version: from1.describe('Grows with every change of the task; give it as `expected_version`.'),
    created_at: time,
    updated_at: time,
  })
  .meta({ named: 'Task' });
export type Task = Frozen<z.infer<typeof taskShape>>;

/** The result shape of a task in the tools that write tasks. */
export const writtenTask = taskShape.extend({ redacted });
export const listedTask = taskShape.omit({ description: true }).meta({ named: 'ListedTask' });
export type ListedTask = Frozen<z.infer<typeof listedTask>>;

export const AMBIGUOUS_PROJECT = {
  when: 'several projects have the name that `project` gives',
  details: { projects: z.array(z.strictObject({ project_id: textField, dir: textField.nullable() })), next },
};
