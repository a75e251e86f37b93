// Stores the signing key of each log: one file per key, outside the project and readable by its owner only. A log's id is derived from its
// public key, so a checkpoint shows which key must have signed it.
import { createPrivateKey, createPublicKey, generateKeyPairSync, hash, type KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { asError, ColibriError, systemCode } from '../errors.js';
import { removeUnfinished, writeOnce } from '../files/durable-file.js';

export interface LogKey {
  readonly logId: string;
  /** Raw Ed25519 public key, hex. */
  readonly publicKey: string;
}

/** The keys of this user on this machine. */
export interface KeyRing {
  /** The private key of a log; undefined if its file is gone. */
  find(logId: string): KeyObject | undefined;
  /** Creates a key for a new log; it is on disk and synced before it is returned. */
  create(): LogKey;
  /** Removes a key that `create` made but no log uses. */
  discard(key: LogKey): void;
  /** Removes files that killed processes did not finish, since they may contain a key. */
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

/** A missing file means that the key is lost. A file that cannot be read does not, and must not make us give up the log. */
const readKey = (path: string): KeyObject | undefined => {
  try {
    // Checked before opening: a pipe would block.
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

/** The key of a log; undefined if the file holds the key of another log. */
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

/** One named file (COLIBRI_KEY_FILE): used if it exists, created if not, never removed. */
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
