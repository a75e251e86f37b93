// Names and reasons stand in records for good: nobody can erase them, so a secret in one must not get there.
import { expect, test, vi } from 'vitest';
import { colibri, dataOf, rows } from '../support/command-line.js';
import { SHAPED_SECRETS } from '../support/secrets.js';
import { freshPlace, serve } from '../support/serve.js';
import { writeBoard } from '../support/switchboard-file.js';
import { written } from './secrets.shared.js';

vi.setConfig({ testTimeout: 60_000 });

const secretOf = (kind: string): string => SHAPED_SECRETS.find((one) => one.kind === kind)?.secret ?? '';
const [CLIENT, VERSION, TOOL, HOST, SERVER, REASON] = [
  'GitHub classic',
  'Slack bot',
  'npm',
  'GitLab',
  'Docker Hub',
  'Stripe live',
].map(secretOf) as [string, string, string, string, string, string];
/** Longer than a record keeps of a name: the secret lies across the cut. */
const LONG_CLIENT = `${'c'.repeat(110)} ${CLIENT}`;

test('client, version, tool, conversation, server and reason: in no record, and the store verifies', async () => {
  const place = freshPlace();
  writeBoard(place, { [`srv-${SERVER}`]: { command: 'node', args: ['-e', ''] } });
  const peer = serve(place);
  await peer.request('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: { experimental: { [CLIENT]: {} } },
    clientInfo: { name: LONG_CLIENT, version: VERSION, title: CLIENT },
  });
  peer.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  await peer.phase2();
  await peer.call(`tool ${TOOL}`, { a: 1 });
  await peer.request('tools/call', { name: 'server_ping', _meta: { threadId: HOST, 'vscode.requestId': `t-${HOST}` } });
  const { thought_id } = dataOf(await peer.call('thought_record', { type: 'plan', content: 'rest' }));
  await peer.end();
  const erased = await colibri(place, ['erase', thought_id, '--yes', '--reason', `held ${REASON}, password=hunter2`]);
  expect(erased.code, erased.stderr).toBe(0);

  const bodies = rows<{ body: string }>(place, 'SELECT body FROM actions').map(({ body }) => JSON.parse(body));
  const enter = bodies.find(({ kind }) => kind === 'call.enter');
  expect(enter).toMatchObject({
    tool: 'tool [redacted]',
    client: { name: `${'c'.repeat(110)} [redacted]`, version: '[redacted]' },
  });
  expect(bodies.find(({ host }) => host !== undefined).host).toEqual({
    conversation: '[redacted]',
    turn: 't-[redacted]',
  });
  expect(bodies.find(({ kind }) => kind === 'erase').reason).toBe('held [redacted], password=[redacted]');
  const bytes = written(place);
  const seen = [CLIENT, VERSION, TOOL, HOST, SERVER, REASON, 'hunter2'].filter((secret) => bytes.includes(secret));
  expect(seen).toEqual([]);
  expect((await colibri(place, ['verify'])).code).toBe(0);
});
