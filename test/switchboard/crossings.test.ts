// The table in src/switchboard/relay/crossings.ts, and subscriptions that move; crossings.deep.test.ts tries every cell with real clients and servers.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CROSSINGS } from '../../src/switchboard/relay/crossings.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Message, session } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { CELLS } from './crossings.shared.js';

test('the table has a cell for every pair of eras', () => {
  expect(CELLS.map(([client, server]) => CROSSINGS[client][server].input)).toEqual([
    'relay',
    'rounds',
    'suspend',
    'hand on',
  ]);
});

test('a subscription goes to the server that comes to list its resource', { timeout: 60_000 }, async () => {
  const place = freshPlace();
  const entry = (name: string) => {
    const { args, ...rest } = fakeServer('crossing', { LOG: join(place.dir, name) });
    return { ...rest, args: [...(args as string[]), 'legacy'] };
  };
  const said = (name: string, words: string): boolean => {
    const file = join(place.dir, name);
    return fs.existsSync(file) && fs.readFileSync(file, 'utf8').includes(words);
  };
  writeBoard(place, { one: entry('one'), two: entry('two') });
  await session(place, async (peer) => {
    await eventually('both are listed', async () => {
      const { tools } = (await peer.request('tools/list')).result;
      return ['one__grow', 'two__grow'].every((name) => tools.some((tool: Message) => tool.name === name));
    });
    await peer.request('resources/subscribe', { uri: 'test://grown' });
    await eventually('nobody lists it: the first has it', () => said('one', 'resources/subscribe test://grown'));
    await peer.call('two__grow', {});
    await eventually('the second has it', () => said('two', 'resources/subscribe test://grown'));
    await eventually('the first has it no more', () => said('one', 'resources/unsubscribe test://grown'));
  });
});
