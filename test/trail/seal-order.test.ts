// A seal that a call makes stands between the call's intent and its outcome; one that Colibri makes with a task's end comes after the call.
import { expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { Ledger } from '../support/ledger-check.js';
import { freshPlace } from '../support/serve.js';
import { started } from '../support/trail-tools.js';

test('intent, seal, outcome', async () => {
  const place = freshPlace();
  const tools = await started(place);
  const { session_id } = await tools.ok('audit_session_start', { intent: 'i' });
  await tools.ok('thought_record', { session_id, type: 'plan', content: 'c' });
  expect((await tools.no('merkle_finalize', { session_id: 'nobody' })).code).toBe('ERR_SESSION_NOT_FOUND');
  const { checkpoint_size } = await tools.ok('merkle_finalize', { session_id });
  expect((await tools.no('merkle_finalize', { session_id })).code).toBe('ERR_ALREADY_FINALIZED');
  const { task_id } = await tools.ok('task_create', { title: 't' });
  await tools.ok('task_update', { task_id, status: 'CANCELLED', note: 'not needed' });
  await tools.peer.end();

  const records = new Ledger(place.db).records.map(({ body }) => body);
  const told = (at: number): string[] => records.slice(at - 1, at + 2).map(({ kind, tool }) => `${kind} ${tool ?? ''}`);
  const [sealed, later] = records.flatMap(({ kind }, at) => (kind === 'seal' ? [at] : []));
  expect(sealed).toBe(checkpoint_size - 1);
  expect(told(sealed ?? 0)).toEqual(['call.enter merkle_finalize', 'seal ', 'call.exit merkle_finalize']);
  expect(records[(sealed ?? 0) + 1]).toMatchObject({ sequence_no: (sealed ?? 0) - 1, outcome: 'ok' });
  expect(told(later ?? 0).slice(0, 2)).toEqual(['call.exit task_update', 'seal ']);
  expect((await colibri(place, ['verify'])).code).toBe(0);
});
