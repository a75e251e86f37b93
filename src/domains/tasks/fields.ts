// The schemas of the arguments and results that the task tools share, with their bounds.
import * as z from 'zod';
import { arg, bounded, type Frozen } from '../../call/define-tool.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { from1, next, redacted, taskIdShape, textField, time } from '../shapes.js';
import { TASK_STATES } from './state-machine.js';
import { PRIORITIES, taskNumber } from './task.js';

const jsonBytes = (words: string): number => Buffer.byteLength(JSON.stringify(words)) - 2;

/** A text of at most so many bytes as JSON. The schema that clients see bounds its characters: no character takes less than a byte. */
const boundedText = (bytes: number) =>
  z
    .string()
    .refine((words) => jsonBytes(words) <= bytes, { error: `longer than ${bytes} bytes as JSON; shorten it` })
    .meta({ maxLength: bytes });

const characters = (most: number) => ({ unit: 'characters', least: 1, most }) as const;

/** A text that says something. The schema that clients see has no least length: it would cost 300 bytes in all tools together. */
const nonBlank = (chars: number) =>
  bounded(
    z
      .string()
      .max(chars)
      .refine((words) => words.trim() !== '', { error: 'empty or only white space; say something' }),
    characters(chars),
  );

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
  boundedText(DOMAIN_LIMITS.noteBytes)
    .refine((words) => words.trim() !== '', { error: 'only white space' })
    .meta({ maxLength: DOMAIN_LIMITS.noteBytes }),
  { unit: 'bytes', least: 1, most: DOMAIN_LIMITS.noteBytes },
);
export const nameField = nonBlank(DOMAIN_LIMITS.nameChars);
/** A project's name or id. In a filter `*` means all projects, so no project can have that name. */
export const projectField = bounded(
  nameField.refine((name) => name !== '*', { error: '* means all projects; give a name' }),
  characters(DOMAIN_LIMITS.nameChars),
);
/** The project whose tasks a list or the queue covers. */
export const scopeField = arg(
  nameField.optional().describe('name or id; default: the current one; * for all'),
  'The project, by name or id; by default the current one. `*` means all projects, `=name` tasks that have this project name and no project id.',
);
export const priorityField = z.enum(PRIORITIES);
export const statusField = z.enum(TASK_STATES);
export const dependenciesField = z.array(idField).max(DOMAIN_LIMITS.dependencies);
/** The name of a task inside one call of task_create. `depends_on` names it with a `#` before it. */
export const refField = nonBlank(DOMAIN_LIMITS.refChars);
/** Dependencies of a task in a plan: ids of tasks, and refs of tasks in the same plan. */
export const plannedDependencies = z
  .array(
    bounded(
      z.string().refine((id) => taskNumber(id) !== undefined || /^#\s*\S/.test(id), {
        error: 'neither a task id (T-0042) nor the "#ref" of a task in the list',
      }),
      { form: 'a task id, or `#ref`', takes: ['T-0042', '#first'], refuses: ['', '#', 'first'] },
    ),
  )
  .max(DOMAIN_LIMITS.dependencies);

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
    assignee: textField.nullable().describe('Who should do it.'),
    lease: z
      .strictObject({ holder: textField, until: time })
      .nullable()
      .describe('Who works on it now, and until when nobody else can claim it; null if nobody does.'),
    depends_on: z.array(taskIdShape).describe('The tasks that must be DONE before this task enters APPLY.'),
    blocked_by: z.array(taskIdShape).describe('The tasks in `depends_on` that are not DONE.'),
    attempt: from1.describe('The number of the attempt; VERIFY → GATHER begins the next one.'),
    version: from1.describe('Grows with every change of the task; give it as `expected_version`.'),
    created_at: time,
    updated_at: time,
  })
  .meta({ named: 'Task' });
export type Task = Frozen<z.infer<typeof taskShape>>;

/** What the tools that write tasks say about a task. The caller knows the rest; task_get shows it. */
export const writtenTask = z.strictObject({
  task_id: taskIdShape,
  status: statusField,
  version: from1.describe('Grows with every change of the task; give it as `expected_version`.'),
  attempt: from1.describe('The number of the attempt; VERIFY → GATHER begins the next one.'),
  next_states: z.array(statusField).describe('What may follow.'),
  lease_until: time.optional().describe('When the lease ends, if this call granted or extended it.'),
  replayed: z.literal(true).optional().describe('The call was made before; this time it changed nothing.'),
  redacted,
});
export const listedTask = taskShape.omit({ description: true }).meta({ named: 'ListedTask' });
export type ListedTask = Frozen<z.infer<typeof listedTask>>;

/** The error of a claim where scores bind. */
export const TOO_MANY_TASKS = {
  when: 'scores bind (`COLIBRI_GATES`), and the claimer holds as many tasks as its score permits',
  details: {
    max_parallel_tasks: z.int().positive(),
    held: z.int().positive(),
    score: z.int().nonnegative().describe('In the domain execution.'),
    next,
  },
};

export const AMBIGUOUS_PROJECT = {
  when: 'several projects have the name that `project` gives',
  details: { projects: z.array(z.strictObject({ project_id: textField, dir: textField.nullable() })), next },
};
