// Every query of the queue and of claims walks an index in the order of the queue, or begins with the leases of one holder or with those that
// have run out. None reads a whole table, however many tasks there are, and none sorts the queue.
import Database from 'better-sqlite3';
import { beforeAll, expect, it } from 'vitest';
import { firstClaimable, firstExpired, othersTasks } from '../../src/domains/tasks/claim-repository.js';
import { hasWorkedSince, heldLeases, unflagExpired } from '../../src/domains/tasks/lease-repository.js';
import { expiredTasks, firstLeaseEnd, heldTasks, readyTasks } from '../../src/domains/tasks/queue-repository.js';
import { newestNotes } from '../../src/domains/trail/repository.js';
import { MIGRATIONS } from '../../src/store/sqlite/migrations/index.js';
import type { SqlValue, Tx } from '../../src/store/store.js';

const NOW = '2026-11-18T06:00:00.000Z';
const db = new Database(':memory:');
beforeAll(() => {
  for (const { sql } of MIGRATIONS) db.exec(sql);
});

/** The steps of every query that `ask` makes. */
const stepsOf = async (ask: (tx: Tx) => Promise<unknown>): Promise<string[]> => {
  const steps: string[] = [];
  const plan = (sql: string, params: readonly SqlValue[]): void => {
    const rows = db.prepare<SqlValue[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql}`).all(...params);
    steps.push(...rows.map(({ detail }) => detail));
  };
  await ask({
    get: async (sql, ...params) => {
      plan(sql, params);
      return undefined;
    },
    all: async (sql, ...params) => {
      plan(sql, params);
      return [];
    },
    run: async () => 0,
    runMany: async () => {},
  });
  return steps;
};

const QUERIES: readonly (readonly [string, (tx: Tx, owner: string | undefined) => Promise<unknown>])[] = [
  ['a claim', (tx, owner) => firstClaimable(tx, { owner, assignee: undefined, ...CLAIMER }, NOW, 'skip')],
  ['a claim of own tasks', (tx, owner) => firstClaimable(tx, { owner, assignee: 'ada', ...CLAIMER }, NOW, 'skip')],
  ['a claim of what ran out', (tx, owner) => firstExpired(tx, { owner, assignee: undefined, ...CLAIMER }, NOW, 'skip')],
  ['what others should do', (tx, owner) => othersTasks(tx, { owner, name: 'ada' }, NOW)],
  ['the queue', (tx, owner) => readyTasks(tx, { owner, assignee: undefined }, NOW, 10)],
  ['the queue of one', (tx, owner) => readyTasks(tx, { owner, assignee: 'ada' }, NOW, 10)],
  ['what ran out', (tx, owner) => expiredTasks(tx, { owner, assignee: undefined }, NOW, 10)],
  ['what ran out, of one', (tx, owner) => expiredTasks(tx, { owner, assignee: 'ada' }, NOW, 10)],
  ['what one works on', (tx, owner) => heldTasks(tx, { owner, holder: 'ada' }, NOW, 10)],
  ['what a claimer holds', (tx, owner) => heldLeases(tx, 'ada', owner, NOW)],
  ['the first lease to end', (tx, owner) => firstLeaseEnd(tx, { owner, assignee: undefined }, NOW)],
  ['a sign of life', (tx) => hasWorkedSince(tx, 'ada', NOW)],
  ['the leases that ran out', (tx) => unflagExpired(tx, NOW, 100)],
  ['the last notes', (tx) => newestNotes(tx, 'T-0001', 3)],
];
const CLAIMER = { claimer: 'ada', releasedSince: NOW };

it.each(QUERIES)('%s', async (_, ask) => {
  for (const owner of [undefined, 'project']) {
    const steps = await stepsOf((tx) => ask(tx, owner));
    expect(steps.length).toBeGreaterThan(0);
    // A scan of a partial index of the queue is a walk in its order.
    const bad = steps.filter(
      (step) => /^SCAN (?!\(|CONSTANT ROW|(?:walk|held|ready)$)/.test(step) && !/USING INDEX tasks_ready$/.test(step),
    );
    expect(bad, steps.join('\n')).toEqual([]);
  }
});

it('neither the queue nor a claim sorts tasks', async () => {
  for (const owner of [undefined, 'project']) {
    for (const assignee of [undefined, 'ada']) {
      const steps = await stepsOf((tx) => readyTasks(tx, { owner, assignee }, NOW, 10));
      expect(steps.filter((step) => step.includes('TEMP B-TREE'))).toEqual([]);
    }
    const claim = await stepsOf((tx) => firstClaimable(tx, { owner, assignee: undefined, ...CLAIMER }, NOW, 'skip'));
    const index =
      owner === undefined ? 'tasks_ready_assignee (assignee=?)' : 'tasks_ready_both (owner=? AND assignee=?)';
    expect(claim.filter((step) => step === `SEARCH t USING INDEX ${index}`)).toHaveLength(2);
  }
});
