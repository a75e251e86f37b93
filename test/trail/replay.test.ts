// The same thought sent twice is recorded once.
import { expect, test } from 'vitest';
import { inspectLedger, Ledger } from '../support/ledger-check.js';
import { checkFile, keyOf, logOf } from '../support/naive-proof.js';
import { ON_POSTGRES } from '../support/postgres.js';
import { freshPlace } from '../support/serve.js';
import { type Answer, change, codeOf, rowsOf, started } from '../support/trail-tools.js';

const lastExit = (path: string): Answer => {
  const exits = inspectLedger(path).records.filter(({ body }) => body.kind === 'call.exit');
  return exits.at(-1)?.body ?? {};
};

test('a repeated request finds its thought and writes nothing; another one under its key is refused', async () => {
  const place = freshPlace();
  const tools = await started(place);
  await tools.ok('audit_session_start', { intent: 'i', session_id: 's' });
  await tools.ok('audit_session_start', { intent: 'i', session_id: 'other' });
  const request = { type: 'plan', content: 'once', session_id: 's', idempotency_key: 'k' };
  const thought = await tools.ok('thought_record', request);
  const first = lastExit(place.db);
  expect(first.subjects).toEqual([{ type: 'thought', id: thought.thought_id, rev: 1, digest: thought.hash }]);
  expect(await tools.ok('thought_record', request)).toEqual(thought);
  const replayed = lastExit(place.db);
  expect(replayed).toMatchObject({ tool: 'thought_record', outcome: 'ok', replay_of: first.sequence_no });
  expect(replayed).not.toHaveProperty('subjects');
  for (const other of [{ content: 'twice' }, { type: 'analysis' }, { task_id: 'T-77' }, { agent_id: 'x' }]) {
    const error = await tools.no('thought_record', { ...request, ...other });
    expect(codeOf(error)).toBe('IDEMPOTENCY_MISMATCH');
    expect(error.details.thought_id).toBe(thought.thought_id);
    for (const { tool, arguments: args } of error.details.next) await tools.ok(tool, args);
  }
  // A key is one session's; elsewhere, and without one, it is free.
  const elsewhere = await tools.ok('thought_record', { ...request, session_id: 'other' });
  const { session_id: _none, ...light } = request;
  const loose = await tools.ok('thought_record', light);
  expect(new Set([thought, elsewhere, loose].map(({ thought_id }) => thought_id)).size).toBe(3);
  expect(await tools.ok('thought_record', light)).toEqual(loose);
  // Before any other check: also when the session takes no more.
  await tools.ok('merkle_finalize', { session_id: 's' });
  expect(await tools.ok('thought_record', request)).toEqual(thought);
  expect(rowsOf(place.db, 'SELECT COUNT(*) AS n FROM thoughts')).toEqual([{ n: 3 }]);
  expect(await tools.ok('audit_verify_chain', {})).toMatchObject({ valid: true, complete: true });
  await tools.peer.end();
});

test('without a session: the light one of the task is looked into, and none is opened for looking', async () => {
  const place = freshPlace();
  const tools = await started(place);
  await tools.ok('task_create', { title: 't' });
  const request = { type: 'plan', content: 'once', task_id: 'T-1', idempotency_key: 'k' };
  const refused = await tools.no('thought_record', { ...request, task_id: 'T-9' });
  expect(codeOf(refused)).toBe('TASK_NOT_FOUND');
  expect(rowsOf(place.db, 'SELECT COUNT(*) AS n FROM sessions')).toEqual([{ n: 0 }]);
  const thought = await tools.ok('thought_record', request);
  expect(await tools.ok('thought_record', request)).toEqual(thought);
  expect(rowsOf(place.db, 'SELECT COUNT(*) AS n FROM sessions')).toEqual([{ n: 1 }]);
  // The same key in the session of the process says nothing about a task that nobody has.
  await tools.ok('thought_record', { type: 'plan', content: 'loose', idempotency_key: 'k' });
  expect(codeOf(await tools.no('thought_record', { ...request, task_id: 'T-9' }))).toBe('TASK_NOT_FOUND');
  await tools.peer.end();
});

test.skipIf(ON_POSTGRES)(
  'the content was erased: the key alone decides, the list says so, the proof stands without it',
  async () => {
    const place = freshPlace();
    const tools = await started(place);
    const { session_id } = await tools.ok('audit_session_start', { intent: 'i' });
    const request = { type: 'plan', content: 'a secret', session_id, idempotency_key: 'k' };
    const thought = await tools.ok('thought_record', request);
    await tools.ok('thought_record', { ...request, content: 'kept', idempotency_key: 'l' });
    change(
      place.db,
      'UPDATE thoughts SET content = NULL, content_salt = NULL WHERE thought_id = ?',
      thought.thought_id,
    );
    expect(await tools.ok('thought_record', request)).toEqual(thought);
    expect(await tools.ok('thought_record', { ...request, content: 'anything' })).toEqual(thought);
    for (const args of [{ session_id }, { thought_id: thought.thought_id }]) {
      const [row] = (await tools.ok('thought_record_list', args)).thoughts;
      expect(row).toMatchObject({ thought_id: thought.thought_id, content: null, erased: true });
      expect(row).not.toHaveProperty('content_chars');
    }
    const { thoughts } = await tools.ok('thought_record_list', { session_id });
    expect(thoughts[1]).not.toHaveProperty('erased');
    await tools.ok('merkle_finalize', { session_id });
    const proved = await tools.ok('merkle_root', { session_id, thought_id: thought.thought_id });
    const key = keyOf(place.db, logOf(proved));
    expect(checkFile(proved.proof_file, key)).toBeNull();
    // Nobody recorded that it was erased: that is what a verification is for.
    const verdict = await tools.ok('audit_verify_chain', { session_id });
    expect(verdict).toMatchObject({ valid: false, first_broken_at: { id: thought.thought_id } });
    expect(verdict.findings.length).toBeGreaterThan(0);
    await tools.peer.end();
  },
);

test('payloads and records hold neither contents nor intents', async () => {
  const place = freshPlace();
  const tools = await started(place);
  const texts = ['the very intent', 'the very content'];
  await tools.ok('audit_session_start', { intent: texts[0], session_id: 's' });
  await tools.ok('thought_record', { type: 'plan', content: texts[1], session_id: 's', idempotency_key: 'k' });
  await tools.no('thought_record', { type: 'plan', content: texts[1], session_id: 'nobody' });
  await tools.peer.end();
  const ledger = new Ledger(place.db);
  const all = JSON.stringify(ledger.records);
  for (const text of texts) expect(all).not.toContain(text);
  expect(ledger.records.filter(({ payload }) => payload !== undefined).map(({ payload }) => payload?.json)).toEqual([
    '{"session_id":"s"}',
    '{"idempotency_key":"k","session_id":"s","type":"plan"}',
    '{"session_id":"nobody","type":"plan"}',
    // What the refusal said, which belongs to the outcome.
    expect.stringContaining('SESSION_NOT_FOUND'),
  ]);
});
