// audit_session_start
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import { DomainError } from '../../middleware/envelope.js';
import { writing } from '../handler.js';
import { idField, nameField } from '../tasks/fields.js';
import { findTask } from '../tasks/repository.js';
import { taskId, taskNumber } from '../tasks/task.js';
import { withoutSecrets } from '../without-secrets.js';
import { noTask, short, thoughtsIn } from './errors.js';
import { intentField, sessionField } from './fields.js';
import { findSession, insertSession } from './repository.js';

export const startInput = z.strictObject({
  intent: intentField,
  task_id: idField.optional(),
  session_id: sessionField.optional().describe('a name of your own'),
  agent_id: nameField.optional(),
});
type StartArgs = z.infer<typeof startInput>;

/** Where the name is taken: look at that session, or open one that Colibri names. */
const taken = ({ session_id = '', ...rest }: StartArgs): DomainError =>
  new DomainError(
    'ERR_SESSION_EXISTS',
    `There already is a session ${short(session_id)}. Go on in it, choose another name, or leave session_id out.`,
    { session_id, next: [thoughtsIn(session_id), { tool: 'audit_session_start', arguments: rest }] },
  );

export const startSession = async (given: StartArgs, extra: HandlerExtra) => {
  const { args, told } = withoutSecrets(given, ['intent']);
  const { tx, evidence, now } = writing(extra);
  const n = args.task_id === undefined ? undefined : taskNumber(args.task_id);
  if (n !== undefined && (await findTask(tx, n)) === undefined) throw noTask('ERR_NOT_FOUND', taskId(n));
  if (args.session_id !== undefined && (await findSession(tx, args.session_id)) !== undefined) throw taken(args);
  const { session_id, intent, task_id, started_at, genesis_hash } = await insertSession(tx, evidence, {
    sessionId: args.session_id,
    intent: args.intent,
    taskId: n === undefined ? null : taskId(n),
    agentId: args.agent_id ?? extra.call.client?.name ?? null,
    openedBy: 'agent',
    at: now,
  });
  return { session_id, intent, task_id, started_at, genesis_hash, ...told };
};
