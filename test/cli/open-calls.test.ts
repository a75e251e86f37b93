// Calls without an outcome: whose process lives, whose died, and those that nobody can end any more. Each is called what it is.
import { expect, test, vi } from 'vitest';
import { rows } from '../support/command-line.js';
import { freshPlace, serve } from '../support/serve.js';
import { diedLine, processesTold } from './open-calls.shared.js';
import { waitUntil } from './store-upkeep.js';

// Each starts a dozen processes, and others may be busy too.
vi.setConfig({ testTimeout: 120_000 });

test('a process that died and left nothing open is not said to have left calls', async () => {
  const place = freshPlace();
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await peer.call('server_ping', {});
  await waitUntil(() => rows(place, `SELECT 1 FROM actions WHERE kind = 'call.exit'`).length > 0);
  await peer.kill('SIGKILL');
  expect(await diedLine(place)).toBe('1 process died and left no call open');
  expect((await processesTold(place))[1]?.message).toBe(
    '1 process died without shutting down; no call seems to be open because of it',
  );
});
