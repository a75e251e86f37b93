// Says when a log is signed: if it has grown, at most once a second under load, never twice at once. Copies each signature outside the store.
// If a log must not be signed because the store contradicts what was signed before, nothing more is appended either.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicMs } from '../core/clock.js';
import { asError, ColibriError } from '../errors.js';
import type { ReadTx, Store, Tx } from '../store/store.js';
import { isBrokenLog, readHead } from './head.js';
import { type Heads, newestSigned, publicKeyIn, rootReader, type SignedHead } from './heads.js';
import type { KeyRing } from './keys.js';
import { LEDGER_LIMITS } from './limits.js';
import {
  insertCheckpoint,
  isNext,
  type MadeCheckpoint,
  makeCheckpoint,
  newestCheckpoint,
  signingKeyIn,
} from './make-checkpoint.js';
import { type KnownNotes, knownNotes } from './notes.js';

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
  /** Signs the log if it has grown, and copies the head outside the store; never twice at once. The promise never rejects. */
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
  /** Called each time after the log was signed, or was found to be signed already. */
  readonly onSigned?: (() => void) | undefined;
  /** A callback for the case that the store contradicts a signed checkpoint or head: from then on nothing may be appended. */
  readonly onBroken: (error: ColibriError) => void;
}

const notSigned = (why: string): ColibriError =>
  new ColibriError('STORE_UNAVAILABLE', `The log cannot be signed, so nothing new is recorded: ${why}`, {
    remedy: 'Every call makes Colibri try again to sign the log. colibri doctor says what is wrong with the key.',
  });

/** Returns functions that sign the log: in a transaction, and by themselves. */
const signaturesOf = ({ store, log, keys, heads, onBroken }: SignerOptions, notes: KnownNotes) => {
  const parts = { heads, notes, findKey: signingKeyIn(keys, log) };

  const signIn = async (tx: Tx): Promise<SignedHead> => {
    try {
      const made = await makeCheckpoint(tx, log, parts);
      if (made.isNew) await insertCheckpoint(tx, log, made);
      return made;
    } catch (thrown) {
      if (isBrokenLog(thrown)) onBroken(thrown);
      throw thrown;
    }
  };

  const sizesIn = async (tx: ReadTx) => ({
    signed: (await newestCheckpoint(tx, log))?.size ?? 0,
    now: (await readHead(tx, log)).size,
  });

  /**
   * Makes a checkpoint without the write lock; returns undefined if a check failed. Only a transaction can tell what that means: another process
   * may have published a head that is newer than this snapshot.
   */
  const makeAhead = (): Promise<MadeCheckpoint | undefined> =>
    store.read((tx) => makeCheckpoint(tx, log, parts)).catch(() => undefined);

  /**
   * Signs the log if it has grown, and returns the size of the newest signature. The checks and the signature are done before the transaction,
   * whose commit waits for the disk, and in a turn of the event loop of their own.
   */
  const signGrown = async (): Promise<number> => {
    const sizes = await store.read(sizesIn);
    if (sizes.signed === sizes.now) return sizes.signed;
    const made = await makeAhead();
    await nextTurn();
    const insert = async (tx: Tx): Promise<number> => {
      if (made === undefined || !(await isNext(tx, log, made))) return (await signIn(tx)).size;
      await insertCheckpoint(tx, log, made);
      return made.size;
    };
    return store.write(insert, { sync: true, log });
  };

  return { signIn, signGrown };
};

/**
 * Copies checkpoints that have no copy yet to the heads outside the store; returns whether there were any. The rows are read again, so that
 * only committed checkpoints are published.
 */
const publishHeads = async ({ store, log, heads }: SignerOptions, notes: KnownNotes): Promise<boolean> => {
  const publicKey = await store.read((tx) => publicKeyIn(tx, log));
  const published = newestSigned(heads, { log, publicKey }, notes.rootIn)?.size ?? 0;
  const unpublished = await store.read((tx) =>
    tx.all<{ size: number; note: string }>(
      'SELECT size, note FROM checkpoints WHERE log_id = ? AND size > ? ORDER BY no DESC LIMIT ?',
      log,
      published,
      LEDGER_LIMITS.headsKept,
    ),
  );
  for (const { size, note } of unpublished.toReversed()) await heads.add(log, { size, note });
  return unpublished.length > 0;
};

/** Returns a function that copies the log's signatures outside the store, and says there which store they belong to. */
const publisherOf = (options: SignerOptions, notes: KnownNotes): (() => Promise<void>) => {
  const { log, keys, heads, bind } = options;
  let isBound = false;
  let tidiedMs = Number.NEGATIVE_INFINITY;
  return async () => {
    if (!(await publishHeads(options, notes))) return;
    if (!isBound) await bind?.();
    isBound = true;
    if (monotonicMs() - tidiedMs < LEDGER_LIMITS.tidyGapMs) return;
    tidiedMs = monotonicMs();
    await heads.thin(log);
    await keys.tidy();
  };
};

/** Returns a function that runs `act`, but never twice at once: a call during a run begins one further run after it. */
const oneAtATime = (act: () => Promise<void>): (() => Promise<void>) => {
  let last = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    const run = (): Promise<void> => {
      next = undefined;
      return act();
    };
    next ??= last.then(run, run);
    last = next;
    return last;
  };
};

export const createSigner = (options: SignerOptions): Signer => {
  const { log, warn } = options;
  const notes = knownNotes(rootReader(log));
  const { signIn, signGrown } = signaturesOf(options, notes);
  const publishAll = publisherOf(options, notes);
  let signed = { size: 0, atMs: Number.NEGATIVE_INFINITY };
  let failures = 0;
  const state: SigningState = { nextAt: LEDGER_LIMITS.recordsPerCheckpoint, isFailing: false };
  let waiting = false;
  let isSigning = false;

  let why = '';
  const signOnce = oneAtATime(async () => {
    isSigning = true;
    try {
      signed = { size: await signGrown(), atMs: monotonicMs() };
      state.nextAt = signed.size + LEDGER_LIMITS.recordsPerCheckpoint;
      failures = 0;
      options.onSigned?.();
    } catch (thrown) {
      why = asError(thrown).message;
      if (failures === 0) warn(`the log was not signed: ${why}`);
      failures += 1;
    } finally {
      isSigning = false;
      state.isFailing = failures > 0;
    }
  });
  // A slow folder of heads does not delay the next signature.
  const publish = oneAtATime(async () => {
    try {
      await publishAll();
    } catch (thrown) {
      warn(`the signed head could not be copied outside the store: ${asError(thrown).message}`);
    }
  });
  const sign = async (): Promise<void> => {
    await signOnce();
    await publish();
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
