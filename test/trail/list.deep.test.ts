// Lists: nothing twice, nothing lost, no page longer than clients take.
import { expect, test } from 'vitest';
import { freshPlace } from '../support/serve.js';
import { type Answer, allPages, started } from '../support/trail-tools.js';
import { CONTENTS, fill, ids } from './list.shared.js';

/** What `proof: true` adds. */
const PROOF = ['session_id', 'seq', 'task_id', 'skill', 'prev_hash', 'hash'];

test('every filter, every page size: all of it, once, in order', async () => {
  const place = freshPlace();
  const tools = await started(place);
  const made = await fill(tools);
  const where = (of: (row: Answer) => boolean) => ids(made.filter(of));
  const cases: [Answer, string[]][] = [
    [{}, ids(made)],
    [{ session_id: 'a' }, where(({ session_id }) => session_id === 'a')],
    [{ task_id: 't-1' }, where(({ task_id }) => task_id === 'T-1')],
    [{ type: 'decision' }, where(({ type }) => type === 'decision')],
    [{ session_id: 'b', type: 'plan' }, where((row) => row.session_id === 'b' && row.type === 'plan')],
    [{ task_id: 'T-2', type: 'reflection' }, where((row) => row.task_id === 'T-2' && row.type === 'reflection')],
  ];
  for (const [filter, wanted] of cases) {
    expect(wanted.length).toBeGreaterThan(5);
    for (const limit of [1, 7, 50, 500]) {
      const what = JSON.stringify({ ...filter, limit });
      expect(ids(await allPages(tools, { ...filter, limit })), what).toEqual(wanted);
      const newest = await allPages(tools, { ...filter, limit, order: 'newest' });
      expect(ids(newest), `newest ${what}`).toEqual(wanted.toReversed());
    }
  }
  await tools.peer.end();
}, 60_000);

test('contents are cut at 280 characters, never inside one; how long they are is said', async () => {
  const place = freshPlace();
  const tools = await started(place);
  const made = await fill(tools);
  const rows = await allPages(tools, { limit: 500 });
  for (const [i, row] of rows.entries()) {
    const points = [...(made[i]?.content ?? '')];
    expect(row.content).toBe(points.slice(0, 280).join(''));
    expect(row.content.isWellFormed()).toBe(true);
    const cut = points.length > 280 ? ['content_chars'] : [];
    expect(row.content_chars).toBe(cut.length > 0 ? points.length : undefined);
    expect(Object.keys(row)).toEqual(['thought_id', 'type', 'agent_id', 'timestamp', 'content', ...cut, ...PROOF]);
  }
  const { thoughts } = await tools.ok('thought_record_list', { limit: 1 });
  expect(Object.keys(thoughts[0])).toEqual(['thought_id', 'type', 'agent_id', 'timestamp', 'content']);
  const one = made[5]?.thought_id;
  expect((await tools.ok('thought_record_list', { thought_id: one })).thoughts).toMatchObject([
    { content: CONTENTS[5] },
  ]);
  await tools.peer.end();
}, 30_000);
