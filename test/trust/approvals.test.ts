// Calls that need a person's yes: one pass with one client here; the rest in approvals.deep.test.ts.
import { expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { approve, onOwnTerminal } from './answering.js';
import { testDoors } from './approvals.shared.js';
import { errorOf, toolNamed, trustClient, untilListed, worldWith } from './places.js';

testDoors(['v2 modern'], ['direct']);

test('`colibri approve` from a pipe, from below the asking client, or with wrong digits: refused', async () => {
  const world = worldWith([toolNamed('wipe')], { tools: { ask: ['wipe'] } });
  const { place } = world;
  // The test's own process is the client here.
  const client = await trustClient(place, 'v1', { isAsker: true });
  await untilListed(client, 'far__wipe');
  const id = errorOf(await client.call('far__wipe'))?.details.approval_id;
  expect(await approve(place, id)).toMatchObject({
    code: 1,
    text: expect.stringContaining('A client that calls tools'),
  });
  await client.close();

  const other = await trustClient(place, 'v1');
  await untilListed(other, 'far__wipe');
  const second = errorOf(await other.call('far__wipe', { path: 'two' }))?.details.approval_id;
  const piped = await colibri(place, ['approve', second], { input: '0000\n' });
  expect(piped).toMatchObject({ code: 1, stderr: expect.stringContaining('no terminal') });
  const wrongDigits = await onOwnTerminal(place, ['approve', second], 'yes');
  expect(wrongDigits).toMatchObject({ code: 1, text: expect.stringContaining('nothing was recorded') });
  expect(errorOf(await other.call('far__wipe', { path: 'two' }))?.code).toBe('APPROVAL_REQUIRED');
  expect((await colibri(place, ['approve', 'nosuch'])).code).toBe(1);
  expect(world.calls()).toEqual([]);
});
