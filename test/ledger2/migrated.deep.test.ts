// A store of format 4 gets an id: its logs go on as they were, the migration names them, and no other log may join them.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FORMAT } from '../../src/ledger/head.js';
import { asFormat4 } from '../support/format-4.js';
import { freshPlace } from '../support/serve.js';
import {
  besideOf,
  bodiesOf,
  change,
  expectHealthy,
  forgetSignatures,
  logsOf,
  onHost,
  ping,
  rewriteLog,
  storeId,
  verdict,
} from './stores.js';

const ELSEWHERE = onHost('elsewhere');

const olderStore = async () => {
  const place = freshPlace();
  await ping(place);
  await ping(place, ELSEWHERE);
  asFormat4(place);
  return place;
};

test('the log before is the beginning of the log after, and the migration names all logs as they were', async () => {
  const place = await olderStore();
  const [before, logs] = [bodiesOf(place), logsOf(place)];
  expect(before.some(({ store }) => store !== undefined)).toBe(false);
  await ping(place);
  const after = bodiesOf(place);
  for (const { log_id: log, size } of logs) {
    const records = after.filter((body) => body.log === log);
    expect(records.slice(0, size)).toEqual(before.filter((body) => body.log === log));
  }
  const [migrate] = after.filter(({ kind, to }) => kind === 'migrate' && to === 5);
  expect(migrate).toMatchObject({ from: 4, store: storeId(place) });
  expect(migrate?.logs).toMatchObject(logs.map(({ log_id: log, size }) => ({ log, size })));
  await expectHealthy(place);
  await ping(place, ELSEWHERE);
  await ping(place, onHost('third'));
  expect(bodiesOf(place).filter(({ seq, store }) => seq === 0 && store === storeId(place))).toHaveLength(1);
  await expectHealthy(place);
});

test('a log of format 4 that the migration does not name is found, and so is one that it names otherwise', async () => {
  const place = await olderStore();
  await ping(place);
  const other = besideOf(place, join(place.dir, 'other', 'colibri.db'));
  await ping(other, onHost('third'));
  asFormat4(other);
  const [{ log_id: log } = { log_id: '' }] = logsOf(other);
  change(place, (db) => {
    db.prepare('ATTACH ? AS other').run(other.db);
    db.exec(`INSERT INTO main.logs SELECT 3, log_id, node, public_key, ${FORMAT}, size, frontier, opened_at, closed_at, NULL FROM other.logs;
      INSERT INTO main.actions SELECT id + ${2 * 2 ** 32}, log_id, seq, sequence_no, kind, tool, at, body, leaf FROM other.actions;
      INSERT INTO main.payloads SELECT * FROM other.payloads;
      INSERT INTO main.checkpoints SELECT * FROM other.checkpoints;`);
  });
  const told = await verdict(place);
  expect(told.exit).toBe(20);
  expect(told.findings).toContainEqual({
    kind: 'binding',
    where: expect.objectContaining({ log }),
    message: expect.stringContaining('no migration names it'),
  });

  const second = await olderStore();
  await ping(second);
  const elsewhere = logsOf(second)[1]?.log_id ?? '';
  rewriteLog(second, elsewhere, (bodies) => bodies.slice(0, 2));
  forgetSignatures(second, elsewhere);
  const { exit, findings } = await verdict(second);
  expect(exit).toBe(20);
  expect(findings.some(({ kind }: { kind: string }) => kind === 'binding')).toBe(true);
});
