import { chmodSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { logWithoutKey } from '../../test/support/log-without-key.js';
import { now, openStore, recordsOf, temporaryFolder } from '../../test/support/stores.js';
import { MIGRATIONS } from '../store/sqlite/migrations/index.js';
import { FORMAT } from './head.js';
import { headsIn } from './heads.js';
import { keyRing } from './keys.js';
import { append } from './ledger.js';
import { type OpenLogOptions, openLog } from './open.js';

const NODE = 'host/user';
/** A new store holds one record per migration. */
const STEPS = MIGRATIONS.length;

/** Appends no records of this process. */
const open = (options: OpenLogOptions) => openLog(options, async () => {});
const openId = async (options: OpenLogOptions) => (await open(options)).id;

const place = (dir: string) => ({
  heads: headsIn(join(dir, 'heads')),
  keys: keyRing({ dir: join(dir, 'keys') }),
  node: NODE,
  now,
});

describe('openLog', () => {
  it('makes schema, key and log, and records the migration first', async () => {
    const dir = temporaryFolder();
    const store = await openStore(dir);
    const log = await openId({ store, ...place(dir) });
    expect(log).toMatch(/^[0-9a-f]{32}$/);
    expect(readdirSync(join(dir, 'keys'))).toEqual([log]);
    expect(statSync(join(dir, 'keys', log)).mode & 0o777).toBe(0o600);
    const records = await recordsOf(store);
    expect(records).toHaveLength(STEPS);
    expect(records.slice(0, 1)).toEqual([
      {
        v: 1,
        log,
        seq: 0,
        at: now(),
        kind: 'migrate',
        from: 0,
        to: 1,
        checksum: expect.stringMatching(/^[0-9a-f]{64}$/),
        store: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    ]);
    expect(records.at(-1)).toMatchObject({ kind: 'migrate', to: FORMAT });
    expect(records[4]).toMatchObject({ kind: 'migrate', to: 5, store: records[0]?.store });
    expect(records[4]).not.toHaveProperty('logs');
  });

  it('finds the same log again and adds nothing', async () => {
    const dir = temporaryFolder();
    const store = await openStore(dir);
    const log = await openId({ store, ...place(dir) });
    expect(await openId({ store, ...place(dir) })).toBe(log);
    expect(await recordsOf(store)).toHaveLength(STEPS);
    expect(readdirSync(join(dir, 'keys'))).toHaveLength(1);
  });

  it('gives every node a log of its own', async () => {
    const dir = temporaryFolder();
    const store = await openStore(dir);
    const log = await openId({ store, ...place(dir) });
    expect(await openId({ store, ...place(dir), node: 'other/user' })).not.toBe(log);
    expect(await openId({ store, ...place(dir) })).toBe(log);
  });

  it('closes a log whose key is gone and says in the next one how it ended', async () => {
    const dir = temporaryFolder();
    const store = await openStore(dir);
    const old = await openId({ store, ...place(dir) });
    rmSync(join(dir, 'keys', old));
    const log = await openId({ store, ...place(dir) });
    expect(log).not.toBe(old);
    const records = (await recordsOf(store)).filter((record) => record.log === log);
    expect(records).toMatchObject([{ seq: 0, kind: 'succeeds', previous: old, size: STEPS }]);
    const row = await store.read((tx) => tx.get('SELECT closed_at FROM logs WHERE log_id = ?', old));
    expect(row).toEqual({ closed_at: now() });
  });

  it('does not take a key that cannot be read for a lost one', async () => {
    const dir = temporaryFolder();
    const store = await openStore(dir);
    const log = await openId({ store, ...place(dir) });
    const file = join(dir, 'keys', log);
    chmodSync(file, 0o600);
    writeFileSync(file, 'not a key');
    await expect(open({ store, ...place(dir) })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(await recordsOf(store)).toHaveLength(STEPS);
  });

  it('uses a named key file, and refuses one that signs another log of the store', async () => {
    const dir = temporaryFolder();
    const store = await openStore(dir);
    const keys = keyRing({ dir: join(dir, 'keys'), file: join(dir, 'deep', 'my.key') });
    const log = await openId({ store, keys, heads: headsIn(join(dir, 'heads')), node: NODE, now });
    expect(await openId({ store, keys, heads: headsIn(join(dir, 'heads')), node: NODE, now })).toBe(log);
    await expect(
      open({ store, keys, heads: headsIn(join(dir, 'heads')), node: 'other/user', now }),
    ).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      remedy: expect.stringContaining('COLIBRI_KEY_FILE'),
    });
  });
});

describe('append', () => {
  it('refuses a store that a newer Colibri has upgraded', async () => {
    const dir = temporaryFolder();
    const store = await openStore(dir);
    const log = await open({ store, ...place(dir) });
    await store.write((tx) => tx.run('UPDATE logs SET format = 99'));
    const gap = { kind: 'gap', count: 1, first_at: now(), last_at: now(), reason: 'x' } as const;
    const appending = store.write((tx) => append(tx, log, [{ at: now(), record: gap }]));
    await expect(appending).rejects.toMatchObject({ code: 'STORE_UPGRADED' });
  });

  it('refuses a head that is torn and a log that is not there', async () => {
    const dir = temporaryFolder();
    const store = await openStore(dir);
    const log = await open({ store, ...place(dir) });
    await store.write((tx) => tx.run("UPDATE logs SET frontier = 'abc'"));
    await expect(store.write((tx) => append(tx, log, []))).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
    await expect(store.write((tx) => append(tx, logWithoutKey('none'), []))).rejects.toMatchObject({
      code: 'STORE_CORRUPT',
    });
  });
});
