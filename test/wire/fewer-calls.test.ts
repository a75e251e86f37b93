// Plans, steps, short answers and repeated calls through the clients people use; and a plan whose process is killed in the middle.
import { setTimeout as sleep } from 'node:timers/promises';
import { test as bothTests, expect } from 'vitest';
import { casesHere, deepTest } from '../support/by-gate.js';
import { colibri } from '../support/command-line.js';
import { checkSubjects } from '../support/evidence-check.js';
import { Ledger } from '../support/ledger-check.js';
import { CLIENT_KINDS, connect, freshPlace, type Message, serve, session } from '../support/serve.js';

const WAY = ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE'];
const SECRET = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

bothTests.each(casesHere(CLIENT_KINDS))(
  '%s: a plan, a small task in three calls, and every call twice',
  async (kind) => {
    const place = freshPlace();
    const client = await connect(place, kind);
    const call = async (tool: string, args: Message): Promise<Message> =>
      (await client.callTool(tool, args)).structuredContent.data;
    const tasks = [
      { ref: 'a', title: 'first', description: `with ${SECRET}` },
      { ref: 'b', title: 'second', depends_on: ['#a'] },
      { title: 'third', depends_on: ['#a', '#b'] },
    ];
    const plan = await call('task_create', { tasks, idempotency_key: 'plan' });
    expect(plan.tasks.map(({ task_id }: Message) => task_id)).toEqual(['T-0001', 'T-0002', 'T-0003']);
    expect(plan.redacted).toEqual(['tasks[0].description']);
    expect(await call('task_create', { tasks, idempotency_key: 'plan' })).toMatchObject({ ...plan, replayed: true });

    const { task_id, lease_token } = await call('task_create', { title: 'small', claim_by: 'ada' });
    const steps = WAY.map((status) => ({ status, note: `${status}: a reason nobody else has` }));
    const update = { task_id, steps, lease_token, idempotency_key: 'u' };
    const done = await call('task_update', update);
    expect(Object.keys(done).sort()).toEqual([
      ...['attempt', 'next_states', 'session_id', 'status', 'task_id', 'version'],
    ]);
    expect(await call('task_update', update)).toMatchObject({ status: 'DONE', version: 2, replayed: true });

    const first = await call('task_update', { task_id: 'T-1', steps });
    expect(first.unblocked).toEqual(['T-0002']);
    expect(await call('task_update', { task_id: 'T-2', status: 'CANCELLED' })).toMatchObject({ strands: ['T-0003'] });
    const { next_states: _states, ...third } = await call('task_get', { task_id: 'T-3' });
    expect(third).toMatchObject({ blocked_by: ['T-0002'], depends_on: ['T-0001', 'T-0002'] });
    const refused = await call('task_create', { title: 'late', depends_on: ['T-0002'] });
    expect(refused).toMatchObject({ ok: false, error: { code: 'ERR_DEPENDENCY_CANCELLED' } });
    await client.close();

    const ledger = new Ledger(place.db);
    const made = ledger.ofKind('call.exit').filter(({ tool, subjects }) => tool === 'task_create' && subjects);
    expect(made[0]?.subjects).toHaveLength(3);
    const payloads = JSON.stringify(ledger.pairs.map(({ enter }) => enter.payload?.json));
    for (const text of ['first', SECRET, 'a reason nobody else has', String(lease_token)])
      expect(payloads).not.toContain(text);
    expect(payloads).toContain('#a');
    expect(checkSubjects(place.db)).toEqual([]);
    const verdict = await colibri(place, ['verify']);
    expect([verdict.code, verdict.stdout]).toEqual([0, expect.anything()]);
  },
);

deepTest('the screens say what was recorded together', async () => {
  const place = freshPlace();
  await session(place, async (peer) => {
    await peer.call('task_create', { tasks: [{ title: 'one' }, { title: 'two' }, { title: 'three' }] });
    await peer.call('task_update', { task_id: 'T-1', steps: WAY.slice(0, 3).map((status) => ({ status })) });
  });
  const history = await colibri(place, ['tasks', 'T-1']);
  expect(history.stdout).toContain('recorded together with 2 others');
  expect(history.stdout).toContain('INIT → GATHER → ANALYZE → PLAN (3 steps, recorded together)');
  const moved = new Ledger(place.db).ofKind('call.exit').findLast(({ changes }) => changes !== undefined);
  const one = await colibri(place, ['log', String(moved?.call)]);
  expect(one.stdout, one.stderr).toContain('3 steps, recorded together');
});

deepTest('killed in the middle of plans: each is there whole, with its record, or not at all', async () => {
  const place = freshPlace();
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  const tasks = Array.from({ length: 50 }, (_, i) => ({
    ...{ ref: `${i}`, title: `task ${i}`, description: 'd'.repeat(500) },
    depends_on: i === 0 ? [] : [`#${i - 1}`],
  }));
  for (let n = 0; n < 60; n++)
    peer.send({
      ...{ jsonrpc: '2.0', id: `plan ${n}`, method: 'tools/call' },
      params: { name: 'task_create', arguments: { tasks, idempotency_key: `${n}` } },
    });
  await peer.until(() => peer.messages.length > 5);
  await sleep(7);
  await peer.kill('SIGKILL');
  await session(place, async (again) => {
    const { result } = await again.call('task_create', { tasks, idempotency_key: '0' });
    expect(result.structuredContent.data).toMatchObject({ replayed: true, tasks: { length: 50 } });
  });
  const ledger = new Ledger(place.db);
  const plans = ledger.ofKind('call.exit').filter(({ tool, outcome }) => tool === 'task_create' && outcome === 'ok');
  for (const { subjects, replay_of } of plans) expect(subjects?.length ?? 0).toBe(replay_of === undefined ? 50 : 0);
  expect(checkSubjects(place.db)).toEqual([]);
  expect((await colibri(place, ['verify'])).code).toBe(0);
});
