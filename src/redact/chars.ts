// Classes of characters for the search for secrets, in a lookup table instead of regular expressions, because every character is
// classified.

/** The class of characters that are neither part of a token nor a sign (`=`, `:`): spaces, quotes, brackets, everything beyond ASCII. */
export const OTHER = 0x0;
export const TOKEN = 0x1;
/** The class of `=`, which may be part of a token, and which separates names from values. */
export const EQUALS = 0x2;
export const COLON = 0x3;

/** The class of every UTF-16 unit. */
export const KINDS = new Uint8Array(2 ** 16);
for (const char of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~+/-$')
  KINDS[char.charCodeAt(0)] = TOKEN;
KINDS['='.charCodeAt(0)] = EQUALS;
KINDS[':'.charCodeAt(0)] = COLON;

const isTokenCode = (code: number): boolean => KINDS[code] === TOKEN || KINDS[code] === EQUALS;

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
