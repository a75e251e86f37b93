// The key files of enrolled voters: one file for each voter, readable by its owner only. `colibri voters add` makes one; COLIBRI_VOTER_KEY names the one
// of this process, which signs its votes with it.
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StatementKey } from '../consensus/signed.js';
import { quietly } from '../errors.js';
import { writeOnce } from '../files/durable-file.js';
import { NotPrivate, readPrivateText } from '../files/private-text.js';
import { publicKeyOf } from '../ledger/keys.js';
import { START_LIMITS } from './limits.js';

/** Why a process has no key although one is named. */
export interface KeyProblem {
  readonly problem: string;
}

export const voterKeyFile = (stateDir: string, name: string): string => join(stateDir, 'voters', `${name}.key`);

const statementKeyOf = (key: KeyObject): StatementKey => ({
  publicKey: publicKeyOf(key).toString('hex'),
  sign: (text) => sign(null, Buffer.from(text), key),
});

/** Makes a new key in a file that does not exist yet. Returns the public part, 64 hex digits. */
export const makeVoterKey = (path: string): string => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync('ed25519');
  writeOnce(path, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  return statementKeyOf(privateKey).publicKey;
};

/** The key in a file, or why there is none. No message shows what is in the file. */
export const readVoterKey = (path: string): StatementKey | KeyProblem => {
  try {
    const text = readPrivateText(path, START_LIMITS.keyFileBytes, 'the key');
    const key = quietly(() => createPrivateKey(text));
    return key?.asymmetricKeyType === 'ed25519'
      ? statementKeyOf(key)
      : { problem: `COLIBRI_VOTER_KEY: ${path} does not hold an Ed25519 key in PEM` };
  } catch (thrown) {
    if (thrown instanceof NotPrivate) return { problem: `COLIBRI_VOTER_KEY: ${path} ${thrown.message}` };
    throw thrown;
  }
};
