// colibri erase: contents go, every proof stands.
import { expect, test } from 'vitest';
import { colibri, dataOf, json, rows, SECRET, usedStore } from '../support/command-line.js';
import { inspectLedger } from '../support/ledger-check.js';
import { serve, session } from '../support/serve.js';
import { holding } from './store-upkeep.js';

test('the arguments of calls, by the call or by the place of the intent', async () => {
  const { place, receipts } = await usedStore();
  const [enter] = rows<{ log_id: string; seq: number }>(
    place,
    `SELECT log_id, seq FROM actions WHERE kind = 'call.enter' AND tool = 'task_update'`,
  );
  const text = `payload:${enter?.log_id.slice(0, 8)}/${enter?.seq}`;
  const calls = [receipts[2]?.call ?? '', text, text];
  const done = json(await colibri(place, ['erase', ...calls, '--reason', 'x', '--yes', '--json']));
  expect(done.erased).toHaveLength(2);
  expect(done.erased).toContainEqual({ type: 'payload', id: `${enter?.log_id}/${enter?.seq}` });
  expect(rows(place, 'SELECT 1 FROM payloads WHERE log_id = ? AND seq = ?', enter?.log_id, enter?.seq)).toEqual([]);
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});

test('the arguments of a call by its outcome, which is the record that the log shows', async () => {
  const { place, log } = await usedStore();
  const [exit] = rows<{ seq: number; sequence_no: number }>(
    place,
    `SELECT seq, sequence_no FROM actions WHERE kind = 'call.exit' AND tool = 'task_update'`,
  );
  const named = `${log.slice(0, 8)}/${exit?.seq}`;
  const done = json(await colibri(place, ['erase', named, '--reason', 'x', '--yes', '--json']));
  expect(done.erased).toEqual([{ type: 'payload', id: `${log}/${exit?.sequence_no}` }]);
  expect(rows(place, 'SELECT 1 FROM payloads WHERE seq = ?', exit?.sequence_no)).toEqual([]);
  expect(await colibri(place, ['erase', `payload:${exit?.seq}`, '--reason', 'x', '--yes'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('erased before: what is kept beside record'),
  });
  for (const text of ['0', 'payload:0', 'nonsense']) {
    const { code, stderr } = await colibri(place, ['erase', text, '--reason', 'x', '--yes']);
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('<log>/<seq> of a call') });
  }
});

test('long contents and their neighbours: what was erased is gone, the rest is as it was', async () => {
  const { place } = await usedStore();
  const texts = Array.from({ length: 6 }, (_, n) => `MARK${n}-${'äx'.repeat(9_000)}-END${n}`);
  const { value } = await session(place, async (peer) => {
    const ids: string[] = [];
    for (const content of texts)
      ids.push(dataOf(await peer.call('thought_record', { type: 'plan', content })).thought_id);
    return ids;
  });
  const [gone, stays] = [value.filter((_, n) => n % 2 === 0), value.filter((_, n) => n % 2 === 1)];
  const erased = await colibri(place, ['erase', ...gone, '--reason', 'x', '--yes']);
  expect(erased).toMatchObject({ code: 0 });
  const left = [0, 2, 4].flatMap((n) => [...holding(place, `MARK${n}`), ...holding(place, `END${n}`)]);
  expect(left).toEqual([]);
  expect(erased.stdout).not.toContain('left in free space');
  for (const n of [1, 3, 5]) expect(holding(place, `MARK${n}`)).toEqual(['colibri.db']);
  const kept = rows<{ content: string }>(place, `SELECT content FROM thoughts WHERE thought_id IN (?, ?, ?)`, ...stays);
  expect(kept.map(({ content }) => content).sort()).toEqual([texts[1], texts[3], texts[5]]);
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});

test('beside a running server', async () => {
  const { place, thought } = await usedStore();
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await peer.call('server_ping', {});
  expect(await colibri(place, ['erase', thought, '--reason', 'x', '--yes'])).toMatchObject({ code: 0 });
  await peer.call('server_ping', {});
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
  await peer.end();
  expect(holding(place, SECRET)).toEqual([]);
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});

test('erased before, unknown, nothing kept, nobody to ask: nothing is written', async () => {
  const { place, thought, note, log } = await usedStore();
  await colibri(place, ['erase', thought, '--reason', 'x', '--yes']);
  const size = inspectLedger(place.db).records.length;
  const again = await colibri(place, ['erase', thought, '--reason', 'x', '--yes']);
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('erased before: the content of thought') });
  const refusals: readonly (readonly [string[], RegExp])[] = [
    [[note, '01990000-0000-7000-8000-000000000000', '--yes'], /no thought and no call.*nothing was erased/],
    [[note, `payload:${log}/0`, '--yes'], /is a record that keeps nothing beside it; nothing was erased/],
    [[note, `${log}/0`, '--yes'], /is a record that keeps nothing beside it; nothing was erased/],
    [[note], /no terminal to ask you on.*--yes/],
  ];
  for (const [args, told] of refusals) {
    const ran = await colibri(place, ['erase', ...args, '--reason', 'x']);
    expect(ran, args.join(' ')).toMatchObject({ code: 1, stderr: expect.stringMatching(told) });
  }
  expect(await colibri(place, ['erase', note, '--yes'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--reason'),
  });
  expect(inspectLedger(place.db).records).toHaveLength(size);
  expect(rows(place, 'SELECT 1 FROM thoughts WHERE thought_id = ? AND content IS NOT NULL', note)).toHaveLength(1);
});

test('contents of a log that was closed are erased by the one that took over', async () => {
  const { place, thought, receipts } = await usedStore();
  await colibri(place, ['checkpoint', '--rotate', '--yes']);
  const done = await colibri(place, ['erase', thought, receipts[2]?.call ?? '', '--reason', 'x', '--yes', '--json']);
  expect(json(done).erased).toHaveLength(2);
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 0 });
});
