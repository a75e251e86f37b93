// Signs a log after checking it: the Merkle root is recomputed from stored nodes, and the newest checkpoint and the newest known head must
// both be beginnings of the log. If a check fails, nothing is signed, and nothing more is appended.
import type { KeyObject } from 'node:crypto';
import { monotonicMs } from '../core/clock.js';
import { asError, ColibriError } from '../errors.js';
import { originOf } from '../proof/checkpoint.js';
import type { Verifier } from '../proof/verifier.js';
import type { ReadTx, Store, Tx } from '../store/store.js';
import { assertAuthenticHead, type Head, isBrokenLog, readHead, rolledBack } from './head.js';
import type { Heads, KnownHead } from './heads.js';
import type { KeyRing } from './keys.js';
import { LEDGER_LIMITS } from './limits.js';
import { openCheckpoint, signCheckpoint } from './notes.js';
import { ownLogWithKey } from './own-log.js';
import { rootAt } from './stored-tree.js';
import { rootOf, verifierOf } from './tree.js';

export interface SignedHead extends KnownHead {
  readonly root: string;
}

/** The facts about a log's signatures that every call reads, as plain data without functions. */
export interface SigningState {
  /** From this size of the log on, `grown` must be called. */
  nextAt: number;
  /** True if the last signature failed: then `refusal` must be asked before every call. */
  isFailing: boolean;
}

export interface Signer {
  readonly state: Readonly<SigningState>;
  /** Signs the log as it is in `tx`, whose commit must be synced to disk. The signed note may be published only after that commit. */
  signIn(tx: Tx): Promise<SignedHead>;
  /** Signs the log if it has grown, and copies the head outside the store. The promise never rejects. */
  sign(): Promise<void>;
  /** Calls `sign` when the event loop is free. */
  soon(): void;
  /** To be called when the log has grown to `size` records. Signs the log soon if many records are unsigned, at most once a second. */
  grown(size: number): void;
  /**
   * The error for new calls while the log could not be signed several times in a row; else undefined. Called before every call, and tries
   * again to sign the log if the last try failed.
   */
  refusal(): ColibriError | undefined;
}

export interface SignerOptions {
  readonly store: Store;
  readonly log: string;
  readonly keys: KeyRing;
  readonly heads: Heads;
  /** Writes a file beside the heads that names their store; called once, after the first head was written or found. */
  readonly bind?: (() => Promise<void>) | undefined;
  readonly warn: (message: string) => void;
  /** A callback for the case that the store contradicts a signed checkpoint or head: from then on nothing may be appended. */
  readonly onBroken: (error: ColibriError) => void;
}

export const verifierFor = async (tx: Pick<ReadTx, 'get'>, log: string): Promise<Verifier> => {
  const row = await tx.get<{ public_key: string }>('SELECT public_key FROM logs WHERE log_id = ?', log);
  return verifierOf(originOf(log), Buffer.from(row?.public_key ?? '', 'hex'));
};

const rootIn = (note: string, verifier: Verifier): string | undefined => {
  const opened = openCheckpoint(note, verifier, { allowCosignatures: true });
  return 'checkpoint' in opened ? opened.checkpoint.root : undefined;
};

const isSignedBy =
  (verifier: Verifier) =>
  (note: string): boolean =>
    rootIn(note, verifier) !== undefined;

/** How many records of a log are covered by the newest head that the log's key signed. */
export const signedSize = async (tx: ReadTx, heads: Heads, log: string): Promise<number> =>
  heads.newest(log, isSignedBy(await verifierFor(tx, log)))?.size ?? 0;

/** The newest head signed by the log's key, if the log in the store does not continue that head; otherwise undefined. */
export const lostHead = async (tx: ReadTx, heads: Heads, log: string): Promise<SignedHead | undefined> => {
  const verifier = await verifierFor(tx, log);
  const known = heads.newest(log, isSignedBy(verifier));
  const root = known && rootIn(known.note, verifier);
  if (known === undefined || root === undefined) return undefined;
  const head = await readHead(tx, log);
  const continues = head.size >= known.size && (await rootAt(tx, { log, base: head.base }, known.size)) === root;
  return continues ? undefined : { ...known, root };
};

/** Throws if the log does not begin with the records that its newest signed head covers: then nothing may be appended or signed. */
export const assertNotRolledBack = async (tx: ReadTx, heads: Heads, log: string): Promise<void> => {
  const lost = await lostHead(tx, heads, log);
  if (lost !== undefined)
    throw rolledBack(log, (await readHead(tx, log)).size, { size: lost.size, what: 'signed records' });
};

type CheckpointRow = { readonly no: number; readonly size: number; readonly note: string };

const newestCheckpoint = (tx: Pick<Tx, 'get'>, log: string): Promise<CheckpointRow | undefined> =>
  tx.get<CheckpointRow>('SELECT no, size, note FROM checkpoints WHERE log_id = ? ORDER BY no DESC LIMIT 1', log);

const corrupt = (what: string): ColibriError =>
  new ColibriError('STORE_CORRUPT', `${what}; nothing was signed.`, {
    remedy: 'colibri verify says where. Restore a backup.',
  });

/** The Merkle root of the log, recomputed. Throws unless the log begins with the records that the newest checkpoint covers. */
const checkedRoot = async (tx: Tx, log: string, head: Head, newest: CheckpointRow | undefined): Promise<string> => {
  const place = { log, base: head.base };
  const root = await rootAt(tx, place, head.size);
  if (root !== rootOf(head.frontier)) throw corrupt(`the head of log ${log} is not the root of its records`);
  if (newest === undefined) return root;
  const signed = rootIn(newest.note, await verifierFor(tx, log));
  if (newest.size > head.size || (await rootAt(tx, place, newest.size)) !== signed) {
    throw corrupt(`the first ${newest.size} records of log ${log} are not those that were signed`);
  }
  return root;
};

const notSigned = (why: string): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', `The log cannot be signed, so nothing new is recorded: ${why}`, {
    remedy: 'Every call makes Colibri try again to sign the log. colibri doctor says what is wrong with the key.',
  });

/**
 * Copies checkpoints that have no copy yet to the heads outside the store; returns whether there were any. The rows are read again, so that
 * only committed checkpoints are published.
 */
const publishHeads = async ({ store, log, keys, heads }: SignerOptions): Promise<boolean> => {
  const verifier = await store.read((tx) => verifierFor(tx, log));
  const published = heads.newest(log, isSignedBy(verifier))?.size ?? 0;
  const unpublished = await store.read((tx) =>
    tx.all<CheckpointRow>(
      'SELECT no, size, note FROM checkpoints WHERE log_id = ? AND size > ? ORDER BY no DESC LIMIT ?',
      log,
      published,
      LEDGER_LIMITS.headsKept,
    ),
  );
  // A new folder gets many heads at once. Syncing each to disk takes time, so the event loop may answer calls in between.
  for (const { size, note } of unpublished.toReversed()) {
    heads.add(log, { size, note });
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (unpublished.length === 0) return false;
  heads.thin(log);
  keys.tidy();
  return true;
};

const privateKeyOf = (keys: KeyRing, log: string): KeyObject => {
  const key = keys.find(log);
  if (key !== undefined) return key;
  throw new ColibriError('STORE_UNAVAILABLE', `The key of log ${log} is gone: nothing can be signed.`, {
    remedy: 'Put the key back, or restart Colibri to begin a new log.',
  });
};

/** Signs the log as it is, if it has grown since the newest checkpoint, and inserts the new checkpoint. */
const insertCheckpoint = async (tx: Tx, { log, keys, heads }: SignerOptions): Promise<SignedHead> => {
  const newest = await newestCheckpoint(tx, log);
  const head = await readHead(tx, log);
  const root = await checkedRoot(tx, log, head, newest);
  if (newest?.size === head.size) return { size: head.size, root, note: newest.note };
  await assertNotRolledBack(tx, heads, log);
  const key = privateKeyOf(keys, log);
  await assertAuthenticHead(tx, ownLogWithKey(log, key));
  const note = signCheckpoint({ origin: originOf(log), size: head.size, root }, key);
  const no = (newest?.no ?? 0) + 1;
  await tx.run('INSERT INTO checkpoints (log_id, no, size, note) VALUES (?, ?, ?, ?)', log, no, head.size, note);
  return { size: head.size, root, note };
};

export const createSigner = (options: SignerOptions): Signer => {
  const { store, log, bind, warn, onBroken } = options;
  let signed = { size: 0, atMs: Number.NEGATIVE_INFINITY };
  let failures = 0;
  const state: SigningState = { nextAt: LEDGER_LIMITS.recordsPerCheckpoint, isFailing: false };
  let waiting = false;
  let isSigning = false;
  let isBound = false;

  const signIn = async (tx: Tx): Promise<SignedHead> => {
    try {
      return await insertCheckpoint(tx, options);
    } catch (thrown) {
      if (isBrokenLog(thrown)) onBroken(thrown);
      throw thrown;
    }
  };

  /** Signs the log if it has grown, and returns the size of the newest signature. */
  const signGrown = async (): Promise<number> => {
    const sizes = await store.read(async (tx) => ({
      signed: (await newestCheckpoint(tx, log))?.size ?? 0,
      now: (await readHead(tx, log)).size,
    }));
    return sizes.signed === sizes.now ? sizes.signed : (await store.write(signIn, { sync: true })).size;
  };

  let why = '';
  const sign = async (): Promise<void> => {
    isSigning = true;
    try {
      signed = { size: await signGrown(), atMs: monotonicMs() };
      state.nextAt = signed.size + LEDGER_LIMITS.recordsPerCheckpoint;
      failures = 0;
    } catch (thrown) {
      why = asError(thrown).message;
      if (failures === 0) warn(`the log was not signed: ${why}`);
      failures += 1;
    } finally {
      isSigning = false;
      state.isFailing = failures > 0;
    }
    try {
      if ((await publishHeads(options)) && !isBound) {
        await bind?.();
        isBound = true;
      }
    } catch (thrown) {
      warn(`the signed head could not be copied outside the store: ${asError(thrown).message}`);
    }
  };

  const soonAfter = (ms: number): void => {
    if (waiting) return;
    waiting = true;
    const begin = (): void => {
      waiting = false;
      void sign();
    };
    if (ms > 0) setTimeout(begin, ms).unref();
    else setImmediate(begin);
  };

  return {
    state,
    signIn,
    sign,
    soon: () => soonAfter(0),
    grown: (size) => {
      // While a signature is being made, `state` still describes the signature before it.
      if (!isSigning && size >= state.nextAt) soonAfter(signed.atMs + LEDGER_LIMITS.signGapMs - monotonicMs());
    },
    refusal: () => {
      if (failures > 0) soonAfter(LEDGER_LIMITS.signGapMs);
      return failures >= LEDGER_LIMITS.signTries ? notSigned(why) : undefined;
    },
  };
};
