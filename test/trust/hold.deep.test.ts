// A tool that changed behind people's backs: with the other clients, across a restart, and while a call waits.
import { expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import { testChanges, testRecorded } from './hold.shared.js';
import { errorOf, toolNamed, trustClient, untilListed, worldWith } from './places.js';

testChanges(['v1', 'v2 legacy', 'v2 modern']);
testRecorded(['v1', 'v2 legacy', 'v2 modern']);

test('a change across a restart is held; a first start holds nothing', async () => {
  const world = worldWith([toolNamed('act')], { onChange: 'hold' });
  const first = await trustClient(world.place, 'v2 modern');
  await untilListed(first, 'far__act');
  expect((await first.call('far__act')).isError).not.toBe(true);
  await first.close();
  world.list([toolNamed('act', { description: 'Other.' })]);
  const again = await trustClient(world.place, 'v2 modern');
  await untilListed(again, 'far__act');
  const codes = new Set<string>();
  await eventually('it is refused', async () => {
    const answer = await again.call('far__act');
    codes.add(errorOf(answer)?.code ?? 'called');
    return codes.has('TOOL_CHANGED');
  });
  expect(codes).not.toContain('called');
  await again.close();
  expect((await colibri(world.place, ['switchboard', 'approve', 'far', '--yes'])).code).toBe(0);
  const last = await trustClient(world.place, 'v1');
  await untilListed(last, 'far__act');
  expect((await last.call('far__act')).isError).not.toBe(true);
});

test('a call that waits its turn is not sent if its tool changes meanwhile', async () => {
  const world = worldWith([toolNamed('act'), toolNamed('slow')], { onChange: 'hold', concurrency: 1 });
  const client = await trustClient(world.place, 'v2 legacy');
  await untilListed(client, 'far__act');
  const slow = client.call('far__slow', { ms: 3_000 });
  await eventually('it runs', () => world.calls().length === 1);
  const waiting = client.call('far__act', { path: 'waited' });
  world.list([toolNamed('act', { description: 'Other.' }), toolNamed('slow')]);
  expect(errorOf(await waiting)?.code).toBe('TOOL_CHANGED');
  expect((await slow).isError).not.toBe(true);
  expect(world.calls()).toEqual(['slow {"ms":3000}']);
  world.list([toolNamed('act'), toolNamed('slow')]);
  await eventually('its place was given back', async () => (await client.call('far__act')).isError !== true);
});

test('what a person approved is what was shown: a tool that changes again stays held', async () => {
  const world = worldWith([toolNamed('act')], { onChange: 'hold' });
  const client = await trustClient(world.place, 'v1');
  await untilListed(client, 'far__act');
  world.list([toolNamed('act', { description: 'Two.' })]);
  await eventually('held', async () => errorOf(await client.call('far__act'))?.code === 'TOOL_CHANGED');
  expect((await colibri(world.place, ['switchboard', 'approve', '--yes'])).code).toBe(0);
  world.list([toolNamed('act', { description: 'Three.' })]);
  await eventually('held again', async () => errorOf(await client.call('far__act'))?.code === 'TOOL_CHANGED');
});
