// The parts of a number in a JSON text (RFC 8259 §6), as a table, for the scan of a text byte by byte (json-scan.ts).

/** A table with a value for each byte; bytes that are not named have 0. */
export const bytesTable = (...rows: readonly (readonly [characters: string, value: number])[]): Uint8Array => {
  const table = new Uint8Array(256);
  for (const [characters, value] of rows) for (const character of characters) table[character.charCodeAt(0)] = value;
  return table;
};

/** The kinds of bytes that numbers consist of. */
const KIND = bytesTable(['0', 1], ['123456789', 2], ['.', 3], ['eE', 4], ['+', 5], ['-', 6]);
const [SIGN, ZERO, WHOLE, POINT, FRACTION, E, E_SIGN, EXPONENT] = [1, 2, 3, 4, 5, 6, 7, 8];

/** The part of a number that a value begins with, by its first byte; 0 if no number begins with that byte. */
export const FIRST_PARTS = bytesTable(['-', SIGN], ['0', ZERO], ['123456789', WHOLE]);

/** For each part of a number, the part that each kind of byte leads to; 0 if the byte may not follow. */
const PARTS: Readonly<Record<number, readonly number[]>> = {
  [SIGN]: [0, ZERO, WHOLE, 0, 0, 0, 0],
  [ZERO]: [0, 0, 0, POINT, E, 0, 0],
  [WHOLE]: [0, WHOLE, WHOLE, POINT, E, 0, 0],
  [POINT]: [0, FRACTION, FRACTION, 0, 0, 0, 0],
  [FRACTION]: [0, FRACTION, FRACTION, 0, E, 0, 0],
  [E]: [0, EXPONENT, EXPONENT, 0, 0, E_SIGN, E_SIGN],
  [E_SIGN]: [0, EXPONENT, EXPONENT, 0, 0, 0, 0],
  [EXPONENT]: [0, EXPONENT, EXPONENT, 0, 0, 0, 0],
};
const LAST_PARTS: ReadonlySet<number> = new Set([ZERO, WHOLE, FRACTION, EXPONENT]);

/** The part of a number that begins or goes on with `byte`; `end` if the number ended before it, `none` if it may not end or go on so. */
export const nextPart = (part: number, byte: number): number | 'end' | 'none' => {
  const kind = KIND[byte] as number;
  if (kind === 0) return LAST_PARTS.has(part) ? 'end' : 'none';
  return PARTS[part]?.[kind] || 'none';
};
