// Decides whether the name of a field, variable, header or flag announces a secret. A name is split into words (`apiKey`, `API_KEY` and
// `x-api-key` contain the same two), so that `max_tokens`, `monkey` and `passenger` do not match.

import { REDACT_LIMITS } from './limits.js';

/** Words that announce a secret if a name ends with one of them, whatever precedes the word. */
const SECRET_WORDS: ReadonlySet<string> = new Set(
  `password passwords passwd passphrase passcode pwd secret secrets jwt jwts cookie cookies credential credentials bearer
   authorization otp totp cvv cvc mnemonic apikey apikeys accesskey secretkey privatekey authtoken accesstoken
   jsessionid phpsessid sessid`.split(/\s+/),
);

/** Matches the ends of secret names that people write as one word: `dbpassword`, `clientsecret`. */
const SECRET_ENDING =
  /(?:password|passwd|passphrase|secret|secretkey|apikey|accesskey|privatekey|(?:auth|access|api|bot|refresh|github|gitlab|slack|npm|identity|session|csrf|xsrf|bearer|security|client|device)token|authorization|credential)s?$/;

/** Words before `token` that make a name harmless (`page_token`, `max_token`): such a token is a count, a position or part of a vocabulary. */
const PLAIN_TOKENS: ReadonlySet<string> = new Set(
  `lease progress page next continuation continue cursor sync resume idempotency eos bos pad unk sep cls mask stop start end
   special max min per first last cancel cancellation each new`.split(/\s+/),
);
const OWNED_TOKENS: ReadonlySet<string> = new Set(
  'access refresh auth api bearer bot id session oauth user github gitlab npm personal service deploy'.split(' '),
);
/**
 * Words before `key` that make a name announce a secret (`api_key`). Other keys, such as primary, public, cache or idempotency keys, are
 * not secret.
 */
const KEYS: ReadonlySet<string> = new Set(
  `api app access secret private account shared master encryption signing service auth storage subscription function ssh deploy
   admin write webhook client host root license signature hmac aes rsa pgp gpg ssl tls stripe openai anthropic`.split(
    /\s+/,
  ),
);
const PASSES: ReadonlySet<string> = new Set(
  `user db database smtp mail email ftp sftp ssh admin root login http https proxy redis mysql pg postgres key store sudo ldap
   basic auth my mongo rabbitmq wifi vpn`.split(/\s+/),
);
/** Words before `auth` that make a name harmless: `requires_auth` and `no_auth` are options, not secrets. */
const PLAIN_AUTHS: ReadonlySet<string> = new Set(
  'requires require needs need no use uses enable skip with is has without'.split(' '),
);
const PHRASES: ReadonlySet<string> = new Set(
  'seed phrase,recovery phrase,recovery code,recovery codes,backup code,backup codes'.split(','),
);
/** Names of signatures, which announce a secret only in the query of a URL: elsewhere a signature is public. */
const QUERY_WORDS: ReadonlySet<string> = new Set(['sig', 'signature']);
/** Names that announce a secret only in the query of a URL, if the value looks random: `?code=` of OAuth, `?key=` of an API, `?ticket=` of a login. */
const RANDOM_WORDS: ReadonlySet<string> = new Set(['code', 'key', 'session', 'sid', 'ticket']);
const RANDOM = /^(?=[^\d]{0,32}\d)(?=[^a-z]{0,32}[a-z])(?:(?=[^A-Z]{0,32}[A-Z])[\w~.-]{20,}|[0-9a-f]{32,})/;
/** Words at the end of a name that say how a secret is encoded, as in `client-key-data`. */
const WRITTEN: ReadonlySet<string> = new Set(['data', 'pem', 'base64', 'b64']);

/** Names such as `value` in `name="API_KEY" value=`, after which an earlier name decides whether the value is secret (values.ts). */
const SECOND_WORDS: readonly string[] = ['value', 'default'];

/**
 * A table of the last two characters of every word with which the name of a secret can end, in upper and lower case, and of digits, which
 * number copies of a secret: a quick test that rules out most names.
 */
const endings = (): Uint8Array => {
  const table = new Uint8Array(128 * 128);
  const words = [
    ...[...SECRET_WORDS, ...QUERY_WORDS, ...RANDOM_WORDS, ...WRITTEN, ...SECOND_WORDS],
    ...['token', 'tokens', 'key', 'keys', 'pass', 'auth'],
    ...[...PHRASES].flatMap((phrase) => phrase.split(' ').slice(-1)),
  ];
  for (const word of [...words, ...words.map((one) => one.toUpperCase())])
    table[word.charCodeAt(word.length - 2) * 128 + word.charCodeAt(word.length - 1)] = 1;
  for (let first = 0; first < 128; first += 1)
    for (let digit = 48; digit < 58; digit += 1) table[first * 128 + digit] = 1;
  return table;
};
const ENDINGS = endings();

/** Whether the name that ends before offset `to` may announce a secret, judged by its last two characters. */
export const mayEndName = (text: string, to: number): boolean =>
  ENDINGS[text.charCodeAt(to - 2) * 128 + text.charCodeAt(to - 1)] === 1;

/** Matches every name that announces a secret, and few other names. */
const HINT = /pass|pwd|secret|token|key|auth|cred|jwt|cookie|bearer|otp|cv[vc]|mnemonic|phrase|codes?$|sess(?:ion)?id/i;

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

const isSecretWord = (last: string, before: string): boolean => {
  if (SECRET_WORDS.has(last)) return true;
  if (last === 'token') return !PLAIN_TOKENS.has(before);
  if (last === 'tokens') return OWNED_TOKENS.has(before);
  if (last === 'key' || last === 'keys') return KEYS.has(before);
  if (last === 'pass') return before === '' || PASSES.has(before);
  if (last === 'auth') return !PLAIN_AUTHS.has(before);
  return PHRASES.has(`${before} ${last}`) || (last.length > 'token'.length && SECRET_ENDING.test(last));
};

export const isSecretName = (name: string): boolean => {
  if (name.length > REDACT_LIMITS.nameChars || !HINT.test(name)) return false;
  const words = wordsOf(name);
  // Drops numbers of copies (`api_key_2`, `TOKEN1`) and encodings (`client-key-data`) at the end of the name.
  while (words.length > 1 && (/^\d+$/.test(words.at(-1) ?? '') || WRITTEN.has(words.at(-1) ?? ''))) words.pop();
  const last = (words.at(-1) ?? '').replace(/\d+$/, '');
  return last !== '' && isSecretWord(last, words.at(-2) ?? '');
};

export const isSecretParameter = (name: string): boolean =>
  isSecretName(name) || QUERY_WORDS.has(wordsOf(name).at(-1) ?? '');

export const isRandomParameter = (name: string, value: string): boolean =>
  RANDOM_WORDS.has(wordsOf(name).at(-1) ?? '') && RANDOM.test(value);
