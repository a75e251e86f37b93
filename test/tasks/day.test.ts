// A day's work as an agent does it that knows its instructions and the tools: a plan of six tasks, three of them to DONE, a handover, the death of the
// other agent, a lost context. Counts calls and bytes, because a model pays for both.
import { expect, test } from 'vitest';
import { freshPlace, type Message, type Place, serve } from '../support/serve.js';

/** What the same job took before tasks could be planned, moved and resumed in one call each: arguments and results together. */
const BEFORE = { calls: 43, bytes: 30_917 };
const SHARE = 0.6;

const DESCRIPTION =
  'The measurements are in bench/results; compare before and after. Check with the slow query log of one day that no query takes longer than 200 ms.';
const PLAN = [
  { ref: 'collect', title: 'Collect the slow queries of a day' },
  { ref: 'find', title: 'Find the tables without an index', depends_on: ['#collect'] },
  { ref: 'add', title: 'Add the missing index', depends_on: ['#find'] },
  { ref: 'measure', title: 'Measure the search again', depends_on: ['#add'] },
  { title: 'Write down what was done', depends_on: ['#measure'] },
  { title: 'Remove the old cache', depends_on: ['#measure'] },
].map((task) => ({ ...task, description: DESCRIPTION }));

const NOTES = {
  GATHER: 'Read the log of Monday: 41 queries take longer than a second.',
  ANALYZE: 'All of them sort orders by date.',
  PLAN: 'One index on orders(date); a cache was decided against.',
  APPLY: 'Creating the index concurrently.',
  VERIFY: 'The index is there; running the queries again.',
  DONE: 'All 41 queries are below 200 ms now.',
};
type Noted = keyof typeof NOTES;

const steps = (...states: Noted[]) => ({ steps: states.map((status) => ({ status, note: NOTES[status] })) });

const spent = { calls: 0, bytes: 0 };

const agent = async (place: Place, name: string) => {
  const peer = serve(place);
  await peer.initialize(name);
  const call = async (tool: string, args: Message): Promise<Message> => {
    const { result } = await peer.call(tool, args);
    spent.calls += 1;
    spent.bytes += Buffer.byteLength(JSON.stringify(args)) + Buffer.byteLength(result.content[0].text);
    expect(result.isError, result.content[0].text).not.toBe(true);
    return result.structuredContent.data;
  };
  return {
    peer,
    call,
    claim: async (more: Message = {}) => {
      const { actions } = await call('task_next_actions', { claim_by: name, ...more });
      const { task, lease_token, resumed, ...rest } = actions[0];
      return { held: { task_id: task.task_id as string, lease_token: lease_token as number }, task, resumed, rest };
    },
    update: (held: Message, change: Message) => call('task_update', { ...held, ...change }),
  };
};

test('a plan of six, three to DONE, a handover, a death, a lost context: in 60 % of the calls and bytes', async () => {
  const place = freshPlace();
  const ada = await agent(place, 'ada');
  await ada.call('task_create', { tasks: PLAN, idempotency_key: 'search' });

  for (const expected of ['T-0001', 'T-0002']) {
    const { held } = await ada.claim();
    expect(held.task_id).toBe(expected);
    await ada.update(held, steps('GATHER', 'ANALYZE', 'PLAN', 'APPLY'));
    expect((await ada.update(held, steps('VERIFY', 'DONE'))).status).toBe('DONE');
  }

  // Ada begins the third task and hands it to Bea, who finds what Ada wrote in the answer to her claim.
  const begun = await ada.claim();
  await ada.update(begun.held, steps('GATHER', 'ANALYZE'));
  await ada.update(begun.held, { note: 'Facts are in; the plan comes next.', assignee: 'bea', release: true });
  const bea = await agent(place, 'bea');
  const taken = await bea.claim();
  expect(taken.held.task_id).toBe('T-0003');
  expect(JSON.stringify(taken.rest)).toContain('Facts are in; the plan comes next.');
  await bea.update(taken.held, { status: 'PLAN', note: NOTES.PLAN });

  // Bea's process dies. A new one gets the task back under its name, with a new token.
  await bea.peer.kill('SIGKILL');
  const again = await agent(place, 'bea');
  const resumed = await again.claim();
  expect(resumed).toMatchObject({ resumed: true, held: { task_id: 'T-0003' } });
  expect(resumed.held.lease_token).not.toBe(taken.held.lease_token);
  await again.update(resumed.held, { status: 'APPLY', note: NOTES.APPLY });

  // It forgets everything but its name: the call that it would make anyway gives the same task and token.
  const remembered = await again.claim();
  expect(remembered).toMatchObject({ resumed: true, held: resumed.held });
  expect(await again.update(remembered.held, steps('VERIFY', 'DONE'))).toMatchObject({
    status: 'DONE',
    unblocked: ['T-0004'],
  });

  const { tasks } = await ada.call('task_list', {});
  const open = (tasks as Message[]).filter(({ status }) => status !== 'DONE').map(({ task_id }) => task_id);
  expect(open.sort()).toEqual(['T-0004', 'T-0005', 'T-0006']);
  process.stderr.write(`a day's work: ${spent.calls} calls, ${spent.bytes} bytes\n`);
  expect(spent.calls).toBeLessThanOrEqual(BEFORE.calls * SHARE);
  expect(spent.bytes).toBeLessThanOrEqual(BEFORE.bytes * SHARE);
  await Promise.all([ada.peer.end(), again.peer.end()]);
});
