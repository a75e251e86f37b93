import { strict as assert } from 'node:assert';
import { generateKeyPairSync } from 'node:crypto';
import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { now, type OpenLedger, openLedger, openStore, recordsOf, temporaryFolder } from '../../test/support/stores.js';
import type { ColibriError } from '../errors.js';
import { FILE_LIMITS } from '../files/limits.js';
import { originOf } from '../proof/checkpoint.js';
import { acceptRollback } from './accept.js';
import { endInstance } from './calls/instances.js';
import { readHead, rolledBack } from './head.js';
import { headsIn, verifierFor } from './heads.js';
import { keyRing } from './keys.js';
import { append } from './ledger.js';
import { openCheckpoint, signCheckpoint } from './notes.js';
import { openLog } from './open.js';
import { rotateKey } from './rotate.js';
import { createSigner, type Signer } from './signer.js';
import { rootOf } from './tree.js';

interface Signing extends OpenLedger {
  readonly dir: string;
  readonly signer: Signer;
  readonly warnings: string[];
  readonly broken: ColibriError[];
}

const signing = async (dir = temporaryFolder()): Promise<Signing> => {
  const opened = await openLedger(dir);
  const { store, ledger } = opened;
  const warnings: string[] = [];
  const broken: ColibriError[] = [];
  const signer = createSigner({
    store,
    log: ledger.log.id,
    keys: keyRing({ dir: join(dir, 'keys') }),
    heads: headsIn(join(dir, 'heads')),
    warn: (message) => warnings.push(message),
    onBroken: (error) => broken.push(error),
  });
  return { ...opened, dir, signer, warnings, broken };
};

const GAP = { kind: 'gap', count: 1, first_at: now(), last_at: now(), reason: 'test' } as const;

const anyKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

const grow = ({ store, ledger }: OpenLedger, count: number) => {
  const records = Array.from({ length: count }, () => ({ at: now(), record: GAP }));
  return store.write((tx) => append(tx, ledger.log, records));
};

const checkpoints = ({ store }: OpenLedger) =>
  store.read((tx) => tx.all<{ no: number; size: number; note: string }>('SELECT no, size, note FROM checkpoints'));

const options = (store: OpenLedger['store'], dir: string) => ({
  store,
  keys: keyRing({ dir: join(dir, 'keys') }),
  heads: headsIn(join(dir, 'heads')),
  node: 'host/user',
  now,
});
const nothing = async () => {};

describe('a signer', () => {
  it('signs a log that grows under load once, not once for every record that comes meanwhile', async () => {
    const it = await signing();
    const appended = await grow(it, 1_100);
    const commit = it.store.write.bind(it.store);
    const write = vi.spyOn(it.store, 'write').mockImplementation(async (...args) => {
      await new Promise((resolve) => setTimeout(resolve, 50)); // others write first
      return commit(...args);
    });
    for (let turn = 0; turn < 50; turn++) {
      it.signer.grown((appended.at(-1)?.seq ?? 0) + 1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await vi.waitFor(async () => expect(await checkpoints(it)).toHaveLength(1));
    expect(write).toHaveBeenCalledTimes(1);
  });

  it('signs the log as it is, once, and puts the head beside the store', async () => {
    const it = await signing();
    await grow(it, 600);
    await it.signer.sign();
    await it.signer.sign();
    const rows = await checkpoints(it);
    expect(rows).toHaveLength(1);
    const [row] = rows as [(typeof rows)[number]];
    const head = await it.store.read((tx) => readHead(tx, it.ledger.log.id));
    const opened = openCheckpoint(row.note, await it.store.read((tx) => verifierFor(tx, it.ledger.log.id)));
    expect(opened).toMatchObject({ checkpoint: { size: head.size, root: rootOf(head.frontier) } });
    expect(readFileSync(join(it.dir, 'heads', it.ledger.log.id, String(head.size)), 'utf8')).toBe(row.note);
    await grow(it, 1);
    await it.signer.sign();
    expect((await checkpoints(it)).map(({ no }) => no)).toEqual([1, 2]);
    expect([it.warnings, it.broken]).toEqual([[], []]);
  });

  it.each([
    ['a leaf', "UPDATE actions SET leaf = replace(leaf, substr(leaf, 1, 4), 'ffff') WHERE seq = 290"],
    ['a stored node', "UPDATE tiles SET hash = replace(hash, substr(hash, 1, 4), 'ffff') WHERE level = 8"],
    ['the head', "UPDATE logs SET frontier = 'ffff' || substr(frontier, 5)"],
  ])('signs nothing over a store in which %s was changed', async (_what, sql) => {
    const it = await signing();
    await grow(it, 300);
    await it.store.write((tx) => tx.run(sql));
    await it.signer.sign();
    expect(await checkpoints(it)).toEqual([]);
    expect(it.broken).toMatchObject([{ code: 'STORE_CORRUPT' }]);
  });

  it('signs nothing where the newest checkpoint no longer begins the log', async () => {
    const it = await signing();
    await it.signer.sign();
    await grow(it, 10);
    const note = (await checkpoints(it))[0]?.note ?? '';
    const forged = note.replace(/\n(\d+)\n/, (_, size) => `\n${Number(size) - 1}\n`);
    await it.store.write((tx) => tx.run('UPDATE checkpoints SET note = ?', forged));
    await it.signer.sign();
    expect(await checkpoints(it)).toHaveLength(1);
    expect(it.broken).toMatchObject([{ code: 'STORE_CORRUPT' }]);
  });

  it('goes on where heads cannot be written, and says so', async () => {
    const it = await signing();
    const full = {
      newest: () => undefined,
      largest: () => 0,
      homes: () => [],
      bind: () => {},
      thin: async () => {},
      add: () => assert.fail('ENOSPC: no space left on device'),
    };
    const { store, ledger, dir, warnings } = it;
    const warn = (message: string) => void warnings.push(message);
    const signer = createSigner({
      ...options(store, dir),
      heads: full,
      log: ledger.log.id,
      warn,
      onBroken: assert.fail,
    });
    await signer.sign();
    expect(await checkpoints(it)).toHaveLength(1);
    expect(warnings).toEqual([expect.stringMatching(/head could not be copied outside the store: ENOSPC/)]);
  });

  it.each([
    ['the folder of keys', 'keys'],
    ['the folder of a named key', 'named'],
  ])('takes away what was left of a key that was not finished: %s', async (_what, folder) => {
    const it = await signing();
    const { store, dir, ledger } = it;
    const file = folder === 'named' ? join(dir, folder, ledger.log.id) : undefined;
    if (file !== undefined) cpSync(join(dir, 'keys'), join(dir, folder), { recursive: true });
    const kept = [ledger.log.id, 'notes.1.part'];
    const long = new Date(Date.now() - 2 * FILE_LIMITS.unfinishedKeptMs);
    for (const name of [`${ledger.log.id}.${process.ppid}.part`, 'notes.1.part']) {
      writeFileSync(join(dir, folder, name), 'half');
      utimesSync(join(dir, folder, name), long, long);
    }
    const keys = keyRing({ dir: join(dir, 'keys'), file });
    const place = { ...options(store, dir), keys, log: ledger.log.id };
    await createSigner({ ...place, warn: assert.fail, onBroken: assert.fail }).sign();
    expect(readdirSync(join(dir, folder)).toSorted()).toEqual(kept.toSorted());
  });

  it('signs nothing while it cannot see the heads', async () => {
    const it = await signing();
    writeFileSync(join(it.dir, 'heads'), 'a file where the folder belongs');
    await it.signer.sign();
    expect(await checkpoints(it)).toHaveLength(0);
    expect(it.warnings.join()).toMatch(/heads in .* cannot be read/);
    expect(it.broken).toEqual([]);
  });

  it('never makes two signatures at once, and signs what came during the first', async () => {
    const it = await signing();
    const commit = it.store.write.bind(it.store);
    let [running, most] = [0, 0];
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const write = vi.spyOn(it.store, 'write').mockImplementation(async (...args) => {
      running += 1;
      most = Math.max(most, running);
      await released;
      running -= 1;
      return commit(...args);
    });
    const first = it.signer.sign();
    await vi.waitFor(() => expect(running).toBe(1));
    await commit((tx) => append(tx, it.ledger.log, [{ at: now(), record: GAP }]));
    const others = [it.signer.sign(), it.signer.sign()];
    await new Promise((resolve) => setTimeout(resolve, 50));
    release();
    await Promise.all([first, ...others]);
    const { size } = await it.store.read((tx) => readHead(tx, it.ledger.log.id));
    expect((await checkpoints(it)).map((row) => row.size)).toEqual([size - 1, size]);
    expect([most, write.mock.calls.length]).toEqual([1, 2]);
    expect(readdirSync(join(it.dir, 'heads', it.ledger.log.id)).toSorted()).toEqual(
      [`${size - 1}`, `${size}`].toSorted(),
    );
  });

  it('signs again if another process signed between the checks and the transaction', async () => {
    const it = await signing();
    const { store, ledger, dir } = it;
    const place = { ...options(store, dir), log: ledger.log.id, warn: assert.fail, onBroken: assert.fail };
    const commit = store.write.bind(store);
    vi.spyOn(store, 'write').mockImplementationOnce(async (...args) => {
      await commit((tx) => append(tx, ledger.log, [{ at: now(), record: GAP }]));
      await commit((tx) => createSigner(place).signIn(tx), { sync: true });
      await commit((tx) => append(tx, ledger.log, [{ at: now(), record: GAP }]));
      return commit(...args);
    });
    const before = await store.read((tx) => readHead(tx, ledger.log.id));
    await it.signer.sign();
    expect((await checkpoints(it)).map(({ no, size }) => [no, size - before.size])).toEqual([
      [1, 1],
      [2, 2],
    ]);
    expect([it.warnings, it.broken]).toEqual([[], []]);
  });

  it('judges by the transaction, not by a snapshot that another process may have left behind', async () => {
    const it = await signing();
    const heads = headsIn(join(it.dir, 'heads'));
    const known = { size: 1_000, note: 'of another process, which has signed since the snapshot' };
    const newest = vi.fn(heads.newest).mockImplementationOnce((_log, isOurs) => {
      expect(isOurs(known.note)).toBe(false);
      throw rolledBack(it.ledger.log.id, 2, { size: known.size, what: 'signed records' });
    });
    const place = { ...options(it.store, it.dir), heads: { ...heads, newest }, log: it.ledger.log.id };
    await createSigner({ ...place, warn: assert.fail, onBroken: assert.fail }).sign();
    expect(newest.mock.calls.length).toBeGreaterThan(1);
    expect(await checkpoints(it)).toHaveLength(1);
  });

  it('notices a head that came after its last signature', async () => {
    const it = await signing();
    await it.signer.sign();
    const { id } = it.ledger.log;
    const key = keyRing({ dir: join(it.dir, 'keys') }).find(id);
    assert(key);
    const note = signCheckpoint({ origin: originOf(id), size: 900, root: 'ab'.repeat(32) }, key);
    await headsIn(join(it.dir, 'heads')).add(id, { size: 900, note });
    await grow(it, 1);
    await it.signer.sign();
    expect(await checkpoints(it)).toHaveLength(1);
    expect(it.broken).toMatchObject([{ code: 'STORE_ROLLED_BACK', details: { known_size: 900 } }]);
  });

  it.each([
    ['was removed', (file: string) => rmSync(file)],
    ['is the key of another log', (file: string) => writeFileSync(file, anyKey())],
  ])('signs nothing once its key, with which it has signed, %s', async (_what, spoil) => {
    const it = await signing();
    await it.signer.sign();
    await grow(it, 1);
    const file = join(it.dir, 'keys', it.ledger.log.id);
    const kept = readFileSync(file);
    spoil(file);
    await it.signer.sign();
    expect(it.warnings.join()).toMatch(/key .* is gone/);
    expect(await checkpoints(it)).toHaveLength(1);
    writeFileSync(file, kept);
    await it.signer.sign();
    expect(await checkpoints(it)).toHaveLength(2);
  });

  it('says that the key is gone', async () => {
    const it = await signing();
    rmSync(join(it.dir, 'keys', it.ledger.log.id));
    await it.signer.sign();
    expect(it.warnings.join()).toMatch(/key .* is gone/);
    expect(await checkpoints(it)).toEqual([]);
  });
});

/** A store that was put back: twelve records older than its newest head. */
const storePutBack = async () => {
  const before = await signing();
  const { dir } = before;
  await grow(before, 5);
  await before.store.close();
  copyFileSync(join(dir, 'colibri.db'), join(dir, 'older'));
  const store = await openStore(dir);
  const { id: log } = await openLog(options(store, dir), nothing);
  const signer = createSigner({ ...options(store, dir), log, warn: () => {}, onBroken: () => {} });
  await grow({ ...before, store }, 12);
  await signer.sign();
  await store.close();
  copyFileSync(join(dir, 'older'), join(dir, 'colibri.db'));
  return { dir, log };
};

describe('a log never goes back', () => {
  it('and is not opened where it did', async () => {
    const { dir, log } = await storePutBack();
    const store = await openStore(dir);
    const records = (await recordsOf(store)).length;
    await expect(openLog(options(store, dir), nothing)).rejects.toMatchObject({
      code: 'STORE_ROLLED_BACK',
      details: { log, known_size: records + 12, size: records },
    });
    expect(await recordsOf(store)).toHaveLength(records);
  });

  it('until the loss is accepted: the next log begins with it', async () => {
    const { dir, log } = await storePutBack();
    const store = await openStore(dir);
    const { log: next, lost } = await acceptRollback(options(store, dir), 'the disk failed');
    expect(lost).toBe(12);
    expect((await openLog(options(store, dir), nothing)).id).toBe(next);
    const [first] = (await recordsOf(store)).filter((record) => record.log === next);
    expect(first).toMatchObject({ kind: 'restore', previous: log, reason: 'the disk failed', seq: 0 });
    expect(Number(first?.known_size) - Number(first?.size)).toBe(12);
    await expect(acceptRollback(options(store, dir), 'again')).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
    expect(readdirSync(join(dir, 'keys')).toSorted()).toEqual([log, next].toSorted());
  });
});

it('a machine that got another name still knows what it signed', async () => {
  const { dir, log } = await storePutBack();
  const store = await openStore(dir);
  const renamed = { ...options(store, dir), node: 'new-name/user' };
  await expect(openLog(renamed, nothing)).rejects.toMatchObject({ code: 'STORE_ROLLED_BACK', details: { log } });
  const { log: next, lost } = await acceptRollback(renamed, 'known');
  expect(lost).toBe(12);
  const node = await store.read((tx) => tx.get('SELECT node FROM logs WHERE log_id = ?', next));
  expect(node).toEqual({ node: 'host/user' });
  expect((await openLog(renamed, nothing)).id).not.toBe(next);
});

it('a log that a living process writes is not taken for lost', async () => {
  const { store, ledger, dir } = await signing();
  const elsewhere = { ...options(store, dir), keys: keyRing({ dir: join(dir, 'other-keys') }) };
  await expect(openLog(elsewhere, nothing)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  const { log, instance } = ledger;
  expect(await store.read((tx) => tx.get('SELECT closed_at FROM logs WHERE log_id = ?', log.id))).toEqual({
    closed_at: null,
  });
  await endInstance({ store, log, now }, { instance, reason: 'end', drained: 0, abandoned: 0 }, false);
  expect((await openLog(elsewhere, nothing)).id).not.toBe(log.id);
});

it('a key that has signed another store opens no log', async () => {
  const { store, ledger, dir } = await signing();
  await createSigner({ ...options(store, dir), log: ledger.log.id, warn: assert.fail, onBroken: assert.fail }).sign();
  const keys = keyRing({ dir, file: join(dir, 'keys', ledger.log.id) });
  const other = await openStore();
  await expect(openLog({ ...options(other, dir), keys }, nothing)).rejects.toThrow(/has signed a log that is not in/);
});

it('an accepted loss that nobody signed here is not gone on with', async () => {
  const { dir } = await storePutBack();
  const store = await openStore(dir);
  // What somebody without our key can write: a log of their own that claims our acceptance.
  const theirs = keyRing({ dir: join(dir, 'their-keys') });
  await acceptRollback({ ...options(store, dir), keys: theirs }, 'forged');
  await expect(openLog(options(store, dir), nothing)).rejects.toMatchObject({ code: 'STORE_CORRUPT' });
});

it('a key is rotated: the old log names the next and is signed a last time', async () => {
  const { store, ledger, dir } = await signing();
  const { log, instance } = ledger;
  const previous = log.id;
  const place = options(store, dir);
  const rotate = () =>
    rotateKey(place, async (tx, log) => {
      const signer = createSigner({ ...place, log, warn: () => {}, onBroken: () => {} });
      await signer.signIn(tx);
    });
  await expect(rotate()).rejects.toMatchObject({ code: 'STORE_BUSY' });
  expect(readdirSync(join(dir, 'keys'))).toEqual([previous]);
  await endInstance({ store, log, now }, { instance, reason: 'end', drained: 0, abandoned: 0 }, false);
  const result = await rotate();
  expect(result.previous).toBe(previous);
  const records = await recordsOf(store);
  const last = records.filter((record) => record.log === previous).at(-1);
  expect(last).toMatchObject({ kind: 'rotate', successor: expect.stringContaining(result.log) });
  const size = Number(last?.seq) + 1;
  expect(records.find((record) => record.log === result.log)).toMatchObject({ kind: 'succeeds', previous, size });
  const signed = await store.read((tx) => tx.get('SELECT size FROM checkpoints WHERE log_id = ?', previous));
  expect(signed).toEqual({ size });
  expect((await openLog(place, nothing)).id).toBe(result.log);
});
