// A server that dies, stays away and comes back, seen from the client's side.

import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Ledger } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Message, modernMeta, serve, session } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { refusalOf } from './refusal.shared.js';

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

test('a crash in the middle of a call has one effect and one pair', { timeout: 30_000 }, async () => {
  const place = freshPlace();
  const log = join(place.dir, 'calls.log');
  writeBoard(place, { crashes: fakeServer('crashes', { LOG: log }) });
  await session(place, async (peer) => {
    await untilHealthy(peer, 'crashes');
    const answer = await peer.call('crashes__echo', {});
    expect(refusalOf(answer)).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    expect(answer.result.content[0].text).toMatch(/may or may not have done its work/);
  });
  expect(fs.readFileSync(log, 'utf8').match(/called/g)).toHaveLength(1);
  expect(new Ledger(place.db).calls).toEqual(['crashes__echo failed OUTCOME_UNKNOWN']);
});
