// Values that their surroundings give away: `password=…`, `"apiKey": "…"`, `--token …`, `Authorization: …`, `scheme://user:pass@host`.
// Each function looks around one sign, a bounded way back and as far on as the value goes, and returns what to take out.
import { isAlnum, isDigit, isNameCode, isQuote, isSpace } from './chars.js';
import { REDACT_LIMITS } from './limits.js';
import { isSecretName, isSecretParameter, mayEndName } from './names.js';

export interface Span {
  readonly from: number;
  readonly to: number;
}

const at = (text: string, i: number): number => text.charCodeAt(i);

const BACKSLASH = 0x5c;
const LINE_FEED = 0x0a;

/** The name that ends before `end`: possibly quoted, in quotes that are escaped. */
const nameBefore = (text: string, end: number): Span => {
  let to = end;
  while (to > 0 && end - to < 2 && at(text, to - 1) === 32) to -= 1;
  if (to > 0 && isQuote(at(text, to - 1))) to -= 1;
  while (to > 0 && at(text, to - 1) === BACKSLASH) to -= 1;
  let from = to;
  while (from > 0 && to - from <= REDACT_LIMITS.nameChars && isNameCode(at(text, from - 1))) from -= 1;
  return { from, to };
};

/** Words that stand where a value would in code and prose about it. */
const NO_VALUE =
  /^(?:string|str|text|number|int|bool|boolean|any|unknown|object|null|nil|undefined|none|true|false|yes|no|required|optional|redacted|flag|option|argument|parameter|is|or|and|to|from|for|as|in|with|instead|was|are|must|of|on|the|a)$/i;

const ENDS_VALUE = new Set([...'&;,"\'`<>(){}[]|\\'].map((char) => char.charCodeAt(0)));

const wordEnd = (text: string, from: number): number => {
  let to = from;
  while (to < text.length && !isSpace(at(text, to)) && !ENDS_VALUE.has(at(text, to))) to += 1;
  return to;
};

const lineEnd = (text: string, from: number): number => {
  let to = from;
  while (to < text.length && at(text, to) !== LINE_FEED && !isQuote(at(text, to))) to += 1;
  return to;
};

/** `${…}` names a value and is none. */
const isReference = (text: string, from: number): boolean => {
  if (!text.startsWith('${', from)) return false;
  const end = text.indexOf('}', from);
  return end > 0 && end - from < REDACT_LIMITS.referenceChars;
};

/** From an opening quote, whose backslashes begin at `from`, to the one that closes it, or to the end of the text. */
const quotedValue = (text: string, from: number, quoteAt: number): Span => {
  const slashes = quoteAt - from;
  const quote = at(text, quoteAt);
  for (let to = quoteAt + 1, before = 0; to < text.length; to += 1) {
    if (at(text, to) === quote && before === slashes) return { from: quoteAt + 1, to: to - slashes };
    before = at(text, to) === BACKSLASH ? before + 1 : 0;
  }
  return { from: quoteAt + 1, to: text.length };
};

const SCHEME =
  /(?:Basic|Bearer|Digest|Token|ApiKey|Key|Negotiate|SSWS|Hawk|OAuth|AWS4-HMAC-SHA256)(?: {1,4})(?=[^\s"'])/iy;

/** What stands behind these is several words long. */
const headerEnd = (text: string, name: string, from: number): number | undefined => {
  if (/cookie$/i.test(name)) return lineEnd(text, from);
  if (!/authorization$/i.test(name)) return undefined;
  SCHEME.lastIndex = from;
  const scheme = SCHEME.exec(text);
  if (scheme === null) return undefined;
  const first = from + scheme[0].length;
  if (isReference(text, first)) return from;
  const [word, line] = [wordEnd(text, first), lineEnd(text, first)];
  // `Basic dXNlcjpwYXNz` ends the line or is followed by a comma and more; `Basic understanding of it` is prose.
  const isProse = /^[a-z]+$/.test(text.slice(first, Math.min(word, first + REDACT_LIMITS.nameChars))) && word < line;
  return isProse ? undefined : line;
};

const hasDigit = (text: string, from: number, to: number): boolean => {
  for (let i = from; i < to; i += 1) if (isDigit(at(text, i))) return true;
  return false;
};

/** Long enough that no word of prose is meant. */
const isLong = (chars: number): boolean => chars >= 'a-secret-of-16-c'.length;

/** Behind `token: ` prose may follow; behind `API_KEY: ` and `token=` a value does. */
const isBareValue = (text: string, name: string, { from, to }: Span, isSpaced: boolean): boolean => {
  if (to === from || at(text, to) === 40 || NO_VALUE.test(text.slice(from, Math.min(to, from + 16)))) return false;
  if (/^(?:old)?pwd$/i.test(name) && /^[/~.]/.test(text.slice(from, from + 1))) return false; // the working directory
  if (!isSpaced || /[-_a-z][-_A-Z]/.test(name)) return true;
  const isAlone = to >= text.length || at(text, to) !== 32;
  return isAlone || isLong(to - from) || hasDigit(text, from, to);
};

const bareValue = (text: string, name: string, from: number, isSpaced: boolean): Span | undefined => {
  const whole = headerEnd(text, name, from);
  if (whole !== undefined) return whole > from ? { from, to: whole } : undefined;
  const value = { from, to: wordEnd(text, from) };
  return isBareValue(text, name, value, isSpaced) ? value : undefined;
};

/** The value that begins at `start`, behind spaces and quotes. */
const valueFrom = (text: string, name: string, start: number): Span | undefined => {
  let from = start;
  while (from - start < 4 && at(text, from) === 32) from += 1;
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

/** At `=` or `:`. */
export const assigned = (text: string, sign: number): Span | undefined => {
  const next = at(text, sign + 1);
  if (next === 61 || next === 62) return undefined; // `==` compares, `=>` is code
  const { from, to } = nameBefore(text, sign);
  if (to - from < 3 || !mayEndName(at(text, to - 1))) return undefined;
  const name = text.slice(from, to);
  const before = at(text, from - 1);
  const isQuery = before === 63 || before === 38; // ? &
  if (!(isQuery ? isSecretParameter(name) : isSecretName(name))) return undefined;
  return valueFrom(text, name, sign + 1);
};

/** `scheme://user:pass@host`, at its colon: what stands before the `@`, so that the address stays readable. */
export const login = (text: string, colon: number): Span | undefined => {
  const from = colon + 3;
  const most = Math.min(text.length, from + REDACT_LIMITS.loginChars);
  let [password, end] = [-1, -1];
  for (let i = from; i < most; i += 1) {
    const code = at(text, i);
    if (code === 64) end = i;
    else if (code === 58 && password < 0) password = i;
    else if (code === 47 || isSpace(code) || isQuote(code) || code === 60 || code === 62) break;
  }
  if (end < 0 || colon === 0 || !isAlnum(at(text, colon - 1))) return undefined;
  if (password >= 0 && password < end - 1) return isReference(text, password + 1) ? undefined : { from, to: end };
  // A token may stand for the user.
  return isLong(end - from) && hasDigit(text, from, end) && !isReference(text, from) ? { from, to: end } : undefined;
};

/** A bot's token of Telegram, at its colon: `123456789:AA…`. */
export const botToken = (text: string, colon: number): Span | undefined => {
  if (!isDigit(at(text, colon - 1))) return undefined;
  let from = colon;
  while (from > 0 && colon - from <= 10 && isDigit(at(text, from - 1))) from -= 1;
  const found = /^[\w-]{35}/.exec(text.slice(colon + 1, colon + 36));
  const digits = colon - from;
  return found !== null && digits >= 8 && digits <= 10 ? { from, to: colon + 36 } : undefined;
};

const FLAG = /--?([A-Za-z][\w-]{0,63})(?: {1,4}|["'], {0,4}["'])/y;

/** `--token value`, and `-u user:password`; at the flag. */
export const flagged = (text: string, flag: number): Span | undefined => {
  FLAG.lastIndex = flag;
  const [whole, name = ''] = FLAG.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const from = flag + whole.length;
  if (at(text, from) === 45) return undefined; // the next flag
  if (name === 'u' || name === 'user') {
    const to = wordEnd(text, from);
    const [user = '', password = ''] = text.slice(from, Math.min(to, from + REDACT_LIMITS.loginChars)).split(':', 2);
    return password === '' || (/^\d+$/.test(user) && /^\d+$/.test(password)) ? undefined : { from, to };
  }
  return isSecretName(name) ? valueFrom(text, name, from) : undefined;
};

/** `<password>value</password>`, at the first `>`. */
export const element = (text: string, close: number): Span | undefined => {
  const name = nameBefore(text, close);
  if (name.to !== close || at(text, name.from - 1) !== 60) return undefined;
  if (!isSecretName(text.slice(name.from, name.to))) return undefined;
  const to = text.indexOf('<', close);
  return to > close + 1 && text.startsWith('</', to) ? { from: close + 1, to } : undefined;
};

/** Behind `Bearer `, where no name stands before it; at the space. */
export const bearer = (text: string, space: number): Span | undefined => {
  if (text.slice(Math.max(0, space - 6), space).toLowerCase() !== 'bearer' || isAlnum(at(text, space - 7)))
    return undefined;
  let from = space;
  while (from - space < 16 && at(text, from) === 32) from += 1;
  const to = wordEnd(text, from);
  const isWord = to - from < 8 || (!isLong(to - from) && /^[a-z]+[.!?]?$/.test(text.slice(from, to)));
  return isWord || isReference(text, from) ? undefined : { from: space - 6, to };
};

const KEY_HEAD = /[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** `-----BEGIN … PRIVATE KEY-----`, at its first space. A key without an end reaches to the end of the text. */
export const privateKey = (text: string, space: number): Span | undefined => {
  const from = space - '-----BEGIN'.length;
  if (!text.startsWith('-----BEGIN', from) || from < 0) return undefined;
  KEY_HEAD.lastIndex = space + 1;
  const head = KEY_HEAD.exec(text);
  if (head === null) return undefined;
  KEY_END.lastIndex = space + head[0].length;
  const end = KEY_END.exec(text);
  return { from, to: end === null ? text.length : end.index + end[0].length };
};
