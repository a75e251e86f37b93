// Base64 with exactly one way to write a value: what decodes but would be written otherwise is refused.
export const fromBase64 = (text: string): Buffer | undefined => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
};

const HASH_BYTES = 32;

/** A hash of 64 hex digits as C2SP's files have it, one to a line. */
export const toHashLine = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

/** The hashes of such lines in hex, or nothing where a line is none or there are too many. */
export const fromHashLines = (lines: readonly string[], most: number): readonly string[] | undefined => {
  if (lines.length > most) return undefined;
  const hashes = lines.map(fromBase64);
  if (!hashes.every((bytes) => bytes?.length === HASH_BYTES)) return undefined;
  return hashes.map((bytes) => bytes?.toString('hex') ?? '');
};
