import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { heard, scratch, startChild } from '../../../test/children/start.js';
import { openSqliteStore } from './open.js';

const ID = '0192f0c1-0000-7000-8000-00000000000a';

const setUp = async () => {
  const path = join(scratch(), 'colibri.db');
  const store = await openSqliteStore({ path, limits: { busyMs: 50 } });
  onTestFinished(() => store.close());
  const child = startChild('hold-instance.mjs', [path, ID]);
  await heard(child);
  return { store, child, file: join(`${path}.instances`, ID) };
};

describe('an instance in another process', () => {
  it('is alive while it runs or is stopped, and dead after kill -9', async () => {
    const { store, child, file } = await setUp();
    expect(await store.instances.isAlive(ID)).toBe(true);
    child.kill('SIGSTOP');
    expect(await store.instances.isAlive(ID)).toBe(true);
    await store.instances.forget(ID);
    expect(fs.existsSync(file)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await store.instances.isAlive(ID)).toBe(false);
    expect(fs.readdirSync(join(file, '..'))).toEqual([ID]);
    await store.instances.forget(ID);
    expect(fs.readdirSync(join(file, '..'))).toEqual([]);
    expect(await store.instances.isAlive(ID)).toBe(false);
  });

  it('cannot be held twice, and the failed try does not harm it', async () => {
    const { store, file } = await setUp();
    await expect(store.instances.hold(ID)).rejects.toMatchObject({ code: 'STORE_BUSY' });
    expect(await store.instances.isAlive(ID)).toBe(true);
    await store.close();
    expect(fs.existsSync(file)).toBe(true);
  });

  it('leaves nothing when it closes', async () => {
    const { store, child, file } = await setUp();
    child.send('close');
    await once(child, 'exit');
    expect(fs.existsSync(file)).toBe(false);
    expect(await store.instances.isAlive(ID)).toBe(false);
  });
});

describe('our own instance', () => {
  it('stays locked however often it is looked at from this process', async () => {
    const path = join(scratch(), 'colibri.db');
    const store = await openSqliteStore({ path });
    onTestFinished(() => store.close());
    await store.instances.hold(ID);
    expect(fs.statSync(join(`${path}.instances`, ID)).mode & 0o777).toBe(0o600);
    for (let n = 0; n < 3; n++) expect(await store.instances.isAlive(ID)).toBe(true);
    const child = startChild('hold-instance.mjs', [path, '0192f0c1-0000-7000-8000-00000000000b']);
    await heard(child);
    expect(await store.instances.isAlive(ID)).toBe(true);
    await store.close();
    await expect(store.instances.hold(ID)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });
});
