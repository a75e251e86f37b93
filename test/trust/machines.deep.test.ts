// Approvals of a team: asked for on one machine, answered on another, each with a log of its own in one database.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { verifyProof } from '../../src/proof/index.js';
import { readProof } from '../../src/proof/proof-file.js';
import { buildChecker, missingGo, verdicts } from '../go/checker.js';
import { nodeCrypto } from '../proofs/node-crypto.js';
import { colibri, json, rows } from '../support/command-line.js';
import { freshDatabase, noPostgres } from '../support/postgres.js';
import { nodeOn } from '../support/postgres-nodes.js';
import { eventually } from '../support/process-list.js';
import { type Message, session } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { approvalsOf, approve } from './answering.js';
import { MINUTE, withClock } from './moved-clock.js';
import { errorOf, toolNamed, trustClient, untilListed, worldWith } from './places.js';

test.skipIf(noPostgres())(
  'a yes from another machine counts once, and the proof says where the answer is not',
  { timeout: 120_000 },
  async () => {
    const { url, drop } = await freshDatabase();
    onTestFinished(drop);
    const [ada, ben] = [nodeOn(url), nodeOn(url)];
    await session(ben, async () => {}); // a machine has a log once it served
    const tools = join(ada.dir, 'tools.json');
    writeFileSync(tools, JSON.stringify([toolNamed('wipe')]));
    writeBoard(ada, { far: { ...fakeServer('changing', { TOOLS: tools }), tools: { ask: ['wipe'] } } });
    const client = await trustClient(ada, 'v2 legacy');
    await untilListed(client, 'far__wipe');
    const asked = await client.call('far__wipe', { path: '/x' });
    expect(await approve(ben, errorOf(asked)?.details.approval_id)).toMatchObject({ code: 0 });
    expect((await client.call('far__wipe', { path: '/x' })).isError).not.toBe(true);
    expect(errorOf(await client.call('far__wipe', { path: '/x' }))?.code).toBe('APPROVAL_REQUIRED');
    await client.close();
    // Ben's last record, the answer, is signed when Colibri next runs there; until then only he can say who wrote it.
    const verified = await colibri(ada, ['verify']);
    expect(verified, verified.stdout).toMatchObject({
      code: 10,
      stdout: expect.stringContaining('INTACT, INCOMPLETE'),
    });
    await session(ben, async () => {});
    const later = await colibri(ada, ['verify']);
    expect(later.stdout).not.toContain('after the newest signature');
    expect([0, 10]).toContain(later.code);

    const used = (await approvalsOf(ada)).find(({ state }) => state === 'used');
    const out = join(ada.dir, 'call.tlog-proof');
    const made = json(await colibri(ada, ['prove', used?.used_by, '--out', out, '--json']));
    const text = readFileSync(out, 'utf8');
    const { records } = readProof(text)?.extra.call ?? { records: [] };
    const states = records.map(({ record }) => (JSON.parse(record) as Message).state);
    expect(states).toEqual([undefined, 'asked', 'used']);
    expect((await verifyProof(text, made.vkey, nodeCrypto)).holds).toBe(true);
    if (missingGo() !== undefined) return;
    const binary = buildChecker(ada.dir);
    expect(verdicts({ binary, vkey: made.vkey }, 'check-proof', [[Buffer.from(text)]])).toEqual(['ok']);
  },
);

test('a log that is continued under a new key: what was asked for before is void, can be answered, and contradicts nothing', {
  timeout: 90_000,
}, async () => {
  const world = worldWith([toolNamed('wipe')], { tools: { ask: ['wipe'] } });
  const { place } = world;
  const first = await trustClient(place, 'v1');
  await untilListed(first, 'far__wipe');
  const [waiting, granted] = [
    await first.call('far__wipe', { path: 'a' }),
    await first.call('far__wipe', { path: 'b' }),
  ];
  expect((await approve(place, errorOf(granted)?.details.approval_id)).code).toBe(0);
  await first.close();
  expect(await colibri(place, ['checkpoint', '--rotate', '--yes'])).toMatchObject({ code: 0 });
  const second = await trustClient(place, 'v2 modern');
  await untilListed(second, 'far__wipe');
  for (const [path, before] of Object.entries({ a: waiting, b: granted })) {
    const after = errorOf(await second.call('far__wipe', { path }));
    expect([path, after?.code]).toEqual([path, 'APPROVAL_REQUIRED']);
    expect(after?.details.approval_id).not.toBe(errorOf(before)?.details.approval_id);
  }
  expect((await approve(place, errorOf(waiting)?.details.approval_id)).code).toBe(0);
  expect(errorOf(await second.call('far__wipe', { path: 'a' }))?.code).toBe('APPROVAL_REQUIRED');
  await second.close();
  expect(world.calls()).toEqual([]);
  // What the old log asked for runs out too.
  const clock = withClock(place.dir);
  clock.ahead(30 * MINUTE);
  const third = await trustClient(place, 'v1', { env: clock.env });
  await untilListed(third, 'far__wipe');
  const waits = () => rows<{ state: string; args: string | null }>(place, 'SELECT state, args FROM approvals');
  await eventually('all ran out', () => waits().every(({ state, args }) => state === 'expired' && args === null));
  await third.close();
  const verified = await colibri(place, ['verify']);
  expect(verified, verified.stdout).toMatchObject({ code: 0 });
});
