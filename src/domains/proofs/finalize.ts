// merkle_finalize
import * as z from 'zod';
import type { HandlerExtra } from '../../call/context.js';
import { ColibriError } from '../../errors.js';
import type { Signer } from '../../ledger/signer.js';
import { writing } from '../handler.js';
import { sessionField } from '../trail/fields.js';
import { findSession, hashesFrom } from '../trail/repository.js';
import { sealSession } from '../trail/seal.js';
import { alreadyFinalized, noRecords, unknownSession } from './errors.js';

export const finalizeInput = z.strictObject({ session_id: sessionField });

/**
 * Seals the session and signs the log right behind the seal: the checkpoint has the size `seal.seq + 1`, and the
 * outcome of this call comes after it. Its commit must be synced, for the note leaves with the result.
 */
export const finalizeSession =
  (signer: () => Signer | undefined) =>
  async ({ session_id }: z.infer<typeof finalizeInput>, extra: HandlerExtra) => {
    const { tx, log, now } = writing(extra);
    const signing = signer();
    if (signing === undefined) throw new ColibriError('STORE_UNAVAILABLE', 'The ledger is closing; nothing is signed.');
    const session = await findSession(tx, session_id);
    if (session === undefined) throw unknownSession(session_id);
    if (session.finalized_at !== null) throw alreadyFinalized(session);
    if ((await hashesFrom(tx, session_id, 0, 1)).length === 0) throw noRecords(session_id);
    const { root, record_count, finalized_at } = await sealSession(tx, { log, at: now }, session_id);
    const { note, size } = await signing.signIn(tx);
    extra.afterCommit(extra.signSoon); // publishes the head
    return { session_id, root, record_count, finalized_at, checkpoint: note, checkpoint_size: size };
  };
