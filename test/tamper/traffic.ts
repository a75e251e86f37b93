// Random work through a real server: tasks with dependencies, claims, notes, sessions and thoughts, and every kind of
// refusal. Nothing is expected of the answers but that they come.

import type { Random } from '../support/random.js';
import type { Message, Peer } from '../support/serve.js';

const NEXT: Readonly<Record<string, string>> = {
  INIT: 'GATHER',
  GATHER: 'ANALYZE',
  ANALYZE: 'PLAN',
  PLAN: 'APPLY',
  APPLY: 'VERIFY',
  VERIFY: 'DONE',
};
const STATES = [...Object.values(NEXT), 'CANCELLED'];
const TYPES = ['plan', 'analysis', 'decision', 'reflection'];
const TEXTS = ['short', 'Grüße, 世界 🚀', 'with \ufffd in it', '"quoted" \\ and\nbroken', 'x'.repeat(200), 'token=abc'];

/** What this client has learnt from answers. */
interface Known {
  readonly tasks: Map<string, string>;
  readonly sessions: string[];
  readonly leases: { readonly task_id: string; readonly lease_token: number }[];
}

type Act = (random: Random, known: Known) => readonly [tool: string, args: Message];

const text = (random: Random): string => `${random.pick(TEXTS)} ${random.int(1000)}`;
const task = (random: Random, { tasks }: Known): string => random.pick(['T-0001', ...tasks.keys()]);
const maybe = <T>(random: Random, value: T): T | undefined => (random.chance(0.5) ? value : undefined);
const key = (random: Random): string | undefined => (random.chance(0.3) ? `key ${random.int(12)}` : undefined);

const create: Act = (random, known) => [
  'task_create',
  {
    title: text(random),
    description: maybe(random, text(random)),
    project: random.pick([undefined, 'alpha', 'beta']),
    priority: random.pick([undefined, 'low', 'high', 'urgent']),
    assignee: random.pick([undefined, undefined, 'ann']),
    depends_on: maybe(random, [...new Set(Array.from({ length: random.int(3) }, () => task(random, known)))]),
    idempotency_key: key(random),
  },
];

const move: Act = (random, known) => [
  'task_update',
  { task_id: task(random, known), status: random.pick(STATES), note: maybe(random, text(random)) },
];

/** A task this client has seen, one step closer to its end or back to its second attempt. */
const onward: Act = (random, { tasks, leases }) => {
  const [id, status] = random.pick([...tasks].slice(0, 4).concat([['T-0001', 'INIT']]));
  const back = status === 'VERIFY' && random.chance(0.3);
  const held = leases.findLast(({ task_id }) => task_id === id);
  const to = back ? 'GATHER' : (NEXT[status] ?? 'DONE');
  return ['task_update', { task_id: id, ...held, status: to, note: maybe(random, text(random)) }];
};

const edit: Act = (random, known) => [
  'task_update',
  {
    task_id: task(random, known),
    title: maybe(random, text(random)),
    description: random.pick([undefined, null, text(random)]),
    depends_on: random.chance(0.2) ? [task(random, known)] : undefined,
    expected_version: random.chance(0.1) ? 1 : undefined,
  },
];

const claim: Act = (random) => [
  'task_next_actions',
  {
    project: random.pick(['alpha', 'beta', '*']),
    claim_by: random.pick(['ann', 'bob']),
    lease_minutes: 1 + random.int(600),
    another: random.chance(0.7),
  },
];

const hold: Act = (random, { leases }) => {
  const lease = leases.at(-1) ?? { task_id: 'T-0001', lease_token: 1 };
  return ['task_update', { ...lease, note: maybe(random, 'working'), release: maybe(random, true) }];
};

const open: Act = (random, known) => [
  'audit_session_start',
  {
    intent: text(random),
    task_id: random.chance(0.3) ? task(random, known) : undefined,
    session_id: random.chance(0.2) ? `session ${random.int(9)}` : undefined,
    agent_id: maybe(random, 'ann'),
  },
];

const think: Act = (random, known) => [
  'thought_record',
  {
    type: random.pick(TYPES),
    content: text(random),
    session_id: known.sessions.length > 0 && random.chance(0.7) ? random.pick(known.sessions) : undefined,
    task_id: random.chance(0.3) ? task(random, known) : undefined,
    agent_id: maybe(random, 'bob'),
    idempotency_key: key(random),
  },
];

const seal: Act = (random, { sessions }) => [
  'merkle_finalize',
  { session_id: sessions.length > 0 ? random.pick(sessions) : 'nobody' },
];

const look: Act = (random, known) =>
  random.pick<readonly [string, Message]>([
    ['task_get', { task_id: task(random, known) }],
    ['task_list', { search: 'x', limit: 5 }],
    ['server_ping', {}],
    ['server_health', { surplus: random.int(9) }],
  ]);

const wrong: Act = (random) =>
  random.pick<readonly [string, Message]>([
    ['task_get', { task_id: 'T-9999' }],
    ['task_create', { title: '' }],
    ['no_such_tool', { secret: 'password=1' }],
    ['thought_record', { type: 'plan', content: 'into nothing', session_id: 'nobody' }],
  ]);

/** Often enough each to leave rows of every kind. */
const ACTS: readonly Act[] = [
  create,
  create,
  move,
  onward,
  onward,
  onward,
  edit,
  claim,
  hold,
  open,
  think,
  think,
  think,
  seal,
  look,
  wrong,
];

const learn = (known: Known, answer: Message): void => {
  const data = answer.result?.structuredContent?.data;
  if (typeof data?.status === 'string') known.tasks.set(data.task_id, data.status);
  if (typeof data?.genesis_hash === 'string') known.sessions.push(data.session_id);
  const [action] = data?.actions ?? [];
  if (action?.lease_token !== undefined) {
    known.leases.push({ task_id: action.task.task_id, lease_token: action.lease_token });
  }
};

const WHOLE = ['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE'];

/** One task that goes the whole way, with a second attempt; others wait for it. */
const wholeTask = async (peer: Peer, known: Known): Promise<void> => {
  const ask = async (tool: string, args: Message): Promise<void> => {
    if (peer.isRunning) learn(known, (await Promise.race([peer.call(tool, args), peer.ended])) as Message);
  };
  await ask('task_create', { title: 'the whole way', project: 'whole', priority: 'low' });
  const [id] = known.tasks.keys();
  await ask('task_create', {
    title: 'waits',
    project: 'whole',
    priority: 'low',
    depends_on: id === undefined ? [] : [id],
  });
  for (const status of WHOLE) await ask('task_update', { task_id: id ?? 'T-0001', status, note: `into ${status}` });
};

/** Some calls one after the other, some at once. A peer that was killed answers no more. */
export const work = async (peer: Peer, random: Random, calls: number): Promise<void> => {
  const known: Known = { tasks: new Map(), sessions: [], leases: [] };
  if (random.chance(0.5)) await wholeTask(peer, known);
  for (let done = 0; done < calls && peer.isRunning; ) {
    const many = Math.min(calls - done, random.chance(0.3) ? 1 + random.int(8) : 1);
    const wanted = Array.from({ length: many }, () => random.pick(ACTS)(random, known));
    const answers = await Promise.all(wanted.map(([tool, args]) => Promise.race([peer.call(tool, args), peer.ended])));
    for (const answer of answers) learn(known, answer as Message);
    done += many;
  }
};
