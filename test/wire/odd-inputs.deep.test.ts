// All 18 tools, all odd inputs, through the clients people use in both eras.
import { expect, test } from 'vitest';
import { CLIENT_KINDS, connect, freshPlace, type Message } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { FITTING, ODDITIES, tryOddity, tryShapes } from './odd-inputs.shared.js';

test.each(CLIENT_KINDS)('%s', { timeout: 180_000 }, async (kind) => {
  const place = freshPlace();
  writeBoard(place, { provider: fakeServer('provider') });
  const client = await connect(place, kind);
  await client.callTool('task_create', { title: 'first' });
  const { tools } = await client.listTools();
  const own = (tools as Message[]).filter(({ name }) => Object.hasOwn(FITTING, name));
  expect(own.map(({ name }) => name).toSorted()).toEqual(Object.keys(FITTING).toSorted());
  expect(ODDITIES.length).toBeGreaterThanOrEqual(20);
  let calls = 0;
  for (const { name, inputSchema } of own) {
    calls += await tryShapes(client, name, inputSchema);
    for (const oddity of ODDITIES) calls += await tryOddity(client, name, inputSchema, oddity);
  }
  expect(calls).toBeGreaterThanOrEqual(18 * 20);
  await client.close();
});
