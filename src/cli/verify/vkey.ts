// The key of a log as people hand it on: a C2SP vkey, `<name>+<key hash>+<base64>`. Pure.
import { hash } from 'node:crypto';
import { fromBase64 } from '../../proof/base64.js';
import { originOf, type Verifier, verifierOf, vkeyOf } from '../../proof/checkpoint.js';

const VKEY = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+=*)$/;
const KEY_BYTES = 32;

export const isVkey = (text: string): boolean => VKEY.test(text);

/** Our logs are named after their key, so a name with another key behind it is a forgery. */
const isNamedAfter = (name: string, publicKey: Buffer): boolean =>
  !name.startsWith(originOf('')) || name === originOf(hash('sha256', publicKey).slice(0, 32));

/** Undefined where the text is no Ed25519 vkey, or its parts do not belong together. */
export const parseVkey = (text: string): Verifier | undefined => {
  const [, name = '', , encoded = ''] = VKEY.exec(text) ?? [];
  const bytes = fromBase64(encoded);
  if (bytes?.length !== 1 + KEY_BYTES || bytes[0] !== 1) return undefined;
  const verifier = verifierOf(name, bytes.subarray(1));
  return vkeyOf(verifier) === text && isNamedAfter(name, verifier.publicKey) ? verifier : undefined;
};

/** The verifier of a log by what a store keeps of it; undefined where the key is not the one the log is named after. */
export const verifierOfRow = (log: string, publicKey: string): Verifier | undefined => {
  const key = Buffer.from(publicKey, 'hex');
  return key.length === KEY_BYTES && isNamedAfter(originOf(log), key) ? verifierOf(originOf(log), key) : undefined;
};
