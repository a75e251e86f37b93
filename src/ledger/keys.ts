// Stores the signing key of each log: one file per key, outside the project and readable by its owner only. A log's id is derived from its
// public key, so a checkpoint, which names the log, shows which key must have signed it.
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { asError, ColibriError, systemCode } from '../errors.js';
import { removeUnfinished, writeOnce } from '../files/durable-file.js';
import type { Store } from '../store/store.js';

export interface LogKey {
  readonly logId: string;
  /** The raw Ed25519 public key in hex. */
  readonly publicKey: string;
}

/** The signing keys of this user on this machine. */
export interface KeyRing {
  /** The private key of a log; undefined if the key's file is missing. */
  find(logId: string): KeyObject | undefined;
  /** Creates a key for a new log. The key is on disk and synced before it is returned. */
  create(): LogKey;
  /** Removes a key that `create` made but no log uses. */
  discard(key: LogKey): void;
  /** Removes unfinished files of killed processes, since they may contain a key. */
  tidy(): Promise<void>;
}

const LOG_ID = /^[0-9a-f]{32}$/;

const KEY_BYTES = 32;

/** The raw Ed25519 public key of a private key: the last 32 bytes of its SubjectPublicKeyInfo (RFC 8410 §4). */
export const publicKeyOf = (key: KeyObject): Buffer =>
  createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-KEY_BYTES);

const describeKey = (key: KeyObject): LogKey => {
  const raw = publicKeyOf(key);
  return { logId: hash('sha256', raw).slice(0, 32), publicKey: raw.toString('hex') };
};

const writeKey = (path: string, key: KeyObject): void =>
  writeOnce(path, key.export({ type: 'pkcs8', format: 'pem' }).toString());

/**
 * The private key in a file; undefined if the file is missing, which means that the key is lost. Throws if the file exists but cannot be
 * read: then the key is not lost, and its log must not be closed.
 */
const readKey = (path: string): KeyObject | undefined => {
  try {
    // The kind of file is checked before it is opened, because opening a pipe would block.
    if (!statSync(path).isFile()) throw new Error('it is not a file');
    return createPrivateKey(readFileSync(path));
  } catch (thrown) {
    const error = asError(thrown);
    if (systemCode(error) === 'ENOENT') return undefined;
    throw new ColibriError('STORE_UNAVAILABLE', `the signing key ${path} cannot be read: ${error.message}`, {
      remedy: 'Make the file readable for this user, or put the right key there.',
      cause: error,
    });
  }
};

/** The private key of a log from a file; undefined if the file holds the key of another log. */
const keyOf = (logId: string, path: string): KeyObject | undefined => {
  const key = readKey(path);
  return key !== undefined && describeKey(key).logId === logId ? key : undefined;
};

/** The file at a path as it is now, in a text that differs for a file that was replaced or changed; undefined if it cannot be looked at. */
const stateOf = (path: string): string | undefined => {
  try {
    const { dev, ino, size, mtimeMs, ctimeMs } = statSync(path);
    return [dev, ino, size, mtimeMs, ctimeMs].join();
  } catch {
    return undefined;
  }
};

/**
 * Returns a function like `keyOf` that keeps the last key it found for as long as the key's file stays as it was: reading a key holds the event
 * loop up for almost half a millisecond, and every signature needs the key.
 */
const keyFinder = (): typeof keyOf => {
  let kept: { readonly logId: string; readonly state: string; readonly key: KeyObject } | undefined;
  return (logId, path) => {
    const state = stateOf(path);
    if (kept !== undefined && kept.logId === logId && kept.state === state) return kept.key;
    const key = keyOf(logId, path);
    kept = key === undefined || state === undefined ? undefined : { logId, state, key };
    return key;
  };
};

const keyDirectory = (dir: string, find = keyFinder()): KeyRing => ({
  find: (logId) => find(logId, join(dir, logId)),
  create: () => {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = describeKey(privateKey);
    writeKey(join(dir, key.logId), privateKey);
    return key;
  },
  discard: (key) => rmSync(join(dir, key.logId), { force: true }),
  tidy: () => removeUnfinished(dir, (name) => LOG_ID.test(name)),
});

/** A key ring of one named key file (COLIBRI_KEY_FILE): the file is used if it exists, created if not, and never removed. */
const keyFile = (path: string, find = keyFinder()): KeyRing => ({
  find: (logId) => find(logId, path),
  create: () => {
    const present = readKey(path);
    if (present !== undefined) return describeKey(present);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const { privateKey } = generateKeyPairSync('ed25519');
    writeKey(path, privateKey);
    return describeKey(privateKey);
  },
  discard: () => {},
  tidy: () => removeUnfinished(dirname(path), (name) => name === basename(path)),
});

export const keyRing = (place: { readonly dir: string; readonly file?: string | undefined }): KeyRing =>
  place.file === undefined ? keyDirectory(place.dir) : keyFile(place.file);

// Provides a key for a log that may have to be created. The key is made at most once, and removed again if no log uses it.

/** Whether a log uses this key. True if that cannot be determined: keeping an unused key is harmless, losing a used one is not. */
const isTaken = (store: Store, key: LogKey): Promise<boolean> =>
  store
    .read((tx) => tx.get('SELECT node FROM logs WHERE log_id = ?', key.logId))
    .then((row) => row !== undefined)
    .catch(() => true);

/** Passes `use` a function that returns the same new key however often a transaction runs, and removes the key if no log uses it. */
export const withSpareKey = async <T>(
  { store, keys }: { readonly store: Store; readonly keys: KeyRing },
  use: (spare: () => LogKey) => Promise<T>,
) => {
  let made: LogKey | undefined;
  const spare = (): LogKey => {
    made ??= keys.create();
    return made;
  };
  try {
    return await use(spare);
  } finally {
    if (made !== undefined && !(await isTaken(store, made))) keys.discard(made);
  }
};
