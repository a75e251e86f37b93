// A few odd calls of a few tools, through one client: odd-inputs.deep.test.ts tries all of them through all.
import { expect, test } from 'vitest';
import { Ledger, receiptOf } from '../support/ledger-check.js';
import { connect, freshPlace, type Message } from '../support/serve.js';
import { ODDITIES, tryOddity, tryShapes } from './odd-inputs.shared.js';

const FEW = ['task_update', 'thought_record', 'merkle_root', 'server_ping'];

test('what was meant is done, what is wrong is refused with a flag', async () => {
  const client = await connect(freshPlace(), 'v2 modern');
  await client.callTool('task_create', { title: 'first' });
  const { tools } = await client.listTools();
  let calls = 0;
  for (const { name, inputSchema } of tools as Message[]) {
    if (!FEW.includes(name)) continue;
    calls += await tryShapes(client, name, inputSchema);
    for (const oddity of ODDITIES) calls += await tryOddity(client, name, inputSchema, oddity);
  }
  expect(calls).toBeGreaterThan(100);
  await client.close();
});

test('an enum is listed once, a missing member is called missing, synonyms get the state that is meant', async () => {
  const client = await connect(freshPlace(), 'v1');
  const told = async (tool: string, args: Message): Promise<string> =>
    (await client.callTool(tool, args)).structuredContent.error.message;
  expect(await told('task_list', { status: ['todo', 'doing', 'q9z'] })).toBe(
    'schema validation failed: status.0: "todo" is not allowed, INIT is meant; status.1: "doing" is not allowed, APPLY is meant; ' +
      'status.2: "q9z" is not allowed (allowed: INIT, GATHER, ANALYZE, PLAN, APPLY, VERIFY, DONE, CANCELLED)',
  );
  expect(await told('task_list', { status: 'completed' })).toContain(
    'status: "completed" is not allowed, DONE is meant',
  );
  expect(await told('thought_record', {})).toBe('schema validation failed: type is missing; content is missing');
  await client.close();
});

test('a call is recorded as it came; its idempotency is that of what was read', async () => {
  const place = freshPlace();
  const client = await connect(place, 'v2 legacy');
  await client.callTool('task_create', { title: 'first' });
  const odd = { title: ' 5 ', priority: 'HIGH', depends_on: '["T-0001"]', idempotency_key: 'k' };
  const first = await client.callTool('task_create', odd);
  const again = await client.callTool('task_create', { ...odd, priority: ' high', depends_on: ['T-0001'] });
  expect(first.isError).toBeUndefined();
  expect(again.structuredContent.data.task_id).toBe(first.structuredContent.data.task_id);
  const { structuredContent } = await client.callTool('task_get', { task_id: ' 2 ' });
  expect(structuredContent.data).toMatchObject({ title: ' 5 ', priority: 'high', depends_on: ['T-0001'] });
  await client.close();
  const { enter } = new Ledger(place.db).pairOf(receiptOf(first));
  expect(JSON.parse(enter.payload?.json ?? '')).toEqual({
    priority: 'HIGH',
    depends_on: '["T-0001"]',
    idempotency_key: 'k',
  });
});
