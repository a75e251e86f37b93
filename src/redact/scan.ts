// One pass over a text that finds everything in it that is a secret. Characters that mean nothing cost a look into a table; what a sign
// or a long run gives rise to is bounded, and what was found is passed over, so that the whole is linear.
import { COLON, EQUALS, kindOf, OTHER, TOKEN } from './chars.js';
import { findTokens, isLongRun, type Spans } from './tokens.js';
import { assigned, bearer, botToken, element, flagged, login, privateKey, type Span } from './values.js';

const HYPHEN = 0x2d;
const SLASH = 0x2f;
const GREATER = 0x3e;
const SPACE = 0x20;

const atColon = (text: string, i: number, byName: boolean): Span | undefined => {
  if (text.charCodeAt(i + 1) === SLASH && text.charCodeAt(i + 2) === SLASH) return login(text, i);
  return botToken(text, i) ?? (byName ? assigned(text, i) : undefined);
};

/** `code` is a separator; a flag may follow it. */
const atSeparator = (text: string, i: number, code: number, byName: boolean): Span | undefined => {
  if (code === SPACE) {
    const last = text.charCodeAt(i - 1);
    if (last === 78) return privateKey(text, i); // N of BEGIN
    if (last === 114 || last === 82) return bearer(text, i) ?? (byName ? flagAfter(text, i) : undefined);
  }
  if (!byName) return undefined;
  return code === GREATER ? element(text, i) : flagAfter(text, i);
};

const flagAfter = (text: string, i: number): Span | undefined =>
  text.charCodeAt(i + 1) === HYPHEN ? flagged(text, i + 1) : undefined;

const signAt = (text: string, i: number, kind: number, byName: boolean): Span | undefined => {
  if (kind === COLON) return atColon(text, i, byName);
  if (kind === EQUALS) return byName ? assigned(text, i) : undefined;
  return atSeparator(text, i, text.charCodeAt(i), byName);
};

/** Most separators stand for nothing: looked at here, before anything is called. */
const isIdle = (text: string, i: number, code: number): boolean => {
  if (text.charCodeAt(i + 1) === HYPHEN || code === GREATER) return false;
  if (code !== SPACE) return true;
  const last = text.charCodeAt(i - 1);
  return last !== 78 && last !== 114 && last !== 82;
};

/** `byName`: also values that only their names give away. */
export const secretSpans = (text: string, byName: boolean): Spans => {
  const spans: Spans = [];
  let run = 0;
  const { length } = text;
  for (let i = byName && text.charCodeAt(0) === HYPHEN ? -1 : 0; i < length; i += 1) {
    const code = i < 0 ? SPACE : text.charCodeAt(i);
    const kind = kindOf(code);
    if (kind === TOKEN) continue;
    if (kind !== EQUALS && i >= 0) {
      if (isLongRun(i - run)) findTokens(text, run, i, spans);
      run = i + 1;
      if (kind === OTHER && isIdle(text, i, code)) continue;
    }
    const found = signAt(text, i, kind, byName);
    if (found === undefined) continue;
    if (kind === EQUALS && isLongRun(i - run)) findTokens(text, run, i, spans);
    spans.push(found.from, found.to);
    // Goes on with the end itself: it may be a sign of its own.
    i = Math.max(i, found.to - 1);
    run = i + 1;
  }
  if (isLongRun(length - run)) findTokens(text, run, length, spans);
  return spans;
};
