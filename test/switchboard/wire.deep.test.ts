// Other servers through our door, with the clients people use: list, call, refusal, recovery, records.
import '../support/deep-part.js';
import './wire.test.js';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { Ledger } from '../support/ledger-check.js';
import { eventually, serverPid } from '../support/process-list.js';
import { CLIENT_KINDS, freshPlace, MAIN, MODERN, serve, session } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { hasServer, namesOf, testThreeServers, verify } from './wire.shared.js';

testThreeServers(CLIENT_KINDS.slice(1));

test('a client of the new era that listens is told of changes', { timeout: 30_000 }, async () => {
  const place = freshPlace();
  writeBoard(place, { plain: fakeServer('plain') });
  const client = new Client({ name: 'm', version: '1' }, { versionNegotiation: { mode: { pin: MODERN } } });
  const env = { ...place.env };
  const transport = new StdioClientTransport({
    command: 'node',
    args: [MAIN, 'serve'],
    cwd: place.dir,
    env,
    stderr: 'ignore',
  });
  await client.connect(transport);
  place.onEnd(() => client.close());
  let told = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => void told++);
  await client.listen({ toolsListChanged: true });
  const names = async () =>
    (await client.listTools({}, { cacheMode: 'bypass' })).tools.map(({ name }: { name: string }) => name);
  await eventually('it is listed', async () => (await names()).includes('plain__echo'));
  const before = told;
  writeBoard(place, { plain: fakeServer('plain'), counts: fakeServer('counts') });
  await eventually('it is told', () => told > before);
  await eventually('both are listed', async () => (await names()).includes('counts__echo'));
});

test('the file is applied when it is saved, a broken one is not, and the list says so', {
  timeout: 30_000,
}, async () => {
  const place = freshPlace();
  const file = writeBoard(place, { plain: fakeServer('plain') });
  const { peer } = await session(place, async (peer) => {
    await untilHealthy(peer, 'plain');
    expect(namesOf(await peer.request('tools/list'))).toContain('plain__echo');
    const pid = serverPid(peer.pid, 'plain.mjs');
    writeBoard(place, { plain: fakeServer('plain'), counts: fakeServer('counts') });
    await peer.until(() => peer.lines.some((line) => line.includes('tools/list_changed')));
    expect(namesOf(await peer.request('tools/list'))).toContain('counts__echo');
    expect(serverPid(peer.pid, 'plain.mjs')).toBe(pid);

    fs.writeFileSync(file, '{\n  "mcpServers": {\n    "plain": { "command": 7 }\n  }\n}');
    await peer.until(() => peer.stderr.includes('switchboard.json:3:27 mcpServers.plain.command'));
    expect((await peer.call('plain__echo', {})).result.isError).toBeUndefined();
    const board = await colibri(place, ['switchboard', '--json']);
    await eventually('the board tells', async () => (await colibri(place, ['switchboard'])).stdout.includes(':3:27 '));
    expect(JSON.parse(board.stdout).processes).toHaveLength(1);

    writeBoard(place, { plain: fakeServer('plain') });
    await eventually('it is gone', () => !hasServer(peer.pid, 'counts.mjs'));
    const removed = await peer.call('counts__echo', {});
    expect(removed.result._meta['dev.colibri/refusal'].error.details).toMatchObject({ reason: 'removed' });
    expect(serverPid(peer.pid, 'plain.mjs')).toBe(pid);
  });
  for (const line of peer.lines) expect(() => JSON.parse(line)).not.toThrow();
  const { records } = new Ledger(place.db);
  const configs = records.filter(({ kind }) => kind === 'config').map(({ body }) => body);
  expect(configs).toMatchObject([
    { what: 'switchboard', added: ['plain'], removed: [], changed: [] },
    { added: ['counts'], removed: [] },
    { added: [], removed: ['counts'] },
  ]);
  expect(records.filter(({ kind }) => kind === 'catalogue')).toHaveLength(2);
  expect(await verify(place)).toBe(0);
});

test.each(['READONLY', 'MINIMAL'])('mode %s starts none', async (mode) => {
  const place = freshPlace();
  const marker = join(place.dir, 'marker');
  await session(place, async (peer) => void (await peer.call('server_ping')));
  writeBoard(place, { plain: { command: 'sh', args: ['-c', `touch ${marker}`] } });
  const peer = serve(place, { env: { COLIBRI_MODE: mode } });
  await peer.initialize();
  expect(namesOf(await peer.request('tools/list')).filter((name) => name.includes('__'))).toEqual([]);
  await new Promise((resolve) => setTimeout(resolve, 800));
  await peer.end();
  expect(fs.existsSync(marker)).toBe(false);
});

test('a switchboard behind two switchboards starts none', async () => {
  const place = freshPlace();
  const marker = join(place.dir, 'marker');
  writeBoard(place, { plain: { command: 'sh', args: ['-c', `touch ${marker}`] } });
  const wait = async () => void (await new Promise((resolve) => setTimeout(resolve, 1_000)));
  await session(place, wait, { env: { COLIBRI_DEPTH: '2' } });
  expect(fs.existsSync(marker)).toBe(false);
  await session(place, wait, { env: { COLIBRI_DEPTH: '1' } });
  expect(fs.existsSync(marker)).toBe(true);
});
