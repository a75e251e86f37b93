// A task that is recorded with its evidence, against an entity in the official memory server, which writes its whole
// file at every call and records nothing. The graph stays small, where that is cheapest.
import { rmSync } from 'node:fs';
import { median } from '../rounds.mjs';
import { hasReceipt, inFolder, memoryFileIn, withServer } from '../servers.mjs';
import { statsOf, takingTurns } from '../traffic.mjs';

const MOST_ENTITIES = 100;
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
        const both = [creatingTasks(colibri), creatingEntities(memory)];
        const times = { ours: /** @type {number[]} */ ([]), reference: /** @type {number[]} */ ([]) };
        // The first batch warms up. The memory server reads its file at every call: without the file its graph is empty.
        for (let batch = 0; batch <= batches; batch++) {
          rmSync(memoryFileIn(folder), { force: true });
          const [ours, reference] = await takingTurns(both, { calls: MOST_ENTITIES, first: round + batch });
          if (![...ours.answers, ...reference.answers].every(Boolean)) throw new Error('a call did nothing');
          if (batch === 0) continue;
          times.ours.push(...ours.timesUs);
          times.reference.push(...reference.timesUs);
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
  measure: measure(quick ? 1 : 4),
  remark,
});
