import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { REDACTED, redact, redactShapes, redactText } from './redact.js';
import { secretSpans } from './scan.js';

const key = (label: string) => `-----BEGIN ${label}PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END ${label}PRIVATE KEY-----`;

describe('redact', () => {
  it.each([
    'password',
    'apiKey',
    'API_KEY',
    'x-api-key',
    'client_secret',
    'Authorization',
    'access_token',
    'token',
    'db_password',
    'privateKey',
    'set-cookie',
  ])('hides the text under %s', (name) => {
    expect(redact({ outer: [{ [name]: 'value' }] })).toEqual({ outer: [{ [name]: REDACTED }] });
  });

  it.each(['lease_token', 'title', 'idempotency_key', 'keyboard', 'nextToken', 'tokenizer'])('leaves %s', (name) => {
    expect(redact({ [name]: 'value' })).toEqual({ [name]: 'value' });
  });

  it('hides every text below a secret name, and leaves numbers and structure', () => {
    const value = { token: 3, credentials: { user: 'me', keys: ['a', 1] }, passwords: ['x'], githubToken: 'y' };
    expect(redact(value)).toEqual({
      token: 3,
      credentials: { user: REDACTED, keys: [REDACTED, 1] },
      passwords: [REDACTED],
      githubToken: REDACTED,
    });
  });

  it.each([
    ['Bearer abcdefgh12345678', REDACTED],
    ['BEARER abcdefgh12345678', REDACTED],
    ['authorization: Basic dXNlcjpwYXNz', `authorization: ${REDACTED}`],
    [`hf_${'a'.repeat(34)}`, REDACTED],
    [`https://me:${'p'.repeat(500)}@host`, `https://${REDACTED}@host`],
    [`sk-ant-${'a1'.repeat(10)} rest`, `${REDACTED} rest`],
    [`ghp_${'a'.repeat(36)}`, REDACTED],
    ['eyJhbGciOi.eyJzdWIiOi.SflKxwRJ', REDACTED],
    ['AKIAIOSFODNN7EXAMPLE', REDACTED],
    [`run ${key('RSA ')} now`, `run ${REDACTED} now`],
    ['postgres://me:s3cret@host/db', `postgres://${REDACTED}@host/db`],
    ['https://host:8080/a@b', 'https://host:8080/a@b'],
    ['Basic understanding of basic arithmetic', 'Basic understanding of basic arithmetic'],
    ['plain text, see https://example.test/', 'plain text, see https://example.test/'],
  ])('%s', (text, expected) => {
    expect(redact([text])).toEqual([expected]);
  });

  it('searches every text in which the search finds something', () => {
    const pieces = `bearer Basic machine login password mysql curl zip redis-cli sshpass token api_key user ghp_ a1b2c3d4 T-0001
      dXNlcjpwYXNz IDENTIFIED BY 'x' PRIVATE -----BEGIN KEY----- -p -u -P -a --token = : :// @ > % $ , . - ' "`;
    const piece = fc.oneof(
      fc.constantFrom(...pieces.split(/\s+/)),
      fc.constantFrom(' ', ' ', ' ', '\n'),
      fc.stringMatching(/^[\w.-]{1,9}$/),
    );
    const byName = fc.boolean();
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), byName, (parts, named) => {
        const text = parts.join('');
        const made = named ? redactText(text) : redactShapes(text);
        expect([text, made !== text]).toEqual([text, secretSpans(text, named).length > 0]);
      }),
      {
        numRuns: 5_000,
        examples: [
          [['machine', ' ', 'a', ' ', 'login', ' ', 'b', ' ', 'password', ' ', 'c'], true],
          [['Bearer', ' ', 'a1b2c3d4'], true],
          [['basic', ' ', 'dXNlcjpwYXNz'], false],
          [['curl', ' ', '-u', 'a:b'], false],
          [['-token', ' ', 'a1b2c3d4'], true],
        ],
      },
    );
  });

  it('is idempotent and keeps the shape of any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const once = redact(value);
        expect(redact(once)).toEqual(once);
      }),
    );
  });

  it.each(['Bearer ', 'eyJ', '-eyJ', 'a:', '-----BEGIN ', 'sk-', 'x://y:', 'eyJaaaaa.'])(
    'stays linear on a megabyte of %j',
    (unit) => {
      const began = performance.now();
      redact(`${unit.repeat(Math.ceil(1_000_000 / unit.length))}@`);
      expect(performance.now() - began).toBeLessThan(5_000); // quadratic would take minutes
    },
  );
});

it('a token that stands as a name', () => {
  expect(redact({ ghp_abcdefghijklmnopqrstuv: 1, plain: { 'x sk-abcdefghijklmnop1234': 2 } })).toEqual({
    [REDACTED]: 1,
    plain: { [`x ${REDACTED}`]: 2 },
  });
});

it('JSON inside a text that is nested without end is a text: nothing fails, and what is in it is found', () => {
  const deep = `${'['.repeat(100_000)}"password=hunter2"${']'.repeat(100_000)}`;
  expect(JSON.stringify(redact({ deep }))).not.toContain('hunter2');
  expect(redact({ text: JSON.stringify({ inner: JSON.stringify({ text: 'a\npassword: hunter2\nb' }) }) })).toEqual({
    text: JSON.stringify({ inner: JSON.stringify({ text: `a\npassword: ${REDACTED}\nb` }) }),
  });
});
