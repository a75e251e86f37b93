// A server that dies, stays away and comes back, seen from the client's side.
import { expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { Ledger } from '../support/ledger-check.js';
import { descendants, processesWith } from '../support/process-list.js';
import { freshPlace, type Message, session } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { refusalOf } from './refusal.shared.js';

test('quarantine, probation with one request, and healthy again', { timeout: 40_000 }, async () => {
  const place = freshPlace();
  const health = { cooldownMs: 2_000, failuresToQuarantine: 1 };
  writeBoard(place, { plain: { ...fakeServer('plain'), health }, other: fakeServer('plain') });
  await session(place, async (peer) => {
    await untilHealthy(peer, 'plain');
    await untilHealthy(peer, 'other');
    const before = await peer.call('plain__echo', { pid: 1 });
    expect(before.result.isError).toBeUndefined();
    const hung = peer.call('plain__hang', {}).catch((thrown: unknown) => thrown);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const own = descendants(peer.pid);
    for (const pid of processesWith('plain.mjs').filter((one) => own.includes(one))) process.kill(pid, 'SIGKILL');
    // It was sent, and nobody knows: the caller must look before it calls again.
    const unknown = refusalOf((await hung) as Message);
    expect(unknown).toMatchObject({ code: 'OUTCOME_UNKNOWN', details: { how: 'lost', safe_to_retry: false } });
    const refused = refusalOf(await peer.call('plain__echo', {}));
    expect(refused).toMatchObject({
      code: 'TOOL_UNAVAILABLE',
      message: '503 Service Unavailable (Tool: plain)',
      details: { server: 'plain', tool: 'echo', state: 'QUARANTINE', reason: 'lost' },
    });
    expect(refused?.details.retry_after_ms).toBeLessThanOrEqual(2_300);
    await peer.until(() => peer.stderr.includes('plain: QUARANTINE → PROBATION'), 20_000);
    expect((await peer.call('plain__echo', { again: 1 })).result.content[0].text).toBe('{"again":1}');
    await peer.until(() => peer.stderr.includes('plain: PROBATION → HEALTHY'));
    expect(refusalOf(await peer.call('plain__echo', {}))).toBeUndefined();
  });
  const { records } = new Ledger(place.db);
  const moves = records
    .filter(({ kind, body }) => kind === 'health' && body.server === 'plain')
    .map(({ body }) => `${body.from} ${body.to} ${body.cause}`);
  expect(moves).toEqual([
    'STARTING HEALTHY dialled',
    'HEALTHY QUARANTINE lost',
    expect.stringMatching(/^QUARANTINE PROBATION/),
    'PROBATION HEALTHY call_answered',
  ]);
  expect((await colibri(place, ['switchboard', 'replay'])).code).toBe(0);
  expect((await colibri(place, ['verify'])).code).toBe(0);
});
