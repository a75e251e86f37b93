// Finds secrets in values of HTTP headers: such values may be several words long and follow a scheme (`Basic`, `Token`) that may also be a
// word of prose.
import { isAlnum, isLong, isQuote, isReference, type Span, wordEnd } from './chars.js';
import { REDACT_LIMITS } from './limits.js';

const LINE_FEED = 0x0a;

const lineEnd = (text: string, from: number): number => {
  let to = from;
  while (to < text.length && text.charCodeAt(to) !== LINE_FEED && !isQuote(text.charCodeAt(to))) to += 1;
  return to;
};

const SCHEME =
  /(?:Basic|Bearer|Digest|Token|ApiKey|Key|Negotiate|NTLM|GNAP|SSWS|Hawk|OAuth|AWS4-HMAC-SHA256)(?: {1,4})(?=[^\s"'])/iy;

/** Matches parameters of a header, `username="me", response="…"`: quotes inside, possibly escaped, do not end the header's value. */
const PARAMETERS = /(?:[\w-]{1,64}=(?:"[^"\n\\]*"|\\"[^"\n\\]*\\"|[^\s,"'\\]*),?[ \t]{0,4})+/y;

const parametersEnd = (text: string, from: number): number => {
  PARAMETERS.lastIndex = from;
  return from + (PARAMETERS.exec(text)?.[0].trimEnd().length ?? 0);
};

/** The offset at which a header's value ends; `from` itself if the value is only a `${…}` reference, undefined if the name is not that of a header. */
export const headerEnd = (text: string, name: string, from: number): number | undefined => {
  if (/cookie$/i.test(name)) return lineEnd(text, from);
  if (!/authorization$/i.test(name)) return undefined;
  SCHEME.lastIndex = from;
  const scheme = SCHEME.exec(text);
  if (scheme === null) return undefined;
  const first = from + scheme[0].length;
  if (isReference(text, first)) return from;
  const [word, line] = [wordEnd(text, first), lineEnd(text, first)];
  // A word of lower-case letters with more text after it, as in `Basic understanding of it`, is prose; `Basic dXNlcjpwYXNz` is a login.
  const isProse = /^[a-z]+$/.test(text.slice(first, Math.min(word, first + REDACT_LIMITS.nameChars))) && word < line;
  return isProse ? undefined : Math.max(line, parametersEnd(text, first));
};

const CREDENTIALS = /^[\x20-\x7e]{0,256}:[\x20-\x7e]{1,256}$/;
const BASE64 = /^[A-Za-z0-9+/]{6,}={0,2}$/;

/** Whether a value decodes to `user:pass`, as `dXNlcjpwYXNz` does; a word of prose does not. */
const isLogin = (value: string): boolean =>
  value.length <= REDACT_LIMITS.loginChars &&
  BASE64.test(value) &&
  CREDENTIALS.test(Buffer.from(value, 'base64').toString('latin1'));

const isToken = (value: string): boolean =>
  value.length >= 8 && (isLong(value.length) || !/^[a-z]+[.!?]?$/.test(value));

const SCHEMES: readonly (readonly [word: string, isSecret: (value: string) => boolean])[] = [
  ['bearer', isToken],
  ['basic', isLogin],
];

/** The secret after `Bearer ` or `Basic ` without a header's name before it; `space` is the offset of the space. */
export const behindScheme = (text: string, space: number): Span | undefined => {
  const head = text.slice(Math.max(0, space - 6), space).toLowerCase();
  const found = SCHEMES.find(([word]) => head.endsWith(word) && !isAlnum(text.charCodeAt(space - word.length - 1)));
  if (found === undefined) return undefined;
  const [word, isSecret] = found;
  let from = space;
  while (from - space < 16 && text.charCodeAt(from) === 32) from += 1;
  const to = wordEnd(text, from);
  return isReference(text, from) || !isSecret(text.slice(from, to)) ? undefined : { from: space - word.length, to };
};
