// Every pair of states through the wire, by the client people use, in both eras; and a task from its claim to its end.
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { Ledger } from '../support/ledger-check.js';
import { connect, freshPlace } from '../support/serve.js';
import { ARROWS } from './model.js';
import { ERAS, toolsOf } from './pairs.shared.js';
import { type Answer, errorIn, type State, TASK_STATES, taskIn } from './task-tools.js';

/** As the pipeline goes on: forward first, then back, then out. */
const byArrow = (from: State) => (a: State, b: State) => {
  const order = from === 'VERIFY' ? ['DONE', 'GATHER', 'CANCELLED'] : [];
  return order.indexOf(a) - order.indexOf(b);
};

test.each(ERAS)('%s: all 64 pairs of states are as the table says', async (era) => {
  const place = freshPlace();
  const client = await connect(place, era);
  await client.listTools(); // from here on the client checks every answer against the tool's outputSchema
  const tools = toolsOf(client);
  const moved: Answer[] = [];
  for (const from of TASK_STATES) {
    for (const to of TASK_STATES) {
      const { task_id } = await taskIn(tools, from, { title: `${from} ${to}` });
      const before = await tools.ok('task_get', { task_id });
      const answer = await tools.call('task_update', { task_id, status: to, note: 'tried' });
      const after = await tools.ok('task_get', { task_id });
      expect(after.next_states).toEqual(
        TASK_STATES.filter((state) => ARROWS.includes(`${after.status} ${state}`)).sort(byArrow(after.status)),
      );
      if (from === to) {
        expect(answer.data).toMatchObject({ task_id, status: from, attempt: before.attempt, version: before.version });
        expect(after).toEqual({ ...before, thoughts: before.thoughts + 1 });
      } else if (ARROWS.includes(`${from} ${to}`)) {
        const attempt = from === 'VERIFY' && to === 'GATHER' ? 2 : 1;
        expect(answer.data).toMatchObject({ status: to, attempt, version: before.version + 1 });
        moved.push({ task_id, from, to, attempt, version: before.version + 1 });
      } else {
        const allowed = TASK_STATES.filter((state) => ARROWS.includes(`${from} ${state}`));
        expect(errorIn(answer)).toMatchObject({ code: 'ERR_INVALID_TRANSITION', details: { from, to } });
        expect(errorIn(answer)?.details.allowed.toSorted()).toEqual(allowed.toSorted());
        expect(after).toEqual(before);
        expect(after.thoughts).toBe(from === 'DONE' ? 1 : 0);
      }
    }
  }
  await client.close();

  expect(moved).toHaveLength(ARROWS.length);
  const ledger = new Ledger(place.db);
  const all = ledger.ofKind('call.exit').flatMap(({ changes = [] }) => changes as { because?: string }[]);
  const changes = all.filter(({ because }) => because !== undefined);
  for (const change of moved) {
    const thought = expect.stringMatching(/^[0-9a-f-]{36}$/);
    expect(changes).toContainEqual({ ...change, because: thought, ...(change.to === 'DONE' && { thought }) });
  }
  expect(checkSubjects(place.db)).toEqual([]);
});
