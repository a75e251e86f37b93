// Takes secrets out of arguments before they are stored: by the name of a field and by the shape of a value.
// Pure. Every pattern is linear: arguments may be megabytes long and come from anybody.

export const REDACTED = '[redacted]';

/** Names compared without case, `-` and `_`; a name that ends in one of these counts too. */
const SECRET_NAMES =
  /(?:password|passwd|passphrase|secret|secretkey|apikey|accesskey|privatekey|accesstoken|refreshtoken|authtoken|bearertoken|sessiontoken|idtoken|authorization|credentials)$/;
const SECRET_EXACT = new Set(['token', 'pwd', 'cookie', 'setcookie']);

const SECRET_SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,40}PRIVATE KEY-----)?/g,
  /\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g, // JWT
  /\bBearer +[\w.~+/=-]{8,}/gi,
  /\bsk-[\w-]{16,}/g,
  /\b(?:ghp|gho|ghu|ghs|ghr)_\w{20,}/g,
  /\bgithub_pat_\w{20,}/g,
  /\bglpat-[\w-]{16,}/g,
  /\bxox[abeoprs]-[\w-]{10,}/g,
  /\bnpm_\w{30,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{30,}/g,
];
/** `scheme://user:pass@host`: the address stays readable. */
const URL_LOGIN = /\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/@:]{0,256}:[^\s/@]{1,512}@/gi;

const isSecretName = (key: string): boolean => {
  const plain = key.toLowerCase().replace(/[-_]/g, '');
  return SECRET_EXACT.has(plain) || SECRET_NAMES.test(plain);
};

const redactText = (text: string): string =>
  SECRET_SHAPES.reduce((rest, shape) => rest.replace(shape, REDACTED), text).replace(URL_LOGIN, `$1${REDACTED}@`);

/** A copy of a JSON value without secrets. Numbers and booleans under a secret name stay: they are no secret. */
export const redact = (value: unknown): unknown => {
  if (typeof value === 'string') return redactText(value);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(redact);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === 'string' && isSecretName(key) ? REDACTED : redact(inner),
    ]),
  );
};
