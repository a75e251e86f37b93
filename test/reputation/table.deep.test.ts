// Every row of the table of docs/reputation.md, on the wire: what somebody does, and what `reputation_history` then says, and of whom; what is
// next to a row and counts for nothing; the edges of the formula.
import * as fs from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { httpFake } from '../support/http-server.js';
import {
  type AnyClient,
  connect,
  type Environment,
  freshPlace,
  gone,
  type Message,
  type Place,
} from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { approve } from '../trust/answering.js';
import { errorOf, trustClient, untilListed } from '../trust/places.js';
import { type Event, epochIn, rowFrom } from './recompute.js';
import { call, exported, SETS, toDone } from './shared.js';

vi.setConfig({ testTimeout: 180_000 });

const OTHER_CLOCK = fileURLToPath(new URL('../children/other-clock.mjs', import.meta.url));
const MINUTE_MS = 60_000;

/** The clock of the processes that get this environment. */
const clockOf = (place: Place) => {
  const file = join(place.dir, 'clock.json');
  const set = (wallMs: number): void => fs.writeFileSync(file, JSON.stringify({ wallMs, monotonicMs: 0 }));
  set(0);
  const env: Environment = { NODE_OPTIONS: `--import ${OTHER_CLOCK}`, TEST_CLOCK: file };
  return { set, env };
};

/** Everything that is known of these nodes, oldest first: `bob -execution expired`. */
const known = async (client: AnyClient, nodes: readonly string[]): Promise<string[]> => {
  const found: string[] = [];
  for (const node_id of nodes)
    for (const domain of ['execution', 'commissioning', 'arbitration', 'governance', 'social']) {
      const { events } = await call(client, 'reputation_history', { node_id, domain });
      for (const { good, why } of (events as Message[]).toReversed())
        found.push(`${node_id} ${good ? '+' : '-'}${domain} ${why}`);
    }
  return found;
};

const claim = async (client: AnyClient, claim_by: string, more: Message = {}): Promise<Message> => {
  const { actions } = await call(client, 'task_next_actions', { claim_by, ...more });
  return { task_id: actions[0].task.task_id, lease_token: actions[0].lease_token };
};

const created = async (client: AnyClient): Promise<string> =>
  (await call(client, 'task_create', { title: 'x' })).task_id;

const die = async ({ pid }: AnyClient): Promise<void> => {
  process.kill(pid, 'SIGKILL');
  await gone(pid);
};

const STEPS = ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY'] as const;
const stepsTo = (...statuses: string[]) => ({ steps: statuses.map((status) => ({ status, note: `to ${status}` })) });

test('tasks: done, delivered, reopened, cancelled, handed; what the agent does to itself counts for nothing', async () => {
  const place = freshPlace();
  const client = await connect(place, 'v2 modern', SETS);
  const me = client.name;
  const all = () => known(client, [me, 'ada', 'bob']);

  const own = await claim(client, me, { task_id: await created(client) });
  await call(client, 'task_update', { task_id: own.task_id, ...toDone(own.lease_token) });
  expect(await all()).toEqual([]);

  const ada = await claim(client, 'ada', { task_id: await created(client) });
  await call(client, 'task_update', { ...ada, ...stepsTo(...STEPS) });
  expect(await all()).toEqual([]);
  await call(client, 'task_update', { ...ada, ...stepsTo('GATHER') });
  expect(await all()).toEqual(['ada -execution reopened']);
  await call(client, 'task_update', { ...ada, ...stepsTo('ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE') });
  const first = [`${me} +commissioning delivered`, 'ada -execution reopened', 'ada +execution done'];
  expect(await all()).toEqual(first);

  // Given back without a note: nothing. With one, and finished by somebody else: it counts.
  const bob = await claim(client, 'bob', { task_id: await created(client) });
  await call(client, 'task_update', { ...bob, release: true });
  const mine = await claim(client, me, { task_id: bob.task_id });
  await call(client, 'task_update', { task_id: bob.task_id, ...toDone(mine.lease_token) });
  expect(await all()).toEqual(first);
  const noted = await claim(client, 'bob', { task_id: await created(client) });
  await call(client, 'task_update', { ...noted, ...stepsTo('GATHER'), release: true });
  const back = await claim(client, 'bob', { task_id: noted.task_id });
  await call(client, 'task_update', { ...back, ...stepsTo('ANALYZE'), release: true });
  const last = await claim(client, me, { task_id: noted.task_id });
  await call(client, 'task_update', {
    task_id: noted.task_id,
    ...{ lease_token: last.lease_token, ...stepsTo('PLAN', 'APPLY', 'VERIFY', 'DONE') },
  });
  expect(await all()).toEqual([...first, 'bob +social handed']);

  await call(client, 'task_update', { task_id: await created(client), status: 'CANCELLED' });
  expect(await all()).toEqual([
    ...[`${me} +commissioning delivered`, `${me} -commissioning cancelled`],
    ...[...first.slice(1), 'bob +social handed'],
  ]);
  await client.close();
});

test('leases: one that ran out, and a task that was taken over, also after a death; one that is extended counts for nothing', async () => {
  const place = freshPlace();
  const clock = clockOf(place);
  const env = { ...SETS, ...clock.env };
  const client = await connect(place, 'v2 legacy', env);
  const all = () => known(client, ['ada', 'bob']);
  const task_id = await created(client);
  const ada = await claim(client, 'ada', { task_id, lease_minutes: 1 });
  clock.set(MINUTE_MS / 2);
  await call(client, 'task_update', { ...ada, ...stepsTo('GATHER') }); // extends it
  clock.set(1.25 * MINUTE_MS);
  expect((await call(client, 'task_next_actions', { claim_by: 'bob', task_id })).refused.code).toBe('ERR_LEASED');
  expect(await all()).toEqual([]);
  clock.set(3 * MINUTE_MS);
  await claim(client, 'bob', { task_id });
  expect(await all()).toEqual(['ada -execution expired', 'ada -social expired']);
  // Found once: the next claim says nothing more of it.
  await call(client, 'task_next_actions', { claim_by: 'ada' });
  expect(await all()).toHaveLength(2);

  // Another process with her name takes it from her while her process lives.
  const other = await connect(place, 'v1', env);
  const second = await claim(client, 'ada', { task_id: await created(client), lease_minutes: 60 });
  const wish = { claim_by: 'ada', task_id: second.task_id };
  expect((await call(other, 'task_next_actions', wish)).refused.code).toBe('ERR_LEASED');
  await call(other, 'task_next_actions', { ...wish, take_over: true });
  expect(await all()).toEqual(['ada -execution expired', 'ada -execution taken', 'ada -social expired']);

  // A process that dies lets go of its task by the lease: its agent gets it back for nothing, somebody else only when it ran out.
  await die(other);
  await claim(client, 'ada', { task_id: second.task_id });
  expect(await all()).toHaveLength(3);
  const third = await connect(place, 'v1', env);
  const left = await claim(third, 'bob', { task_id: await created(client), lease_minutes: 5 });
  await die(third);
  clock.set(20 * MINUTE_MS);
  await claim(client, 'cyd', { task_id: left.task_id });
  expect(await known(client, ['bob'])).toEqual(['bob -execution expired', 'bob -social expired']);
  await client.close();
});

test('servers: answers count for them, losses against them, checks and refusals not at all', async () => {
  const place = freshPlace();
  const web = await httpFake({ logFile: join(place.dir, 'http.log') }, 'http-status');
  const capability = { tool: 'echo', intervalMs: 1_000, timeoutMs: 900 };
  writeBoard(place, {
    plain: { ...fakeServer('plain'), health: { capability } },
    no: fakeServer('odd-answers'),
    crashes: fakeServer('crashes'),
    hangs: { ...fakeServer('hangs'), timeoutMs: 1_000 },
    web: { url: web.url },
  });
  const client = await connect(place, 'v2 modern', SETS);
  const seen = (server: string) => known(client, [`server:${server}`]);
  const tool = async (name: string): Promise<void> => void (await client.callTool(name, {}).catch(() => {}));
  await tool('plain__echo');
  await tool('plain__fail');
  await tool('plain__no_such_tool');
  await new Promise((resolve) => setTimeout(resolve, 2_500)); // checks run
  expect(await seen('plain')).toEqual(['server:plain +execution result', 'server:plain +execution error']);
  await tool('no__no');
  expect(await seen('no')).toEqual(['server:no +execution is_error']);
  await tool('crashes__echo');
  expect((await seen('crashes'))[0]).toBe('server:crashes -execution lost');
  await tool('hangs__echo');
  expect(await seen('hangs')).toEqual(['server:hangs -execution timeout']);
  await tool('web__echo');
  await web.tell('status?code=500');
  await tool('web__echo');
  expect(await seen('web')).toEqual(['server:web +execution result', 'server:web -execution server_error']);
  await client.close();
});

test('approvals: who gave one answers for the call; the word of the asking client counts for nobody', async () => {
  const place = freshPlace();
  const SICK = join(place.dir, 'sick');
  const tools = { ask: ['*'] };
  writeBoard(place, {
    crashes: { ...fakeServer('crashes', { SICK }), tools },
    plain: { ...fakeServer('plain'), tools },
    form: { ...fakeServer('plain'), tools },
  });
  const person = userInfo().username;
  const yes = { action: 'accept' as const, content: { answer: 'yes' } };
  let isThere = false;
  const onQuestion = () => (isThere ? yes : { action: 'cancel' as const });
  const client = await trustClient(place, 'v2 modern', { env: SETS, onQuestion });
  const history = async (node_id: string): Promise<string[]> => {
    const { structuredContent } = await client.call('reputation_history', { node_id, domain: 'governance' });
    return structuredContent.data.events.map(({ good, why }: Message) => `${good ? '+' : '-'}${why}`).toReversed();
  };
  const approved = async (tool: string, args: Message = {}): Promise<void> => {
    await untilListed(client, tool);
    const id = errorOf(await client.call(tool, args))?.details.approval_id;
    expect((await approve(place, id)).code).toBe(0);
    await client.call(tool, args).catch(() => {});
  };
  await approved('crashes__echo');
  expect(await history(person)).toEqual(['+allowed']);
  fs.writeFileSync(SICK, '');
  await approved('crashes__echo', { n: 2 });
  expect(await history(person)).toEqual(['+allowed', '-allowed']);
  await approved('plain__fail'); // a JSON-RPC error
  expect(await history(person)).toEqual(['+allowed', '-allowed', '-allowed']);
  isThere = true;
  await untilListed(client, 'form__echo');
  expect((await client.call('form__echo')).isError).not.toBe(true);
  expect([await history(person), await history('client-v2 modern')]).toEqual([
    ['+allowed', '-allowed', '-allowed'],
    [],
  ]);
  await client.close();
  const said = (await exported(place)).filter(({ domain }) => domain === 'governance');
  expect(said.map(({ node, good }) => [node, good])).toEqual([false, false, true].map((good) => [person, good]));
});

test('the formula: weights halve at 30, 60, … 630 days and not a day before; nothing known is 0; gates at their edges', async () => {
  const place = freshPlace();
  const client = await connect(place, 'v1', SETS);
  for (let n = 0; n < 3; n += 1) {
    const held = await claim(client, 'ada', { task_id: await created(client) });
    await call(client, 'task_update', { task_id: held.task_id, ...toDone(held.lease_token) });
  }
  const bad = await claim(client, 'ada', { task_id: await created(client) });
  await call(client, 'task_update', { ...bad, ...stepsTo(...STEPS, 'GATHER') });
  const events: Event[] = await exported(place);
  const today = epochIn(new Date().toISOString());
  const scores = new Map<number, number>();
  for (const age of [-1, 0, 1, 29, 30, 59, 60, 599, 600, 629, 630, 631, 10_000]) {
    const { row } = await call(client, 'reputation_get', {
      ...{ node_id: 'ada', domain: 'execution', current_epoch: today + age },
    });
    expect(row, `${age} days`).toEqual(rowFrom(events, 'ada', 'execution', today + age));
    scores.set(age, row.score);
  }
  const at = (age: number) => scores.get(age) ?? -1;
  // Four events, three of them successes: Wilson's lower bound with z = 1.96.
  const wilson = (s: number, n: number): number => {
    const [z, p] = [1.96, s / n];
    return (p + z ** 2 / (2 * n) - z * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2))) / (1 + z ** 2 / n);
  };
  expect(Math.abs(at(0) - 10_000 * wilson(3, 4))).toBeLessThan(1);
  expect(Math.abs(at(30) - 10_000 * wilson(1.5, 2))).toBeLessThan(1);
  expect([at(-1), at(1), at(29)]).toEqual([at(0), at(0), at(0)]);
  expect([at(30) < at(29), at(59) === at(30), at(60) < at(59)]).toEqual([true, true, true]);
  expect([at(600) === at(629), at(630), at(631), at(10_000)]).toEqual([true, 0, 0, 0]);
  const nobody = await call(client, 'reputation_get', { node_id: 'nobody' });
  expect(nobody).toMatchObject({ rows: [], formula: 'colibri.reputation/1', identity: 'claimed' });
  expect((await call(client, 'reputation_get', { node_id: 'nobody', domain: 'social' })).row).toBeNull();
  const gates = await call(client, 'reputation_check_gates', { node_id: 'nobody' });
  expect(gates).toMatchObject({
    ...{ max_parallel_tasks: 1, rate_limit_bonus: 0, stake_discount: 10_000 },
    ...{ can_arbitrate: false, can_govern: false },
  });
  const ada = await call(client, 'reputation_check_gates', { node_id: 'ada' });
  expect(ada.max_parallel_tasks).toBe(Math.min(20, Math.floor(Math.sqrt(at(0)))));
  await client.close();
});
