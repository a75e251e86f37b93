// Claims over the wire, by the clients people use: a task is taken, its holder loses its memory, a process dies, another one of the same
// name goes on.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { casesHere, deepTest } from '../support/by-gate.js';
import { CLIENT_KINDS, connect, freshPlace, type Message, serve } from '../support/serve.js';
import { toolsOf } from '../tasks/pairs.shared.js';
import { errorIn } from '../tasks/task-tools.js';

describe.each(casesHere(CLIENT_KINDS))('%s', (kind) => {
  it('assignee, holder, resume, take-over, handover', { timeout: 60_000 }, async () => {
    const place = freshPlace();
    const clients = [await connect(place, kind), await connect(place, kind)] as const;
    const [one, two] = [toolsOf(clients[0]), toolsOf(clients[1])];
    await one.ok('task_create', { title: 'for bob', assignee: 'bob', priority: 'urgent' });
    await one.ok('task_create', { title: 'for anybody', description: 'what to do' });
    const claim = { claim_by: 'ada' };

    const [first] = (await one.ok('task_next_actions', claim)).actions;
    expect(first).toMatchObject({
      task: { task_id: 'T-0002', assignee: null, lease: { holder: 'ada', until: first.lease_until } },
      ...{ description: 'what to do', notes: [], previous_holder: null, dependencies: [] },
    });
    const [again] = (await one.ok('task_next_actions', claim)).actions;
    expect(again).toMatchObject({ task: { task_id: 'T-0002' }, lease_token: first.lease_token, resumed: true });

    // The other window, under the same name.
    const other = await two.ok('task_next_actions', claim);
    expect(other).toMatchObject({ actions: [], also_held: [{ task_id: 'T-0002' }] });
    expect(other.reason).toContain('T-0001 (bob)');
    const refusals = [
      { ...claim, task_id: 'T-0002' },
      { ...claim, task_id: 'T-0001' },
      { claim_by: 'bob', task_id: 'T-0002' },
    ];
    const codes: (string | undefined)[] = [];
    for (const args of refusals) codes.push(errorIn(await two.call('task_next_actions', args))?.code);
    expect(codes).toEqual(['ERR_LEASED', 'ERR_ASSIGNED', 'ERR_LEASED']);
    // The call that takes a task away from a running process stands apart from those that simply work.
    const { next, take_over } = errorIn(await two.call('task_next_actions', refusals[0]))?.details ?? {};
    expect(next).toEqual([{ tool: 'task_next_actions', arguments: claim }]);
    expect(take_over.arguments).toEqual({ ...claim, task_id: 'T-0002', take_over: true });
    const [moved] = (await two.ok(take_over.tool, { ...take_over.arguments, task_id: 't-2' })).actions;
    expect(moved.lease_token).toBeGreaterThan(first.lease_token);

    const step = { task_id: 'T-0002', status: 'GATHER', note: 'It is the index.' };
    expect(errorIn(await one.call('task_update', step))?.code).toBe('ERR_LEASE_REQUIRED');
    expect(errorIn(await one.call('task_update', { ...step, lease_token: first.lease_token }))).toMatchObject({
      code: 'ERR_LEASE_LOST',
      details: { holder: 'ada', until: moved.lease_until },
    });
    const { lease_until } = await two.ok('task_update', { ...step, lease_token: moved.lease_token });
    expect(lease_until >= moved.lease_until).toBe(true);
    const rest = `The rest: ${'measure it again. '.repeat(30)}`;
    const release = { task_id: 'T-0002', lease_token: moved.lease_token, note: rest, release: true };
    const { session_id: _session, ...given } = await two.ok('task_update', release);
    expect(await two.ok('task_update', release)).toEqual({ ...given, replayed: true });
    const [heir] = (await one.ok('task_next_actions', { claim_by: 'cyd' })).actions;
    const [short, cut] = heir.notes;
    expect(heir.previous_holder).toBe('ada');
    expect(short).toEqual({ at: short.at, agent: 'ada', text: 'It is the index.' });
    expect(cut.text).toHaveLength(280);
    const whole = await one.ok('thought_record_list', { thought_id: cut.thought_id });
    expect(whole.thoughts.map(({ content }: Message) => content)).toEqual([rest]);
    for (const client of clients) await client.close();
  });
});

const dataOf = (answer: Message): Message => answer.result.structuredContent.data;

deepTest(
  'kill -9 of the holder: a process that is only stopped keeps its task, a dead one loses it to its own name',
  async () => {
    const place = freshPlace();
    const started = async () => {
      const peer = serve(place);
      await peer.initialize();
      await peer.phase2();
      return peer;
    };
    const holder = await started();
    await holder.call('task_create', { title: 'the only one' });
    const [first] = dataOf(await holder.call('task_next_actions', { claim_by: 'ada' })).actions;
    process.kill(holder.pid, 'SIGSTOP');
    const next = await started();
    const claim = () => next.call('task_next_actions', { claim_by: 'ada' });
    expect(dataOf(await claim())).toMatchObject({ actions: [], also_held: [{ task_id: 'T-0001' }] });
    await holder.kill('SIGKILL');
    await sleep(10);
    const [resumed] = dataOf(await claim()).actions;
    expect(resumed).toMatchObject({ task: { task_id: 'T-0001' }, resumed: true });
    expect(resumed.lease_token).toBeGreaterThan(first.lease_token);
    const late = { task_id: 'T-0001', status: 'GATHER', lease_token: first.lease_token };
    expect(errorIn((await next.call('task_update', late)).result.structuredContent)?.code).toBe('ERR_LEASE_LOST');
    await next.call('task_update', { ...late, lease_token: resumed.lease_token });
    expect((await next.end()).code).toBe(0);
  },
  30_000,
);
