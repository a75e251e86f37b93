// Tests the redactor with a list of secrets that must be removed and of texts that must stay.
import { describe, expect, it } from 'vitest';
import { FURTHER_HARMLESS, FURTHER_SECRETS } from '../../test/support/further-secrets.js';
import { HARMLESS, SECRETS, SHAPED_SECRETS } from '../../test/support/secrets.js';
import { isSecretName } from './names.js';
import { REDACTED, redact, redactShapes, redactText } from './redact.js';
import { TOKEN_SHAPES } from './shapes.js';

describe('what is taken out', () => {
  it('the list has more than a hundred of each', () => {
    expect(SECRETS.length).toBeGreaterThanOrEqual(100);
    expect(HARMLESS.length).toBeGreaterThanOrEqual(100);
  });

  it('every line of the table of tokens has prefixes, known characters and a length', () => {
    for (const { prefixes, chars, least } of TOKEN_SHAPES) {
      expect(prefixes.every((prefix) => prefix.length > 1)).toBe(true);
      expect(['hex', 'alnum', 'word', 'dash', 'any']).toContain(chars);
      expect(least).toBeGreaterThan(9);
    }
  });

  const all = [...SECRETS, ...FURTHER_SECRETS].map(({ kind, text, secret }) => [kind, text, secret] as const);
  it.each(all)('%s', (_kind, text, secret) => {
    expect(text).toContain(secret);
    const shown = redactText(text);
    expect(shown).toContain(REDACTED);
    expect(shown).not.toContain(secret);
    expect(redactText(shown)).toBe(shown);
  });

  it.each(SHAPED_SECRETS.map(({ kind, secret }) => [kind, secret] as const))(
    '%s, in the words of a person',
    (_, secret) => {
      expect(redactShapes(`I found ${secret} in the file`)).toBe(`I found ${REDACTED} in the file`);
    },
  );

  it('a secret as a whole value, in a list, as a name and twice in one text', () => {
    for (const { secret } of SHAPED_SECRETS) {
      expect(redact({ a: [secret], [secret]: 1, b: `${secret} ${secret}` })).toEqual({
        a: [REDACTED],
        [REDACTED]: 1,
        b: `${REDACTED} ${REDACTED}`,
      });
    }
  });

  it('a value behind a flag of its own, and one beside its name', () => {
    expect(redact(['run', '--token', 'x', '--verbose', 'y'])).toEqual(['run', '--token', REDACTED, '--verbose', 'y']);
    expect(redact(['--token', '--verbose', '--token-count', '5'])).toEqual([
      '--token',
      '--verbose',
      '--token-count',
      '5',
    ]);
    expect(
      redact([
        { name: 'API_KEY', value: 'x' },
        { name: 'PORT', value: '80' },
      ]),
    ).toEqual([
      { name: 'API_KEY', value: REDACTED },
      { name: 'PORT', value: '80' },
    ]);
    const headers = [
      ['x-api-key', 'x'],
      ['accept', 'y'],
    ];
    expect(redact(headers)).toEqual([
      ['x-api-key', REDACTED],
      ['accept', 'y'],
    ]);
    expect(redact(['token', 'secret'])).toEqual(['token', 'secret']); // two names of fields
  });
});

describe('what stays', () => {
  it.each([...HARMLESS, ...FURTHER_HARMLESS])('%s', (text) => {
    expect(redactText(text)).toBe(text);
    expect(redactShapes(text)).toBe(text);
    expect(redact({ note: [text] })).toEqual({ note: [text] });
  });

  it('the value itself, where there is nothing to take out', () => {
    const value = { a: [1, 'text', { b: null }], c: 'more' };
    expect(redact(value)).toBe(value);
  });
});

describe('names', () => {
  it.each([
    ...[
      'auth',
      'jwt',
      'pass',
      'apiKey',
      'API_KEY',
      'x-api-key',
      'APIKey',
      'APIKEY',
      'OPENAI_API_KEY',
      'password2',
      'dbPass',
    ],
    ...[
      'user_pass',
      'authToken',
      'auth_token',
      'refresh_tokens',
      'clientsecret',
      'private_key',
      'AWS_SECRET_ACCESS_KEY',
      'pwd',
    ],
    ...[
      'Proxy-Authorization',
      '_auth',
      'set-cookie',
      'signing.key',
      'recoveryCodes',
      'credentials',
      'GITHUB_TOKEN',
      'TOKEN_2',
    ],
  ])('%s is secret', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  it.each([
    ...[
      'max_tokens',
      'maxTokens',
      'tokens',
      'tokenizer',
      'token_count',
      'author',
      'authority',
      'monkey',
      'keyboard',
      'passenger',
    ],
    ...['key', 'keys', 'primaryKey', 'public_key', 'idempotency_key', 'lease_token', 'nextToken', 'passed'],
    ...[
      'pass_count',
      'first_pass',
      'secret_name',
      'auth_type',
      'requiresAuth',
      'oauth_url',
      'password_hint_shown',
      'note',
    ],
  ])('%s is not', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});
