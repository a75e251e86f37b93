// What a server said can be taken out of a store, and nothing breaks.
import { expect, vi } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { colibri } from '../support/command-line.js';
import { freshPlace, session } from '../support/serve.js';
import { writeBoard } from '../support/switchboard-file.js';
import { allOut, dies, health, written } from './secrets.shared.js';

vi.setConfig({ testTimeout: 60_000 });

test('what a server said is outside the hash: it can be erased, and everything still verifies', async () => {
  const place = freshPlace();
  writeBoard(place, { one: dies('Error: the customer lives in Sesame Street 17') });
  await session(place, (peer) => allOut(peer, 1));
  const [record] = health(place);
  const place0 = `${record?.log_id}/${record?.seq}`;
  expect(record?.body).not.toContain('Sesame');
  expect(JSON.parse(record?.body ?? '')).toMatchObject({ texts: 'stored', cause: 'exited' });
  expect((await colibri(place, ['log', '--kind', 'health'])).stdout).toContain('Sesame Street 17');
  expect((await colibri(place, ['log', place0])).stdout).toContain('Sesame Street 17');
  const exported = (await colibri(place, ['export'])).stdout.split('\n').find((line) => line.includes('Sesame'));
  expect(JSON.parse(exported ?? '{}')).toMatchObject({ kind: 'health', payload: 'stored' });

  for (const { log_id, seq } of health(place)) {
    const erased = await colibri(place, ['erase', `payload:${log_id}/${seq}`, '--reason', 'an address', '--yes']);
    expect(erased.code, erased.stderr).toBe(0);
  }
  expect(written(place)).not.toContain('Sesame');
  expect((await colibri(place, ['log', '--kind', 'health'])).stdout).toContain('erased or pruned');
  expect((await colibri(place, ['verify'])).code).toBe(0);
  expect((await colibri(place, ['switchboard', 'replay'])).code).toBe(0);
  const again = (await colibri(place, ['export'])).stdout
    .split('\n')
    .filter((line) => line.includes('"kind":"health"'));
  expect(again.every((line) => JSON.parse(line).payload === 'erased')).toBe(true);
});

deepTest('what a server said long ago goes with the arguments that are pruned', async () => {
  const place = freshPlace();
  writeBoard(place, { one: dies('Error: the customer lives in Sesame Street 17') });
  await session(place, async (peer) => {
    await allOut(peer, 1);
    await peer.call('server_ping', { a: 1 });
  });
  const later = new Date(Date.now() + 5).toISOString();
  const pruned = await colibri(place, ['prune', '--before', later, '--yes']);
  expect(pruned.code, pruned.stderr).toBe(0);
  expect((await colibri(place, ['log', '--kind', 'health'])).stdout).toContain('erased or pruned');
  const { code, stdout } = await colibri(place, ['verify']);
  expect(code, stdout).toBe(0);
});
