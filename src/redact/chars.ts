// What the search for secrets asks about characters and values: to which class a character belongs, in a lookup table instead of regular
// expressions, because every character is classified; where a value ends; whether it is a reference, long, or has a digit.
import { REDACT_LIMITS } from './limits.js';

/** The class of characters that are neither part of a token nor a sign (`=`, `:`): spaces, quotes, brackets, everything beyond ASCII. */
export const OTHER = 0x0;
export const TOKEN = 0x1;
/** The class of `=`, which may be part of a token, and which separates names from values. */
export const EQUALS = 0x2;
export const COLON = 0x3;

/** A table of the class of every UTF-16 unit. */
export const KINDS = new Uint8Array(2 ** 16);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~+/-$')
  KINDS[char.charCodeAt(0)] = TOKEN;
KINDS['='.charCodeAt(0)] = EQUALS;
KINDS[':'.charCodeAt(0)] = COLON;

const isTokenCode = (code: number): boolean => KINDS[code] === TOKEN || KINDS[code] === EQUALS;

/** The UTF-16 unit at an offset; NaN outside of the text. */
export const at = (text: string, i: number): number => text.charCodeAt(i);

export const isAlnum = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

export const isDigit = (code: number): boolean => code >= 48 && code <= 57;

/** Whether a character can be part of a name: letters, digits, `_`, `-` and `.`. */
export const isNameCode = (code: number): boolean => isAlnum(code) || code === 95 || code === 45 || code === 46;

export const isSpace = (code: number): boolean => code === 32 || code === 9 || code === 10 || code === 13;

export const isQuote = (code: number): boolean => code === 34 || code === 39 || code === 96;

/** The offset at which the token that continues at `from` ends. */
export const endOfToken = (text: string, from: number): number => {
  let end = from;
  while (end < text.length && isTokenCode(text.charCodeAt(end))) end += 1;
  return end;
};

export interface Span {
  readonly from: number;
  readonly to: number;
}

const PERCENT = 0x25;
const ENDS_VALUE = new Set([...'&;,"\'`<>(){}[]|\\'].map((char) => char.charCodeAt(0)));

/** Whether an escape ends a value in a URL: `%26` and `%23` are `&` and `#`. */
const endsEncoded = (text: string, i: number): boolean =>
  at(text, i) === PERCENT && at(text, i + 1) === 50 && (at(text, i + 2) === 54 || at(text, i + 2) === 51);

export const wordEnd = (text: string, from: number): number => {
  let to = from;
  while (to < text.length && !isSpace(at(text, to)) && !ENDS_VALUE.has(at(text, to)) && !endsEncoded(text, to)) to += 1;
  return to;
};

/** Whether a `${…}` is at the offset: it refers to a value and is not a secret itself. */
export const isReference = (text: string, from: number): boolean => {
  if (!text.startsWith('${', from)) return false;
  const end = text.indexOf('}', from);
  return end > 0 && end - from < REDACT_LIMITS.referenceChars;
};

export const hasDigit = (text: string, from: number, to: number): boolean => {
  for (let i = from; i < to; i += 1) if (isDigit(at(text, i))) return true;
  return false;
};

/** Whether a value is too long to be a word of prose. */
export const isLong = (chars: number): boolean => chars >= 'a-secret-of-16-c'.length;
