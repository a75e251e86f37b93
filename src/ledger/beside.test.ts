import { expect, it } from 'vitest';
import { now, openLedger } from '../../test/support/stores.js';
import type { Store } from '../store/store.js';
import { recordBeside } from './beside.js';
import { FORMAT } from './head.js';
import { LEDGER_LIMITS } from './limits.js';

/** Logs of other machines that have one record each. */
const addLogs = (store: Store, from: number, to: number): Promise<void> =>
  store.write(async (tx) => {
    for (let n = from; n < to; n++) {
      const log = n.toString(16).padStart(32, '0');
      await tx.run(
        `INSERT INTO logs (log_id, node, public_key, format, size, frontier, opened_at) VALUES (?, ?, '', ?, 1, ?, '')`,
        ...[log, log, FORMAT, n.toString(16).padStart(64, '0')],
      );
    }
  });

const open = async () => {
  const { store, ledger, records } = await openLedger();
  const say = () => store.write((tx) => recordBeside(tx, { log: ledger.log, instance: 'i', at: now() }));
  const besides = async () =>
    (await records()).filter(({ kind }) => kind === 'beside').map(({ logs }) => logs as object[]);
  return { store, say, besides };
};

it('names every other log once, again when it has grown, and nothing if there is nothing to name', async () => {
  const { store, say, besides } = await open();
  await say();
  expect(await besides()).toEqual([]);
  await addLogs(store, 1, 3);
  await say();
  await say();
  const root = (n: string): string => n.padStart(64, '0');
  const id = (n: string): string => n.padStart(32, '0');
  const both = ['1', '2'].map((n) => ({ log: id(n), root: root(n), size: 1 }));
  expect(await besides()).toEqual([both]);
  await store.write((tx) => tx.run('UPDATE logs SET size = 2, frontier = ? WHERE log_id = ?', root('f'), id('2')));
  await say();
  expect(await besides()).toEqual([both, [{ log: id('2'), root: root('f'), size: 2 }]]);
});

it('goes on in further records where one would be too long', async () => {
  const { store, say, besides } = await open();
  const most = LEDGER_LIMITS.logsPerRecord;
  await addLogs(store, 1, 2 * most + 2);
  await say();
  expect((await besides()).map((logs) => logs.length)).toEqual([most, most, 1]);
  expect(Math.max(...(await besides()).map((logs) => JSON.stringify(logs).length))).toBeLessThan(60_000);
});
