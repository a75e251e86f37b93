// Takes secrets out of arguments before they are stored: by the name of a field and by the shape of a value.
// Pure. Every pattern is linear: arguments may be megabytes long and come from anybody.

export const REDACTED = '[redacted]';

/** Names compared without case, `-` and `_`; a name that ends in one of these counts too. */
const SECRET_NAMES =
  /(?:password|passwd|passphrase|secret|secretkey|apikey|accesskey|privatekey|token|authorization|credential)$/;
const SECRET_EXACT = new Set(['pwd', 'cookie', 'setcookie']);
/** Tokens that are counters or bookmarks. */
const NO_SECRET = new Set(['leasetoken', 'progresstoken', 'pagetoken', 'nexttoken']);

/**
 * How a secret begins. Every repetition is bounded: what only almost fits costs a bound's worth of steps, and a token
 * of megabytes needs no megabytes of stack. The rest of the token is taken along by `endOfToken`.
 */
const SECRET_START = new RegExp(
  `(?<!\\w)(?:${[
    'eyJ[\\w-]{5,256}\\.eyJ', // JWT: header and payload are JSON objects
    '(?:[Bb]earer|BEARER) {1,16}[\\w.~+/=-]{8}',
    '(?<=[Aa]uthorization: {0,4})[Bb]asic {1,16}[\\w.~+/=-]{4}', // the word alone is prose
    'sk[-_][\\w-]{16}',
    'hf_\\w{30}',
    'gh[oprsu]_\\w{20}',
    'github_pat_\\w{20}',
    'glpat-[\\w-]{16}',
    'xox[abeoprs]-[\\w-]{10}',
    'npm_\\w{30}',
    '(?:AKIA|ASIA)[A-Z0-9]{16}',
    'AIza[\\w-]{30}',
  ].join('|')})`,
  'g',
);
const TOKEN_CHARS = new Set('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.~+/=-');
const PRIVATE_KEY = /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----/g;
const KEY_END = /-----END [A-Z ]{0,40}PRIVATE KEY-----/g;
/** `scheme://user:pass@host`: the address stays readable. */
const URL_LOGIN = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@:]{0,128}:[^\s/@]{1,1024}@/gi;

const isSecretName = (key: string): boolean => {
  const plain = key.toLowerCase().replace(/[-_]/g, '').replace(/s$/, '');
  return !NO_SECRET.has(plain) && (SECRET_EXACT.has(plain) || SECRET_NAMES.test(plain));
};

const endOfToken = (text: string, from: number): number => {
  let end = from;
  while (end < text.length && TOKEN_CHARS.has(text[end] as string)) end += 1;
  return end;
};

/** A key without an end reaches to the end of the text. */
const endOfKey = (text: string, from: number): number => {
  KEY_END.lastIndex = from;
  const end = KEY_END.exec(text);
  return end === null ? text.length : end.index + end[0].length;
};

/** Replaces what `start` finds and `endOf` reaches. */
const cutOut = (text: string, start: RegExp, endOf: (text: string, from: number) => number): string => {
  let kept = '';
  let from = 0;
  for (const { index, 0: found } of text.matchAll(start)) {
    if (index < from) continue;
    kept += `${text.slice(from, index)}${REDACTED}`;
    from = endOf(text, index + found.length);
  }
  return from === 0 ? text : kept + text.slice(from);
};

const redactText = (text: string): string => {
  const plain = cutOut(cutOut(text, PRIVATE_KEY, endOfKey), SECRET_START, endOfToken);
  return plain.includes('@') ? plain.replace(URL_LOGIN, `$1${REDACTED}@`) : plain;
};

/** A secret may stand as a name too. Two of them in one object become one: what is kept has a name once. */
const mapMembers = (value: object, map: (inner: unknown, key: string) => unknown): unknown =>
  Object.fromEntries(Object.entries(value).map(([key, inner]) => [redactText(key), map(inner, key)]));

/** Every text below a secret name; numbers and booleans are no secret and stay. */
const blank = (value: unknown): unknown => {
  if (typeof value === 'string') return REDACTED;
  if (value === null || typeof value !== 'object') return value;
  return Array.isArray(value) ? value.map(blank) : mapMembers(value, blank);
};

/** A copy of a JSON value without secrets. */
export const redact = (value: unknown): unknown => {
  if (typeof value === 'string') return redactText(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(redact);
  return mapMembers(value, (inner, key) => (isSecretName(key) ? blank(inner) : redact(inner)));
};
