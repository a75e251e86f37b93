// The arguments of task_create: a single task, or a plan of several.
import { hash } from 'node:crypto';
import * as z from 'zod';
import { arg, type Frozen } from '../../call/define-tool.js';
import { canonicalJson } from '../../proof/canonical-json.js';
import { DOMAIN_LIMITS } from '../limits.js';
import * as fields from './fields.js';
import { bareRef } from './plan.js';

const single = {
  description: arg(
    fields.descriptionField.optional(),
    'Everything else about the task; its length is counted as JSON.',
  ),
  project: fields.projectField.optional().describe('name or id; default: the current project'),
  priority: arg(
    fields.priorityField.optional().meta({ default: 'normal' }),
    'How urgent the task is; the queue is sorted by this.',
  ),
  assignee: arg(fields.nameField.optional(), 'Who should do it.'),
};

/** A task of a plan. */
const planned = z.strictObject({
  ref: arg(fields.refField.optional(), 'A name for the task inside this call.'),
  title: fields.titleField,
  description: fields.descriptionField.optional(),
  project: fields.projectField.optional(),
  priority: fields.priorityField.optional(),
  assignee: fields.nameField.optional(),
  depends_on: fields.plannedDependencies.optional().describe('ids, or "#ref" of another task in the list'),
});
export type Planned = Frozen<z.infer<typeof planned>>;

const members = z.strictObject({
  title: arg(fields.titleField.optional().describe('needed without tasks'), 'What is to be done, in a line.'),
  ...single,
  depends_on: fields.dependenciesField.optional().describe('ids that must be DONE before APPLY'),
  idempotency_key: fields.nameField.optional().describe('same key, same task: safe to repeat'),
  claim_by: arg(
    fields.nameField.optional().describe('your name: takes the task, if it is one'),
    'Your name: takes the new task for you, with a lease of 30 minutes. Only for a single task.',
  ),
  tasks: arg(
    z
      .array(planned)
      .min(1)
      .max(DOMAIN_LIMITS.createdTasks)
      .optional()
      .describe('a whole plan in one call, all or none'),
    'A plan: up to 50 tasks in one transaction, instead of a single one. Each has the arguments of a single task and may have a `ref`; `depends_on` may name `"#ref"` of any other task in the list.',
  ),
});
export type CreateArgs = Frozen<z.infer<typeof members>>;

const OF_SINGLE = ['title', 'description', 'project', 'priority', 'assignee', 'depends_on'] as const;

const OTHER_ASSIGNEE = 'the assignee is somebody else; leave one of the two out';

const refIssues = (tasks: readonly Planned[]): readonly number[] => {
  const refs = tasks.map(({ ref }) => (ref === undefined ? undefined : bareRef(ref)));
  return [...refs.keys()].filter((i) => refs[i] !== undefined && refs.indexOf(refs[i]) < i);
};

export const createInput = members.superRefine((args, refused) => {
  const { tasks, claim_by } = args;
  const refuse = (path: (string | number)[], message: string) =>
    refused.addIssue({ code: 'custom', path, message, input: args });
  if (tasks === undefined) {
    if (args.title === undefined) refuse(['title'], 'missing; say what is to be done, or give tasks');
    if (claim_by !== undefined && args.assignee !== undefined && args.assignee !== claim_by)
      refuse(['claim_by'], OTHER_ASSIGNEE);
    return;
  }
  const other = OF_SINGLE.find((name) => args[name] !== undefined);
  if (other !== undefined) refuse([other], 'cannot stand beside tasks; put it into a task of the list');
  if (claim_by !== undefined && tasks.length > 1)
    refuse(['claim_by'], 'takes a single task; create the plan first, then claim with task_next_actions');
  const [only] = tasks;
  if (claim_by !== undefined && only?.assignee !== undefined && only.assignee !== claim_by)
    refuse(['claim_by'], OTHER_ASSIGNEE);
  for (const i of refIssues(tasks)) refuse(['tasks', i, 'ref'], 'the ref of another task in the list');
});

/** The tasks that a call asks for. */
export const plannedBy = ({ tasks, title = '', description, project, priority, assignee, depends_on }: CreateArgs) =>
  tasks ?? [{ title, description, project, priority, assignee, depends_on }];

/** What the idempotency key stands for. A single task has the digest that it always had. */
export const requestDigest = ({ idempotency_key: _key, claim_by: _claim, ...args }: CreateArgs): string => {
  const { depends_on = [], priority = 'normal', ...request } = args;
  return hash('sha256', canonicalJson(args.tasks === undefined ? { ...request, priority, depends_on } : args));
};
