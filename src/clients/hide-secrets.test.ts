// biome-ignore-all lint/suspicious/noTemplateCurlyInString: as files write them
import { expect, test } from 'vitest';
import { hideSecrets } from './hide-secrets.js';

const SECRET = 'hunter2hunter2';
const SHAPED = 'ghp_abcdefghijklmnopqrstuvwx012345';

const hide = (server: Record<string, unknown>, known = {}) => hideSecrets('s', server, known);

test('variables and headers whose name says so, or whose value looks like one', () => {
  const { server, secrets } = hide({
    env: { API_KEY: SECRET, LEVEL: 'debug', SOMETHING: SHAPED, DSN: `postgres://u:${SECRET}@h/db`, EMPTY_TOKEN: '' },
    headers: { Authorization: `Bearer ${SECRET}`, 'X-Api-Key': SECRET, Accept: 'text/plain' },
  });
  expect(server).toEqual({
    env: {
      API_KEY: '${secret:s.API_KEY}',
      LEVEL: 'debug',
      SOMETHING: '${secret:s.SOMETHING}',
      DSN: '${secret:s.DSN}',
      EMPTY_TOKEN: '',
    },
    headers: {
      Authorization: 'Bearer ${secret:s.Authorization}',
      'X-Api-Key': '${secret:s.X-Api-Key}',
      Accept: 'text/plain',
    },
  });
  expect(secrets['s.Authorization']).toBe(SECRET);
  expect(JSON.stringify(server)).not.toContain('hunter2');
});

test('what is a variable already stays one', () => {
  const env = { API_KEY: '${KEY}', T_TOKEN: 'prefix-${env:T}', B: `\${A}${SHAPED}` };
  const { server, secrets } = hide({ env });
  expect(server).toEqual({ env: { ...env, B: '${A}${secret:s.B}' } });
  expect(secrets).toEqual({ 's.B': SHAPED });
});

test.each([
  [
    ['--token', SECRET],
    ['--token', '${secret:s.token}'],
  ],
  [[`--api-key=${SECRET}`], ['--api-key=${secret:s.api-key}']],
  [
    ['-e', `GITHUB_TOKEN=${SECRET}`],
    ['-e', 'GITHUB_TOKEN=${secret:s.GITHUB_TOKEN}'],
  ],
  [
    ['--header', `Authorization: Bearer ${SECRET}`],
    ['--header', 'Authorization: Bearer ${secret:s.Authorization}'],
  ],
  [[`postgres://u:${SECRET}@h/db`], ['${secret:s.args.0}']],
  [[SHAPED], ['${secret:s.args.0}']],
  [
    ['-y', 'server', '--verbose', '/a/b', 'https://x/y?z=1'],
    ['-y', 'server', '--verbose', '/a/b', 'https://x/y?z=1'],
  ],
])('arguments: %j', (args, wanted) => {
  const { server, secrets } = hide({ args });
  expect(server.args).toEqual(wanted);
  const back = wanted.map((arg) => arg.replace(/\$\{secret:([^}]*)\}/g, (_, name: string) => secrets[name] ?? '?'));
  expect(back).toEqual(args);
});

test('an address shows where it leads', () => {
  const { server, secrets } = hide({ url: `https://me:${SECRET}@h.example/mcp?api_key=${SECRET}x&page=2#f` });
  expect(server.url).toBe('https://me:${secret:s.url.password}@h.example/mcp?api_key=${secret:s.api_key}&page=2#f');
  expect(secrets).toEqual({ 's.url.password': SECRET, 's.api_key': `${SECRET}x` });
  expect(hide({ url: `https://h.example/${SHAPED}/mcp` }).server.url).toBe('${secret:s.url}');
  expect(hide({ url: 'https://h.example/mcp' })).toEqual({
    server: { url: 'https://h.example/mcp' },
    secrets: {},
    places: [],
  });
});

test('names that are taken by another value are not used', () => {
  const { server, secrets } = hide({ env: { API_KEY: SECRET } }, { 's.API_KEY': 'other' });
  expect(server.env).toEqual({ API_KEY: '${secret:s.API_KEY-2}' });
  expect(secrets).toEqual({ 's.API_KEY-2': SECRET });
  expect(hide({ env: { API_KEY: SECRET } }, { 's.API_KEY': SECRET }).server.env).toEqual({
    API_KEY: '${secret:s.API_KEY}',
  });
});

test('a name with other characters', () => {
  expect(hideSecrets('a b/ü', { env: { KEY_TOKEN: SECRET } }, {}).server.env).toEqual({
    KEY_TOKEN: '${secret:a_b__.KEY_TOKEN}',
  });
});
