// Helpers about values: where a value ends, whether it is a reference, long, or has a digit.
import { isDigit, isSpace } from './chars.js';
import { REDACT_LIMITS } from './limits.js';

export interface Span {
  readonly from: number;
  readonly to: number;
}

const PERCENT = 0x25;
const at = (text: string, i: number): number => text.charCodeAt(i);

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
