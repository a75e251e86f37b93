// Everything that can be put into a schema, against serve and against every command that opens a store.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { serve } from '../support/serve.js';
import { forgetUsed, PLANTED, plant, usedPlace } from './planted-schema.js';

afterAll(forgetUsed);

const COMMANDS: readonly (readonly string[])[] = [
  ['status'],
  ['log'],
  ['log', 'nothing'],
  ['tasks'],
  ['doctor'],
  ['verify'],
  ['verify', '--session', 'none'],
  ['export', '--to', 'out.jsonl'],
  ['backup'],
  ['checkpoint'],
  ['prove', 'none'],
  ['erase', 'none', '--reason', 'x', '--yes'],
  ['prune', '--before', '2020-01-01', '--yes'],
  ['restore'],
  ['accept-loss', 'x', '--yes'],
  ['switchboard'],
];

describe.each(Object.entries(PLANTED))('%s', (_, [sql, name]) => {
  test('serve refuses it by its name and changes nothing', async () => {
    const place = await usedPlace();
    plant(place.db, sql);
    const before = fs.readFileSync(place.db);
    const peer = serve(place);
    await peer.initialize();
    const { error } = (await peer.call('task_create', { title: 'x' })).result.structuredContent;
    expect(error.code).toBe('STORE_CORRUPT');
    expect(error.message).toContain(JSON.stringify(name));
    await peer.end();
    expect(fs.readFileSync(place.db).equals(before)).toBe(true);
  });
});

test.each(COMMANDS.map((args) => [args.join(' '), args] as const))(
  'colibri %s does not hang on an endless view and changes nothing',
  async (_, args) => {
    const place = await usedPlace();
    plant(place.db, PLANTED['an endless view in the place of the logs']?.[0] ?? '');
    const before = fs.readFileSync(place.db);
    const { code, stdout, stderr } = await colibri(place, args);
    expect(code, stdout + stderr).not.toBe(0);
    expect(fs.readFileSync(place.db).equals(before)).toBe(true);
  },
  20_000,
);

test.each(['trigger', 'view'])(
  'a %s in a file that claims to be of an older or no version is refused too',
  async (kind) => {
    for (const version of [0, 1, 3]) {
      const place = await usedPlace();
      plant(
        place.db,
        `CREATE ${kind} planted ${kind === 'view' ? 'AS SELECT 1' : 'AFTER INSERT ON logs BEGIN SELECT 1; END'}`,
      );
      plant(place.db, `PRAGMA user_version = ${version}`);
      const before = fs.readFileSync(place.db);
      const peer = serve(place);
      await peer.initialize();
      const { error } = (await peer.call('task_list', {})).result.structuredContent;
      expect(error.code, `version ${version}`).toBe('STORE_CORRUPT');
      await peer.end();
      expect(fs.readFileSync(place.db).equals(before)).toBe(true);
      expect(fs.existsSync(join(`${place.db}.backups`))).toBe(false);
    }
  },
);
