// Stores the signing key of each log: one file per key, outside the project and readable by its owner only. A log's id is derived from its
// public key, so a checkpoint, which names the log, shows which key must have signed it.
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { asError, ColibriError, systemCode } from '../errors.js';
import { removeUnfinished, writeOnce } from '../files/durable-file.js';

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
  tidy(): void;
}

const LOG_ID = /^[0-9a-f]{32}$/;

const describeKey = (key: KeyObject): LogKey => {
  // The last 32 bytes of an Ed25519 SubjectPublicKeyInfo are the key itself (RFC 8410 §4).
  const raw = createPublicKey(key).export({ type: 'spki', format: 'der' }).subarray(-32);
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

const keyDirectory = (dir: string): KeyRing => ({
  find: (logId) => keyOf(logId, join(dir, logId)),
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
const keyFile = (path: string): KeyRing => ({
  find: (logId) => keyOf(logId, path),
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
