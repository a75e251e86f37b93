// A log that this process may append to. Every append writes a MAC of the log's new head (size and Merkle frontier), with a key derived from the
// log's private key. So records that somebody without the private key added are noticed before Colibri appends after them or signs them.
import { createHmac, hash, hkdfSync, type KeyObject, sign, timingSafeEqual } from 'node:crypto';
import { ColibriError } from '../errors.js';
import type { Frontier } from '../proof/merkle.js';
import { type KeyRing, publicKeyOf } from './keys.js';

/** What the keys that are derived from a log's private key are for. */
const LABELS = {
  approval: 'colibri approval v1',
  head: 'colibri head v1',
  journal: 'colibri journal v1',
  vrf: 'colibri vrf v1',
} as const;
const DERIVED_KEY_BYTES = 32;

/** What the MAC of a head covers, besides the log: the number of records and the Merkle frontier over them. */
export interface HeadText {
  readonly size: number;
  /** The hashes of the Merkle frontier in hex, joined to one text, as the column `frontier` of the log holds them. */
  readonly frontier: string;
}

export interface OwnLog {
  readonly id: string;
  /** The MAC of a head of this log, 64 hex digits. */
  mac(head: HeadText): string;
  /** The MAC of a frame of an intent journal, for the checksum of that frame. */
  journalMac(sum: string): string;
  /** The secret of the log's verifiable random function (docs/consensus.md), 32 bytes. */
  vrfSeed(): Uint8Array;
  /** The MAC of what an approval is asked for, 64 hex digits: equal texts have equal ones, and nobody without the key can make one. */
  approvalMac(text: string): string;
  /** The public part of the log's key, 64 hex digits. */
  readonly publicKey: string;
  /** An Ed25519 signature with the log's key, of JSON, which nobody can take for a checkpoint, or of a checkpoint of this log. */
  sign(text: string): Uint8Array;
  /** Whether `mac` is the MAC of this head. For the head that this process wrote last, no MAC has to be computed. */
  isOurs(head: HeadText, mac: string): boolean;
  /** Whether the head with this MAC is the one that this process wrote last. */
  wroteLast(mac: string): boolean;
  /** How many records of the log this process has seen committed. If the log has fewer, its store was replaced by an older one. */
  committed: number;
  /** The head that this process wrote last; undefined if another process seems to write the log too. `append` tests whether it is still the head. */
  left: LeftHead | undefined;
  /** The process that appends, once it has booted: on a server, its row must still be there (docs/adr/0073-postgresql.md). */
  instance: string | undefined;
  /** True once this process was found to be taken for dead: then nothing of it is appended any more. */
  isGone: boolean;
  /** Called when that is found. */
  onGone: (() => void) | undefined;
}

/** A head that a transaction of this process wrote. The transaction may have been rolled back since. */
export interface LeftHead extends HeadText {
  /** The id of the log's record 0. */
  readonly base: number;
  readonly hashes: Frontier;
  readonly mac: string;
}

/** A key of another use: HKDF-SHA-256 of the 32 bytes of the Ed25519 private key, without a salt. */
const derivedKeyOf = (key: KeyObject, label: string): Buffer => {
  const seed = Buffer.from(key.export({ format: 'jwk' }).d ?? '', 'base64url');
  return Buffer.from(hkdfSync('sha256', seed, '', label, DERIVED_KEY_BYTES));
};

/** The block size of SHA-256 in bytes; RFC 2104 combines the key with one pad for the inner hash and with another one for the outer hash. */
const BLOCK_BYTES = 64;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/**
 * Returns a function that computes the HMAC-SHA-256 (RFC 2104) of an ASCII text with this key. Every transaction needs one, and createHmac of
 * node:crypto sets up a key and a stream each time, which takes longer than the hashing.
 */
const hmacWith = (key: Buffer): ((text: string) => string) => {
  const padded = (pad: number): Uint8Array => Buffer.from(key).map((byte) => byte ^ pad);
  const block = (pad: number): Buffer => Buffer.concat([padded(pad), Buffer.alloc(BLOCK_BYTES - key.length, pad)]);
  const [inner, outer] = [block(INNER_PAD).toString('latin1'), block(OUTER_PAD).toString('hex')];
  return (text) => hash('sha256', Buffer.from(outer + hash('sha256', Buffer.from(inner + text, 'latin1')), 'hex'));
};

export const ownLogWithKey = (id: string, key: KeyObject): OwnLog => {
  const hmac = hmacWith(derivedKeyOf(key, LABELS.head));
  const journalMac = hmacWith(derivedKeyOf(key, LABELS.journal));
  let last = { size: -1, frontier: '', mac: '' };
  const compute = ({ size, frontier }: HeadText): string => hmac(`${id}\n${size}\n${frontier}`);
  return {
    id,
    committed: 0,
    left: undefined,
    instance: undefined,
    isGone: false,
    onGone: undefined,
    journalMac,
    approvalMac: (text) => createHmac('sha256', derivedKeyOf(key, LABELS.approval)).update(text).digest('hex'),
    vrfSeed: () => derivedKeyOf(key, LABELS.vrf),
    get publicKey() {
      return publicKeyOf(key).toString('hex');
    },
    sign: (text) => sign(null, Buffer.from(text), key),
    wroteLast: (mac) => last.mac === mac,
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

/** The log with its private key from the key ring. Throws if the key is gone: without the key nothing can be appended. */
export const ownLogOf = (keys: KeyRing, id: string): OwnLog => {
  const key = keys.find(id);
  if (key !== undefined) return ownLogWithKey(id, key);
  throw new ColibriError('STORE_UNAVAILABLE', `The key of log ${id} is gone: nothing can be written to that log.`, {
    remedy: 'Put the key back, or restart Colibri to begin a new log.',
  });
};
