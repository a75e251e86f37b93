// A server that dies, stays away and comes back, seen from the client's side.
import { expect, test } from 'vitest';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Message, modernMeta, serve } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';

/** Both ways through the door give the same bytes, but for the receipt. */
test.each(['legacy', 'modern'] as const)('the two lanes answer alike: %s', { timeout: 30_000 }, async (era) => {
  const place = freshPlace();
  writeBoard(place, { modern: fakeServer('modern'), plain: fakeServer('plain') });
  const peer = serve(place);
  const meta = era === 'modern' ? { _meta: modernMeta('raw') } : {};
  if (era === 'legacy') await peer.initialize();
  else await peer.request('server/discover', meta);
  await peer.phase2();
  await untilHealthy(peer, 'plain');
  await untilHealthy(peer, 'modern');
  const plain = (answer: Message): string => {
    const text = JSON.stringify({ ...answer, id: 0 });
    return text.replace(/"dev\.colibri\/receipt":\{[^}]*\}/g, '"receipt":0');
  };
  for (const name of ['plain__echo', 'modern__echo', 'plain__fail', 'modern__fail', 'plain__nope']) {
    const params = { name, arguments: { a: 1 }, ...meta };
    // The first call of a kind is what the SDK has to accept; an unknown member keeps a call on its way.
    const slow = await peer.request('tools/call', { ...params, slow: true });
    const fast = await peer.request('tools/call', params);
    expect(plain(fast)).toBe(plain(slow));
  }
  await eventually('it ends', async () => (await peer.end()).code === 0);
});
