// Calls without an outcome: whose process lives, whose died, and those that nobody can end any more. Each is called what it is.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { colibri, json, replaceStore, rows, useMore } from '../support/command-line.js';
import { freshPlace, type Peer, type Place, serveWithTools } from '../support/serve.js';
import { diedLine, processesTold } from './open-calls.shared.js';
import { waitUntil } from './store-upkeep.js';

// Each starts a dozen processes, and others may be busy too.
vi.setConfig({ testTimeout: 120_000 });

/** A server with a call that goes on. */
const busy = async (place: Place): Promise<Peer> => {
  const peer = serveWithTools(place);
  await peer.initialize();
  await peer.phase2();
  void peer.call('sleep_open', { ms: 600_000 }, 600_000).catch(() => {});
  await waitUntil(() => rows(place, `SELECT 1 FROM actions WHERE tool = 'sleep_open'`).length > 0);
  return peer;
};

test('running, then left by a process that died, then in a log that was closed', async () => {
  const place = freshPlace();
  const peer = await busy(place);
  const copy = join(place.dir, 'copy.db');
  const made = json(await colibri(place, ['backup', copy, '--json']));
  const message = '1 call was running when the copy was made: the outcome will be in the store, not in the copy.';
  expect(made.missing).toContainEqual({ kind: 'open calls', count: 1, message });
  expect(fs.readdirSync(place.dir).filter((name) => name.startsWith('copy'))).toEqual(['copy.db']);
  expect(await diedLine(place)).toBeUndefined();

  await peer.kill('SIGKILL');
  const later = json(await colibri(place, ['backup', '--json'])).missing;
  expect(later).toContainEqual({
    kind: 'open calls',
    count: 1,
    message: expect.stringMatching(/whose process is gone/),
  });
  expect(await diedLine(place)).toBe('1 process died and left 1 call open: the next server closes it');
  expect(await processesTold(place)).toMatchObject([
    { state: 'ok' },
    { state: 'warning', message: '1 process died without shutting down; at least 1 call is open' },
  ]);
  await useMore(place);
  expect(await processesTold(place)).toMatchObject([{ state: 'ok' }]);

  replaceStore(place, copy);
  expect((await colibri(place, ['accept-loss', 'a test', '--yes'])).code).toBe(0);
  await useMore(place);
  expect(await processesTold(place)).toMatchObject([
    { state: 'ok' },
    { state: 'ok', message: expect.stringMatching(/^at least 1 call of a log that was closed .*never will/) },
  ]);
  expect(await diedLine(place)).toBeUndefined();
  const { calls } = json(await colibri(place, ['log', '--outcome', 'lost', '--json']));
  expect(calls).toMatchObject([{ tool: 'sleep_open' }]);
});
