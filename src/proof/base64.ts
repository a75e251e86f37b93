// Base64 (RFC 4648 §4), decoded strictly: each value has exactly one text, and other texts that would decode to it are refused.
import { type Bytes, fromHex, toHex } from './bytes.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const NONE = 255;

/** The base64 value of each ASCII character. */
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const at = ALPHABET.indexOf(String.fromCharCode(code));
  return at < 0 ? NONE : at;
});

const paddingOf = (text: string): number => {
  if (text.endsWith('==')) return 2;
  return text.endsWith('=') ? 1 : 0;
};

export const fromBase64 = (text: string): Bytes | undefined => {
  if (text.length % 4 !== 0) return undefined;
  const padding = paddingOf(text);
  const bytes = new Uint8Array((text.length / 4) * 3 - padding);
  let [value, bits, end] = [0, 0, 0];
  for (let at = 0; at < text.length - padding; at++) {
    const digit = DIGITS[text.charCodeAt(at)] ?? NONE;
    if (digit === NONE) return undefined;
    value = ((value << 6) | digit) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[end++] = value >> bits;
  }
  // Bits that are left after the last whole byte must be 0, as an encoder writes them.
  return (value & ((1 << bits) - 1)) === 0 ? bytes : undefined;
};

const digitAt = (value: number, shift: number): string => ALPHABET.charAt((value >> shift) & 63);

export const toBase64 = (bytes: Uint8Array): string => {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const value = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    text += digitAt(value, 18) + digitAt(value, 12);
    text += at + 1 < bytes.length ? digitAt(value, 6) : '=';
    text += at + 2 < bytes.length ? digitAt(value, 0) : '=';
  }
  return text;
};

const HASH_BYTES = 32;

/** A hash (64 hex digits) as a base64 line of a C2SP file. */
export const toHashLine = (hex: string): string => toBase64(fromHex(hex));

/** The hashes of base64 lines in hex; undefined if a line is not a hash or there are more than `most`. */
export const fromHashLines = (lines: readonly string[], most: number): readonly string[] | undefined => {
  if (lines.length > most) return undefined;
  const hashes: string[] = [];
  for (const line of lines) {
    const bytes = fromBase64(line);
    if (bytes?.length !== HASH_BYTES) return undefined;
    hashes.push(toHex(bytes));
  }
  return hashes;
};
