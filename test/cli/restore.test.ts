// A store that went back: refused by the server, explained, accepted, and never called tampering afterwards.
import { expect, test } from 'vitest';
import { colibri, json, rolledBackStore, useMore } from '../support/command-line.js';
import { Ledger } from '../support/ledger-check.js';
import { serve } from '../support/serve.js';

test('an older copy: tools refuse, restore explains and changes nothing, accept-loss goes on, verify says 10', async () => {
  const { place, log } = await rolledBackStore();
  const peer = serve(place);
  await peer.initialize();
  await peer.until(() => peer.stderr.includes('phase 2 failed'));
  const answer = await peer.call('task_list', {});
  expect(answer.result.structuredContent.error.code).toBe('STORE_ROLLED_BACK');
  await peer.end();

  const size = new Ledger(place.db).records.length;
  const told = json(await colibri(place, ['restore', '--json']));
  expect(told).toMatchObject({ rolled_back: true, log, size, lost: told.known_size - size });
  const explained = await colibri(place, ['restore']);
  expect(explained).toMatchObject({ code: 10, stdout: expect.stringContaining(`missing ${told.lost} records`) });
  expect(explained.stdout).toContain('colibri accept-loss');
  expect(new Ledger(place.db).records).toHaveLength(size);
  expect(await colibri(place, ['verify'])).toMatchObject({ code: 20, stdout: expect.stringContaining('BROKEN') });

  expect(await colibri(place, ['accept-loss', 'disk replaced', '--yes'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${told.lost} records lost`),
  });
  expect(new Ledger(place.db).ofKind('restore')).toMatchObject([{ previous: log, reason: 'disk replaced', size }]);
  await useMore(place);
  const verdict = await colibri(place, ['verify']);
  expect(verdict).toMatchObject({ code: 10, stdout: expect.stringContaining('INTACT, INCOMPLETE') });
  expect(verdict.stdout).toContain(`restore (${told.lost})`);
  expect(verdict.stdout).toContain('disk replaced');
  expect(json(await colibri(place, ['verify', '--json']))).toMatchObject({ exit: 10, valid: true, broken_count: 0 });
});
