// How long the first `tools/list` waits for servers that nobody has seen: some clients drop a server that answers late, others ask again.
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Message, modernMeta, type Peer, type Place, serve } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { namesOf } from './wire.shared.js';

const CODEX = 'codex-mcp-client';

/** A process that is up, with its store open, so that only servers are waited for. */
const started = async (place: Place): Promise<Peer> => {
  const peer = serve(place);
  await peer.phase2();
  return peer;
};

const timed = async (list: () => Promise<Message>): Promise<{ ms: number; names: string[] }> => {
  const began = performance.now();
  const names = namesOf(await list());
  return { ms: performance.now() - began, names };
};

/** What separates the two kinds of clients, on a machine that is busy with other tests: 300 ms and 2 s are promised. */
const [QUICK_MS, SLOW_MS] = [1_600, 1_800];

/** A server that nobody has seen and that does not start. */
const NEVER = (): ReturnType<typeof fakeServer> => fakeServer('slow-start', { SLOW_MS: '20000' });

test.each([
  ['Codex, which drops a server that answers late', CODEX, 0, QUICK_MS],
  ['an unknown client', 'somebody', 0, QUICK_MS],
  ['Claude Code, which asks again when the list has changed', 'claude-code', SLOW_MS, 5_000],
  ['VS Code, likewise', 'Visual Studio Code', SLOW_MS, 5_000],
])('%s: the first list', { timeout: 30_000 }, async (_, name, leastMs, mostMs) => {
  const place = freshPlace();
  writeBoard(place, { slow: NEVER() });
  const peer = await started(place);
  await peer.initialize(name);
  const { ms, names } = await timed(() => peer.request('tools/list', {}));
  expect(names).toContain('task_create');
  expect(ms).toBeGreaterThanOrEqual(leastMs);
  expect(ms).toBeLessThan(mostMs);
});

deepTest('a modern client waits longer once it listens to changes of the list', { timeout: 30_000 }, async () => {
  const place = freshPlace();
  writeBoard(place, { slow: NEVER() });
  const peer = await started(place);
  const _meta = modernMeta('somebody');
  await peer.request('server/discover', { _meta });
  const early = await timed(() => peer.request('tools/list', { _meta }));
  expect(early.ms).toBeLessThan(QUICK_MS);
  const notifications = { toolsListChanged: true };
  peer.send({ jsonrpc: '2.0', id: 'listen', method: 'subscriptions/listen', params: { notifications, _meta } });
  const late = await timed(() => peer.request('tools/list', { _meta }));
  expect(early.ms + late.ms).toBeGreaterThan(SLOW_MS);
});

deepTest(
  'a stored list of tools is in the first list, also of a client with other capabilities',
  {
    timeout: 60_000,
  },
  async () => {
    const place = freshPlace();
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the switchboard file
    writeBoard(place, { slow: fakeServer('slow-start', { SLOW_MS: '${SLOW_MS}' }) });
    place.env.SLOW_MS = '0';
    const first = serve(place);
    await first.initialize(CODEX);
    await eventually('it is listed', async () => namesOf(await first.request('tools/list', {})).includes('slow__echo'));
    await eventually('it is stored', () => first.stderr.includes('slow: STARTING → HEALTHY'));
    await first.end();
    // The connection is the same: variables are not part of it.
    place.env.SLOW_MS = '20000';
    const second = await started(place);
    const capabilities = { elicitation: {}, roots: {} };
    await second.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities,
      clientInfo: { name: CODEX, version: '1' },
    });
    second.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const { ms, names } = await timed(() => second.request('tools/list', {}));
    expect(names).toContain('slow__echo');
    expect(ms).toBeLessThan(2_000);
  },
);
