// The tool audit_session_start: opens a session that the agent seals itself.
import * as z from 'zod';
import { arg, defineTool, writing } from '../../call/define-tool.js';
import { DomainError } from '../../middleware/envelope.js';
import { nextCall, noTask, short } from '../refusal.js';
import * as shapes from '../shapes.js';
import { idField, nameField } from '../tasks/fields.js';
import { findTask } from '../tasks/repository.js';
import { taskId, taskNumber } from '../tasks/task.js';
import { thoughtsIn } from './errors.js';
import { intentField, sessionField } from './fields.js';
import { findSession, insertSession } from './repository.js';

const input = z.strictObject({
  intent: arg(intentField, 'What the session is for.'),
  task_id: arg(
    idField.optional(),
    'The task that the session belongs to; notes about this task go into the session from now on.',
  ),
  session_id: arg(
    sessionField.optional().describe('a name of your own'),
    'The name of the session, if you choose one; otherwise a UUID.',
  ),
  agent_id: arg(nameField.optional(), "Who you are; default the client's name."),
});

/** The error for a session name that is taken. It advises to read that session, or to open a session that Colibri names. */
const nameTaken = ({ session_id = '', ...rest }: z.infer<typeof input>): DomainError =>
  new DomainError(
    'ERR_SESSION_EXISTS',
    `There already is a session ${short(session_id)}. Go on in it, choose another name, or leave session_id out.`,
    { session_id, next: [thoughtsIn(session_id), nextCall('audit_session_start', rest)] },
  );

export const auditSessionStart = defineTool({
  name: 'audit_session_start',
  title: 'Start session',
  description: 'Open a session of your own, to seal with merkle_finalize. Thoughts need none.',
  when: 'When you want to seal a stretch of work yourself, or name it. Thoughts need none: without a session one is kept for you.',
  effect: 'write',
  input,
  output: z.strictObject({
    session_id: shapes.sessionIdShape,
    intent: shapes.textField,
    task_id: shapes.taskIdShape.nullable(),
    started_at: shapes.time,
    genesis_hash: shapes.hash.describe('The `prev_hash` of the first thought in the session.'),
    redacted: shapes.redacted,
  }),
  errors: {
    ERR_SESSION_EXISTS: { when: 'the name is taken', details: shapes.sessionDetails },
    ERR_NOT_FOUND: { when: 'there is no such task', details: shapes.missingDetails },
  },
  examples: [
    { args: { intent: 'Look at it again', session_id: 'tuesday' } },
    { args: { intent: 'Look at it again', session_id: 'tuesday' }, error: 'ERR_SESSION_EXISTS' },
    { args: { intent: 'Look at it again', task_id: 'T-9999' }, error: 'ERR_NOT_FOUND' },
    { args: { intent: 'Choose between an index and a cache', task_id: 'T-0001' } },
  ],
  texts: ['intent'],
  run: async (args, extra) => {
    const work = writing(extra);
    const { tx } = work;
    const n = args.task_id === undefined ? undefined : taskNumber(args.task_id);
    if (n !== undefined && (await findTask(tx, n)) === undefined) throw noTask('ERR_NOT_FOUND', taskId(n));
    if (args.session_id !== undefined) await tx.lock?.(`name of a session ${args.session_id}`);
    if (args.session_id !== undefined && (await findSession(tx, args.session_id)) !== undefined) throw nameTaken(args);
    const { session_id, intent, task_id, started_at, genesis_hash } = await insertSession(work, {
      session_id: args.session_id,
      intent: args.intent,
      task_id: n === undefined ? null : taskId(n),
      agent_id: args.agent_id ?? extra.call.client?.name ?? null,
      opened_by: 'agent',
      started_at: work.now,
    });
    return { session_id, intent, task_id, started_at, genesis_hash };
  },
});
