// Secrets that servers, addresses and callers let slip: none may stand in a store, a log file or on a screen, and what a server said can be
// erased.
import { expect, test, vi } from 'vitest';
import { colibri, rows } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import { SECRETS } from '../support/secrets.js';
import { freshPlace, session } from '../support/serve.js';
import { writeBoard } from '../support/switchboard-file.js';
import { allOut, dies, health, written } from './secrets.shared.js';

vi.setConfig({ testTimeout: 60_000 });

const secretOf = (kind: string): string => SECRETS.find((one) => one.kind === kind)?.secret ?? '';
const TOKEN = secretOf('GitHub classic');
const KEY = secretOf('private key of EC');
const PASSWORD = 'correct-horse-7';

const BAD = {
  token: dies(`Error: login with ${TOKEN} failed`),
  pem: dies(`Error: bad key\n${KEY}`),
  address: dies(`Error: cannot reach http://me:${PASSWORD}@127.0.0.1/`),
  header: dies(`fatal: sent Authorization: Basic ${PASSWORD}`),
  variable: dies(`fatal: DB_PASSWORD=${PASSWORD} was refused`),
  flag: dies(`Error: unknown option in: deploy --api-key ${PASSWORD} --now`),
  json: dies(`Error: bad settings {"user":"me","client_secret":"${PASSWORD}"}`),
  url: { url: `http://me:${PASSWORD}@127.0.0.1:9/mcp?access_token=${PASSWORD}` },
  nowhere: { command: `/nowhere/${TOKEN}`, args: [] },
};

test('what a failing server says stands nowhere with its secrets, and verify and replay agree', async () => {
  const place = freshPlace();
  writeBoard(place, BAD);
  const { peer, value: board } = await session(place, async (peer) => {
    await allOut(peer, Object.keys(BAD).length);
    await eventually(
      'the board has them all',
      async () => /flag: exited/.test((await colibri(place, ['switchboard', '--once'])).stdout),
      20_000,
    );
    const answer = await peer.call('url__x', {});
    const shown = await Promise.all(
      [
        ['switchboard', '--once'],
        ['switchboard', '--json'],
        ['status'],
        ['doctor'],
        ['log', '--kind', 'health'],
        ['export'],
        ['export', '--format', 'csv'],
      ].map(async (args) => (await colibri(place, args)).stdout),
    );
    return [JSON.stringify(answer), ...shown].join('\n');
  });
  const bytes = written(place);
  for (const secret of [TOKEN, PASSWORD, KEY.split('\n')[1] ?? '']) {
    for (const [where, text] of Object.entries({ store: bytes, stderr: peer.stderr, screens: board })) {
      expect(text.includes(secret), `${secret} in ${where}`).toBe(false);
    }
  }
  expect(health(place).length).toBeGreaterThanOrEqual(Object.keys(BAD).length);
  // The words are still told, without the secret.
  expect(board).toContain('login with [redacted] failed');
  expect((await colibri(place, ['verify'])).code).toBe(0);
  expect((await colibri(place, ['switchboard', 'replay'])).code).toBe(0);
});

test('a hundred secrets in the arguments of one call are not kept', async () => {
  const place = freshPlace();
  const { value } = await session(place, (peer) =>
    peer.call('server_ping', { texts: SECRETS.map(({ text }) => text) }),
  );
  expect(value.result).toBeDefined();
  const [row] = rows<{ json: string }>(place, 'SELECT json FROM payloads ORDER BY seq DESC LIMIT 1');
  const kept = (JSON.parse(row?.json ?? '{}') as { texts: string[] }).texts;
  expect(kept).toHaveLength(SECRETS.length);
  const missed = SECRETS.filter(({ secret }, i) => kept[i]?.includes(secret)).map(({ kind }) => kind);
  expect(missed).toEqual([]);
  const bytes = written(place);
  expect(SECRETS.filter(({ secret }) => secret.length > 30 && bytes.includes(secret)).map(({ kind }) => kind)).toEqual(
    [],
  );
  expect((await colibri(place, ['verify'])).code).toBe(0);
});
