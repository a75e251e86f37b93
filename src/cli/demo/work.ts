// The demo's steps about tasks: an agent plans three tasks, is refused once, and takes the first task to DONE with a note at every step.
import * as z from 'zod';
import type { DemoClient } from './client.js';
import type { Story } from './story.js';

const texts = z.array(z.string());
const task = z.looseObject({ task_id: z.string(), title: z.string(), status: z.string(), blocked_by: texts });
type Task = z.infer<typeof task>;

const nextActions = z.looseObject({
  actions: z.array(z.looseObject({ task })),
  blocked: z.array(z.looseObject({ task_id: z.string(), waits_for: texts })),
});

const nextCall = z.object({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) });

const TITLES = ['Find out why the search is slow', 'Add what is missing', 'Write the release note'] as const;

/** The agent's note for each task state that it enters. The demo later forges the note for VERIFY. */
const NOTES = {
  GATHER: 'Collected a day of slow queries.',
  ANALYZE: 'Every slow query filters orders by date, and nothing indexes that column.',
  PLAN: 'One index on orders(date); no change to the queries.',
  APPLY: 'Decided for the index and against a cache: one line, and nothing to invalidate.',
  VERIFY: 'The search takes 40 ms now, 2100 ms before.',
  DONE: 'Measured twice, same result; the next task can go on.',
} as const;

export const VERIFIED = NOTES.VERIFY;
export const DECISION = NOTES.APPLY;

type State = keyof typeof NOTES;

const standing = z.looseObject({ task_id: z.string(), status: z.string() });

const move = (client: DemoClient, task_id: string, status: State): Promise<z.infer<typeof standing>> =>
  client.ask('task_update', { task_id, status, note: NOTES[status] }, standing);

export interface Work {
  readonly task: string;
  readonly session: string;
}

const listed = z.looseObject({ tasks: z.array(task) });

/** Creates the tasks in one call; each task depends on the one before. */
const createTasks = async (story: Story, client: DemoClient): Promise<Task> => {
  const tasks = TITLES.map((title, i) => ({ ref: `${i}`, title, ...(i > 0 && { depends_on: [`#${i - 1}`] }) }));
  await client.ask('task_create', { tasks }, z.looseObject({}));
  const { tasks: created } = await client.ask('task_list', {}, listed);
  const [first, second, third] = created;
  const chained = second?.blocked_by[0] === first?.task_id && third?.blocked_by[0] === second?.task_id;
  const wide = Math.max(...TITLES.map((title) => title.length));
  const lines = created.map(({ task_id, title, blocked_by: [before] }) =>
    before === undefined ? `${task_id}  ${title}` : `${task_id}  ${title.padEnd(wide)}  waits for ${before}`,
  );
  const data = { tasks: created.map(({ task_id }) => task_id) };
  story.claim(chained && created.length === TITLES.length, {
    claim: 'three tasks are planned',
    lines,
    data,
    found: created,
  });
  if (first === undefined) throw new Error('There is no first task.');
  return first;
};

/** Checks that one task is offered to the agent and the others wait. */
export const claimNext = async (story: Story, client: DemoClient, id: string): Promise<void> => {
  const { actions, blocked } = await client.ask('task_next_actions', {}, nextActions);
  const [only, ...others] = actions;
  const holds = only?.task.task_id === id && others.length === 0;
  const waiting = blocked.map(({ task_id, waits_for }) => `${task_id} waits for ${waits_for.join(', ')}`);
  const claim = `task_next_actions offers ${id} and nothing else`;
  story.claim(holds, { claim, lines: [waiting.join('; ')], data: { offered: id }, found: { actions, blocked } });
};

const shortcutRefused = async (story: Story, client: DemoClient, id: string): Promise<void> => {
  const { code, message, details } = await client.refused('task_update', { task_id: id, status: 'DONE' });
  const [first] = z.array(nextCall).catch([]).parse(details.next);
  story.claim(code === 'ERR_INVALID_TRANSITION' && first !== undefined, {
    claim: `${id} straight to DONE is refused, with the reason and a call that works`,
    lines: [`${code}: ${message}`, `next: ${first?.tool} ${JSON.stringify(first?.arguments)}`],
    data: { code, next: first },
    found: { code, message, details },
  });
  const { steps, ...rest } = first.arguments;
  const [step] = z
    .array(z.looseObject({ status: z.string() }))
    .catch([])
    .parse(steps);
  const { status } = await client.ask(first.tool, { ...rest, steps: [{ ...step, note: NOTES.GATHER }] }, standing);
  story.claim(status === 'GATHER', {
    claim: `the first step of that call, with a note added, works: ${id} is in GATHER`,
    found: status,
  });
};

const sessionStarted = z.looseObject({ session_id: z.string(), genesis_hash: z.string() });

/** Plans the tasks and takes the first one to ANALYZE. */
export const startWork = async (story: Story, client: DemoClient): Promise<Work> => {
  const { task_id: id } = await createTasks(story, client);
  const intent = 'Make the search fast';
  const { session_id } = await client.ask('audit_session_start', { intent, task_id: id }, sessionStarted);
  await claimNext(story, client, id);
  await shortcutRefused(story, client, id);
  const { status } = await move(client, id, 'ANALYZE');
  const claim = `${id} is in ANALYZE; its notes go to the session that the agent opened for it`;
  story.claim(status === 'ANALYZE', { claim, data: { session: session_id, task: id }, found: status });
  return { task: id, session: session_id };
};

/** Takes the first task from PLAN to DONE. */
export const finishWork = async (story: Story, client: DemoClient, { task: id }: Work): Promise<void> => {
  const passed: string[] = [];
  for (const state of ['PLAN', 'APPLY', 'VERIFY', 'DONE'] as const) passed.push((await move(client, id, state)).status);
  const { status } = await client.ask('task_get', { task_id: id }, task);
  story.claim(status === 'DONE' && passed.join() === 'PLAN,APPLY,VERIFY,DONE', {
    claim: `${id} goes PLAN, APPLY, VERIFY, DONE, with a note at each step`,
    lines: [NOTES.APPLY, NOTES.VERIFY],
    found: { status, passed },
  });
};
