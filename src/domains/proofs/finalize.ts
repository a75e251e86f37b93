// The tool merkle_finalize: seals a session and returns the signed head of the log.
import * as z from 'zod';
import type { ColibriServerContext } from '../../call/context.js';
import { arg, defineTool, writing } from '../../call/define-tool.js';
import { ColibriError } from '../../errors.js';
import { from1, hash, sealedDetails, sessionDetails, sessionIdShape, textField, time } from '../shapes.js';
import { sessionField } from '../trail/fields.js';
import { findSession, thoughtHashesFrom } from '../trail/repository.js';
import { sealSession } from '../trail/seal.js';
import { alreadyFinalized, noRecords, noSuchSession } from './errors.js';

/** The fields of a sealed session that merkle_finalize and merkle_root return. */
export const sealedShape = {
  session_id: sessionIdShape,
  root: hash.describe('RFC 6962 root over the thoughts of the session.'),
  record_count: from1,
  finalized_at: time,
};

/**
 * Seals the session and signs the log directly after the seal record: the checkpoint has the size `seal.seq + 1`. The call's intent stands
 * before the seal, the record of its result (its outcome) after it. The commit must be synced to disk, because the signature leaves the process with the result.
 */
export const merkleFinalize = defineTool({
  name: 'merkle_finalize',
  title: 'Finalize session',
  description: 'Seal a session you opened, for good: it takes no more thoughts and gets a signed root.',
  when: 'At the end of a session that you opened. It takes no more thoughts, for good. Sessions that Colibri opened are sealed by Colibri.',
  effect: 'write',
  sync: true,
  appends: true,
  input: z.strictObject({ session_id: arg(sessionField, 'The session.') }),
  output: z.strictObject({
    ...sealedShape,
    checkpoint: textField.describe('The signed head of the ledger (C2SP).'),
    checkpoint_size: from1.describe('How many records of the log the checkpoint covers; the seal is the last of them.'),
  }),
  errors: {
    ERR_SESSION_NOT_FOUND: { when: 'there is no such session', details: sessionDetails },
    ERR_ALREADY_FINALIZED: { when: 'it is sealed already', details: sealedDetails },
    ERR_NO_RECORDS: { when: 'it has no thoughts', details: sessionDetails },
  },
  examples: [
    { args: { session_id: 'monday' }, error: 'ERR_SESSION_NOT_FOUND' },
    { args: { session_id: 'tuesday' }, error: 'ERR_NO_RECORDS' },
    { args: { session_id: '$audit_session_start.session_id' } },
    { args: { session_id: '$audit_session_start.session_id' }, error: 'ERR_ALREADY_FINALIZED' },
  ],
  run: async ({ session_id }, extra, ctx: Pick<ColibriServerContext, 'signer'>) => {
    const { tx, log, now } = writing(extra);
    const { signer } = ctx;
    if (signer === undefined) throw new ColibriError('STORE_UNAVAILABLE', 'The ledger is closing; nothing is signed.');
    const session = await findSession(tx, session_id);
    if (session === undefined) throw noSuchSession(session_id);
    if (session.finalized_at !== null) throw alreadyFinalized(session);
    if ((await thoughtHashesFrom(tx, session_id, 0, 1)).length === 0) throw noRecords(session_id);
    const { root, record_count, finalized_at } = await sealSession(tx, { log, at: now }, session_id);
    const { note, size } = await signer.signIn(tx);
    extra.afterCommit(extra.signSoon); // publishes the signed head of the log
    return { session_id, root, record_count, finalized_at, checkpoint: note, checkpoint_size: size };
  },
});
