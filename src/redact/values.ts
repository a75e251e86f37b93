// Finds values that the name before them reveals: `password=…`, `"apiKey": "…"`, `env["TOKEN"] = "…"`, `name="API_KEY" value="…"`. Starting
// at a sign (`=`, `:`), it looks back a bounded distance for the name and forward to the end of the value, and returns the span to remove.
import { at, hasDigit, isLong, isNameCode, isQuote, isReference, isSpace, type Span, wordEnd } from './chars.js';
import { headerEnd } from './headers.js';
import { REDACT_LIMITS } from './limits.js';
import { isRandomParameter, isSecretName, isSecretParameter, mayEndName } from './names.js';

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const CLOSES = 0x5d;

/** The offset before a `]`, or before `%5D`, its form in URLs; `end` if there is none. */
const beforeBracket = (text: string, end: number): number => {
  if (at(text, end - 1) === CLOSES) return end - 1;
  return at(text, end - 3) === PERCENT && /^5d$/i.test(text.slice(end - 2, end)) ? end - 3 : end;
};

/** The offset at which the name before a sign (`=`, `:`) ends: the name may be in quotes, in escaped quotes or in brackets. */
const nameEnd = (text: string, end: number): number => {
  let to = end;
  while (to > 0 && end - to < 2 && at(text, to - 1) === 32) to -= 1;
  to = beforeBracket(text, to);
  if (to > 0 && isQuote(at(text, to - 1))) to -= 1;
  while (to > 0 && at(text, to - 1) === BACKSLASH) to -= 1;
  return to;
};

const nameStart = (text: string, to: number): number => {
  let from = to;
  while (from > 0 && to - from <= REDACT_LIMITS.nameChars && isNameCode(at(text, from - 1))) from -= 1;
  // In `%26token` the two digits belong to the escape, not to the name.
  return from > 0 && at(text, from - 1) === PERCENT ? Math.min(to, from + 2) : from;
};

/** The span of the name before a sign (`=`, `:`); undefined if the name cannot announce a secret. */
export const nameBefore = (text: string, sign: number): Span | undefined => {
  const to = nameEnd(text, sign);
  if (!mayEndName(text, to)) return undefined;
  const from = nameStart(text, to);
  return to - from < 3 ? undefined : { from, to };
};

/** Matches words that may follow a name but are not secrets: types, constants and words of prose (`token: string`, `password is`). */
const NO_VALUE =
  /^(?:string|str|text|number|int|bool|boolean|any|unknown|object|null|nil|undefined|none|true|false|yes|no|required|optional|redacted|flag|option|argument|parameter|is|or|and|to|from|for|as|in|with|instead|was|are|must|of|on|the|a)$/i;

/** Matches code that looks a value up: an environment variable, a member of the configuration. */
const LOOKED_UP =
  /^(?:(?:process|import\.meta)\.env|os\.environ|env|environ|secrets|vars?|config|settings|self|this|props|params|options|opts|args|req|request|ctx|body|data)[.[]/;

/** The span of a quoted value: from an opening quote, whose backslashes begin at `from`, to the matching quote or the end of the text. */
const quotedValue = (text: string, from: number, quoteAt: number): Span => {
  const slashes = quoteAt - from;
  const quote = at(text, quoteAt);
  for (let to = quoteAt + 1, before = 0; to < text.length; to += 1) {
    if (at(text, to) === quote && before === slashes) return { from: quoteAt + 1, to: to - slashes };
    before = at(text, to) === BACKSLASH ? before + 1 : 0;
  }
  return { from: quoteAt + 1, to: text.length };
};

/** Pairs of a name and a value that are not secrets although the name looks secret: PWD with a path, `pass` with a number of tests. */
const PLAIN_VALUES: readonly (readonly [name: RegExp, value: RegExp])[] = [
  [/^(?:old)?pwd$/i, /^[/~.]/],
  [/^pass$/i, /^\d{1,6}$/],
];

const isPlainValue = (name: string, value: string): boolean =>
  NO_VALUE.test(value) ||
  value.toLowerCase() === name.toLowerCase() ||
  PLAIN_VALUES.some(([names, values]) => names.test(name) && values.test(value));

/** Whether an unquoted word is a value: after `token: ` prose may follow; after `API_KEY: ` and `token=` a value follows. */
const isBareValue = (text: string, name: string, { from, to }: Span, isSpaced: boolean): boolean => {
  if (to === from || at(text, to) === 40) return false; // an opening parenthesis: a function is called
  const value = text.slice(from, Math.min(to, from + REDACT_LIMITS.nameChars));
  if (isPlainValue(name, value) || LOOKED_UP.test(`${value}${text.charAt(to)}`)) return false;
  if (!isSpaced || /[-_a-z][-_A-Z]/.test(name)) return true;
  const isAlone = to >= text.length || at(text, to) !== 32;
  return isAlone || isLong(to - from) || hasDigit(text, from, to);
};

/** Matches the beginning of a YAML block: `|` or `>`, then indented lines. */
const BLOCK = /[|>][+-]?\r?\n(?=[ \t])/y;

const blockValue = (text: string, from: number): Span | undefined => {
  BLOCK.lastIndex = from;
  const head = BLOCK.exec(text);
  if (head === null) return undefined;
  const start = from + head[0].length;
  let to = start;
  while (to < text.length && (at(text, to) === 32 || at(text, to) === 9)) {
    const end = text.indexOf('\n', to);
    to = end < 0 ? text.length : end + 1;
  }
  return { from: start, to };
};

const bareValue = (text: string, name: string, from: number, isSpaced: boolean): Span | undefined => {
  const whole = headerEnd(text, name, from);
  if (whole !== undefined) return whole > from ? { from, to: whole } : undefined;
  const value = { from, to: wordEnd(text, from) };
  return isBareValue(text, name, value, isSpaced) ? value : blockValue(text, from);
};

/**
 * The offset of the first character after spaces. If `"password":` is alone on its line, the value may be on the next line, and then must
 * be in quotes.
 */
const behindSpaces = (text: string, start: number): number => {
  let from = start;
  while (from - start < 4 && (at(text, from) === 32 || at(text, from) === 9)) from += 1;
  if (at(text, from) !== 10 && at(text, from) !== 13) return from;
  let next = from;
  while (next - from < REDACT_LIMITS.indentChars && isSpace(at(text, next))) next += 1;
  return isQuote(at(text, start - 2)) && isQuote(at(text, next)) ? next : from;
};

/** The span of the value that begins at `start`, after spaces and quotes. */
export const valueFrom = (text: string, name: string, start: number): Span | undefined => {
  const from = behindSpaces(text, start);
  const isSpaced = from > start;
  let quoteAt = from;
  while (at(text, quoteAt) === BACKSLASH) quoteAt += 1;
  if (isQuote(at(text, quoteAt))) {
    if (isReference(text, quoteAt + 1)) return undefined;
    const value = quotedValue(text, from, quoteAt);
    const isEmpty = value.to <= value.from || text.startsWith('[redacted]', value.from);
    return isEmpty ? undefined : value;
  }
  return isReference(text, from) ? undefined : bareValue(text, name, from, isSpaced);
};

/** Matches the name before `value` in `name="API_KEY" value=`, `{"key":"API_KEY","value":`, `- name: API_KEY\n  value:`. */
const NAMED = /(?:key|name|header)\\*["']?\s{0,4}[:=]\s{0,4}\\*["']?([\w.-]{1,64})\\*["']?,?\s{0,32}\\*["']?$/i;
/** Matches the name of a Terraform variable before its default: `variable "db_password" { default =`. */
const VARIABLE = /variable\s{1,4}"([\w-]{1,64})"\s{0,4}\{[^{}]{0,128}$/;

/**
 * Names that do not tell whether their value is secret (`value`, `default`), each with a pattern. The pattern's group is the earlier name
 * that tells whether the value is secret, such as `API_KEY` in `name="API_KEY" value=`.
 */
const PAIRS: ReadonlyMap<string, RegExp> = new Map([
  ['value', NAMED],
  ['Value', NAMED],
  ['default', VARIABLE],
]);

const isPaired = (text: string, name: string, from: number): boolean => {
  const first = PAIRS.get(name)?.exec(text.slice(Math.max(0, from - REDACT_LIMITS.pairChars), from))?.[1];
  return first !== undefined && isSecretName(first);
};

/**
 * The offset at which the value after `=`, `:`, `:=` or `=>` begins. Undefined for `==`, which compares, and for `=>` without a string
 * after it, which is code.
 */
const behindSign = (text: string, sign: number): number | undefined => {
  const next = at(text, sign + 1);
  if (next === 61) return at(text, sign) === 58 ? sign + 2 : undefined;
  if (next !== 62) return sign + 1;
  const from = behindSpaces(text, sign + 2);
  return isQuote(at(text, from)) ? from : undefined;
};

/** The span of the secret value after a sign: `=`, `:` or the sign's URL-encoded form, which is `chars` long. */
export const assigned = (text: string, sign: number, chars = 1): Span | undefined => {
  const found = nameBefore(text, sign);
  if (found === undefined) return undefined;
  const { from, to } = found;
  const start = chars === 1 ? behindSign(text, sign) : sign + chars;
  if (start === undefined) return undefined;
  const name = text.slice(from, to);
  const before = at(text, from - 1);
  const isQuery = before === 63 || before === 38; // the characters ? and &
  if (isQuery ? isSecretParameter(name) : isSecretName(name)) return valueFrom(text, name, start);
  if (isPaired(text, name, from)) return valueFrom(text, name, start);
  return isQuery && isRandomParameter(name, text.slice(start, wordEnd(text, start)))
    ? valueFrom(text, name, start)
    : undefined;
};

const ENCODED = /%(?:25){0,2}3[da]/iy;

/** The span of the secret value in `token%3Dvalue`; `percent` is the offset of the `%`. */
export const encoded = (text: string, percent: number): Span | undefined => {
  ENCODED.lastIndex = percent;
  const sign = ENCODED.exec(text)?.[0];
  return sign === undefined ? undefined : assigned(text, percent, sign.length);
};
