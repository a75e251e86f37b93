// Nobody has to manage a session: thoughts find one, and Colibri seals what it opened.
import { setTimeout as sleep } from 'node:timers/promises';
import { test as bothTests, expect } from 'vitest';
import { casesHere, deepTest, test } from '../support/by-gate.js';
import { checkSubjects } from '../support/evidence-check.js';
import { inspectLedger } from '../support/ledger-check.js';
import { checkFile, checkRoot, keyOf, logOf } from '../support/naive-proof.js';
import { CLIENT_KINDS, connect, freshPlace } from '../support/serve.js';
import { type Answer, codeOf, rowsOf, started, type Tools, toolsOf } from '../support/trail-tools.js';

const STATES = ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE'];

/** Asks until a checkpoint covers the seal. */
const signedRoot = async (tools: Tools, args: Answer): Promise<Answer> => {
  for (let i = 0; i < 50; i++) {
    const root = await tools.ok('merkle_root', args);
    if (root.proof_file !== null) return root;
    await sleep(100);
  }
  throw new Error('nobody signed');
};

bothTests.each(casesHere(CLIENT_KINDS))(
  'six updates with a note each are a sealed, signed, provable task: %s',
  async (kind) => {
    const place = freshPlace();
    const client = await connect(place, kind);
    const tools = toolsOf(client);
    const { task_id } = await tools.ok('task_create', { title: 'the light way' });
    for (const status of STATES) await tools.ok('task_update', { task_id, status, note: `why ${status}` });
    const { thoughts } = await tools.ok('thought_record_list', { task_id, proof: true });
    expect(thoughts.map(({ content }: Answer) => content)).toEqual(STATES.map((status) => `why ${status}`));
    const [{ session_id }] = thoughts;
    expect(new Set(thoughts.map((row: Answer) => row.session_id)).size).toBe(1);
    const root = await signedRoot(tools, { session_id, thought_id: thoughts[5].thought_id });
    expect(root).toMatchObject({ session_id, record_count: 6 });
    const key = keyOf(place.db, logOf(root));
    expect(checkRoot(root, key)).toMatchObject({ task_id, type: 'reflection' });
    expect(checkFile(root.proof_file, key)).toBe('why DONE');
    expect(await tools.ok('audit_verify_chain', { task_id })).toMatchObject({ valid: true, complete: true });
    // The task has ended: what comes now belongs to the process.
    const late = await tools.ok('thought_record', { type: 'reflection', content: 'afterthought', task_id });
    expect(late.session_id).not.toBe(session_id);
    const loose = await tools.ok('thought_record', { type: 'reflection', content: 'about nothing' });
    expect([loose.session_id, loose.seq]).toEqual([late.session_id, 1]);
    await client.close();
    expect(inspectLedger(place.db).problems).toEqual([]);
    expect(checkSubjects(place.db)).toEqual([]);
  },
  30_000,
);

test('a thought goes to the open session of its task, whoever opened it; else one is opened, once', async () => {
  const place = freshPlace();
  const tools = await started(place, 'agent-a');
  for (const title of ['one', 'two']) await tools.ok('task_create', { title });
  const light = await tools.ok('thought_record', { type: 'plan', content: 'a', task_id: 'T-1' });
  const more = await tools.ok('thought_record', { type: 'plan', content: 'b', task_id: '1' });
  expect([more.session_id, more.seq]).toEqual([light.session_id, 1]);
  await tools.ok('task_update', { task_id: 'T-1', note: 'c' });
  const own = await tools.ok('audit_session_start', {
    intent: 'mine',
    task_id: 'T-2',
    session_id: 'mine',
    agent_id: 'me',
  });
  const named = await tools.ok('thought_record', { type: 'plan', content: 'd', task_id: 'T-2' });
  expect([named.session_id, named.prev_hash]).toEqual(['mine', own.genesis_hash]);
  // About another task than its session is about, and about none.
  await tools.ok('thought_record', {
    type: 'plan',
    content: 'e',
    session_id: 'mine',
    task_id: 'T-1',
    agent_id: 'other',
  });
  const none = await tools.ok('thought_record', { type: 'plan', content: 'f' });
  const still = await tools.ok('thought_record', { type: 'plan', content: 'g' });
  expect([still.session_id, still.seq]).toEqual([none.session_id, 1]);
  await tools.peer.end();
  const rows = rowsOf(place.db, 'SELECT session_id, content, task_id, agent_id, attempt FROM thoughts ORDER BY seq');
  expect(rows.map(Object.values)).toEqual([
    [light.session_id, 'a', 'T-0001', 'agent-a', 1],
    [light.session_id, 'b', 'T-0001', 'agent-a', 1],
    [light.session_id, 'c', 'T-0001', 'agent-a', 1],
    ['mine', 'd', 'T-0002', 'agent-a', 1],
    ['mine', 'e', 'T-0001', 'other', 1],
    [none.session_id, 'f', null, 'agent-a', null],
    [none.session_id, 'g', null, 'agent-a', null],
  ]);
  const sessions = rowsOf(
    place.db,
    'SELECT intent, task_id, agent_id, opened_by, finalized_at FROM sessions ORDER BY started_at',
  );
  expect(sessions).toMatchObject([
    { intent: 'one', task_id: 'T-0001', agent_id: 'agent-a', opened_by: 'colibri', finalized_at: null },
    { intent: 'mine', task_id: 'T-0002', agent_id: 'me', opened_by: 'agent', finalized_at: null },
    { task_id: null, agent_id: 'agent-a', opened_by: expect.stringMatching(/^colibri [0-9a-f-]{36}$/) },
  ]);
  // The attempt that a thought counts for stands in its record.
  const exits = inspectLedger(place.db).records.filter(({ body }) => body.kind === 'call.exit');
  const noted = exits.filter(({ body }) => body.tool === 'thought_record').map(({ body }) => body.attempt);
  expect(noted).toEqual([1, 1, 1, 1, undefined, undefined]);
  expect(checkSubjects(place.db)).toEqual([]);
});

deepTest(
  'thoughts without a task are sealed when the process ends, and after kill -9 by the next boot',
  async () => {
    const place = freshPlace();
    const first = await started(place);
    const orderly = await first.ok('thought_record', { type: 'plan', content: 'before the end' });
    await first.peer.end();
    const second = await started(place);
    const kept = await second.ok('merkle_root', { session_id: orderly.session_id, thought_id: orderly.thought_id });
    const key = keyOf(place.db, logOf(kept));
    expect(checkFile(kept.proof_file, key)).toBe('before the end');

    const lost = await second.ok('thought_record', { type: 'plan', content: 'before the crash' });
    expect(lost.session_id).not.toBe(orderly.session_id);
    expect(codeOf(await second.no('merkle_root', { session_id: lost.session_id }))).toBe('ERR_NOT_FINALIZED');
    await second.peer.kill('SIGKILL');
    const third = await started(place);
    const sealed = await third.ok('merkle_root', { session_id: lost.session_id, thought_id: lost.thought_id });
    expect(sealed).toMatchObject({ record_count: 1, root: lost.hash });
    // Signed within a minute, or at the end.
    if (sealed.checkpoint === null) expect(sealed).toMatchObject({ proof_file: null, checkpoint_size: null });
    const refused = await third.no('thought_record', { type: 'plan', content: 'x', session_id: lost.session_id });
    expect(codeOf(refused)).toBe('SESSION_FINALIZED');
    await third.peer.end();
    const fourth = await started(place);
    const proved = await fourth.ok('merkle_root', { session_id: lost.session_id, thought_id: lost.thought_id });
    checkRoot(proved, key);
    expect(checkFile(proved.proof_file, key)).toBe('before the crash');
    await fourth.peer.end();
    expect(checkSubjects(place.db)).toEqual([]);
  },
  60_000,
);

deepTest('a thought of the holder extends the lease of its task; of others, or about others, it does not', async () => {
  const place = freshPlace();
  const tools = await started(place, 'client');
  for (const title of ['held', 'other']) await tools.ok('task_create', { title });
  const [{ task, lease_until }] = (await tools.ok('task_next_actions', { claim_by: 'worker', lease_minutes: 5 }))
    .actions;
  const until = () => rowsOf(place.db, 'SELECT until FROM leases')[0]?.until;
  const think = async (args: Answer) => {
    await sleep(5);
    await tools.ok('thought_record', { type: 'analysis', content: 'x', ...args });
    return until();
  };
  const { task_id } = task;
  expect(await think({ task_id })).toBe(lease_until);
  expect(await think({ task_id, agent_id: 'stranger' })).toBe(lease_until);
  expect(await think({ task_id: 'T-2', agent_id: 'worker' })).toBe(lease_until);
  expect(await think({ agent_id: 'worker' })).toBe(lease_until);
  const first = await think({ task_id, agent_id: 'worker' });
  expect(first > lease_until).toBe(true);
  // By way of its session.
  const { session_id } = await tools.ok('audit_session_start', { intent: 'i', task_id });
  const second = await think({ session_id, agent_id: 'worker' });
  expect(second > first).toBe(true);
  expect(await tools.ok('task_get', { task_id })).toMatchObject({ version: task.version });
  await tools.peer.end();
  expect(checkSubjects(place.db)).toEqual([]);
});
