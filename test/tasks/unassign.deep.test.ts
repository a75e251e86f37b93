// The migration that takes back the assignees that claims had set, with more tasks than one record names, checked by both verifiers.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { convertTasks } from '../../src/domains/tasks/unassign.js';
import { keyRing } from '../../src/ledger/keys.js';
import { ownLogOf } from '../../src/ledger/own-log.js';
import { verifyStore } from '../../src/verify/verify.js';
import { checkSubjects } from '../support/evidence-check.js';
import { recordsOf } from '../support/stores.js';
import { claim } from './lease.shared.js';
import { type Answer, openTaskTools } from './task-tools.js';

const CLAIMED = 405;
const VERIFIER = new URL('../python/verify.py', import.meta.url).pathname;
const hasPython = spawnSync('python3', ['--version']).status === 0;

test('tasks assigned to the holder of their last lease, and no others, are freed and recorded', async () => {
  const tools = await openTaskTools();
  const assigned = async (assignee: string | undefined, claimer: string | undefined) => {
    const { task_id } = await tools.ok('task_create', { title: 'work', assignee });
    const held = claimer === undefined ? undefined : await claim(tools, claimer, { task_id });
    return { task_id, lease_token: held?.lease_token };
  };
  const done = await assigned('ada', 'ada');
  await tools.ok('task_update', { ...done, status: 'CANCELLED', note: 'no' });
  const given = await assigned('ada', 'ada');
  await tools.ok('task_update', { ...given, assignee: 'bob', release: true });
  for (const [assignee, claimer] of [
    ['ada', undefined],
    [undefined, 'ada'],
    [undefined, undefined],
  ] as const)
    await assigned(assignee, claimer);
  for (let i = 1; i < CLAIMED; i++) await assigned('ada', 'ada');
  const dir = dirname(tools.path);
  const before = (await tools.ok('task_list', { limit: 5 })).tasks.map(({ assignee, version }: Answer) => [
    assignee,
    version,
  ]);

  await tools.store.write(async (tx) => {
    const log = await tx.get<{ log_id: string }>('SELECT log_id FROM logs');
    const own = ownLogOf(keyRing({ dir: join(dir, 'keys') }), log?.log_id ?? '');
    for (const to of [5, 7])
      await convertTasks(tx, own, '2026-11-18T06:00:00.000Z', [{ from: to - 1, to, checksum: '' }]);
    expect((await tx.get<{ n: number }>("SELECT COUNT(*) AS n FROM actions WHERE kind = 'unassign'"))?.n).toBe(0);
    await convertTasks(tx, own, '2026-11-18T06:00:00.000Z', [{ from: 5, to: 6, checksum: '' }]);
  });

  const records = (await recordsOf(tools.store)).filter(({ kind }) => kind === 'unassign') as Answer[];
  expect(records.map(({ subjects }) => subjects.length)).toEqual([400, CLAIMED - 400]);
  const { tasks } = await tools.ok('task_list', { limit: 5 });
  expect(before).toEqual([
    ['ada', 2],
    ['bob', 2],
    ['ada', 1],
    [null, 1],
    [null, 1],
  ]);
  expect(tasks.map(({ assignee, version }: Answer) => [assignee, version])).toEqual([
    [null, 3],
    ['bob', 2],
    ['ada', 1],
    [null, 1],
    [null, 1],
  ]);
  expect(checkSubjects(tools.path)).toEqual([]);
  const { exit, findings } = await verifyStore({ path: tools.path, scope: { kind: 'store' }, workers: 0 });
  expect({ exit, findings }).toEqual({ exit: 10, findings: [] });
  if (!hasPython) return;
  const { status, stdout } = spawnSync('python3', [VERIFIER, tools.path], { encoding: 'utf8' });
  expect(status, stdout).toBe(10);
}, 120_000);
