// The definition in force with the other clients; what a second verifier says.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { colibri, copyStore, headsDir, replaceStore, rows } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import { testDefinitions } from './definitions.shared.js';
import { recordsOf, toolNamed, trustClient, untilListed, worldWith } from './places.js';

testDefinitions(['v2 legacy', 'v1']);

const isCi = !['', 'false', undefined].includes(process.env.CI);
const VERIFIER = new URL('../python/verify.py', import.meta.url).pathname;
const hasPython = spawnSync('python3', ['--version']).status === 0;

test.skipIf(!hasPython && !isCi)(
  'a second verifier reads definitions as this one does, also changed and erased ones',
  async () => {
    const world = worldWith([toolNamed('look')]);
    const { place } = world;
    const client = await trustClient(place, 'v1');
    await untilListed(client, 'far__look');
    await client.call('far__look');
    world.list([toolNamed('look', { description: 'Other.' })]);
    await eventually('the change is recorded', () => recordsOf(place, 'catalogue').length > 1);
    await client.close();
    const both = async () => {
      const ours = (await colibri(place, ['verify'])).code;
      const { status, stdout } = spawnSync('python3', [VERIFIER, place.db, '--heads', headsDir(place)], {
        encoding: 'utf8',
      });
      return [ours, status, status === 0 ? '' : stdout];
    };
    expect(await both()).toEqual([0, 0, '']);
    const [first] = rows<{ digest: string }>(place, 'SELECT digest FROM definitions');
    const change = (sql: string) => {
      const db = new Database(place.db);
      db.exec(sql);
      db.close();
    };
    for (const sql of [
      `UPDATE definitions SET json = '{}' WHERE digest = '${first?.digest}'`,
      `UPDATE definitions SET json = NULL WHERE digest = '${first?.digest}'`,
      `UPDATE definitions SET salt = '${'0'.repeat(32)}' WHERE digest = '${first?.digest}'`,
      `DELETE FROM definitions WHERE digest = '${first?.digest}'`,
    ]) {
      const copy = copyStore(place);
      change(sql);
      expect((await both()).slice(0, 2), sql).toEqual([20, 20]);
      replaceStore(place, copy);
      rmSync(copy);
    }
    expect((await colibri(place, ['erase', `definition:${first?.digest}`, '--reason', 'r', '--yes'])).code).toBe(0);
    expect(await both()).toEqual([0, 0, '']);
  },
);
