// A machine that slept: Colibri is stopped for longer than a call may take, and the answer is on the pipe when it goes on.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freshPlace, type Message, serve } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { verify } from '../switchboard/wire.shared.js';
import { hostileHttp, json } from './hostile-http.js';

const said = ({ id }: Message): object => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text: 'late' }] },
});

test('answers that came during the sleep are taken, over both transports and out of the queue', {
  timeout: 60_000,
}, async () => {
  const place = freshPlace();
  const late = await hostileHttp({
    attacks: {
      late: ({ message, response }) => void setTimeout(() => json(response, 200, said(message)), 600),
      streamed: ({ message, response }) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        setTimeout(() => response.end(`data: ${JSON.stringify(said(message))}\n\n`), 600);
      },
    },
  });
  writeBoard(place, {
    slow: { ...fakeServer('late'), timeoutMs: 2_000, concurrency: 2, health: { readiness: { intervalMs: 1_000 } } },
    web: { url: late.url, timeoutMs: 2_000 },
  });
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  await untilHealthy(peer, 'slow', 'web');
  for (const sleepMs of [3_000, 4_500]) {
    // Two at work, one that waits for its turn, two over HTTP.
    const tools = ['slow__late', 'slow__late', 'slow__late', 'web__late', 'web__streamed'];
    const calls = tools.map((tool, n) => peer.call(tool, { n }));
    await sleep(250);
    process.kill(peer.pid, 'SIGSTOP');
    await sleep(sleepMs);
    process.kill(peer.pid, 'SIGCONT');
    const texts = (await Promise.all(calls)).map(({ result, error }) => result?.content?.[0]?.text ?? error?.message);
    expect(texts).toEqual(tools.map(() => 'late'));
  }
  expect(peer.stderr).not.toMatch(/: HEALTHY →/);
  expect((await peer.end()).code).toBe(0);
  expect(await verify(place)).toBe(0);
});
