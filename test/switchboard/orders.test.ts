// colibri switchboard restart and retry: obeyed by the running process, recorded with who, and never two requests at once after a quarantine.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { colibri, rows, stateDir } from '../support/command-line.js';
import { freshPlace, type Place, session } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';

vi.setConfig({ testTimeout: 60_000 });

type HealthBody = { server: string; from: string; to: string; event: { type: string; what?: string; by?: string } };

const health = (place: Place): HealthBody[] =>
  rows<{ body: string }>(place, "SELECT body FROM actions WHERE kind = 'health' ORDER BY id").map(({ body }) =>
    JSON.parse(body),
  );

test('retry lifts a quarantine through PROBATION, restart ends a healthy one; both say who asked', async () => {
  const place = freshPlace();
  const sick = join(place.dir, 'sick');
  fs.writeFileSync(sick, '');
  writeBoard(place, {
    weak: { ...fakeServer('crashes', { SICK: sick }), health: { failuresToQuarantine: 1, cooldownMs: 600_000 } },
  });
  await session(place, async (peer) => {
    const seen = (what: RegExp): Promise<void> => peer.until(() => what.test(peer.stderr), 30_000);
    await seen(/weak: STARTING → HEALTHY/);
    await peer.call('weak__echo', {}, 30_000);
    await seen(/weak: HEALTHY → QUARANTINE/);
    expect(JSON.stringify(await peer.call('weak__echo', {}))).toContain('TOOL_UNAVAILABLE');
    fs.rmSync(sick);
    expect(await colibri(place, ['switchboard', 'retry', 'waek'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('the nearest is weak'),
    });
    expect(await colibri(place, ['switchboard', 'retry', 'weak'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Asked 1 process to try weak'),
    });
    await seen(/weak: QUARANTINE → PROBATION/);
    const answers = await Promise.all([1, 2, 3].map(() => peer.call('weak__echo', {}, 30_000)));
    const well = answers.filter((answer) => JSON.stringify(answer).includes('"well"'));
    expect(well.length).toBeGreaterThanOrEqual(1);
    await seen(/weak: PROBATION → HEALTHY/);
    await colibri(place, ['switchboard', 'restart', 'weak']);
    await seen(/weak: HEALTHY → UNHEALTHY, .* restarted it[\s\S]*weak: UNHEALTHY → PROBATION/);
  });
  const asked = health(place).filter(({ event }) => event.type === 'asked');
  expect(asked).toMatchObject([
    { from: 'QUARANTINE', to: 'QUARANTINE', event: { what: 'retry', by: expect.stringMatching(/./) } },
    { from: 'HEALTHY', to: 'UNHEALTHY', event: { what: 'restart' } },
  ]);
  expect((fs.statSync(join(stateDir(place), 'orders.json')).mode & 0o777).toString(8)).toBe('600');
  expect((await colibri(place, ['log', '--kind', 'health'])).stdout).toMatch(/asked for a retry/);
  expect((await colibri(place, ['switchboard', 'replay'])).code).toBe(0);
  expect((await colibri(place, ['verify'])).code).toBe(0);
});
