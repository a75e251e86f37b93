// The whole way on the wire, with the clients people use: open, think, verify, seal, prove. Proofs are checked by code
// that knows only their description.
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { checkRoot, keyOf, leafOf, logOf, stepsOf } from '../support/naive-proof.js';
import { CLIENT_KINDS, freshPlace } from '../support/serve.js';
import { type Answer, codeOf, started } from '../support/trail-tools.js';
import { testTrail } from './flow.shared.js';

testTrail(CLIENT_KINDS.slice(0, 1)); // flow.deep.test.ts has the other clients

test('a proof that was touched does not hold', async () => {
  const place = freshPlace();
  const tools = await started(place);
  const { session_id } = await tools.ok('audit_session_start', { intent: 'i' });
  const thoughts = [];
  for (const content of ['a', 'b', 'c'])
    thoughts.push(await tools.ok('thought_record', { session_id, type: 'plan', content }));
  await tools.ok('merkle_finalize', { session_id });
  const proved = await tools.ok('merkle_root', { session_id, thought_id: thoughts[1]?.thought_id });
  const key = keyOf(place.db, logOf(proved));
  const steps = stepsOf(proved);
  checkRoot(proved, key, steps);
  const { thought, seal, checkpoint } = steps;
  const broken: [Answer, Answer][] = [
    [{ ...proved, root: leafOf(thought.record) }, steps],
    [proved, { ...steps, checkpoint: checkpoint.replace(/\n\d+\n/, '\n7\n') }],
    [proved, { ...steps, thought: { ...thought, record: thought.record.replace('plan', 'plax') } }],
    [proved, { ...steps, thought: { ...thought, index: 0 } }],
    [proved, { ...steps, thought: { ...thought, path: thought.path.toReversed() } }],
    [proved, { ...steps, seal: { ...seal, record: seal.record.replace('"record_count":3', '"record_count":4') } }],
    [proved, { ...steps, seal: { ...seal, path: seal.path.slice(1) } }],
  ];
  for (const [i, [answer, touched]] of broken.entries())
    expect(() => checkRoot(answer, key, touched), `case ${i}`).toThrow();
});

deepTest('a thought too long for a result is proved without its file, and how to get that is said', async () => {
  const place = freshPlace();
  const tools = await started(place);
  const { session_id } = await tools.ok('audit_session_start', { intent: 'i' });
  const content = 'x'.repeat(65_536);
  const { thought_id } = await tools.ok('thought_record', { session_id, type: 'plan', content });
  await tools.ok('merkle_finalize', { session_id });
  const answer = await tools.call('merkle_root', { session_id, thought_id });
  expect(answer.data).toMatchObject({ proof_file: null, proof_file_hint: expect.stringContaining('file: true') });
  expect(JSON.stringify(answer).length).toBeLessThan(24 * 1024);
  checkRoot(answer.data, keyOf(place.db, logOf(answer.data)));
  // Whole, and longer than any other result may be.
  const { thoughts } = await tools.ok('thought_record_list', { thought_id });
  expect(thoughts).toMatchObject([{ thought_id, content }]);
  expect(thoughts[0]).not.toHaveProperty('content_chars');
});

deepTest(
  'READONLY reads, verifies and proves; what writes is not there',
  async () => {
    const place = freshPlace();
    const writer = await started(place);
    const { session_id } = await writer.ok('audit_session_start', { intent: 'i', session_id: 'kept' });
    const { thought_id } = await writer.ok('thought_record', { session_id, type: 'plan', content: 'c' });
    await writer.ok('merkle_finalize', { session_id });
    await writer.ok('audit_session_start', { intent: 'open', session_id: 'open' });
    await writer.ok('thought_record', { session_id: 'open', type: 'plan', content: 'c' });
    await writer.peer.end();
    const reader = await started(place, 'raw', { COLIBRI_MODE: 'READONLY' });
    const { result } = await reader.peer.request('tools/list');
    const names: string[] = result.tools.map(({ name }: Answer) => name);
    expect(names.filter((name) => /^(audit|thought|merkle)_/.test(name)).toSorted()).toEqual([
      'audit_verify_chain',
      'merkle_root',
      'thought_record_list',
    ]);
    expect((await reader.ok('thought_record_list', {})).thoughts).toHaveLength(2);
    expect(await reader.ok('audit_verify_chain', {})).toMatchObject({ valid: true, complete: true });
    const proved = await reader.ok('merkle_root', { session_id, thought_id });
    checkRoot(proved, keyOf(place.db, logOf(proved)));
    const noFile = await reader.no('merkle_root', { session_id, thought_id, file: true });
    expect(noFile).toMatchObject({ code: 'ERR_READ_ONLY', details: { next: [{ tool: 'merkle_root' }] } });
    for (const { tool, arguments: args } of noFile.details.next) expect(await reader.ok(tool, args)).toEqual(proved);
    const open = await reader.no('merkle_root', { session_id: 'open' });
    expect(codeOf(open)).toBe('ERR_NOT_FINALIZED');
    for (const { tool, arguments: args } of open.details.next) await reader.ok(tool, args);
    for (const tool of ['audit_session_start', 'thought_record', 'merkle_finalize']) {
      expect((await reader.no(tool, { session_id })).code).toBe('TOOL_NOT_ADMITTED');
    }
  },
  30_000,
);
