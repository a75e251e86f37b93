import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { HeldState } from '../../files/held-file.js';
import { parseSwitchboard } from './config.js';
import { connectionDigest } from './connection.js';
import { changeSecrets, readSecrets, secretsFile, variablesFrom } from './secrets.js';

const dir = fs.mkdtempSync(join(tmpdir(), 'colibri-secrets-'));
afterAll(() => fs.rmSync(dir, { recursive: true }));

const read = (text: string, env: Record<string, string>, secrets: Record<string, string>) =>
  parseSwitchboard(text, { file: 'f', env: variablesFrom(env, secrets), configDir: '/c' }).servers[0];

const FILE = JSON.stringify({ mcpServers: { a: { command: 'x', env: { KEY: '${' + 'secret:a.KEY}' } } } });

test('a secret is filled in; what is approved does not hold it', () => {
  const server = read(FILE, {}, { 'a.KEY': 'v1' });
  expect(server).toMatchObject({ connection: { env: { KEY: 'v1' } }, missing: [] });
  expect(JSON.stringify(server?.written)).not.toContain('v1');
  const other = read(FILE, {}, { 'a.KEY': 'v2' });
  expect(connectionDigest(server as never)).toBe(connectionDigest(other as never));
});

test('a secret and a variable of the same name never stand in for each other', () => {
  expect(read(FILE, { 'a.KEY': 'no', KEY: 'no' }, {})).toMatchObject({ missing: ['secret:a.KEY'] });
  const plain = JSON.stringify({ mcpServers: { a: { command: 'x', env: { KEY: '${' + 'KEY}' } } } });
  expect(read(plain, {}, { KEY: 'no' })).toMatchObject({ missing: ['KEY'] });
});

test('the file is its owner\u2019s alone, and one that cannot be read holds nothing', () => {
  const state = join(dir, 'state');
  expect(readSecrets(state)).toEqual({});
  const held = new HeldState(state);
  changeSecrets(held, () => ({ a: 'b' }));
  expect(fs.statSync(secretsFile(state)).mode & 0o777).toBe(0o600);
  expect(readSecrets(state)).toEqual({ a: 'b' });
  changeSecrets(held, (now) => ({ ...now, c: 'd' }));
  expect(readSecrets(state)).toEqual({ a: 'b', c: 'd' });
  changeSecrets(held, () => undefined);
  expect(fs.existsSync(secretsFile(state))).toBe(false);
  fs.writeFileSync(secretsFile(state), '{');
  expect(readSecrets(state)).toEqual({});
  expect(() => changeSecrets(held, () => ({}))).toThrow(/damaged/);
  expect(fs.readFileSync(secretsFile(state), 'utf8')).toBe('{');
});
