// Runs the checker of proof/ in the browser, with SHA-256 and Ed25519 in JavaScript: a page that is opened from disk has no other crypto in every browser.
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { toHex, toUtf8 } from '../../proof/bytes.js';
import type { ProofCrypto } from '../../proof/crypto.js';
import { type Hashes, hashesFrom } from '../../proof/hashes.js';
import { PAGE_LIMITS } from './limits.js';

export const crypto: ProofCrypto = {
  sha256: (bytes) => sha256(bytes),
  // RFC 8032 word for word: `zip215` would accept more.
  verifyEd25519: ({ publicKey, message, signature }) => {
    try {
      return ed25519.verify(signature, message, publicKey, { zip215: false });
    } catch {
      return false;
    }
  },
};

export const pageHashes: Hashes = hashesFrom(crypto.sha256);

/** Lets the browser draw and answer before the work goes on. A timer would wait 4 ms each time. */
export const breathe = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/** A pause that breathes only if the last breath was long ago. */
export const pauses = (): (() => Promise<void>) => {
  let last = performance.now();
  return async () => {
    if (performance.now() - last < PAGE_LIMITS.sliceMs) return;
    await breathe();
    last = performance.now();
  };
};

/** Where a text may be cut so that no surrogate pair is torn. */
const cutFrom = (text: string, at: number): number => {
  const code = text.charCodeAt(at - 1);
  return at < text.length && code >= 0xd800 && code <= 0xdbff ? at - 1 : at;
};

/** The SHA-256 of a text of any length. */
export const hashOfText = async (text: string, pause: () => Promise<void>): Promise<string> => {
  const hash = sha256.create();
  for (let at = 0; at < text.length; ) {
    const end = cutFrom(text, Math.min(text.length, at + PAGE_LIMITS.hashedChars));
    hash.update(toUtf8(text.slice(at, end)));
    at = end;
    await pause();
  }
  return toHex(hash.digest());
};
