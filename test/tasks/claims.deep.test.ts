// Eight processes claim, work, give back, forget and die, two of them under one name: nobody gets what is assigned to somebody else or held
// by another, and no token is ever given to two processes that live at the same time.
import { expect, test } from 'vitest';
import { checkSubjects } from '../support/evidence-check.js';
import { Ledger } from '../support/ledger-check.js';
import { randomFrom } from '../support/random.js';
import { freshPlace, type Peer, type Place, serve } from '../support/serve.js';
import { type Answer, errorIn } from './task-tools.js';

/** The first two share a name. */
const NAMES = ['ada', 'ada', 'bob', 'cyd', 'dan', 'eve', 'fay', 'gus'] as const;
const TASKS = 60;
const ROUNDS = 60;
const DEATHS = 12;

interface Worker {
  readonly name: string;
  peer: Peer;
  /** Tokens that this process got, by task; forgotten when it dies. */
  readonly tokens: Map<string, number>;
  no: number;
}

interface Seen {
  /** Which processes got a token: the number of the process. */
  readonly givenTo: Map<number, Set<number>>;
  readonly assigned: ReadonlyMap<string, string | null>;
  claims: number;
  resumed: number;
  renamed: number;
}

const started = async (place: Place, name: string): Promise<Peer> => {
  const peer = serve(place);
  await peer.initialize(name);
  await peer.phase2(30_000);
  return peer;
};

const contentOf = (answer: Answer): Answer => answer.result.structuredContent;

const take = ({ givenTo, assigned }: Seen, worker: Worker, { task, lease_token, resumed }: Answer): void => {
  const assignee = assigned.get(task.task_id);
  expect([null, worker.name], `${task.task_id} went to ${worker.name}`).toContain(assignee);
  expect(task).toMatchObject({ assignee, lease: { holder: worker.name } });
  const had = givenTo.get(lease_token) ?? new Set<number>();
  // The same token again only for the process that has it.
  expect([...had].filter((no) => no !== worker.no)).toEqual([]);
  givenTo.set(lease_token, had.add(worker.no));
  if (resumed !== true) expect(worker.tokens.has(task.task_id)).toBe(false);
  worker.tokens.set(task.task_id, lease_token);
};

const claim = async (seen: Seen, worker: Worker, args: Answer): Promise<void> => {
  const answer = contentOf(await worker.peer.call('task_next_actions', { claim_by: worker.name, ...args }, 60_000));
  const error = errorIn(answer);
  if (error !== undefined) {
    expect(['ERR_LEASED', 'ERR_ASSIGNED', 'STORE_BUSY']).toContain(error.code);
    return;
  }
  const [action] = answer.data.actions;
  if (action === undefined) return;
  seen.claims += 1;
  if (action.resumed === true) seen.resumed += 1;
  take(seen, worker, action);
};

/** Works on or gives back a task with the token that the process remembers. Another process of its name may have taken it over. */
const use = async (worker: Worker, release: boolean): Promise<void> => {
  const [held] = worker.tokens;
  if (held === undefined) return;
  const [task_id, lease_token] = held;
  const answer = contentOf(
    await worker.peer.call('task_update', { task_id, lease_token, note: 'on it', ...(release && { release }) }, 60_000),
  );
  const error = errorIn(answer);
  if (error !== undefined) expect(['ERR_LEASE_LOST', 'STORE_BUSY']).toContain(error.code);
  if (release || error?.code === 'ERR_LEASE_LOST') worker.tokens.delete(task_id);
};

const act = async (seen: Seen, worker: Worker, chance: number, task: number): Promise<void> => {
  const task_id = `T-${String(task).padStart(4, '0')}`;
  if (chance < 0.3) return claim(seen, worker, {});
  if (chance < 0.5) return claim(seen, worker, { another: true });
  if (chance < 0.65) return claim(seen, worker, { task_id });
  if (chance < 0.72) return claim(seen, worker, { task_id, take_over: true });
  return use(worker, chance > 0.86);
};

test('eight processes, two of one name, deaths among them', { timeout: 300_000 }, async () => {
  const random = randomFrom(Number(process.env.TEST_SEED ?? 20_261_118));
  const place = freshPlace();
  const workers: Worker[] = [];
  for (const [no, name] of NAMES.entries())
    workers.push({ name, peer: await started(place, name), tokens: new Map(), no });
  const [first] = workers;
  if (first === undefined) throw new Error('no process');
  const assigned = new Map<string, string | null>();
  for (let i = 0; i < TASKS; i++) {
    const assignee = random.chance(0.4) ? random.pick(NAMES) : undefined;
    const { task_id } = contentOf(await first.peer.call('task_create', { title: `t${i}`, assignee })).data;
    assigned.set(task_id, assignee ?? null);
  }
  const seen: Seen = { givenTo: new Map(), assigned, claims: 0, resumed: 0, renamed: 0 };
  let processes = NAMES.length;
  const deaths = new Set(Array.from({ length: DEATHS }, () => random.int(ROUNDS)));
  for (let round = 0; round < ROUNDS; round++) {
    const plans = workers.map(() => ({ chance: random.int(1_000) / 1_000, task: 1 + random.int(TASKS) }));
    await Promise.all(workers.map((worker, i) => act(seen, worker, plans[i]?.chance ?? 0, plans[i]?.task ?? 1)));
    if (!deaths.has(round)) continue;
    const dying = random.pick(workers);
    const held = dying.tokens.size;
    await dying.peer.kill('SIGKILL');
    dying.peer = await started(place, dying.name);
    dying.no = processes++;
    dying.tokens.clear();
    const before = seen.resumed;
    await claim(seen, dying, {});
    if (held > 0 && dying.name !== 'ada') seen.renamed += seen.resumed - before;
  }
  expect(seen.claims).toBeGreaterThan(ROUNDS);
  expect(seen.resumed).toBeGreaterThan(5);
  expect(seen.renamed).toBeGreaterThan(0);
  for (const [, to] of seen.givenTo) expect(to.size).toBe(1);
  for (const { peer } of workers) expect((await peer.end()).code).toBe(0);
  // One at a time: no revision of a lease was made twice, and every row is as its record says.
  const revisions = new Ledger(place.db)
    .ofKind('call.exit')
    .flatMap(({ subjects = [] }) => (subjects as Answer[]).filter(({ type }) => type === 'lease'))
    .map(({ id, rev }) => `${id} ${rev}`);
  expect(new Set(revisions).size).toBe(revisions.length);
  expect(checkSubjects(place.db)).toEqual([]);
});
