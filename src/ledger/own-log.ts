// A log that this process may append to. Every append writes a MAC of the log's new head under a key derived from the log's private key, so
// that records which somebody without the key appended are found before they are continued or signed.
import { createHmac, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { ColibriError } from '../errors.js';
import type { KeyRing } from './keys.js';

const LABEL = 'colibri head v1';
const MAC_KEY_BYTES = 32;

/** What the MAC of a head covers, besides the log: the number of records and the Merkle frontier over them. */
export interface HeadText {
  readonly size: number;
  /** The frontier as the row of the log has it. */
  readonly frontier: string;
}

export interface OwnLog {
  readonly id: string;
  /** The MAC of a head of this log, 64 hex digits. */
  mac(head: HeadText): string;
  /** Whether `mac` is the MAC of this head. The head that this process wrote last costs nothing to recognize. */
  isOurs(head: HeadText, mac: string): boolean;
  /** A number of records that this process knows to be committed: a log with fewer was rolled back. */
  committed: number;
}

/** The key of the head MACs: HKDF-SHA-256 of the 32 bytes of the Ed25519 private key, without a salt. */
const macKeyOf = (key: KeyObject): Buffer => {
  const seed = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url');
  return Buffer.from(hkdfSync('sha256', seed, '', LABEL, MAC_KEY_BYTES));
};

export const ownLogWithKey = (id: string, key: KeyObject): OwnLog => {
  const macKey = macKeyOf(key);
  let last = { size: -1, frontier: '', mac: '' };
  const compute = ({ size, frontier }: HeadText): string =>
    createHmac('sha256', macKey).update(`${id}\n${size}\n${frontier}`).digest('hex');
  return {
    id,
    committed: 0,
    mac: ({ size, frontier }) => {
      last = { size, frontier, mac: compute({ size, frontier }) };
      return last.mac;
    },
    isOurs: (head, mac) => {
      if (last.size === head.size && last.mac === mac && last.frontier === head.frontier) return true;
      const [right, given] = [Buffer.from(compute(head)), Buffer.from(mac)];
      return right.length === given.length && timingSafeEqual(right, given);
    },
  };
};

/** The log with its key from the key ring. Throws if the key is gone: without it nothing can be appended. */
export const ownLogOf = (keys: KeyRing, id: string): OwnLog => {
  const key = keys.find(id);
  if (key !== undefined) return ownLogWithKey(id, key);
  throw new ColibriError('STORE_UNAVAILABLE', `The key of log ${id} is gone: nothing can be written to it.`, {
    remedy: 'Put the key back, or restart to begin a new log.',
  });
};
