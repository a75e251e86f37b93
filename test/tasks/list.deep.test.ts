// The list against a filter that anybody can read: every combination, page by page, while others write.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pages } from './list.shared.js';
import { type Answer, openTaskTools, STEPS_TO, type State, TASK_STATES, type TaskTools } from './task-tools.js';

const PRIORITIES = ['urgent', 'high', 'normal', 'low'];
const PROJECTS = ['alpha', 'beta', null];
const WORDS = ['100%', '50_50', 'back\\slash', 'CamelCase', 'ÄRGER', 'plain', 'a.*b', "O'Hara", '日本語'];
const COUNT = 500;

const random = (seed: number) => {
  let state = seed;
  return <T>(choices: readonly T[]): T => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return choices[Math.floor((state / 2_147_483_648) * choices.length)] as T;
  };
};

const fill = async (tools: TaskTools, count: number): Promise<Answer[]> => {
  const pick = random(11);
  const made = await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const [project, assignee] = [pick(PROJECTS), pick(['ann', 'bob', null])];
      const status = pick<State>([...TASK_STATES, 'INIT', 'INIT', 'INIT']);
      const task = await tools.ok('task_create', {
        title: `${pick(WORDS)} ${i}`,
        priority: pick(PRIORITIES),
        ...(project && { project }),
        ...(assignee && { assignee }),
        ...(pick([true, false]) && { description: `about ${pick(WORDS)}` }),
      });
      const steps = STEPS_TO[status].map((step) => ({ status: step, ...(step === 'DONE' && { note: 'n' }) }));
      for (const step of steps) await tools.ok('task_update', { task_id: task.task_id, ...step });
      return tools.ok('task_get', { task_id: task.task_id });
    }),
  );
  return made.sort((a, b) => Number(a.task_id.slice(2)) - Number(b.task_id.slice(2)));
};

const naive = (tasks: readonly Answer[], filter: Answer): string[] =>
  tasks
    .filter(({ status }) => filter.status === undefined || [filter.status].flat().includes(status))
    .filter(({ project }) => filter.project === undefined || filter.project === '*' || project === filter.project)
    .filter(({ assignee }) => filter.assignee === undefined || assignee === filter.assignee)
    .filter(({ priority }) => filter.priority === undefined || priority === filter.priority)
    .filter(({ title, description }) => {
      const search = filter.search?.toLowerCase() ?? '';
      return title.toLowerCase().includes(search) || (description ?? '').toLowerCase().includes(search);
    })
    .map(({ task_id }) => task_id);

const maybe = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 2, arbitrary: value }, { weight: 3, arbitrary: fc.constant(undefined) });
const filters = fc
  .record({
    status: maybe(
      fc.oneof(
        fc.constantFrom<State>(...TASK_STATES),
        fc.uniqueArray(fc.constantFrom<State>(...TASK_STATES), { minLength: 1, maxLength: 8 }),
      ),
    ),
    project: maybe(fc.constantFrom('alpha', 'beta', '*', 'nowhere')),
    assignee: maybe(fc.constantFrom('ann', 'bob', 'nobody')),
    priority: maybe(fc.constantFrom(...PRIORITIES)),
    search: maybe(
      fc.constantFrom(...['%', '_', '\\', '0%', 'camelCASE', 'ärger', "o'h", '本', '.*', '%_', ' 1', 'zzz']),
    ),
  })
  .map((filter) => Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)));

test(`filters in every combination over ${COUNT} tasks agree with a naive one, page by page`, async () => {
  const tools = await openTaskTools();
  const tasks = await fill(tools, COUNT);
  await fc.assert(
    fc.asyncProperty(filters, fc.constantFrom(1, 7, 50, 200), async (filter, limit) => {
      const wanted = naive(tasks, filter);
      // One by one only where that ends soon.
      expect(await pages(tools, filter, wanted.length > 60 ? Math.max(limit, 7) : limit)).toEqual(wanted);
    }),
    { numRuns: 100, seed: 3 },
  );
}, 60_000);
