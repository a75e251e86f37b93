// Finds tokens of known shapes (shapes.ts) inside a run of token characters.
import { endOfToken, isAlnum, isDigit } from './chars.js';
import { REDACT_LIMITS } from './limits.js';
import { type Charset, MARKED_SHAPES, TOKEN_SHAPES, type TokenShape } from './shapes.js';

/** A flat list of pairs of offsets in a text: where a token begins and where it ends, in the order of the text. */
export type Spans = number[];

const CHARSETS: Readonly<Record<Charset, (code: number) => boolean>> = {
  hex: (code) => isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70),
  alnum: isAlnum,
  word: (code) => isAlnum(code) || code === 95,
  dash: (code) => isAlnum(code) || code === 95 || code === 45,
  any: (code) => isAlnum(code) || '_-.~+/=|:'.includes(String.fromCharCode(code)),
};

interface Prefixed extends TokenShape {
  readonly prefix: string;
}

/** The key of the index of prefixes: a prefix's first two characters. Hardly any position of a text has an entry. */
const pairAt = (text: string, at: number): number => text.charCodeAt(at) * 128 + text.charCodeAt(at + 1);

const byPair = (): ReadonlyMap<number, readonly Prefixed[]> => {
  const rows = new Map<number, Prefixed[]>();
  for (const shape of TOKEN_SHAPES) {
    for (const prefix of shape.prefixes) {
      const pair = pairAt(prefix, 0);
      rows.set(pair, [...(rows.get(pair) ?? []), { ...shape, prefix }]);
    }
  }
  return rows;
};
const BY_PAIR = byPair();

const fits = (text: string, at: number, { prefix, chars, least, digit }: Prefixed): boolean => {
  if (!text.startsWith(prefix, at)) return false;
  const isOne = CHARSETS[chars];
  const from = at + prefix.length;
  for (let i = from; i < from + least; i += 1) {
    if (!isOne(text.charCodeAt(i))) return false; // beyond the end of the text the code is NaN, which is in no set
  }
  return !digit || DIGIT.test(text.slice(from, from + least + REDACT_LIMITS.digitChars));
};

const DIGIT = /^[\w-]*?\d/;

const shapeAt = (text: string, at: number): Prefixed | undefined =>
  BY_PAIR.get(pairAt(text, at))?.find((shape) => fits(text, at, shape));

const prefixed = (text: string, from: number, to: number, spans: Spans): void => {
  for (let at = from; at < to; at += 1) {
    if (at > from && isAlnum(text.charCodeAt(at - 1))) continue;
    const shape = shapeAt(text, at);
    if (shape === undefined) continue;
    const end = endOfToken(text, at + shape.prefix.length + shape.least);
    spans.push(at, end);
    at = end;
  }
};

/** Finds tokens without a fixed prefix. Searches only after the end of the previous match, because finding an end walks through the text. */
const marked = (text: string, from: number, to: number, spans: Spans): void => {
  const run = text.slice(from, to);
  for (const { least, mark, find } of MARKED_SHAPES) {
    if (run.length < least || !run.includes(mark)) continue;
    find.lastIndex = 0;
    for (let found = find.exec(run); found !== null; found = find.exec(run)) {
      const end = endOfToken(run, found.index + found[0].length);
      spans.push(from + found.index, from + end);
      find.lastIndex = end;
    }
  }
};

/** Adds the spans of tokens between two offsets of a text. */
export const findTokens = (text: string, from: number, to: number, spans: Spans): void => {
  prefixed(text, from, to, spans);
  marked(text, from, to, spans);
};
