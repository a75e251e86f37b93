// A log that is written with a key of no key ring, for stores that a test builds by hand.
import { generateKeyPairSync } from 'node:crypto';
import { type OwnLog, ownLogWithKey } from '../../src/ledger/own-log.js';

const { privateKey } = generateKeyPairSync('ed25519');

export const logWithoutKey = (id: string): OwnLog => ownLogWithKey(id, privateKey);
