// Tests that hostile text cannot make the search for secrets slow. redact.test.ts has a few of these for every run.
import { describe, expect, it } from 'vitest';
import { redactShapes, redactText } from './redact.js';

describe('hostile text costs its length', () => {
  const UNITS = [
    ...[
      'Bearer ',
      'password=',
      'password="',
      "password='\\",
      '--token ',
      '-u a:',
      '://a:',
      '://',
      'x://y:@',
      '<password>',
      'a=',
      '=:',
    ],
    ...[
      '-----BEGIN ',
      '-----BEGIN RSA PRIVATE KEY-----',
      'eyJa.eyJ',
      '-eyJ',
      'sk-',
      'sk-sk_',
      'v1.0-',
      'SK',
      '.SK',
      'aQ~',
      '1Q~',
      '-us',
    ],
    ...[
      '123456789:',
      'hooks.slack.com/services/',
      'a',
      '/',
      '=',
      '==',
      '\\',
      '\\"',
      '"',
      '${',
      'password=${',
      'Authorization: Basic ',
    ],
    ...[
      'M.',
      'MMMMMMMMMMMMMMMMMMMMMMMM.',
      'a.atlasv1.',
      'AZDO',
      'aaaaaaaaaaAZDO',
      'cookie: ',
      'token: ',
      'PRIVATE KEY',
      '\u00e9',
    ],
    ...[
      'token%3D',
      '%3D',
      '%25',
      'a]=',
      'Basic ',
      'Authorization: Digest a=',
      'name="token" value=',
      'variable "token" { default = ',
      'password: |\n ',
      '"password":\n',
      'machine a login b password ',
      'mysql -p',
      'curl -u',
      ':5432:',
      'a@tcp(',
      '$argon2id$',
      'Private-Lines: 1\n',
      '$2y$10$',
      'abc_',
      'abc-ab1-',
      "PASSWORD '",
      '; name="token',
    ],
  ];

  it.each([':5432:', '@tcp(', ' -u', ' -p'])('a megabyte of one word before %j', (end) => {
    const began = performance.now();
    redactText(`${'a'.repeat(1_000_000)}${end}`);
    expect(performance.now() - began).toBeLessThan(6_000);
  });

  it.each(UNITS)('a megabyte of %j', (unit) => {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    const began = performance.now();
    redactText(text);
    redactShapes(text);
    expect(performance.now() - began).toBeLessThan(6_000); // quadratic would take minutes
  });
});
