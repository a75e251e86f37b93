// colibri backup: a whole copy or none, made beside whoever writes, verified before it gets its name.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { colibri, json, usedStore, useMore } from '../support/command-line.js';

test('put back as it says: what is missing is told, and it goes on', async () => {
  const { place } = await usedStore();
  const made = json(await colibri(place, ['backup', '--json']));
  expect(made.file).toMatch(/colibri\.db\.backups\/backup-\d{8}T\d{9}Z\.db$/);
  expect(made.verdict).toBe(0);
  await useMore(place);
  const [copying, next] = made.restore;
  execFileSync('bash', ['-c', copying]);
  expect(next).toBe('colibri restore');
  const missing = await colibri(place, ['restore']);
  expect(missing).toMatchObject({ code: 10, stdout: expect.stringMatching(/missing \d+ records/) });
  expect(await colibri(place, ['restore', '--accept', 'a test', '--yes'])).toMatchObject({ code: 0 });
  await useMore(place);
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 10 });
});
