// The words of errors hold no secret, whichever client asked; they are bounded; and where arguments are not kept, neither are they.
import { expect, test, vi } from 'vitest';
import { written } from '../perimeter/secrets.shared.js';
import { colibri, rows } from '../support/command-line.js';
import { SECRETS } from '../support/secrets.js';
import { CLIENT_KINDS, connect, freshPlace, type Place, session } from '../support/serve.js';
import { board, keptWords, ready, said } from './words.shared.js';

vi.setConfig({ testTimeout: 240_000 });

const long = SECRETS.filter(({ secret }) => secret.length > 30);

const expectClean = (place: Place): void => {
  const words = JSON.stringify(keptWords(place));
  expect(SECRETS.filter(({ secret }) => words.includes(secret)).map(({ kind }) => kind)).toEqual([]);
  const bytes = written(place);
  expect(long.filter(({ secret }) => bytes.includes(secret)).map(({ kind }) => kind)).toEqual([]);
};

test.each(CLIENT_KINDS)('a hundred secrets in errors and results with isError are not kept (%s)', async (kind) => {
  const place = freshPlace();
  board(place);
  const client = await connect(place, kind);
  for (const { text } of SECRETS) {
    await client.callTool('says__fail', { text });
    await client.callTool('says__refuse', { text }).catch(() => {});
  }
  await client.close();
  expect(keptWords(place).length).toBeGreaterThanOrEqual(2 * SECRETS.length);
  expectClean(place);
  expect((await colibri(place, ['verify'])).code).toBe(0);
});

test('a server that prints secrets and dies leaves none behind', async () => {
  const place = freshPlace();
  board(place);
  await session(place, async (peer) => {
    await ready(peer);
    const texts = SECRETS.map(({ text }) => text);
    for (let at = 0; at < texts.length; at += 25) await said(peer, 'die', texts.slice(at, at + 25).join('\n'));
  });
  expect(keptWords(place).filter(({ stderr }) => stderr !== undefined).length).toBeGreaterThan(0);
  expectClean(place);
});

test('a value of the secret store that a server repeats is not kept', async () => {
  const place = freshPlace();
  const secret = 'plain words that look like nothing';
  board(place, { API_TOKEN: secret });
  await session(place, async (peer) => {
    await ready(peer);
    await said(peer, 'fail', `the login with ${secret} was refused`);
  });
  expect(keptWords(place)).toEqual([{ message: 'the login with [redacted] was refused' }]);
});

test('words of any length are cut to two kilobytes, whole characters only', async () => {
  const place = freshPlace();
  board(place);
  await session(place, async (peer) => {
    await ready(peer);
    for (const text of ['é'.repeat(60_000), '😀'.repeat(500_000), `${'x y '.repeat(20_000)}`]) {
      await said(peer, 'fail', text);
      await said(peer, 'refuse', text);
    }
  });
  const kept = keptWords(place);
  expect(kept).toHaveLength(6);
  for (const words of kept) {
    const bytes = Object.values(words).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    expect(bytes).toBeLessThanOrEqual(2_048);
    expect(bytes).toBeGreaterThan(1_000);
    expect(JSON.stringify(words)).not.toContain('\ufffd');
  }
  expect((await colibri(place, ['verify'])).code).toBe(0);
});

test.each(['digest', 'none'])('COLIBRI_AUDIT_PAYLOADS=%s keeps no words', async (policy) => {
  const place = freshPlace();
  board(place);
  await session(
    place,
    async (peer) => {
      await ready(peer);
      await said(peer, 'fail', 'no row 7');
      await said(peer, 'refuse', 'no row 7');
      await peer.call('task_get', { tsk: 1 });
      await said(peer, 'die', 'no row 7');
    },
    { env: { COLIBRI_AUDIT_PAYLOADS: policy } },
  );
  expect(keptWords(place)).toEqual([]);
  const exits = rows<{ body: string }>(place, "SELECT body FROM actions WHERE kind = 'call.exit'");
  expect(exits.filter(({ body }) => body.includes('texts'))).toEqual([]);
  expect((await colibri(place, ['verify'])).code).toBe(0);
});
