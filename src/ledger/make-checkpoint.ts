// Signs a log after checking it: the Merkle root is recomputed from stored nodes, and the newest checkpoint and the newest known head must
// both be beginnings of the log. If a check fails, nothing is signed.
import type { KeyObject } from 'node:crypto';
import { ColibriError } from '../errors.js';
import { originOf } from '../proof/checkpoint.js';
import type { ReadTx, Tx } from '../store/store.js';
import { assertAuthenticHead, readHead } from './head.js';
import { assertContinues, type Heads, newestSigned, type SeenLog, type SignedHead, seeLog } from './heads.js';
import { type KeyRing, publicKeyOf } from './keys.js';
import { type KnownNotes, signCheckpoint } from './notes.js';
import { type OwnLog, ownLogWithKey } from './own-log.js';
import { rootOf } from './tree.js';

type CheckpointRow = { readonly no: number; readonly size: number; readonly note: string };

export const newestCheckpoint = (tx: Pick<Tx, 'get'>, log: string): Promise<CheckpointRow | undefined> =>
  tx.get<CheckpointRow>('SELECT no, size, note FROM checkpoints WHERE log_id = ? ORDER BY no DESC LIMIT 1', log);

const corrupt = (what: string): ColibriError =>
  new ColibriError('STORE_CORRUPT', `${what}; nothing was signed.`, {
    remedy: 'colibri verify says where. Restore a backup.',
  });

/** The Merkle root of the log, recomputed. Throws unless the log begins with the records that the newest checkpoint covers. */
const checkedRoot = async (seen: SeenLog, newest: CheckpointRow | undefined, notes: KnownNotes): Promise<string> => {
  const { log, head, publicKey } = seen;
  const root = await seen.rootAt(head.size);
  if (root !== rootOf(head.frontier)) throw corrupt(`the head of log ${log} is not the root of its records`);
  if (newest === undefined) return root;
  const signed = notes.rootIn({ note: newest.note, publicKey });
  if (newest.size > head.size || (await seen.rootAt(newest.size)) !== signed) {
    throw corrupt(`the first ${newest.size} records of log ${log} are not those that were signed`);
  }
  return root;
};

/** The private key of a log, and what is derived from it. */
interface SigningKey {
  readonly key: KeyObject;
  readonly own: OwnLog;
  readonly publicKey: Buffer;
}

/** Returns a function that finds the key of a log. What is derived from the key is kept for as long as the key ring returns the same key. */
export const signingKeyIn = (keys: KeyRing, log: string): (() => SigningKey) => {
  let kept: SigningKey | undefined;
  return () => {
    const key = keys.find(log);
    if (key === undefined) {
      throw new ColibriError('STORE_UNAVAILABLE', `The key of log ${log} is gone: nothing can be signed.`, {
        remedy: 'Put the key back, or restart Colibri to begin a new log.',
      });
    }
    if (kept?.key !== key) kept = { key, own: ownLogWithKey(log, key), publicKey: publicKeyOf(key) };
    return kept;
  };
};

/** What a signer keeps from one signature to the next. */
export interface SigningParts {
  readonly heads: Heads;
  readonly notes: KnownNotes;
  readonly findKey: () => SigningKey;
}

/** The newest checkpoint of a log: the one in the store, or a new one that must be inserted. */
export interface MadeCheckpoint extends SignedHead {
  readonly no: number;
  readonly isNew: boolean;
}

/** Signs the log as `tx` sees it, if it has grown since the newest checkpoint. Nothing is written. */
export const makeCheckpoint = async (
  tx: ReadTx,
  log: string,
  { heads, notes, findKey }: SigningParts,
): Promise<MadeCheckpoint> => {
  const newest = await newestCheckpoint(tx, log);
  const seen = await seeLog(tx, log);
  const { size } = seen.head;
  const root = await checkedRoot(seen, newest, notes);
  if (newest?.size === size) return { ...newest, root, isNew: false };
  await assertContinues(seen, newestSigned(heads, seen, notes.rootIn));
  const { key, own, publicKey } = findKey();
  await assertAuthenticHead(tx, own);
  const note = signCheckpoint({ origin: originOf(log), size, root }, key, publicKey);
  notes.add({ note, publicKey: publicKey.toString('hex') }, root);
  return { no: (newest?.no ?? 0) + 1, size, root, note, isNew: true };
};

/** Whether a new checkpoint may still be inserted: since it was made, nobody signed the log or put a shorter one in its place. */
export const isNext = async (tx: Tx, log: string, { no, size }: MadeCheckpoint): Promise<boolean> =>
  ((await newestCheckpoint(tx, log))?.no ?? 0) === no - 1 && (await readHead(tx, log)).size >= size;

export const insertCheckpoint = async (tx: Tx, log: string, { no, size, note }: MadeCheckpoint): Promise<void> => {
  await tx.run('INSERT INTO checkpoints (log_id, no, size, note) VALUES (?, ?, ?, ?)', log, no, size, note);
};
