// kill -9 of the whole process in the middle of calls: nothing that it started outlives it by more than 5 s. And if its
// watchdog was killed before it, the next start ends what is left.
import { describe, expect, test } from 'vitest';
import { eventually } from '../support/process-list.js';
import { freshPlace } from '../support/serve.js';
import { EVERYBODY, load, loaded, PROMISED_MS, SLACK_MS } from './killed.shared.js';
import { canListProcesses, livingProcesses } from './living-processes.js';

describe.runIf(canListProcesses)('kill -9', { timeout: 60_000 }, () => {
  test('of a process with calls in flight leaves nothing', async () => {
    const place = freshPlace();
    const peer = await loaded(place);
    load(peer);
    await peer.until(() => peer.messages.some(({ id }) => String(id).startsWith('load-')));
    expect(livingProcesses(place)).toHaveLength(EVERYBODY);
    await peer.kill('SIGKILL');
    await eventually('nothing is left', () => livingProcesses(place).length === 0, PROMISED_MS + SLACK_MS);
  });
});
