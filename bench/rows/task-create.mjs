// A task that is recorded with its evidence, against an entity in the official memory server, which writes its whole
// file at every call and records nothing. The graph stays small, where that is cheapest.
import { rmSync } from 'node:fs';
import { median } from '../rounds.mjs';
import { hasReceipt, inFolder, memoryFileIn, withServer } from '../servers.mjs';
import { statsOf, takingTurns } from '../traffic.mjs';

const MOST_ENTITIES = 100;
/** Batches before it counts: 1,500 calls, after which both sides run compiled code. */
const WARM_UP = 15;
const SIDES = /** @type {const} */ (['ours', 'reference']);
const TEXT = 'Measure the comb, write down what was found and compare it with the day before.';

/** @param {any} result @param {string} tool */
const succeeded = (result, tool) => {
  if (result.isError === true) throw new Error(`${tool}: ${JSON.stringify(result.content)}`);
  return result;
};

/** @param {import('../client.mjs').Client} client @returns {(i: number) => Promise<boolean>} */
const creatingTasks = (client) => async (i) => {
  const args = { title: `Check comb ${i}`, description: TEXT };
  const result = await client.request('tools/call', { name: 'task_create', arguments: args });
  return hasReceipt(succeeded(result, 'task_create'));
};

/** @param {import('../client.mjs').Client} client @returns {(i: number) => Promise<boolean>} */
const creatingEntities = (client) => async (i) => {
  const args = { entities: [{ name: `Check comb ${i}`, entityType: 'task', observations: [TEXT] }] };
  const result = await client.request('tools/call', { name: 'create_entities', arguments: args });
  return succeeded(result, 'create_entities').structuredContent.entities.length === 1;
};

/** @param {number} batches @returns {(round: number) => Promise<import('../rounds.mjs').Pair>} */
const measure = (batches) => (round) =>
  inFolder((folder) =>
    withServer('memory', folder, {}, (memory) =>
      withServer('ours', folder, {}, async (colibri) => {
        const times = { ours: /** @type {number[]} */ ([]), reference: /** @type {number[]} */ ([]) };
        // Batches take turns, not calls: who calls is a client that goes on working with one server. The memory server
        // reads its file at every call: without the file its graph is empty.
        for (let batch = -WARM_UP; batch < batches; batch++) {
          rmSync(memoryFileIn(folder), { force: true });
          for (const side of batch % 2 === round % 2 ? SIDES : SIDES.toReversed()) {
            const create = side === 'ours' ? creatingTasks(colibri) : creatingEntities(memory);
            const [seen] = await takingTurns([create], { calls: MOST_ENTITIES, first: 0 });
            if (seen === undefined || !seen.answers.every(Boolean)) throw new Error('a call did nothing');
            if (batch >= 0) times[side].push(...seen.timesUs);
          }
        }
        const [ours, reference] = [statsOf(times.ours), statsOf(times.reference)];
        return { ours: ours.p50Us, reference: reference.p50Us, details: { ours, reference } };
      }),
    ),
  );

/** @param {readonly import('../rounds.mjs').Pair[]} pairs */
const remark = (pairs) => {
  const p99 = (/** @type {'ours' | 'reference'} */ side) =>
    `${median(pairs.map(({ details }) => /** @type {any} */ (details)[side].p99Us)).toFixed(0)} µs`;
  return `p99 ${p99('ours')} and ${p99('reference')}`;
};

/** @param {boolean} quick @returns {import('../rounds.mjs').Row} */
export const taskCreateRow = (quick) => ({
  id: 'create',
  name: 'task_create, p50, ÷ memory server create_entities',
  unit: 'µs',
  judged: 'ratio',
  better: '<=',
  goals: { now: 0.5, design: 0.3 },
  measure: measure(quick ? 2 : 10),
  remark,
});
