// Finds secrets by their place: in a URL, after a flag, in an XML element, in a private key file.
import { at, hasDigit, isAlnum, isDigit, isLong, isQuote, isReference, isSpace, type Span, wordEnd } from './chars.js';
import { REDACT_LIMITS } from './limits.js';
import { isSecretName } from './names.js';
import { nameBefore, valueFrom } from './values.js';

/** The login in `scheme://user:pass@host`, where `colon` is the offset of the first colon: only the part before the `@`, so that the rest stays readable. */
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
  // The part of a URL before the `@` may also be a token alone, without a user name and password.
  return isLong(end - from) && hasDigit(text, from, end) && !isReference(text, from) ? { from, to: end } : undefined;
};

/** Tokens with a colon inside: patterns of what precedes and what follows the colon. */
const COLON_TOKENS: readonly { readonly vendor: string; readonly before: RegExp; readonly after: RegExp }[] = [
  { vendor: 'Telegram', before: /(?<!\d)\d{8,10}$/, after: /^[\w-]{35}/ },
  { vendor: 'Asana', before: /(?<!\d)[12]\/\d{10,20}(?:\/\d{10,20})?$/, after: /^[0-9a-f]{32}(?!\w)/ },
];

/** A token with a colon inside, such as that of a Telegram bot (`123456789:AA…`); `colon` is the colon's offset. */
export const colonToken = (text: string, colon: number): Span | undefined => {
  if (!isDigit(at(text, colon - 1))) return undefined;
  const head = text.slice(Math.max(0, colon - REDACT_LIMITS.colonTokenChars), colon);
  const tail = text.slice(colon + 1, colon + 1 + REDACT_LIMITS.colonTokenChars);
  for (const { before, after } of COLON_TOKENS) {
    const [first, second] = [before.exec(head)?.[0], after.exec(tail)?.[0]];
    if (first !== undefined && second !== undefined)
      return { from: colon - first.length, to: colon + 1 + second.length };
  }
  return undefined;
};

const FLAG = /--?([A-Za-z][\w-]{0,63})(?:[ \t]{1,4}|["'], {0,4}["'])/y;

/** The span of `user:password`, possibly in quotes, at an offset; two numbers are taken for ids and not for a login. */
const loginAt = (text: string, start: number): Span | undefined => {
  const from = isQuote(at(text, start)) ? start + 1 : start;
  const to = wordEnd(text, from);
  const [user = '', password = ''] = text.slice(from, Math.min(to, from + REDACT_LIMITS.loginChars)).split(':', 2);
  const isNone = password === '' || (/^\d+$/.test(user) && /^\d+$/.test(password)) || isReference(text, from);
  return isNone ? undefined : { from, to };
};

/** The secret value in `--token value` or `-u user:password`; `flag` is the offset of the flag. */
export const flagged = (text: string, flag: number): Span | undefined => {
  FLAG.lastIndex = flag;
  const [whole, name = ''] = FLAG.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const from = flag + whole.length;
  if (at(text, from) === 45) return undefined; // the next flag begins here, so this flag has no value
  if (name === 'u' || name === 'user') return loginAt(text, from);
  return isSecretName(name) ? valueFrom(text, name, from) : undefined;
};

/** The secret value in `<password>value</password>`; `close` is the offset of the first `>`. */
export const element = (text: string, close: number): Span | undefined => {
  const name = nameBefore(text, close);
  if (name?.to !== close || at(text, name.from - 1) !== 60) return undefined;
  if (!isSecretName(text.slice(name.from, name.to))) return undefined;
  const to = text.indexOf('<', close);
  return to > close + 1 && text.startsWith('</', to) ? { from: close + 1, to } : undefined;
};

const KEY_HEAD = /[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/y;
const KEY_END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;

/** A private key, from `-----BEGIN … PRIVATE KEY-----`, whose first space is at the offset `space`. A key without an end extends to the end of the text. */
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
