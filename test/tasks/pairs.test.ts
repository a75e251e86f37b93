// Every pair of states through the wire, by the client people use, in both eras; and a task from its claim to its end.
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { Ledger } from '../support/ledger-check.js';
import { connect, freshPlace } from '../support/serve.js';
import { ERAS, toolsOf } from './pairs.shared.js';
import { errorIn } from './task-tools.js';

test.each(ERAS)('%s: claimed, done with six notes, never to be had again', async (era) => {
  const place = freshPlace();
  const client = await connect(place, era);
  const { ok, call } = toolsOf(client);
  const { task_id } = await ok('task_create', { title: 'a whole task' });
  const [claimed] = (await ok('task_next_actions', { claim_by: 'worker' })).actions;
  expect(claimed).toMatchObject({ task: { task_id, assignee: null, lease: { holder: 'worker' }, version: 1 } });
  const lease_token = claimed.lease_token;
  for (const status of ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE']) {
    expect(errorIn(await call('task_update', { task_id, status }))?.code).toBe('ERR_LEASE_REQUIRED');
    await ok('task_update', { task_id, status, note: `entering ${status}`, lease_token });
  }
  expect(await ok('task_get', { task_id })).toMatchObject({ status: 'DONE', thoughts: 6, version: 7, next_states: [] });
  expect(await ok('task_next_actions', { claim_by: 'other' })).toMatchObject({
    actions: [],
    reason: 'there is no open task',
  });
  await client.close();
  const changes = new Ledger(place.db).ofKind('call.exit').flatMap(({ changes = [] }) => changes as { to: string }[]);
  expect(changes.map(({ to }) => to)).toEqual(['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE']);
  expect(checkSubjects(place.db)).toEqual([]);
});
