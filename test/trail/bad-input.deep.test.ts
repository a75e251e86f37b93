// What must be refused: with a structured error that says what to do, and with nothing written.
import '../support/deep-part.js';
import './bad-input.test.js';
import { expect, test } from 'vitest';
import { freshPlace } from '../support/serve.js';
import { started } from '../support/trail-tools.js';
import { EMOJI, THOUGHT } from './bad-input.shared.js';

test('arguments at their bounds are taken', async () => {
  const place = freshPlace();
  const tools = await started(place);
  await tools.ok('task_create', { title: 't', project: 'another project' });
  const odd = [
    's'.repeat(128),
    EMOJI.repeat(128),
    ' ',
    '../../etc/passwd',
    "'; DROP TABLE thoughts; --",
    '\n\t"\\',
    '%_?1',
  ];
  for (const session_id of odd) {
    const start = { intent: EMOJI.repeat(2_000), session_id, agent_id: 'a'.repeat(128), task_id: 'T-000001' };
    expect(await tools.ok('audit_session_start', start)).toMatchObject({ session_id, task_id: 'T-0001' });
    expect((await tools.no('audit_session_start', start)).code).toBe('ERR_SESSION_EXISTS');
    const { thought_id } = await tools.ok('thought_record', {
      ...THOUGHT,
      session_id,
      idempotency_key: session_id.trim() || 'k',
    });
    expect((await tools.ok('thought_record_list', { session_id, proof: true })).thoughts).toMatchObject([
      { thought_id, seq: 0 },
    ]);
    expect(await tools.ok('audit_verify_chain', { session_id })).toMatchObject({
      valid: true,
      scope: { id: session_id },
    });
    await tools.ok('merkle_finalize', { session_id });
    expect(await tools.ok('merkle_root', { session_id, thought_id })).toMatchObject({ session_id, record_count: 1 });
  }
  const longest = ['x', 'x'.repeat(65_536), EMOJI.repeat(16_384), '"'.repeat(65_536), `${'x'.repeat(65_534)}é`];
  for (const content of longest) {
    // A task of another project is as good as any.
    const { thought_id } = await tools.ok('thought_record', { type: 'plan', content, task_id: '1' });
    const { thoughts } = await tools.ok('thought_record_list', { thought_id, type: 'plan', limit: 500, proof: true });
    expect(thoughts).toMatchObject([{ content, task_id: 'T-0001' }]);
    expect((await tools.ok('thought_record_list', { thought_id, type: 'decision' })).thoughts).toEqual([]);
  }
  expect(await tools.ok('audit_verify_chain', {})).toMatchObject({ valid: true, complete: true });
  await tools.peer.end();
}, 60_000);
