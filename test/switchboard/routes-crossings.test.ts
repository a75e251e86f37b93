// A provider of a route asks the client something in the middle of a call: the answer goes back to that provider, in every pair
// of eras, through the route and through the router tools.

import { expect, test } from 'vitest';
import type { RouteNote } from '../../src/proof/switchboard-records.js';
import { Ledger } from '../support/ledger-check.js';
import { freshPlace, type Message, modernMeta, serve } from '../support/serve.js';
import { writeBoard } from '../support/switchboard-file.js';
import { CELLS, far, testQuestions } from './routes-crossings.shared.js';

testQuestions(CELLS.slice(0, 1)); // routes-crossings.deep.test.ts has the other pairs

test('a state that is forged, or of another provider, is refused and reaches nobody', { timeout: 60_000 }, async () => {
  const place = freshPlace();
  writeBoard(
    place,
    { far: far('modern'), other: far('modern') },
    { routes: { 'ask:it': ['far/elicit', 'other/elicit'] } },
  );
  const peer = serve(place);
  const _meta = {
    ...modernMeta('raw'),
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };
  await peer.request('server/discover', { _meta });
  await peer.phase2();
  await peer.until(() => ['far', 'other'].every((name) => peer.stderr.includes(`${name}: STARTING → HEALTHY`)), 30_000);
  const call = (more: Message = {}) =>
    peer.request('tools/call', { name: 'ask__it', arguments: { a: 1 }, _meta, ...more });
  const first = await call();
  expect(first.result).toMatchObject({ resultType: 'input_required', requestState: expect.stringMatching(/^0\./) });
  const { requestState } = first.result as { requestState: string };
  const inputResponses = { q: { action: 'accept', content: { answer: 'yes' } } };
  for (const state of [
    requestState.replace(/^0\./, '1.'),
    requestState.replace(/^0\./, '7.'),
    requestState.replace(/^0\./, ''),
    `${requestState}x`,
    'nonsense',
    '',
  ]) {
    const { error } = await call({ inputResponses, requestState: state });
    expect(error, state).toMatchObject({ code: -32602, data: { reason: 'invalid_request_state' } });
  }
  const { error } = await call({ inputResponses, requestState, arguments: { a: 2 } });
  expect(error).toMatchObject({ code: -32602 });
  const last = await call({ inputResponses, requestState });
  expect(JSON.parse(last.result.content[0].text)).toMatchObject({ given: { action: 'accept' } });
  await peer.end();
  const refused = new Ledger(place.db).ofKind('call.exit').filter(({ code }) => code === '-32602');
  expect(refused).toHaveLength(7);
  expect(refused.flatMap(({ route }) => (route as RouteNote).attempts.filter(({ sent }) => sent))).toEqual([]);
});
