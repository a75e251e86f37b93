// Calls that need a person's yes: every client at every door, and the harder moments.
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { colibri, headsDir } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import { CLIENT_KINDS, type ClientKind } from '../support/serve.js';
import { approvalsOf, approve } from './answering.js';
import { testDoors, testExact, YES } from './approvals.shared.js';
import { type Elicited, errorOf, recordsOf, toolNamed, trustClient, untilListed, worldWith } from './places.js';

testDoors(CLIENT_KINDS);
testExact(CLIENT_KINDS);

const ASKED = { tools: { ask: ['wipe'] } };

test.each<ClientKind>(['v1', 'v2 legacy'])(
  'a %s client: after 45 s of silence the call is refused, and a late yes counts',
  { timeout: 120_000 },
  async (kind) => {
    const world = worldWith([toolNamed('wipe')], ASKED);
    let answer: (elicited: Elicited) => void = () => {};
    const client = await trustClient(world.place, kind, {
      onQuestion: () => new Promise<Elicited>((resolve) => (answer = resolve)),
    });
    await untilListed(client, 'far__wipe');
    const began = Date.now();
    const silent = await client.call('far__wipe');
    expect(errorOf(silent)?.code).toBe('APPROVAL_REQUIRED');
    expect(Date.now() - began).toBeGreaterThan(44_000);
    answer(YES);
    await eventually('the yes is recorded', async () => (await approvalsOf(world.place))[0]?.state === 'granted');
    expect((await client.call('far__wipe')).isError).not.toBe(true);
    expect(world.calls().length).toBe(1);
  },
);

test.each(CLIENT_KINDS)(
  'a %s client that asks by itself: only where it is named and was shown the mark',
  async (kind) => {
    const world = worldWith([toolNamed('wipe')], { ...ASKED, ask: { via: ['client', 'command'] } });
    const client = await trustClient(world.place, kind, { name: 'claude-code' });
    // It has not seen the list yet.
    await eventually('it is there', async () => {
      const answer = await client.call('far__wipe').catch(() => ({})); // on a busy machine its tools are not known yet
      return errorOf(answer)?.code === 'APPROVAL_REQUIRED';
    });
    const listed = await untilListed(client, 'far__wipe');
    expect(listed._meta).toMatchObject({ 'anthropic/requiresUserInteraction': true });
    expect((await client.call('far__wipe', { path: 'a' })).isError).not.toBe(true);
    expect((await client.call('far__wipe', { path: 'a' })).isError).not.toBe(true);
    const routed = await client.call('router_call', { server: 'far', tool: 'wipe', arguments: { path: 'a' } });
    expect(errorOf(routed)?.code).toBe('APPROVAL_REQUIRED');
    await client.close();
    const stranger = await trustClient(world.place, kind, { name: 'another' });
    await untilListed(stranger, 'far__wipe');
    expect(errorOf(await stranger.call('far__wipe', { path: 'b' }))?.code).toBe('APPROVAL_REQUIRED');
    await stranger.close();
    const used = recordsOf(world.place, 'approval').filter(({ state }) => state === 'used');
    expect(used.map(({ via, by, claimed }) => [via, by, claimed])).toEqual(
      Array(2).fill(['client', 'claude-code 7.7', true]),
    );
    expect((await colibri(world.place, ['verify'])).code).toBe(0);
  },
);

test('two processes race for one approval: one call runs', async () => {
  const world = worldWith([toolNamed('wipe')], ASKED);
  const clients = await Promise.all(['v1', 'v2 modern'].map((kind) => trustClient(world.place, kind as ClientKind)));
  for (const client of clients) await untilListed(client, 'far__wipe');
  for (let round = 1; round <= 3; round++) {
    const args = { path: `race ${round}` };
    const asked = await Promise.all(clients.map((client) => client.call('far__wipe', args)));
    const ids = new Set(asked.map((answer) => errorOf(answer)?.details.approval_id));
    expect(ids.size).toBe(1);
    expect((await approve(world.place, [...ids][0])).code).toBe(0);
    const answers = await Promise.all(
      [...clients, ...clients, ...clients].map((client) => client.call('far__wipe', args)),
    );
    expect(answers.filter(({ isError }) => isError !== true).length).toBe(1);
    expect(world.calls().length).toBe(round);
  }
});

test('killed while an approved call waits for its turn: the yes is still there, and good once', {
  timeout: 90_000,
}, async () => {
  const world = worldWith([toolNamed('wipe'), toolNamed('slow')], { ...ASKED, concurrency: 1 });
  const client = await trustClient(world.place, 'v2 legacy');
  await untilListed(client, 'far__wipe');
  const asked = await client.call('far__wipe');
  expect((await approve(world.place, errorOf(asked)?.details.approval_id)).code).toBe(0);
  client.call('far__slow', { ms: 20_000 }).catch(() => {});
  await eventually('the server is busy', () => world.calls().length === 1);
  client.call('far__wipe').catch(() => {});
  await sleep(500);
  expect((await approvalsOf(world.place))[0]?.state).toBe('granted');
  const colibriPid = Number(spawnSync('pgrep', ['-P', String(client.pid)], { encoding: 'utf8' }).stdout.trim());
  process.kill(colibriPid, 'SIGKILL');
  await client.close().catch(() => {});
  expect(world.calls().length).toBe(1);
  const again = await trustClient(world.place, 'v1');
  await untilListed(again, 'far__wipe');
  expect((await again.call('far__wipe')).isError).not.toBe(true);
  expect(errorOf(await again.call('far__wipe'))?.code).toBe('APPROVAL_REQUIRED');
  expect(world.calls().length).toBe(2);
});

test('killed after a yes was used: it is used, whether the call was sent or not', { timeout: 90_000 }, async () => {
  const world = worldWith([toolNamed('wipe')], ASKED);
  const client = await trustClient(world.place, 'v2 legacy');
  await untilListed(client, 'far__wipe');
  const asked = await client.call('far__wipe', { ms: 20_000 });
  expect((await approve(world.place, errorOf(asked)?.details.approval_id)).code).toBe(0);
  client.call('far__wipe', { ms: 20_000 }).catch(() => {});
  await eventually('it is used', async () => (await approvalsOf(world.place))[0]?.state === 'used');
  const colibriPid = Number(spawnSync('pgrep', ['-P', String(client.pid)], { encoding: 'utf8' }).stdout.trim());
  process.kill(colibriPid, 'SIGKILL');
  await client.close().catch(() => {});
  const sent = world.calls().length;
  expect(sent).toBeLessThan(2);
  const again = await trustClient(world.place, 'v1');
  await untilListed(again, 'far__wipe');
  expect(errorOf(await again.call('far__wipe', { ms: 20_000 }))?.code).toBe('APPROVAL_REQUIRED');
  expect(world.calls().length).toBe(sent);
  await again.close();
  const records = recordsOf(world.place, 'call.exit').filter(({ tool }) => tool === 'far__wipe');
  expect(records.map(({ outcome }) => outcome)).toContain('interrupted');
  expect((await colibri(world.place, ['verify'])).code).toBe(0);
});

const VERIFIER = new URL('../python/verify.py', import.meta.url).pathname;

test('a second verifier reads approvals as this one does', async () => {
  const world = worldWith([toolNamed('wipe')], ASKED);
  const { place } = world;
  const answers: Elicited[] = [YES, { action: 'decline' }];
  const client = await trustClient(place, 'v2 modern', { onQuestion: () => answers.shift() ?? { action: 'cancel' } });
  await untilListed(client, 'far__wipe');
  for (const path of ['a', 'b', 'c']) await client.call('far__wipe', { path });
  await client.close();
  expect((await colibri(place, ['verify'])).code).toBe(0);
  const { status, stdout } = spawnSync('python3', [VERIFIER, place.db, '--heads', headsDir(place)], {
    encoding: 'utf8',
  });
  expect([status, status === 0 ? '' : stdout]).toEqual([0, '']);
});
