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
import type { ThoughtRow } from '../trail/thought.js';
import { noFileHere, noSuchSession, notFinalized, notInSession, notWritten } from './errors.js';
import { sealedShape } from './finalize.js';
import { pathOfThought } from './prove-thought.js';

type Sealed = SessionRow & { readonly root: string; readonly record_count: number; readonly finalized_at: string };

const isSealed = (session: SessionRow): session is Sealed => session.finalized_at !== null;

const sealOf = ({ session_id, root, record_count, finalized_at }: Sealed) => ({
  session_id,
  root,
  record_count,
  finalized_at,
});

/** The signed checkpoint that covers the session's seal; null until the log is signed, which happens within a minute. */
const checkpointOf = async (tx: ReadTx, { log_id: log, seq }: Sealed) => {
  const checkpoint = await coveringCheckpoint(tx, { log, seq });
  return { checkpoint: checkpoint?.note ?? null, checkpoint_size: checkpoint?.size ?? null };
};

/** Checks the first step of a thought's proof, from the thought to the session's root. This step needs no signature. */
const assertInSession = ({ record, index, path }: ThoughtProof, { root, record_count: size }: Sealed): void => {
  if (!includes({ leaf: leafHash(record), index, size, path, root }))
    throw brokenProof('the thought is not in the sealed session');
};

/** The proof of a thought: its two steps, and the proof file if a signed checkpoint covers the session's seal. */
const proofOf = async (tx: ReadTx, session: Sealed, thought: ThoughtProof) => {
  const { log_id: log, seq } = session;
  const { record, index, path } = thought;
  assertInSession(thought, session);
  const signed = await proveRecord(tx, { log, seq });
  const sealRecord = signed?.extra.record ?? (await readBody(tx, { log, seq }));
  return {
    proof: { thought: { record, index, path }, seal: { record: sealRecord, seq, path: signed?.path ?? null } },
    file: signed && (await heldProof(tx, log, { ...signed, extra: { ...signed.extra, thought } })),
  };
};

/** Writes the text of a proof file to disk, under a name made from the thought's id. */
export type WriteProofFile = (thoughtId: string, text: string) => Promise<WrittenProof>;

/** The path of a proof file, and why it was not written if that is so. */
export interface WrittenProof {
  readonly path: string;
  readonly problem?: string;
}

/** What merkle_root gets from the process. */
export interface RootNeeds {
  readonly mode: RuntimeMode;
  readonly writeProofFile: WriteProofFile;
}

interface Wanted {
  readonly tx: ReadTx;
  readonly session: Sealed;
  readonly thought: ThoughtRow;
  readonly isFile: boolean;
}

const fits = (result: object): boolean =>
  Buffer.byteLength(JSON.stringify(result)) + DOMAIN_LIMITS.resultEnvelopeBytes <= DOMAIN_LIMITS.resultBytes;

const writtenTo = async (needs: RootNeeds, { session, thought }: Wanted, text: string): Promise<string> => {
  const { path, problem } = await needs.writeProofFile(thought.thought_id, text);
  if (problem !== undefined) throw notWritten(session.session_id, thought.thought_id, path, problem);
  return path;
};

/** The proof file of a thought, or its path. Where there is none, the steps of the proof and how to get the file. */
const withProof = async (needs: RootNeeds, wanted: Wanted) => {
  const { tx, session, thought, isFile } = wanted;
  const { proof, file } = await proofOf(tx, session, await pathOfThought(tx, thought, session.record_count));
  const seal = sealOf(session);
  if (file !== undefined && isFile) return { ...seal, proof_path: await writtenTo(needs, wanted, file) };
  const whole = { ...seal, proof_file: file ?? null };
  if (file !== undefined && fits(whole)) return whole;
  const large = MODES[needs.mode].ledger
    ? 'too large for a result: file: true writes it'
    : `colibri prove ${thought.thought_id}`;
  const proof_file_hint = file === undefined ? 'not signed yet: ask again within a minute' : large;
  return { ...seal, ...(await checkpointOf(tx, session)), proof, proof_file: null, proof_file_hint };
};

const proofShape = z.strictObject({
  thought: z.strictObject({
    record: textField.describe('The canonical text of the thought.'),
    index: countShape,
    path: z.array(hash).describe('From it to `root`.'),
  }),
  seal: z.strictObject({
    record: textField.describe('The record that closed the session.'),
    seq: countShape,
    path: z.array(hash).nullable().describe('From it to the checkpoint.'),
  }),
});

export const merkleRoot = defineTool({
  name: 'merkle_root',
  title: 'Root and proof',
  description: 'Get the root of a sealed session, and the proof of one thought in it for somebody else.',
  when: 'To hand the root of a sealed session to somebody, or the proof of one thought that they can check without us.',
  effect: 'read',
  writesWith: 'file',
  input: z
    .strictObject({
      session_id: arg(sessionField, 'The session.'),
      thought_id: thoughtField.optional().describe('adds its proof'),
      file: arg(
        z.boolean().optional().describe('write the proof to a file'),
        'Writes the proof to a file, in the `.colibri/proofs` of the project or beside the store, and returns its path.',
      ),
    })
    .refine(({ thought_id, file }) => file !== true || thought_id !== undefined, { error: 'file needs thought_id' }),
  output: z.strictObject({
    ...sealedShape,
    checkpoint: textField
      .nullable()
      .optional()
      .describe(
        'Absent with a proof file, which contains it. Null until the ledger was signed over the seal: within a minute.',
      ),
    checkpoint_size: from1.nullable().optional(),
    proof_file: textField
      .nullable()
      .optional()
      .describe('With `thought_id`: a c2sp.org/tlog-proof@v1 file, where it is signed and fits.'),
    proof_path: textField.optional().describe('With `file`: where the proof file is.'),
    proof: proofShape.optional().describe('The steps of the proof, where `proof_file` is null.'),
    proof_file_hint: textField.optional().describe('Where `proof_file` is null: how to get it.'),
  }),
  errors: {
    ERR_SESSION_NOT_FOUND: { when: 'there is no such session', details: sessionDetails },
    ERR_NOT_FINALIZED: { when: 'it is still open', details: sessionDetails },
    ERR_NOT_FOUND: {
      when: 'the thought is not in the session',
      details: { session_id: sessionIdShape, thought_id: textField, found_in: sessionIdShape.optional(), next },
    },
    ERR_READ_ONLY: { when: '`file` in mode READONLY', details: { next } },
    ERR_PROOF_NOT_WRITTEN: {
      when: 'the proof file could not be written',
      details: { path: textField, reason: textField, next },
    },
  },
  examples: [
    { args: { session_id: '$audit_session_start.session_id', thought_id: '$thought_record.thought_id' } },
    {
      args: {
        session_id: '$audit_session_start.session_id',
        thought_id: '$thought_record.thought_id',
        file: true,
      },
    },
    { args: { session_id: 'monday' }, error: 'ERR_SESSION_NOT_FOUND' },
    { args: { session_id: 'tuesday' }, error: 'ERR_NOT_FINALIZED' },
    {
      args: { session_id: '$audit_session_start.session_id', thought_id: 'the first one' },
      error: 'ERR_NOT_FOUND',
    },
  ],
  run: async ({ session_id, thought_id, file: isFile = false }, extra, needs: RootNeeds) => {
    const { tx } = reading(extra);
    const mayWrite = MODES[needs.mode].ledger;
    if (isFile && !mayWrite) throw noFileHere(session_id, thought_id);
    const session = await findSession(tx, session_id);
    if (session === undefined) throw noSuchSession(session_id);
    if (!isSealed(session)) {
      const isEmpty = (await thoughtHashesFrom(tx, session_id, 0, 1)).length === 0;
      throw notFinalized(session, mayWrite && !isEmpty);
    }
    if (thought_id === undefined) return { ...sealOf(session), ...(await checkpointOf(tx, session)) };
    const thought = await findThought(tx, thought_id);
    if (thought?.session_id !== session_id) throw notInSession(session_id, thought_id, thought);
    return withProof(needs, { tx, session, thought, isFile });
  },
});
