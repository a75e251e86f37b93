// A machine that slept: Colibri is stopped for longer than a call may take, and the answer is on the pipe when it goes on.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freshPlace, serve } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { verify } from '../switchboard/wire.shared.js';
import { hostileHttp, json } from './hostile-http.js';

test('answers that came during the sleep are taken, over both transports and out of the queue', {
  timeout: 40_000,
}, async () => {
  const place = freshPlace();
  const late = await hostileHttp({
    attacks: {
      late: ({ message: { id }, response }) =>
        void setTimeout(
          () => json(response, 200, { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'late' }] } }),
          600,
        ),
    },
  });
  writeBoard(place, {
    slow: { ...fakeServer('late'), timeoutMs: 1_000, concurrency: 2 },
    web: { url: late.url, timeoutMs: 1_000 },
  });
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await untilHealthy(peer, 'slow', 'web');
  // Two at work, one that waits for its turn, one over HTTP.
  const calls = [...[1, 2, 3].map((n) => peer.call('slow__late', { n })), peer.call('web__late', {})];
  await sleep(250);
  process.kill(peer.pid, 'SIGSTOP');
  await sleep(3_000);
  process.kill(peer.pid, 'SIGCONT');
  const texts = (await Promise.all(calls)).map(({ result, error }) => result?.content?.[0]?.text ?? error?.message);
  expect(texts).toEqual(['late', 'late', 'late', 'late']);
  expect((await peer.end()).code).toBe(0);
  expect(await verify(place)).toBe(0);
});
