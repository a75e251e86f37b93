// Is a text the RFC 8785 form of what it says? Asked of every record, so the common case is one look over the text; only
// what does not pass it is written anew and compared.
import { canonicalJson } from '../../proof/canonical-json.js';

/**
 * Nothing but tokens that have one spelling: plain ASCII strings, whole numbers that a double holds, words, punctuation;
 * no white space. Of a JSON text that matches, only the members can still be in another form: unsorted or doubled.
 */
const PLAIN_TOKENS = /^(?:[{}[\]:,]+|"[ !#-[\]-~]*"|(?:0|[1-9]\d{0,14})(?![\d.eE])|true|false|null)*$/;

const lengthOfScalar = (value: unknown): number => {
  if (typeof value === 'string') return value.length + 2;
  return value === false ? 5 : value === true || value === null ? 4 : String(value).length;
};

/** What brackets and commas add to the members of an object or a list. */
const punctuation = (members: number): number => 1 + Math.max(1, members);

/** How long the form of a plain value is. NaN where members are out of order, or in an order that may not be the text's. */
const plainLength = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return lengthOfScalar(value);
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + plainLength(item), punctuation(value.length));
  let [length, members, before] = [0, 0, ''];
  for (const key in value) {
    // RFC 8785 §3.2.3: by UTF-16 units, which is how ECMAScript compares. It puts names that look like numbers first.
    if (key < before || (key >= '0' && key < ':')) return Number.NaN;
    before = key;
    members += 1;
    length += key.length + 3 + plainLength((value as Record<string, unknown>)[key]);
  }
  return length + punctuation(members);
};

/** `value` is what `text` was parsed to. */
export const isCanonical = (text: string, value: unknown): boolean => {
  // Whatever was said twice is missing from the value.
  if (PLAIN_TOKENS.test(text) && plainLength(value) === text.length) return true;
  try {
    return canonicalJson(value) === text;
  } catch {
    return false;
  }
};
