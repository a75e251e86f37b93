// A store moves to PostgreSQL and back: every row arrives, both sides verify, and nothing more is recorded in what was left.
import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { colibri, json } from '../support/command-line.js';
import { freshDatabase, noPostgres } from '../support/postgres.js';
import { randomFrom } from '../support/random.js';
import { freshPlace, type Place, serve } from '../support/serve.js';
import { work } from '../tamper/traffic.js';

const used = async (place: Place, calls: number, env = {}): Promise<void> => {
  const peer = serve(place, { env });
  await peer.initialize('test');
  await peer.phase2(20_000);
  await work(peer, randomFrom(7), calls);
  await peer.end();
};

/** Tables whose rows belong to one store, not to what is moved. */
const OWN = ['identity', 'instances', 'server_states', 'server_eras', 'logs'];

const tablesIn = (path: string): Map<string, string[]> => {
  const db = new Database(path, { readonly: true });
  const names = db
    .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
    .pluck();
  const all = names.all().filter((name) => !OWN.includes(name));
  const rows = all.map(
    (name) =>
      [
        name,
        db
          .prepare(`SELECT * FROM ${name}`)
          .all()
          .map((row) => JSON.stringify(row))
          .sort(),
      ] as const,
  );
  db.close();
  return new Map(rows);
};

const onServer = async (): Promise<{ env: Record<string, string>; url: string }> => {
  const { url, drop } = await freshDatabase();
  onTestFinished(drop);
  return { env: { COLIBRI_DATABASE_URL: url }, url };
};

const refusal = async (place: Place, env: Record<string, string>): Promise<string> => {
  const peer = serve(place, { env });
  await peer.initialize('late');
  const answer = await peer.request('tools/call', { name: 'task_create', arguments: { title: 'too late' } });
  await peer.end();
  return JSON.stringify(answer);
};

describe.skipIf(noPostgres())('migrate-store', () => {
  test('there and back: every row, equal roots, both verify', { timeout: 180_000 }, async () => {
    const place = freshPlace();
    await used(place, 60);
    const before = tablesIn(place.db);
    const { env, url } = await onServer();
    const there = await colibri(place, ['migrate-store', '--to', 'postgres', '--db', place.db, '--yes', '--json'], {
      env,
    });
    expect(there, there.stderr).toMatchObject({ code: 0 });
    expect(there.stdout + there.stderr).not.toContain(new URL(url).password);
    expect(json(there)).toMatchObject({ engine: 'postgres', verdict: 0 });

    expect(await colibri(place, ['verify'], { env })).toMatchObject({ code: 0 });
    expect(await colibri(place, ['verify', '--db', place.db])).toMatchObject({ code: 0 });
    expect(await refusal(place, {})).toContain('This store was moved to postgres://');
    await used(place, 20, env);

    const file = join(place.dir, 'back.db');
    const back = await colibri(place, ['migrate-store', '--to', file, '--yes', '--json'], { env });
    expect(back, back.stderr).toMatchObject({ code: 0 });
    expect(json(back).logs.slice(0, 1)).toEqual(json(there).logs);
    expect(await colibri(place, ['verify', '--db', file])).toMatchObject({ code: 0 });
    expect(await colibri(place, ['verify'], { env })).toMatchObject({ code: 0 });
    const after = tablesIn(file);
    const sealed = ['actions', 'payloads', 'tiles', 'checkpoints', 'thoughts', 'catalogue', 'definitions', 'adoptions'];
    for (const table of sealed)
      expect(after.get(table), table).toEqual(expect.arrayContaining(before.get(table) ?? []));
    expect(await refusal(place, env)).toContain('This store was moved to');
    await used(place, 5, { COLIBRI_DB_PATH: file });
    expect(await colibri(place, ['verify', '--db', file])).toMatchObject({ code: 0 });
  });

  test('what is not allowed is said, and changes nothing', { timeout: 120_000 }, async () => {
    const place = freshPlace();
    await used(place, 10);
    const { env, url } = await onServer();
    const to = (target: string, ...more: string[]) =>
      colibri(place, ['migrate-store', '--to', target, '--db', place.db, '--yes', ...more], { env });
    expect((await to(url)).stderr).toContain('An address may hold a password');
    expect((await colibri(place, ['migrate-store', '--to', 'postgres', '--yes'])).stderr).toContain(
      'No database on a server',
    );
    const peer = serve(place);
    await peer.initialize('busy');
    await peer.phase2(20_000);
    expect((await to('postgres')).stderr).toContain('The store is in use by 1 process');
    await peer.end();
    await used(freshPlace(), 1, env);
    expect(await to('postgres')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('There is a store at postgres://'),
    });
    expect(await colibri(place, ['verify', '--db', place.db])).toMatchObject({ code: 0 });
    expect(fs.existsSync(place.db)).toBe(true);
  });
});
