// A client that closes our stderr must not end us: calls go on and the end is recorded.
import { expect, it } from 'vitest';
import { Ledger } from '../support/ledger-check.js';
import { freshPlace, serve } from '../support/serve.js';

it('stderr closed by the client: calls go on, the ledger ends with a shutdown', async () => {
  const place = freshPlace();
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  peer.closeStderr();
  for (let i = 0; i < 5; i++) peer.send('not json'); // each is logged
  expect((await peer.call('server_ping', {})).result.structuredContent.ok).toBe(true);
  expect((await peer.end()).code).toBe(0);
  expect(new Ledger(place.db).records.at(-1)?.kind).toBe('shutdown');
});
