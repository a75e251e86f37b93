// The same call at a thousand times as many tasks: a queue and a list that walk indexes do not notice.
import { FILTERS } from '../fill-tasks.mjs';
import { median } from '../rounds.mjs';
import { statsOf, takingTurns } from '../traffic.mjs';

/** @typedef {{ tool: string, args: Record<string, unknown>, found: (data: any) => number }} Question */

/** @param {import('../client.mjs').Client} client @param {Question} question */
const ask = async (client, { tool, args, found }) => {
  const { structuredContent } = await client.request('tools/call', { name: tool, arguments: args });
  if (structuredContent?.ok !== true) throw new Error(`${tool}: ${JSON.stringify(structuredContent)}`);
  return found(structuredContent.data);
};

/**
 * @param {import('../task-stores.mjs').TaskStores} stores
 * @param {Question} question
 * @param {{ warmUp: number, calls: number }} size
 * @returns {(round: number) => Promise<import('../rounds.mjs').Pair>}
 */
const growth =
  (stores, question, { warmUp, calls }) =>
  (round) =>
    stores.withCopy('large', (large) =>
      stores.withCopy('small', async (small) => {
        const both = [() => ask(large, question), () => ask(small, question)];
        await takingTurns(both, { calls: warmUp, first: round });
        const [many, few] = await takingTurns(both, { calls, first: round });
        // Answers of different length would compare two questions; empty ones measure no search.
        if (many.answers.at(-1) === 0) throw new Error('the answer is empty');
        if (many.answers.at(-1) !== few.answers.at(-1)) {
          throw new Error(`${many.answers.at(-1)} rows of the large store, ${few.answers.at(-1)} of the small one`);
        }
        const [ours, reference] = [statsOf(many.timesUs), statsOf(few.timesUs)];
        return {
          ours: ours.p50Us,
          reference: reference.p50Us,
          details: { ours, reference, rows: many.answers.at(-1) },
        };
      }),
    );

/** @param {readonly import('../rounds.mjs').Pair[]} pairs */
const remark = (pairs) => {
  const p99 = (/** @type {'ours' | 'reference'} */ side) =>
    `${median(pairs.map(({ details }) => /** @type {any} */ (details)[side].p99Us)).toFixed(0)} µs`;
  return `${pairs[0]?.details?.rows} rows each; p99 ${p99('ours')} and ${p99('reference')}`;
};

const tasksIn = (/** @type {any} */ data) => data.tasks.length;
const actionsIn = (/** @type {any} */ data) => data.actions.length;

/** @type {readonly (Question & { id: string, what: string })[]} */
const QUESTIONS = [
  { id: 'queue', what: 'task_next_actions', tool: 'task_next_actions', args: {}, found: actionsIn },
  {
    id: 'queue-mine',
    what: 'task_next_actions with assignee',
    tool: 'task_next_actions',
    args: { assignee: FILTERS.assignee },
    found: actionsIn,
  },
  { id: 'list', what: 'task_list', tool: 'task_list', args: {}, found: tasksIn },
  {
    id: 'list-filtered',
    what: 'task_list with three filters',
    tool: 'task_list',
    args: { ...FILTERS, limit: 20 },
    found: tasksIn,
  },
];
const CLAIM = {
  id: 'claim',
  what: 'task_next_actions with claim_by',
  tool: 'task_next_actions',
  // Most tasks are hers or nobody's: there are enough of them in the small store.
  args: { claim_by: FILTERS.assignee, another: true },
  found: actionsIn,
};

/** @param {number} count */
const short = (count) => count.toLocaleString('en-US');

/** @param {import('../task-stores.mjs').TaskStores} stores @param {typeof CLAIM} question */
const rowOf = ({ counts: { large, small } }, { id, what }) => ({
  id,
  name: `${what}, p50 at ${short(large)} tasks, ÷ at ${short(small)}`,
  unit: 'µs',
  judged: /** @type {const} */ ('ratio'),
  better: /** @type {const} */ ('<='),
  isOneBuild: true,
  remark,
});

/** Every claim takes a task away, and the small store has some hundred that are ready. @param {boolean} quick */
const claiming = (quick) => (quick ? { warmUp: 5, calls: 20 } : { warmUp: 10, calls: 80 });

/** @param {import('../task-stores.mjs').TaskStores} stores @param {boolean} quick @returns {import('../rounds.mjs').Row} */
export const claimRow = (stores, quick) => ({
  ...rowOf(stores, CLAIM),
  measure: growth(stores, CLAIM, claiming(quick)),
});

/** @param {import('../task-stores.mjs').TaskStores} stores @param {boolean} quick @returns {import('../rounds.mjs').Row[]} */
export const taskGrowthRows = (stores, quick) => {
  const reading = quick ? { warmUp: 20, calls: 60 } : { warmUp: 100, calls: 400 };
  return [
    ...QUESTIONS.map((question) => ({
      ...rowOf(stores, question),
      measure: growth(stores, question, reading),
    })),
    claimRow(stores, quick),
  ];
};
