// Signs a log for a command, as `serve` does every minute, but at once and with failures reported.
import { ColibriError } from '../errors.js';
import { bindHeads } from '../ledger/binding.js';
import { readHead } from '../ledger/head.js';
import { assertNotRolledBack, type SignedHead, verifierFor } from '../ledger/heads.js';
import { openLogOf } from '../ledger/open.js';
import { coveringCheckpoint } from '../ledger/prove.js';
import { createSigner, type Signer } from '../ledger/signer.js';
import { vkeyOf } from '../proof/verifier.js';
import type { ReadTx, Store } from '../store/store.js';
import { readingStore, writingStore } from './access.js';
import { mayWrite, type StoreAt } from './place.js';
import { oneLine, plain, tell } from './screen/print.js';

export const signerOf = ({ keys, heads }: StoreAt, store: Store, log: string): Signer =>
  createSigner({ store, log, keys, heads, warn: (message) => tell(plain(message)), onBroken: () => {} });

/**
 * Writes a copy of the signed head outside the store: only such a copy shows that the store was changed. Returns an error if that failed.
 */
export const publish = async (
  { heads, headsDir }: StoreAt,
  log: string,
  head: SignedHead,
): Promise<ColibriError | undefined> => {
  try {
    await heads.add(log, head);
    return undefined;
  } catch (thrown) {
    const problem = `The copy of the signed head could not be written: ${oneLine(thrown)}`;
    const remedy = `Make ${headsDir} writable for this user, or set COLIBRI_HEADS_DIR.`;
    const unpublished = new ColibriError('STORE_UNAVAILABLE', problem, { remedy });
    tell(`colibri: ${oneLine(unpublished)}`);
    return unpublished;
  }
};

/** Signs a log if it has grown. Rejects if the store contradicts an earlier signature, or if the key is missing. */
export const signLog = async (at: StoreAt, store: Store, log: string) => {
  const signer = signerOf(at, store, log);
  const signed = await store.write(
    async (tx) => {
      await assertNotRolledBack(tx, at.heads, log);
      const { size } = await readHead(tx, log);
      /** True if the log is signed now; false if it has not grown since the last signature. */
      const fresh = (await coveringCheckpoint(tx, { log, seq: size - 1 })) === undefined;
      return { ...(await signer.signIn(tx)), fresh, vkey: vkeyOf(await verifierFor(tx, log)) };
    },
    { sync: true },
  );
  const unpublished = await publish(at, log, signed);
  if (unpublished === undefined) await bindHeads(store, at.heads, at.site);
  return { log, ...signed, ...(unpublished && { unpublished }) };
};

export type Signed = Awaited<ReturnType<typeof signLog>>;

/** Signs a log from which contents were removed. A failed signature is only reported, because the contents are already gone. */
export const signRemoval = (at: StoreAt, store: Store, log: string): Promise<unknown> =>
  signLog(at, store, log).catch((thrown: unknown) => tell(`colibri: ${oneLine(thrown)}`));

/**
 * Signs the log of this machine and user before its records leave the machine, so that none of them is unsigned. A failure is only
 * reported; the verdict about a backup says how many of the backup's records are unsigned.
 */
export const signFirst = async (at: StoreAt): Promise<void> => {
  if (!mayWrite(at)) return;
  try {
    const log = await readingStore(at, (store) => store.read((tx) => unsignedLog(tx, at)));
    if (log !== undefined) await writingStore(at, (store) => signLog(at, store, log));
  } catch (thrown) {
    tell(`colibri: the log was not signed first: ${oneLine(thrown)}`);
  }
};

/** The open log of this machine and user, if it has records that no signature covers. */
const unsignedLog = async (tx: ReadTx, { node }: StoreAt): Promise<string | undefined> => {
  const log = await openLogOf(tx, node);
  if (log === undefined) return undefined;
  const { size } = await readHead(tx, log);
  return (await coveringCheckpoint(tx, { log, seq: size - 1 })) === undefined ? log : undefined;
};
