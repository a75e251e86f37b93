import { describe, expect, it } from 'vitest';
import type { HealthEvent } from './event.js';
import { begin, stepHealth } from './machine.js';
import { mayList, mayRoute, PERMITS } from './permits.js';
import { HEALTH, type HealthState, type MachineSettings } from './state.js';

const SETTINGS: MachineSettings = {
  liveness: { intervalMs: 10_000, timeoutMs: 2_000 },
  readiness: { intervalMs: 30_000, timeoutMs: 5_000 },
  capability: null,
  failuresToQuarantine: 3,
  cooldownMs: 60_000,
  cooldownMaxMs: 900_000,
  startTimeoutMs: 30_000,
  stabilityWindowMs: 300_000,
};
const CAPABILITY = { intervalMs: 300_000, timeoutMs: 30_000, afterFailures: 2 };

const run = (
  events: readonly (readonly [number, HealthEvent])[],
  settings = SETTINGS,
  hold: 'not_approved' | null = null,
) =>
  events.reduce<HealthState | null>(
    (state, [at, event]) => stepHealth(state, event, at).state,
    begin({ settings, hold, catalogueSize: null }, 0).state,
  );

const dialled = (dial: number): HealthEvent => ({ type: 'dialled', dial, catalogueSize: 3 });
const tick: HealthEvent = { type: 'tick', lateMs: 0 };
const silent = (dial: number): HealthEvent => ({ type: 'call_failed', dial, call: 'c', sentAt: 0 });

const healthy = run([[1, dialled(1)]]);
const unhealthy = run([[1_000, { type: 'dial_failed', dial: 1, fault: 'exited' }]]);
const quarantineEvents = [
  [1, dialled(1)],
  [2, silent(1)],
  [3, silent(1)],
  [1_000, silent(1)],
] as const;
const quarantine = run(quarantineEvents);
const probationEvents = [...quarantineEvents, [61_000, tick], [61_001, dialled(2)]] as const;
const probation = run(probationEvents);
const states = {
  STARTING: run([]),
  HEALTHY: healthy,
  UNHEALTHY: unhealthy,
  QUARANTINE: quarantine,
  PROBATION: probation,
};

it('the states are what they are called', () => {
  expect(HEALTH.map((name) => states[name]?.state)).toEqual([...HEALTH]);
  expect(Object.keys(PERMITS)).toEqual([...HEALTH]);
});

describe('list', () => {
  it('always, whatever the state, unless tools are to be hidden', () => {
    for (const name of HEALTH) expect(mayList(states[name], false, 1e9)).toEqual({ may: true });
  });

  it('hide: in UNHEALTHY and QUARANTINE after 10 s, nowhere else', () => {
    const hidden = (now: number) => HEALTH.filter((name) => !mayList(states[name], true, now).may);
    expect(hidden(1_000 + 9_999)).toEqual([]);
    expect(hidden(1_000 + 10_000)).toEqual(['UNHEALTHY', 'QUARANTINE']);
  });

  it('hide: failed retries and the way from QUARANTINE to UNHEALTHY do not bring the tools back', () => {
    const failed = run([
      ...quarantineEvents,
      [61_000, tick],
      [61_500, { type: 'dial_failed', dial: 2, fault: 'exited' }],
    ]);
    expect(failed?.state).toBe('UNHEALTHY');
    expect(mayList(failed, true, 61_501)).toMatchObject({ may: false, reason: 'hidden' });
  });
});

describe('route', () => {
  it('HEALTHY yes, PROBATION one, STARTING after a wait, else no', () => {
    const answers = HEALTH.map((name) => mayRoute(states[name], 62_000));
    expect(answers.map((answer) => (answer.may ? `yes${answer.permit ? ', one' : ''}` : answer.waitMs))).toEqual([
      2_000,
      'yes',
      0,
      0,
      'yes, one',
    ]);
  });

  it('PROBATION: not while the permit is out', () => {
    const taken = run([...probationEvents, [61_002, { type: 'permit_taken', dial: 2, call: 'a' }]]);
    expect(mayRoute(taken, 61_003)).toMatchObject({ may: false, reason: 'probation', retryAfterMs: 5_000 });
  });

  it('PROBATION: never a call where the capability check is the one request', () => {
    const checked = run(probationEvents, { ...SETTINGS, capability: CAPABILITY });
    expect(checked?.state).toBe('PROBATION');
    expect(mayRoute(checked, 61_003)).toMatchObject({ may: false, reason: 'probation' });
  });

  it('HEALTHY: not until Retry-After is over', () => {
    const throttled = run([
      [1, dialled(1)],
      [2, { type: 'throttled', dial: 1, during: 'call', call: 'c', retryAfterMs: 7_000 }],
    ]);
    expect(mayRoute(throttled, 1_002)).toMatchObject({ may: false, reason: 'throttled', retryAfterMs: 6_000 });
    expect(mayRoute(throttled, 7_002)).toEqual({ may: true, permit: false });
  });

  it('the refusal says why and when', () => {
    expect(mayRoute(unhealthy, 1_400)).toMatchObject({ reason: 'exited', retryAfterMs: 600 });
    expect(mayRoute(quarantine, 11_000)).toMatchObject({ reason: 'call_failures', retryAfterMs: 50_000 });
    expect(mayRoute(null, 1)).toMatchObject({ reason: 'removed', retryAfterMs: null });
  });
});

describe('neither', () => {
  it('a call while a person must act first', () => {
    const held = run([], SETTINGS, 'not_approved');
    expect(mayRoute(held, 1e9)).toMatchObject({ may: false, reason: 'not_approved', retryAfterMs: null });
  });

  it('a server that is gone permits nothing', () => {
    expect([mayList(null, false, 0), mayRoute(null, 0)].map(({ may }) => may)).toEqual([false, false]);
  });
});

describe('a server that fails to start', () => {
  const failed = (dial: number, text = 'exited with code 1'): HealthEvent => ({
    type: 'dial_failed',
    dial,
    fault: 'exited',
    text,
  });
  const failing = (...texts: readonly string[]): HealthState | null =>
    run(
      texts.flatMap((text, index) => [
        [index * 100_000, tick] as const,
        [index * 100_000 + 1, failed(index + 1, text)] as const,
      ]),
    );
  const same = (times: number): HealthState | null => failing(...Array<string>(times).fill('exited with code 1'));

  it('is refused with a time until it has failed three times for the same reason', () => {
    expect(mayRoute(same(2), 100_002)).toMatchObject({ may: false, retryAfterMs: expect.any(Number) });
    expect(mayRoute(same(2), 100_002)).not.toHaveProperty('failedStarts');
    expect(mayRoute(same(3), 200_002)).toEqual({
      may: false,
      reason: 'exited',
      text: 'it failed to start 3 times in a row for the same reason: it ended while it was starting: exited with code 1',
      retryAfterMs: null,
      failedStarts: 3,
      waitMs: 0,
    });
    expect(mayRoute(same(5), 400_002)).toMatchObject({ retryAfterMs: null, failedStarts: 5 });
  });

  it('also while it is tried again', () => {
    const dialling = stepHealth(same(3), tick, 300_000).state;
    expect(dialling).toMatchObject({ state: 'UNHEALTHY', deadline: expect.any(Number) });
    expect(mayRoute(dialling, 300_001)).toMatchObject({ retryAfterMs: null, failedStarts: 3 });
  });

  it('another reason begins anew', () => {
    expect(mayRoute(failing('a', 'a', 'b'), 200_002)).toMatchObject({ retryAfterMs: expect.any(Number) });
    expect(mayRoute(failing('a', 'b', 'b', 'b'), 300_002)).toMatchObject({ failedStarts: 3 });
  });

  it('a state of an older record, without the count, begins at one', () => {
    const { alike: _alike, ...older } = same(3) as HealthState & { readonly state: 'UNHEALTHY' };
    expect(mayRoute(older, 200_002)).not.toHaveProperty('failedStarts');
    const next = stepHealth(stepHealth(older, tick, 300_000).state, failed(4), 300_001).state;
    expect(next).toMatchObject({ state: 'UNHEALTHY', alike: 1, attempt: 4 });
  });

  it('a start that worked ends it', () => {
    const back = stepHealth(stepHealth(same(3), tick, 300_000).state, dialled(4), 300_001).state;
    expect(mayRoute(back, 300_002)).toMatchObject({ may: true });
  });
});
