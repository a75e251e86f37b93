// Finds all secrets in a text in one pass. Most characters cost one table lookup; the search around a sign (`=`, `:`) or in a long run of
// token characters is bounded, and secrets that were found are skipped, so the whole scan is linear.
import { COLON, EQUALS, KINDS, OTHER, type Span, TOKEN } from './chars.js';
import { behindScheme } from './headers.js';
import { REDACT_LIMITS } from './limits.js';
import { findPhrases } from './phrases.js';
import { colonToken, element, flagged, login, privateKey } from './places.js';
import { findTokens, type Spans } from './tokens.js';
import { assigned, encoded } from './values.js';

/** Whether a run of token characters is long enough for a token: no known token is shorter. */
const isLongRun = (chars: number): boolean => chars >= 'xoxb-1234567890'.length;

const HYPHEN = 0x2d;
const SLASH = 0x2f;
const GREATER = 0x3e;
const SPACE = 0x20;
const PERCENT = 0x25;

const atColon = (text: string, i: number, byName: boolean): Span | undefined => {
  if (text.charCodeAt(i + 1) === SLASH && text.charCodeAt(i + 2) === SLASH) return login(text, i);
  return colonToken(text, i) ?? (byName ? assigned(text, i) : undefined);
};

/**
 * The secret around or after the separator at offset `i`, such as a space, `%` or `>`; `code` is the separator's character code. A flag
 * such as `--token` may stand between the separator and the secret.
 */
const atSeparator = (text: string, i: number, code: number, byName: boolean): Span | undefined => {
  if (code === SPACE) {
    const found = text.charCodeAt(i - 1) === 78 ? privateKey(text, i) : behindScheme(text, i); // N of BEGIN
    if (found !== undefined) return found;
  }
  if (!byName) return undefined;
  if (code === PERCENT) return encoded(text, i);
  if (code === GREATER) return element(text, i);
  return text.charCodeAt(i + 1) === HYPHEN ? flagged(text, i + 1) : undefined;
};

const signAt = (text: string, i: number, kind: number, byName: boolean): Span | undefined => {
  if (kind === COLON) return atColon(text, i, byName);
  if (kind === EQUALS) return byName ? assigned(text, i) : undefined;
  return atSeparator(text, i, text.charCodeAt(i), byName);
};

/** A table of characters: 1 for the last letters of BEGIN, Bearer and Basic, after which a secret may begin. */
const ENDS_SIGN = new Uint8Array(2 ** 16);
for (const char of 'NrRcC') ENDS_SIGN[char.charCodeAt(0)] = 1;

/** Whether no secret can begin at a separator. That is so for most separators, so this cheap test comes first. */
const isIdle = (codes: Uint16Array, i: number, code: number): boolean => {
  if (codes[i + 1] === HYPHEN || code === GREATER || code === PERCENT) return false;
  return code !== SPACE || i === 0 || ENDS_SIGN[codes[i - 1] as number] === 0;
};

/** A shared buffer for one text at a time as character codes: reading from it is several times as fast as calling charCodeAt. */
const scratch = new Uint16Array(REDACT_LIMITS.scratchChars + 1);
const scratchBytes = Buffer.from(scratch.buffer);

const codesOf = (text: string): Uint16Array => {
  const isSmall = text.length < scratch.length;
  const codes = isSmall ? scratch : new Uint16Array(text.length + 1);
  (isSmall ? scratchBytes : Buffer.from(codes.buffer)).write(text, 'utf16le');
  codes[text.length] = 0;
  return codes;
};

interface Cursor {
  /** The offset at which the current run of token characters begins. */
  run: number;
}

/**
 * The next offset from `from` on at which the scan must stop: at a sign (`=`, `:`), at a separator where a secret may begin, or at the end
 * of a long run of token characters. Nearly all of the time is spent here; this is a function of its own because, inlined into its caller,
 * it would be half as fast.
 */
const nextStop = (codes: Uint16Array, from: number, length: number, cursor: Cursor): number => {
  let { run } = cursor;
  let i = from;
  for (; i < length; i += 1) {
    const code = codes[i] as number;
    const kind = KINDS[code] as number;
    if (kind === TOKEN) continue;
    if (kind !== OTHER || isLongRun(i - run) || !isIdle(codes, i, code)) break;
    run = i + 1;
  }
  cursor.run = run;
  return i;
};

/** The spans of all secrets in a text; with `byName` also of values that only the names before them reveal. */
export const secretSpans = (text: string, byName: boolean): Spans => {
  const spans: Spans = [];
  const codes = codesOf(text);
  const cursor: Cursor = { run: 0 };
  const { length } = text;
  const flag = byName && codes[0] === HYPHEN ? flagged(text, 0) : undefined;
  if (flag !== undefined) spans.push(flag.from, flag.to);
  for (let i = nextStop(codes, 0, length, cursor); i < length; i = nextStop(codes, i + 1, length, cursor)) {
    const kind = KINDS[codes[i] as number] as number;
    const found = signAt(text, i, kind, byName);
    // Every character at which the scan stops ends a token, except `=`, which may be part of a token.
    if (kind === EQUALS && found === undefined) continue;
    if (isLongRun(i - cursor.run)) findTokens(text, cursor.run, i, spans);
    if (found !== undefined) {
      spans.push(found.from, found.to);
      // The scan continues at the character after the secret: this may be a sign (`=`, `:`) before another secret.
      i = Math.max(i, found.to - 1);
    }
    cursor.run = i + 1;
  }
  if (isLongRun(length - cursor.run)) findTokens(text, cursor.run, length, spans);
  findPhrases(text, spans);
  return spans;
};
