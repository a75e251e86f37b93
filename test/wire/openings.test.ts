// The two orders in which clients open a connection: with `initialize`, or with `server/discover` and, if that is answered, no handshake. Both
// must give the same tools, and a client that tries one after the other must be served, too.
import { expect, test } from 'vitest';
import { Ledger } from '../support/ledger-check.js';
import { freshPlace, type Message, modernMeta, type Peer, serve } from '../support/serve.js';

const NAME = 'claude-code';

const discover = (peer: Peer): Promise<Message> => peer.request('server/discover', { _meta: modernMeta(NAME) });

const namesIn = (answer: Message): string[] => answer.result.tools.map(({ name }: Message) => name);

const opened = async (): Promise<{ peer: Peer; place: ReturnType<typeof freshPlace> }> => {
  const place = freshPlace();
  return { peer: serve(place), place };
};

const pingBy = (place: ReturnType<typeof freshPlace>): Message =>
  new Ledger(place.db).records.find(({ kind }) => kind === 'call.enter')?.body as Message;

test('`initialize` first: the handshake, then tools and calls without an envelope', async () => {
  const { peer, place } = await opened();
  const answer = await peer.initialize(NAME, '2025-11-25');
  expect(answer.result).toMatchObject({ protocolVersion: '2025-11-25', serverInfo: { name: 'colibri' } });
  expect(namesIn(await peer.request('tools/list', {}))).toContain('task_create');
  await peer.phase2();
  expect((await peer.call('server_ping', {})).result.structuredContent.ok).toBe(true);
  await peer.end();
  expect(pingBy(place).client).toMatchObject({ name: NAME, protocol: '2025-11-25' });
});

test('`server/discover` first: no handshake, every request carries its envelope', async () => {
  const { peer, place } = await opened();
  const answer = await discover(peer);
  expect(answer.result.supportedVersions).toContain('2026-07-28');
  const _meta = modernMeta(NAME);
  expect(namesIn(await peer.request('tools/list', { _meta }))).toContain('task_create');
  await peer.phase2();
  const ping = await peer.request('tools/call', { name: 'server_ping', arguments: {}, _meta });
  expect(ping.result.structuredContent.ok).toBe(true);
  await peer.end();
  expect(pingBy(place).client).toMatchObject({ name: NAME, protocol: '2026-07-28' });
});

test('both orders list the same tools', async () => {
  const { peer: old } = await opened();
  await old.initialize(NAME, '2025-11-25');
  const { peer: modern } = await opened();
  await discover(modern);
  const names = namesIn(await modern.request('tools/list', { _meta: modernMeta(NAME) }));
  expect(namesIn(await old.request('tools/list', {}))).toEqual(names);
});

test('`server/discover`, then `initialize` all the same: the handshake counts', async () => {
  const { peer } = await opened();
  await discover(peer);
  expect((await peer.initialize(NAME, '2025-11-25')).result?.protocolVersion).toBe('2025-11-25');
  expect(namesIn(await peer.request('tools/list', {}))).toContain('task_create');
});
