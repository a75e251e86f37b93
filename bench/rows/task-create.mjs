// A task that is recorded with its evidence, against an entity in the official memory server, which writes its whole
// file at every call and records nothing. The graph stays small, where that is cheapest.
import { rmSync } from 'node:fs';
import { alternating, median } from '../rounds.mjs';
import { hasReceipt, inFolder, memoryFileIn, withServer } from '../servers.mjs';
import { oneByOne, sizeOf, statsOf } from '../traffic.mjs';

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

/**
 * The same way of measuring as the ping row: a server of its own, warmed up, then one call after the other.
 * @param {'ours' | 'memory'} kind
 * @param {(client: import('../client.mjs').Client) => (i: number) => Promise<boolean>} creating
 * @param {{ warmUp: number, calls: number }} size
 */
const side =
  (kind, creating, { warmUp, calls }) =>
  () =>
    inFolder((folder) =>
      withServer(kind, folder, {}, async (client) => {
        const create = creating(client);
        // The memory server reads its file at every call: without the file its graph is empty.
        const one = async (/** @type {number} */ i) => {
          if (i % MOST_ENTITIES === 0) rmSync(memoryFileIn(folder), { force: true });
          if (!(await create(i))) throw new Error('a call did nothing');
        };
        await oneByOne(one, warmUp);
        const stats = statsOf((await oneByOne(one, calls)).timesUs);
        return { value: stats.p50Us, details: stats };
      }),
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
  ...alternating(side('ours', creatingTasks, sizeOf(quick)), side('memory', creatingEntities, sizeOf(quick))),
  remark,
});
