// What a case is, and how one is made from another.

/** One line of a vector file. */
export interface TextCase {
  readonly name: string;
  readonly text: string;
  /** Signatures of others are no reason to refuse. */
  readonly cosignatures?: true;
  readonly accept: boolean;
  /** The reason that our code gives; another implementation may say it otherwise. */
  readonly why?: string;
}

export type Refused = readonly [name: string, text: string, why: string];

export const refusals = (rows: readonly Refused[]): TextCase[] =>
  rows.map(([name, text, why]) => ({ name, text, accept: false, why }));

export const accepted = (name: string, text: string): TextCase => ({ name, text, accept: true });

/** Replaces what must be there, so that no case can quietly be the valid text. */
export const swap = (text: string, from: string | RegExp, to: string): string => {
  const changed = text.replace(from, () => to);
  if (changed === text) throw new Error(`${from} is not there, or the same`);
  return changed;
};

/** Swaps the case of a letter, or the last bit of another character: still base64, another value. */
export const nudge = (text: string, at: number): string => {
  const code = text.charCodeAt(at);
  const other = /[A-Za-z]/.test(text.charAt(at)) ? code ^ 0x20 : code ^ 1;
  return text.slice(0, at) + String.fromCharCode(other) + text.slice(at + 1);
};

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** The same bytes in base64 with a one in the bits that carry nothing (RFC 4648 §3.5). */
export const looseBits = (encoded: string): string => {
  const at = encoded.replace(/=+$/, '').length - 1;
  const loose = ALPHABET[ALPHABET.indexOf(encoded.charAt(at)) + 1] ?? '';
  if (at === encoded.length - 1) throw new Error('every bit of it carries something');
  return encoded.slice(0, at) + loose + encoded.slice(at + 1);
};

const MALFORMED = 'malformed';

/** What may be wrong around any text file, whatever is in it; `head` is the reason where the first line is another. */
export const framing = (text: string, head = MALFORMED): readonly Refused[] => [
  ['nothing', '', MALFORMED],
  ['CRLF', text.replaceAll('\n', '\r\n'), MALFORMED],
  ['CR for LF', text.replaceAll('\n', '\r'), MALFORMED],
  ['a byte order mark', `\ufeff${text}`, head],
  ['an empty line before it', `\n${text}`, MALFORMED],
  ['a space at the end of the first line', swap(text, '\n', ' \n'), head],
];

/** The same at the end, where a signed note stands. */
export const ending = (text: string, malformed: string): readonly Refused[] => [
  ['no newline at the end', text.slice(0, -1), malformed],
  ['a letter for the last newline', `${text.slice(0, -1)}x`, malformed],
  ['an empty line after the end', `${text}\n`, malformed],
  ['a letter after the end', `${text}x`, malformed],
  ['a NUL after the end', `${text}\u0000`, malformed],
  ['itself once more after the end', text + text, malformed],
];
