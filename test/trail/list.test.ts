// Lists: nothing twice, nothing lost, no page longer than clients take.
import { expect, test } from 'vitest';
import { freshPlace } from '../support/serve.js';
import { type Answer, allPages, bytesOf, codeOf, started } from '../support/trail-tools.js';
import { EMOJI, fill, ids } from './list.shared.js';

test('a page with the widest rows there are stays under 24 KB', async () => {
  const place = freshPlace();
  const tools = await started(place);
  const [session_id, agent_id] = [EMOJI.repeat(128), '\u0001'.repeat(127).concat('x')];
  await tools.ok('audit_session_start', { intent: 'i', session_id });
  for (let i = 0; i < 40; i++) {
    await tools.ok('thought_record', { type: 'plan', content: '\u0001'.repeat(300).concat('x'), session_id, agent_id });
  }
  const answer = await tools.call('thought_record_list', { session_id, limit: 500 });
  expect(bytesOf(answer)).toBeLessThanOrEqual(24 * 1024);
  expect(answer.data.thoughts.length).toBeLessThan(40);
  expect((await allPages(tools, { session_id })).map(({ seq }) => seq)).toEqual(
    Array.from({ length: 40 }, (_, i) => i),
  );
  await tools.peer.end();
});

test('a cursor is good for its own list alone; what is added behind it is seen', async () => {
  const place = freshPlace();
  const tools = await started(place);
  await fill(tools);
  const filters: Answer[] = [{}, { session_id: 'a' }, { session_id: 'b' }, { task_id: 'T-1' }, { type: 'plan' }];
  for (const own of filters) {
    const { next_cursor } = await tools.ok('thought_record_list', { ...own, limit: 1 });
    for (const other of filters) {
      const args = { ...other, limit: 3, cursor: next_cursor };
      if (own === other) await tools.ok('thought_record_list', args);
      else expect(codeOf(await tools.no('thought_record_list', args))).toBe('INVALID_PARAMS');
    }
    for (const forged of [`${next_cursor}A`, next_cursor.slice(1), next_cursor.slice(0, -2)]) {
      expect((await tools.no('thought_record_list', { ...own, cursor: forged })).code).toBe('INVALID_PARAMS');
    }
  }
  const page = await tools.ok('thought_record_list', { session_id: 'a', limit: 29 });
  const added = await tools.ok('thought_record', { type: 'plan', content: 'late', session_id: 'a' });
  const rest = await tools.ok('thought_record_list', { session_id: 'a', limit: 29, cursor: page.next_cursor });
  expect(ids(rest.thoughts).at(-1)).toBe(added.thought_id);
  await tools.peer.end();
}, 30_000);
