// colibri backup: a whole copy or none, made beside whoever writes, verified before it gets its name.
import * as fs from 'node:fs';
import { expect, test } from 'vitest';
import { colibri, json, usedStore, useMore } from '../support/command-line.js';
import { Ledger } from '../support/ledger-check.js';

test('put back as it says: what is missing is told, and it goes on', async () => {
  const { place } = await usedStore();
  const made = json(await colibri(place, ['backup', '--json']));
  expect(made.file).toMatch(/colibri\.db\.backups\/backup-\d{8}T\d{9}Z\.db$/);
  expect(made.verdict).toBe(0);
  await useMore(place);
  expect(made.restore).toEqual([`colibri restore '${made.file}'`]);
  const restored = json(await colibri(place, ['restore', made.file, '--reason', 'a test', '--yes', '--json']));
  expect(restored).toMatchObject({ restored: true, steps: [{ what: 'rollback' }] });
  expect(restored.lost).toBeGreaterThan(0);
  expect(fs.readdirSync(restored.moved_to)).toContain('colibri.db');
  expect(new Ledger(place.db).ofKind('restore')).toMatchObject([{ reason: 'a test' }]);
  await useMore(place);
  const verdict = await colibri(place, ['verify']);
  expect(verdict).toMatchObject({ code: 10, stdout: expect.stringContaining(`restore (${restored.lost})`) });
});
