// Tells whether a JSON text is in RFC 8785 canonical form. This check runs for every record, so the common case is one pass over the
// text; any other text is serialised again and compared.
import { canonicalJson } from '../../proof/canonical-json.js';

/**
 * Matches texts of tokens that have only one spelling: plain ASCII strings, whole numbers that fit a double, words and
 * punctuation, without white space. Such a text can only differ from its canonical form by unsorted or repeated members.
 */
const PLAIN_TOKENS = /^(?:[{}[\]:,]+|"[ !#-[\]-~]*"|(?:0|[1-9]\d{0,14})(?![\d.eE])|true|false|null)*$/;

const lengthOfScalar = (value: unknown): number => {
  if (typeof value === 'string') return value.length + 2;
  return value === false ? 5 : value === true || value === null ? 4 : String(value).length;
};

/** How many characters the brackets and commas of an object or a list with this many members take. */
const punctuation = (members: number): number => 1 + Math.max(1, members);

/** The length of a value's canonical form in characters. NaN if members are not sorted, or if JSON.parse may have reordered them. */
const plainLength = (value: unknown): number => {
  if (typeof value !== 'object' || value === null) return lengthOfScalar(value);
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + plainLength(item), punctuation(value.length));
  let [length, members, before] = [0, 0, ''];
  for (const key in value) {
    // RFC 8785 §3.2.3 sorts names by UTF-16 units, as `<` does. JavaScript objects list names that look like numbers first.
    if (key < before || (key >= '0' && key < ':')) return Number.NaN;
    before = key;
    members += 1;
    length += key.length + 3 + plainLength((value as Record<string, unknown>)[key]);
  }
  return length + punctuation(members);
};

/** Matches one member of an object, if its name and its value are plain tokens, and what follows it. */
const PLAIN_MEMBER = /"([ !#-[\]-~]*)":(?:"[ !#-[\]-~]*"|0|[1-9]\d{0,14}|true|false|null)([,}])/y;

/** Whether a text is the canonical form of an object without objects or lists in it; false if only a parser can tell. */
export const isFlatCanonical = (text: string): boolean => {
  let before: string | undefined;
  PLAIN_MEMBER.lastIndex = 1;
  while (text.startsWith('{')) {
    const [, name = '', end] = PLAIN_MEMBER.exec(text) ?? [];
    if (end === undefined || (before !== undefined && name <= before)) return false;
    if (end === '}') return PLAIN_MEMBER.lastIndex === text.length;
    before = name;
  }
  return false;
};

/** Whether `text` is the canonical form of `value`, the result of parsing `text`. */
export const isCanonical = (text: string, value: unknown): boolean => {
  // A repeated member makes the text longer than the canonical form of its value.
  if (PLAIN_TOKENS.test(text) && plainLength(value) === text.length) return true;
  try {
    return canonicalJson(value) === text;
  } catch {
    return false;
  }
};
