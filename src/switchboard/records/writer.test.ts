// Tests the switchboard's records that belong to no call, over a real store.
import { describe, expect, test } from 'vitest';
import { openLedger, temporaryFolder } from '../../../test/support/stores.js';
import { ColibriError } from '../../errors.js';
import { append } from '../../ledger/ledger.js';
import type { Transition } from '../health/event.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { CatalogueKey } from './catalogue-key.js';
import { rememberedTools, rememberTools } from './catalogue-repository.js';
import { nameList } from './config.js';
import { healthEntry, type RecordedHealth, transitionOf } from './health.js';
import { type Entry, RecordsWriter } from './writer.js';

const now = () => '2026-11-16T00:00:00.000Z';

const setup = async () => {
  const { store, ledger, records } = await openLedger(temporaryFolder());
  const warnings: string[] = [];
  const writer = new RecordsWriter({ now, warn: (text) => void warnings.push(text) });
  const kinds = async () => (await records()).map(({ kind }) => kind);
  return { store, ledger, records, writer, warnings, kinds };
};

const config =
  (server: string): Entry =>
  (tx, { log, instance, at }) => {
    const lists = { added: [server], removed: [], changed: [] };
    return append(tx, log, [{ at, record: { kind: 'config', instance, what: 'switchboard', digest: '', ...lists } }]);
  };

describe('the queue', () => {
  test('keeps what happens before the ledger is open, in order', async () => {
    const { store, ledger, records, writer } = await setup();
    for (const name of ['a', 'b', 'c']) writer.add(config(name));
    writer.open({ store, ledger });
    writer.add(config('d'));
    await writer.flush();
    const added = (await records()).filter(({ kind }) => kind === 'config').map((record) => record.added);
    expect(added).toEqual([['a'], ['b'], ['c'], ['d']]);
  });

  test('is bounded; what does not fit is one gap', async () => {
    const { store, ledger, records, writer } = await setup();
    for (let i = 0; i < SWITCHBOARD_LIMITS.switchboardRecords + 3; i++) writer.add(config('a'));
    writer.open({ store, ledger });
    await writer.flush();
    expect((await records()).at(-1)).toMatchObject({ kind: 'gap', count: 3, reason: 'switchboard records' });
  });

  test('a record that can never be written does not stand in the way; a store that fails is asked again', async () => {
    const { store, ledger, writer, kinds, warnings } = await setup();
    let failures = 1;
    writer.add(() => Promise.reject(new TypeError('no form')));
    writer.add((...entry) =>
      failures-- > 0 ? Promise.reject(new ColibriError('STORE_FULL', 'full')) : config('a')(...entry),
    );
    writer.open({ store, ledger });
    await writer.flush();
    expect(await kinds()).not.toContain('config');
    await writer.flush();
    expect(await kinds()).toContain('config');
    expect(warnings).toHaveLength(2);
  });

  test('writes nothing once the ledger is halted', async () => {
    const { store, ledger, writer, kinds } = await setup();
    ledger.halt(new ColibriError('STORE_CORRUPT', 'broken'));
    writer.open({ store, ledger });
    writer.add(config('a'));
    await writer.flush();
    expect(await kinds()).not.toContain('config');
  });
});

describe('a catalogue', () => {
  const key: CatalogueKey = { server: 's', connection: 'c'.repeat(64), client: '' };
  const tool = (name: string, description = name) => ({ name, description });

  test('is written once for the same tools, whatever their order, by whoever sees them', async () => {
    const { store, ledger, records } = await setup();
    const write = (...tools: { name: string; description: string }[]) =>
      store.write((tx) => rememberTools(tx, key, tools, { log: ledger.log, instance: 'i', at: now() }));
    expect(await write(tool('b'), tool('a'))).toBe(true);
    expect(await write(tool('a'), tool('b'))).toBe(false);
    expect(await write(tool('b', 'other'), tool('c'))).toBe(true);
    expect(await store.read((tx) => rememberedTools(tx, key))).toEqual([tool('b', 'other'), tool('c')]);
    expect(await store.read((tx) => rememberedTools(tx, { ...key, connection: 'd' }))).toBeUndefined();
    const written = (await records()).filter(({ kind }) => kind === 'catalogue');
    expect(written).toMatchObject([
      { added: ['a', 'b'], removed: [], changed: [] },
      { added: ['c'], removed: ['a'], changed: ['b'] },
    ]);
    // The definitions before and after a change are kept: of `a` that went, of `b` that changed (both), of `c` that came.
    const made = written.map(({ subjects }) =>
      (subjects as { type: string; rev: number }[]).map(({ type, rev }) => `${type} ${rev}`),
    );
    expect(made).toEqual([['catalogue 1'], ['catalogue 2', ...Array.from({ length: 4 }, () => 'definition 1')]]);
  });

  test('of thousands of names fits into its record', async () => {
    const { store, ledger, records } = await setup();
    const tools = Array.from({ length: 1_000 }, (_, i) => tool(`tool-${i}`.padEnd(120, 'x')));
    await store.write((tx) => rememberTools(tx, key, tools, { log: ledger.log, instance: 'i', at: now() }));
    expect((await records()).at(-1)).toMatchObject({ added: { count: 1_000, digest: expect.any(String) } });
  });
});

test('lists are names while they are few', () => {
  expect(nameList(['a', '\ud800'])).toEqual(['a', '\ufffd']);
  expect(nameList(Array.from({ length: 100 }, () => 'x'.repeat(200)))).toMatchObject({ count: 100 });
});

test('a transition survives its record, whatever texts it carries', () => {
  const transition = {
    from: 'STARTING',
    to: 'UNHEALTHY',
    reason: { code: 'exited', text: `\ud800\u0000${'x'.repeat(1_000)}` },
    at: 12.5,
    event: { type: 'dial_failed', dial: 1, fault: 'exited', text: '\ud800' },
    before: { state: 'STARTING', since: 0.1 },
  } as unknown as Transition;
  const { dated, kept } = healthEntry('i', 's', transition, '2026-01-01T00:00:00.000Z');
  const { record } = dated;
  expect(record).toMatchObject({ cause: 'exited', event: { fault: 'exited' }, texts: 'stored' });
  expect(JSON.stringify(record)).not.toContain('xxx'); // words stand beside the record, where they can be erased
  expect(JSON.parse(kept?.json ?? '')).toMatchObject({
    detail: expect.stringContaining('xxx'),
    event: { text: '\ufffd' },
  });
  const back = transitionOf(JSON.parse(JSON.stringify(record)) as RecordedHealth);
  expect(back).toMatchObject({ from: 'STARTING', to: 'UNHEALTHY', at: 12.5, reason: { code: 'exited' } });
});
