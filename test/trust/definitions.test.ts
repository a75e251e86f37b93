// The definition in force: with one client here, with the others in definitions.deep.test.ts.
import { expect, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import { testDefinitions } from './definitions.shared.js';
import { recordsOf, toolNamed, trustClient, worldWith } from './places.js';

testDefinitions(['v2 modern']);

test('what the model saw is shown, is marked when it was never listed, and can be erased', async () => {
  const world = worldWith([toolNamed('look')]);
  const { place } = world;
  const client = await trustClient(place, 'v2 legacy');
  await eventually('it is there', async () => (await client.call('far__look')).isError !== true);
  await client.close();
  const calls = recordsOf(place, 'call.enter').filter(({ definition }) => definition !== undefined);
  expect(calls.every(({ unlisted }) => unlisted === true)).toBe(true);
  const { call, definition } = calls.at(-1) ?? {};
  const shown = await colibri(place, ['log', call]);
  expect(shown.stdout).toContain('Does look.');
  expect(shown.stdout).toContain('never asked for the list of tools');
  expect(json(await colibri(place, ['log', call, '--json'])).definition).toMatchObject({
    digest: definition,
    unlisted: true,
    kept: 'stored',
    shown: { name: 'far__look', description: 'Does look.' },
  });

  const erased = await colibri(place, ['erase', `definition:${definition}`, '--reason', 'a name', '--yes']);
  expect(erased).toMatchObject({ code: 0, stdout: expect.stringContaining('definition of a tool') });
  expect((await colibri(place, ['log', call])).stdout).toContain('erased; its digest stays');
  expect((await colibri(place, ['verify'])).code).toBe(0);
  expect((await colibri(place, ['erase', 'definition:00', '--reason', 'x', '--yes'])).code).toBe(1);
});
