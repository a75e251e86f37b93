// A lease that was found run out while the store was being verified: the record of it is newer than what was read.
import { expect, test } from 'vitest';
import { claim } from '../../test/tasks/lease.shared.js';
import { handClock, MINUTE, openTaskTools } from '../../test/tasks/task-tools.js';
import { RECORDS_PER_LOG } from '../core/record-ids.js';
import { TraceList } from './evidence/index.js';
import { checkHistories } from './histories-check.js';
import { openReader } from './reading.js';

test('records that were written meanwhile are asked why a lease is free', async () => {
  const clock = handClock();
  const tools = await openTaskTools();
  await tools.ok('task_create', { title: 'one' });
  await claim(tools, 'dead', { lease_minutes: 1 });
  const size = async () =>
    (await tools.store.read((tx) => tx.get<{ size: number }>('SELECT size FROM logs')))?.size ?? 0;
  const before = await size();
  clock.pass(MINUTE);
  await claim(tools, 'nobody', { assignee: 'nobody' });
  const traces = new TraceList();
  traces.add('lease', 1, { kind: 'made', rev: 1, record: RECORDS_PER_LOG + before - 1 });
  const reader = openReader(tools);
  const check = (ends: readonly number[]) =>
    checkHistories(reader, {
      batch: traces.entries,
      ends,
      sightings: new Float64Array(),
      partial: false,
      losses: [],
    });
  expect(check([RECORDS_PER_LOG + before])).toEqual({ found: { first: [], count: 0 }, rows: 1 });
  expect(check([])).toMatchObject({ found: { count: 0 } });
  expect(check([RECORDS_PER_LOG + (await size())])).toMatchObject({ found: { count: 1 } });
  reader.close();
});
