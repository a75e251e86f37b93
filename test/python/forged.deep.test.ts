// The verifier in another language finds the same forgeries as ours: each changes a store so that every hash fits.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { FORMAT } from '../../src/ledger/head.js';
import { verifyStore } from '../../src/verify/verify.js';
import { Forger } from '../ledger2/forger.js';
import { openTaskTools, taskIn } from '../tasks/task-tools.js';

const VERIFIER = fileURLToPath(new URL('verify.py', import.meta.url));
const isCi = !['', 'false', undefined].includes(process.env.CI);
const hasPython = spawnSync('python3', ['--version']).status === 0;
const DIGEST = 'd'.repeat(64);

/** T-0001 in INIT; T-0002 in GATHER in its second attempt, with thoughts. */
const told = async (): Promise<Forger> => {
  const tools = await openTaskTools();
  await taskIn(tools, 'INIT');
  await taskIn(tools, 'VERIFY');
  await tools.ok('task_update', { task_id: 'T-0002', status: 'GATHER', note: 'again' });
  await tools.ok('task_update', { task_id: 'T-0002', note: 'more' });
  await tools.store.close();
  mkdirSync(join(dirname(tools.path), 'heads'), { recursive: true });
  return new Forger(tools.path);
};

const thinking =
  (attempt: number) =>
  (forger: Forger): void =>
    forger.call({ subjects: [forger.thought('T-0002', { attempt })], attempt });

const newer = (forger: Forger): void => {
  forger.append({ kind: 'from the future', boards: [1] });
  forger.db.exec(
    `CREATE TABLE boards (id TEXT); UPDATE logs SET format = ${FORMAT + 1}; PRAGMA user_version = ${FORMAT + 1}`,
  );
};

/** What is done to the store, and the code that both give it. */
const FORGERIES: readonly (readonly [string, 10 | 20, (forger: Forger) => void])[] = [
  ['nothing', 10, () => undefined],
  ['a thought of this attempt', 10, thinking(2)],
  ['a thought of the attempt before', 20, thinking(1)],
  ['a thought of the next attempt', 20, thinking(3)],
  ['an attempt without a thought', 20, (forger) => forger.call({ attempt: 1 })],
  ['a kind that the format does not have', 20, (forger) => forger.append({ kind: 'from the future' })],
  ['another call_no', 20, (forger) => forger.call({ subjects: [forger.task(1, { call_no: 99 })] })],
  [
    'a call that reads and writes',
    20,
    (forger) => forger.call({ subjects: [forger.task(1, { assignee: 'me' })] }, { effect: 'read' }),
  ],
  [
    'a migration by other SQL',
    20,
    (forger) => forger.append({ kind: 'migrate', from: FORMAT, to: FORMAT + 1, checksum: DIGEST }),
  ],
  [
    'a newer format',
    10,
    (forger) => {
      forger.append({ kind: 'migrate', from: FORMAT, to: FORMAT + 1, checksum: DIGEST });
      newer(forger);
    },
  ],
  ['a newer format to which no record leads', 20, newer],
];

test.skipIf(!hasPython && !isCi).each(FORGERIES)('%s', async (_, code, forge) => {
  const forger = await told();
  const path = forger.db.name;
  forge(forger);
  forger.end();
  const headsDir = join(dirname(path), 'heads');
  const ours = await verifyStore({ path, scope: { kind: 'store' }, headsDir, workers: 0 });
  const theirs = spawnSync('python3', [VERIFIER, path, '--heads', headsDir]);
  expect([ours.exit, theirs.status], `${JSON.stringify(ours.findings)} ${theirs.stdout}`).toEqual([code, code]);
});
