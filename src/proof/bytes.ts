// Converts bytes to and from hex and UTF-8 in plain ECMAScript, because proof/ also runs where neither Buffer nor TextEncoder exists.

export type Bytes = Uint8Array<ArrayBuffer>;

export const joined = (...parts: readonly Uint8Array[]): Bytes => {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};

const HEX_PAIRS: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export const toHex = (bytes: Uint8Array): string => {
  let text = '';
  for (const byte of bytes) text += HEX_PAIRS[byte];
  return text;
};

/** The value of a hex digit: `0` has code 48, `a` 97, and a letter differs from its capital by 32. */
const digitAt = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  return code < 58 ? code - 48 : (code | 32) - 87;
};

/** The bytes of a hex text. Throws if the text is not hex: a hash that was parsed in part would be another hash. */
export const fromHex = (text: string): Bytes => {
  if (text.length % 2 !== 0 || !/^[0-9a-f]*$/i.test(text)) throw new TypeError('not a hexadecimal text');
  const bytes = new Uint8Array(text.length / 2);
  for (let at = 0; at < bytes.length; at++) bytes[at] = (digitAt(text, 2 * at) << 4) | digitAt(text, 2 * at + 1);
  return bytes;
};

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff;

/** The UTF-8 bytes of a text. Half of a surrogate pair has no UTF-8 form and becomes U+FFFD, as with TextEncoder and Buffer. */
export const toUtf8 = (text: string): Bytes => {
  const bytes = new Uint8Array(text.length * 3);
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const found = text.codePointAt(at) ?? 0;
    const code = isSurrogate(found) ? 0xfffd : found;
    if (code > 0xffff) at += 1;
    if (code < 0x80) bytes[end++] = code;
    else {
      const tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
      bytes[end++] = (0xff00 >> (tail + 1)) | (code >> (6 * tail));
      for (let left = tail - 1; left >= 0; left--) bytes[end++] = 0x80 | ((code >> (6 * left)) & 0x3f);
    }
  }
  return bytes.slice(0, end);
};

/** For each length of a UTF-8 character: how many bytes follow its first byte, and the smallest code point that needs them. */
const TAILS = [
  { tail: 1, mask: 0xe0, mark: 0xc0, least: 0x80 },
  { tail: 2, mask: 0xf0, mark: 0xe0, least: 0x800 },
  { tail: 3, mask: 0xf8, mark: 0xf0, least: 0x10000 },
] as const;

/** The code point that begins at `at` and its length in bytes; undefined if the bytes are not valid UTF-8. */
const characterAt = (bytes: Uint8Array, at: number): { readonly code: number; readonly length: number } | undefined => {
  const first = bytes[at] ?? 0;
  const form = TAILS.find(({ mask, mark }) => (first & mask) === mark);
  if (form === undefined) return undefined;
  let code = first & ~form.mask;
  for (let next = 1; next <= form.tail; next++) {
    const byte = bytes[at + next] ?? 0;
    if ((byte & 0xc0) !== 0x80) return undefined;
    code = (code << 6) | (byte & 0x3f);
  }
  const isOne = code >= form.least && code <= 0x10ffff && !isSurrogate(code);
  return isOne ? { code, length: form.tail + 1 } : undefined;
};

/** The text of UTF-8 bytes; undefined if they are not valid UTF-8. A byte order mark is kept: it is a character. */
export const fromUtf8 = (bytes: Uint8Array): string | undefined => {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) {
      text += String.fromCharCode(byte);
      at += 1;
      continue;
    }
    const found = characterAt(bytes, at);
    if (found === undefined) return undefined;
    text += String.fromCodePoint(found.code);
    at += found.length;
  }
  return text;
};
