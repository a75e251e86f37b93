// Every pair of states through the wire, by the client people use, in both eras; and a task from its claim to its end.
import { expect, test } from 'vitest';
import { Ledger } from '../ledger-check.js';
import { type AnyClient, connect, freshPlace } from '../process.js';
import { type Answer, errorIn, type State, TASK_STATES, taskIn } from './desk.js';
import { ARROWS } from './model.js';
import { checkSubjects } from './subjects.js';

const deskOf = (client: AnyClient) => {
  const call = async (tool: string, args: Answer = {}): Promise<Answer> =>
    (await client.callTool(tool, args)).structuredContent;
  const ok = async (tool: string, args: Answer = {}): Promise<Answer> => {
    const answer = await call(tool, args);
    expect(errorIn(answer), `${tool} ${JSON.stringify(args)}`).toBeUndefined();
    return answer.data;
  };
  return { call, ok };
};

const ERAS = ['v2 legacy', 'v2 modern'] as const;

test.each(ERAS)('%s: all 64 pairs of states are as the table says', async (era) => {
  const place = freshPlace();
  const client = await connect(place, era);
  await client.listTools(); // from here on the client checks every answer against the tool's outputSchema
  const desk = deskOf(client);
  const moved: Answer[] = [];
  for (const from of TASK_STATES) {
    for (const to of TASK_STATES) {
      const before = await taskIn(desk, from, { title: `${from} ${to}` });
      const answer = await desk.call('task_update', { task_id: before.task_id, status: to, note: 'tried' });
      const after = await desk.ok('task_get', { task_id: before.task_id });
      expect(after.next_states).toEqual(
        TASK_STATES.filter((state) => ARROWS.includes(`${after.status} ${state}`)).sort(byArrow(after.status)),
      );
      if (from === to) {
        expect(answer.data).toEqual(before);
      } else if (ARROWS.includes(`${from} ${to}`)) {
        const attempt = from === 'VERIFY' && to === 'GATHER' ? 2 : 1;
        expect(answer.data).toMatchObject({ status: to, attempt, version: before.version + 1 });
        moved.push({ task_id: before.task_id, from, to, attempt, version: before.version + 1 });
      } else {
        const allowed = TASK_STATES.filter((state) => ARROWS.includes(`${from} ${state}`));
        expect(errorIn(answer)).toMatchObject({ code: 'ERR_INVALID_TRANSITION', details: { from, to } });
        expect(errorIn(answer)?.details.allowed.toSorted()).toEqual(allowed.toSorted());
        const { next_states: _states, thoughts, ...rest } = after;
        expect(rest).toEqual(before);
        expect(thoughts).toBe(from === 'DONE' ? 1 : 0);
      }
    }
  }
  await client.close();

  expect(moved).toHaveLength(ARROWS.length);
  const ledger = new Ledger(place.db);
  const changes = ledger.ofKind('call.exit').flatMap(({ change }) => (change?.because === undefined ? [] : [change]));
  for (const change of moved) {
    expect(changes).toContainEqual({ ...change, because: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  }
  expect(checkSubjects(place.db)).toEqual([]);
});

/** As the pipeline goes on: forward first, then back, then out. */
const byArrow = (from: State) => (a: State, b: State) => {
  const order = from === 'VERIFY' ? ['DONE', 'GATHER', 'CANCELLED'] : [];
  return order.indexOf(a) - order.indexOf(b);
};

test.each(ERAS)('%s: claimed, done with six notes, never to be had again', async (era) => {
  const place = freshPlace();
  const client = await connect(place, era);
  const { ok, call } = deskOf(client);
  const { task_id } = await ok('task_create', { title: 'a whole task' });
  const [claimed] = (await ok('task_next_actions', { claim_by: 'worker' })).actions;
  expect(claimed).toMatchObject({ task: { task_id, assignee: 'worker', version: 2 }, lease_token: 1_000_001 });
  const lease_token = claimed.lease_token;
  for (const status of ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE']) {
    expect(errorIn(await call('task_update', { task_id, status }))?.code).toBe('ERR_LEASE_LOST');
    await ok('task_update', { task_id, status, note: `entering ${status}`, lease_token });
  }
  expect(await ok('task_get', { task_id })).toMatchObject({ status: 'DONE', thoughts: 6, version: 8, next_states: [] });
  expect(await ok('task_next_actions', { claim_by: 'other' })).toMatchObject({
    actions: [],
    reason: 'there is no open task',
  });
  await client.close();
  const types = new Ledger(place.db).ofKind('call.exit').filter(({ change }) => change !== undefined);
  expect(types.map(({ change }) => change.to)).toEqual(['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE']);
  expect(checkSubjects(place.db)).toEqual([]);
});
