// A provider of a route asks the client something in the middle of a call: the answer goes back to that provider, in every pair
// of eras, through the route and through the router tools.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import type { RouteNote } from '../../src/proof/records.js';
import { Ledger } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, MAIN, type Message, MODERN, modernMeta, serve } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';

const ERAS = ['legacy', 'modern'] as const;
type Era = (typeof ERAS)[number];

const far = (era: Era) => {
  const entry = fakeServer('crossing');
  return { ...entry, args: [...(entry.args as string[]), era] };
};

const ROUTES = { routes: { 'ask:it': ['dead/elicit', 'far/elicit'], 'link:it': ['far/link'] } };

test.each(ERAS.flatMap((client) => ERAS.map((server) => [client, server] as const)))(
  'a %s client, a %s server',
  { timeout: 60_000 },
  async (clientEra, serverEra) => {
    const place = freshPlace();
    writeBoard(place, { dead: fakeServer('dead'), far: far(serverEra) }, ROUTES);
    const mode = clientEra === 'modern' ? { pin: MODERN } : 'legacy';
    const client = new Client(
      { name: 'c', version: '1' },
      { versionNegotiation: { mode }, capabilities: { elicitation: { form: {} } } },
    );
    let asked = 0;
    client.setRequestHandler('elicitation/create', () => {
      asked += 1;
      return { action: 'accept', content: { answer: 'yes' } };
    });
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [MAIN, 'serve'],
      env: place.env,
      cwd: place.dir,
      stderr: 'ignore',
    });
    await client.connect(transport);
    place.onEnd(() => client.close());
    // Servers of the old era are dialled with what the client says of itself before its first call.
    await client.listTools();
    await eventually('the route is served', async () => {
      const { structuredContent } = await client.callTool({ name: 'router_score', arguments: { route: 'ask:it' } });
      const { data } = structuredContent as Message;
      return data.winner?.server === 'far' && data.candidates[0].state === 'UNHEALTHY';
    });
    const call = async (name: string, args: Message = {}): Promise<Message[]> =>
      (await client.callTool({ name, arguments: args })).content as Message[];
    const given = { kind: 'elicit', action: 'accept', content: { answer: 'yes' } };
    const [direct] = await call('ask__it', { a: 1 });
    expect(JSON.parse(direct?.text)).toMatchObject({ given });
    const [, through] = await call('router_fallback', { route: 'ask:it', arguments: { a: 1 } });
    expect(JSON.parse(through?.text)).toMatchObject({ given });
    const [, named] = await call('router_call', { server: 'far', tool: 'elicit', arguments: { a: 1 } });
    expect(JSON.parse(named?.text)).toMatchObject({ given });
    expect(asked).toBe(3);

    // What a provider links to is known to be its own.
    await call('link__it');
    const read = await client.readResource({ uri: 'hidden://treasure' }).catch((error: unknown) => error);
    expect(JSON.stringify(read)).not.toContain('There is no');
    await client.close();

    const ledger = new Ledger(place.db);
    const reading = ledger.ofKind('call.exit').find(({ tool }) => tool === 'resources/read');
    expect(reading?.route).toMatchObject({
      name: null,
      candidates: [{ server: 'far', tool: 'resources/read', state: 'HEALTHY', eligible: true }],
      attempts: [{ server: 'far', tool: 'resources/read', sent: true }],
    });
    const exits = ledger.ofKind('call.exit').filter(({ route }) => route?.name === 'ask:it');
    const notes = exits.filter(({ tool }) => tool !== 'router_score').map(({ route }) => route as RouteNote);
    expect(notes.length).toBeGreaterThanOrEqual(2);
    for (const note of notes) {
      expect(note.candidates).toMatchObject([{ server: 'dead', eligible: false }, { server: 'far' }]);
      expect(new Set(note.attempts.map(({ server }) => server))).toEqual(new Set(['far']));
    }
    const hows = notes.flatMap(({ attempts }) => attempts.map(({ how }) => how));
    expect(hows).toContain('result');
    const isAskedOnTheWay = clientEra === 'modern' || serverEra === 'modern';
    expect(hows.includes('input')).toBe(isAskedOnTheWay);
  },
);

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
