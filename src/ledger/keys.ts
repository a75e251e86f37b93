// The key of a log: one file per key, readable by its owner alone, outside the project. The log's name is made
// from the public key, so whoever holds a checkpoint knows which key must have signed it.
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

/** Where the keys of this user on this machine are. */
export interface KeyRing {
  /** The private key of a log; undefined where it is gone. */
  find(logId: string): KeyObject | undefined;
  /** A key for a new log, on disk and synced before it is returned. */
  create(): LogKey;
  /** Removes a key that `create` made and no log took. */
  discard(key: LogKey): void;
  /** Takes away what killed processes did not finish: it may hold a key. */
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

/** A missing file is a lost key; one that cannot be read is not, and must not cost a log. */
const readKey = (path: string): KeyObject | undefined => {
  try {
    // Asked before it is opened: a pipe would keep us waiting.
    if (!statSync(path).isFile()) throw new Error('it is no file');
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

/** A file that holds another log's key is not this log's. */
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

/** One named file (COLIBRI_KEY_FILE): used if it is there, made if it is not, never removed. */
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
