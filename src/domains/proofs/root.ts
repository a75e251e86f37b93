// The tool merkle_root: returns the Merkle root of a sealed session, and the proof of one thought in the session.
import * as z from 'zod';
import { arg, defineTool, reading } from '../../call/define-tool.js';
import { leafHash } from '../../ledger/hashes.js';
import { brokenProof, coveringCheckpoint, heldProof, proveRecord, readBody } from '../../ledger/prove.js';
import { includes } from '../../ledger/tree.js';
import { MODES, type RuntimeMode } from '../../modes.js';
import type { ThoughtProof } from '../../proof/proof-file.js';
import type { ReadTx } from '../../store/store.js';
import { DOMAIN_LIMITS } from '../limits.js';
import { countShape, from1, hash, next, sessionDetails, sessionIdShape, textField } from '../shapes.js';
import { sessionField, thoughtField } from '../trail/fields.js';
import { findSession, findThought, type SessionRow, thoughtHashesFrom } from '../trail/repository.js';
import { noSuchSession, notFinalized, notInSession } from './errors.js';
import { sealedShape } from './finalize.js';
import { pathOfThought } from './prove-thought.js';

type Sealed = SessionRow & { readonly root: string; readonly record_count: number; readonly finalized_at: string };

const isSealed = (session: SessionRow): session is Sealed => session.finalized_at !== null;

const rootOf = async (tx: ReadTx, { session_id, root, record_count, finalized_at, log_id: log, seq }: Sealed) => {
  const checkpoint = await coveringCheckpoint(tx, { log, seq });
  return {
    session_id,
    root,
    record_count,
    finalized_at,
    /** The signed checkpoint that covers the session's seal; null until the log is signed, which happens within a minute. */
    checkpoint: checkpoint?.note ?? null,
    checkpoint_size: checkpoint?.size ?? null,
  };
};

/** Checks the first step of a thought's proof, from the thought to the session's root. This step needs no signature. */
const assertInSession = ({ record, index, path }: ThoughtProof, { root, record_count: size }: Sealed): void => {
  if (!includes({ leaf: leafHash(record), index, size, path, root }))
    throw brokenProof('the thought is not in the sealed session');
};

const proofOf = async (tx: ReadTx, session: Sealed, thought: ThoughtProof, size: number | null) => {
  const { log_id: log, seq } = session;
  const { record, index, path } = thought;
  assertInSession(thought, session);
  const signed = await proveRecord(tx, { log, seq });
  const seal = { record: signed?.extra.record ?? (await readBody(tx, { log, seq })), seq };
  return {
    proof: {
      thought: { record, index, path, leaf: leafHash(record) },
      seal: { ...seal, path: signed?.path ?? null, size },
    },
    file: signed && (await heldProof(tx, log, { ...signed, extra: { ...signed.extra, thought } })),
  };
};

/** Adds the proof file to the result if the proof is signed and fits; otherwise a hint how to get the proof file. */
const withFile = <T extends object>(result: T, file: string | undefined, thoughtId: string) => {
  if (file === undefined) {
    return { ...result, proof_file: null, proof_file_hint: 'not signed yet: ask again within a minute' };
  }
  const whole = { ...result, proof_file: file };
  const fits =
    Buffer.byteLength(JSON.stringify(whole)) + DOMAIN_LIMITS.resultEnvelopeBytes <= DOMAIN_LIMITS.resultBytes;
  return fits ? whole : { ...result, proof_file: null, proof_file_hint: `colibri prove ${thoughtId}` };
};

const proofShape = z.strictObject({
  thought: z.strictObject({
    record: textField.describe('The canonical text of the thought, of which `leaf` is the hash.'),
    index: countShape,
    path: z.array(hash).describe('From it to `root`.'),
    leaf: hash,
  }),
  seal: z.strictObject({
    record: textField.describe('The record that closed the session.'),
    seq: countShape,
    path: z.array(hash).nullable().describe('From it to the checkpoint.'),
    size: from1.nullable(),
  }),
});

export const merkleRoot = defineTool({
  name: 'merkle_root',
  title: 'Root and proof',
  description: 'Get the root of a sealed session, and the proof of one thought in it for somebody else.',
  when: 'To hand the root of a sealed session to somebody, or the proof of one thought that they can check without us.',
  effect: 'read',
  input: z.strictObject({
    session_id: arg(sessionField, 'The session.'),
    thought_id: thoughtField.optional().describe('adds its proof'),
  }),
  output: z.strictObject({
    ...sealedShape,
    checkpoint: textField.nullable().describe('Null until the ledger was signed over the seal: within a minute.'),
    checkpoint_size: from1.nullable(),
    proof: proofShape.optional().describe('With `thought_id`.'),
    proof_file: textField
      .nullable()
      .optional()
      .describe('With `thought_id`: a c2sp.org/tlog-proof@v1 file, where it is signed and fits.'),
    proof_file_hint: textField.optional().describe('Where `proof_file` is null: how to get it.'),
  }),
  errors: {
    ERR_SESSION_NOT_FOUND: { when: 'there is no such session', details: sessionDetails },
    ERR_NOT_FINALIZED: { when: 'it is still open', details: sessionDetails },
    ERR_NOT_FOUND: {
      when: 'the thought is not in the session',
      details: { session_id: sessionIdShape, thought_id: textField, found_in: sessionIdShape.optional(), next },
    },
  },
  examples: [
    { args: { session_id: '$audit_session_start.session_id', thought_id: '$thought_record.thought_id' } },
    { args: { session_id: 'monday' }, error: 'ERR_SESSION_NOT_FOUND' },
    { args: { session_id: 'tuesday' }, error: 'ERR_NOT_FINALIZED' },
    {
      args: { session_id: '$audit_session_start.session_id', thought_id: 'the first one' },
      error: 'ERR_NOT_FOUND',
    },
  ],
  run: async ({ session_id, thought_id }, extra, { mode }: { readonly mode: RuntimeMode }) => {
    const { tx } = reading(extra);
    const session = await findSession(tx, session_id);
    if (session === undefined) throw noSuchSession(session_id);
    if (!isSealed(session)) {
      const isEmpty = (await thoughtHashesFrom(tx, session_id, 0, 1)).length === 0;
      throw notFinalized(session_id, isEmpty, MODES[mode].ledger);
    }
    const result = await rootOf(tx, session);
    if (thought_id === undefined) return result;
    const thought = await findThought(tx, thought_id);
    if (thought?.session_id !== session_id) throw notInSession(session_id, thought_id, thought);
    const path = await pathOfThought(tx, thought, session.record_count);
    const { proof, file } = await proofOf(tx, session, path, result.checkpoint_size);
    return withFile({ ...result, proof }, file, thought_id);
  },
});
