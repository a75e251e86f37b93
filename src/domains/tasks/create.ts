// task_create
import { hash } from 'node:crypto';
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import { DomainError } from '../../middleware/envelope.js';
import { canonicalJson } from '../../proof/canonical-json.js';
import type { Tx } from '../../store/store.js';
import { writing } from '../handler.js';
import { type Redacted, withoutSecrets } from '../without-secrets.js';
import { notFound } from './errors.js';
import { findDependencies } from './facts.js';
import { dependenciesField, descriptionField, nameField, priorityField, projectField, titleField } from './fields.js';
import { dependenciesOf, findByKey, insertTask } from './repository.js';
import { type Task, taskId } from './task.js';
import { showTask, type TaskRow } from './task-row.js';
import { type AskCurrent, meantProject, ownerOf, type Whose, whoseCurrent } from './whose.js';

export const createInput = z.strictObject({
  title: titleField,
  description: descriptionField.optional(),
  project: projectField.optional().describe('name or id; default: the current project'),
  priority: priorityField.default('normal'),
  assignee: nameField.optional(),
  depends_on: dependenciesField.optional().describe('ids that must be DONE before APPLY'),
  idempotency_key: nameField.optional().describe('same key, same task: safe to repeat'),
});
type CreateArgs = z.infer<typeof createInput>;

const shown = async (tx: Tx, row: TaskRow): Promise<Task> => showTask(row, await dependenciesOf(tx, row.n));

/** The same request finds its task; another request under the same key is refused. */
const replay = async (
  { tx, key, whose }: { readonly tx: Tx; readonly key: string; readonly whose: Whose },
  digest: string,
  extra: HandlerExtra,
): Promise<Task | undefined> => {
  const row = await findByKey(tx, key, await ownerOf(tx, whose));
  if (row === undefined) return undefined;
  const id = taskId(row.n);
  if (row.request_digest !== digest) {
    throw new DomainError('ERR_IDEMPOTENCY_MISMATCH', `This key already created ${id}, with other arguments.`, {
      task_id: id,
      next: [{ tool: 'task_get', arguments: { task_id: id } }],
    });
  }
  extra.note({ replay_of: row.call_no });
  return shown(tx, row);
};

export const createTask =
  (current: AskCurrent) =>
  async (given: CreateArgs, extra: HandlerExtra): Promise<Task & Redacted> => {
    const { args, told } = withoutSecrets(given, ['title', 'description']);
    const { tx, evidence, callNo, now } = writing(extra);
    const { idempotency_key: key = null, depends_on = [], ...request } = args;
    const digest = key === null ? null : hash('sha256', canonicalJson({ ...request, depends_on }));
    const whose =
      args.project === undefined ? whoseCurrent(current()) : await meantProject(tx, args.project, current());
    const existing = key !== null && digest !== null ? await replay({ tx, key, whose }, digest, extra) : undefined;
    if (existing !== undefined) return { ...existing, ...told };
    const { found, missing } = await findDependencies(tx, depends_on);
    if (missing.length > 0) throw notFound(missing);
    const row = await insertTask(
      tx,
      evidence,
      {
        title: args.title,
        description: args.description ?? null,
        project: whose.project,
        project_id: whose.project_id,
        status: 'INIT',
        priority: args.priority,
        assignee: args.assignee ?? null,
        attempt: 1,
        version: 1,
        created_at: now,
        updated_at: now,
        idempotency_key: key,
        request_digest: digest,
        call_no: callNo,
      },
      found,
    );
    return { ...showTask(row, found), ...told };
  };
