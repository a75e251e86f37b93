// A test for every row of the machine's table, named after it.
import { describe, expect, it } from 'vitest';
import {
  healthy,
  onProbation,
  quarantined,
  starting,
  unhealthy,
  WITH_CAPABILITY,
} from '../../../test/support/health-machine.js';
import type { HealthEvent } from './event.js';
import { DIAL_FAULTS } from './state.js';

describe('STARTING', () => {
  it('begins with a dial and an alarm for its end', () => {
    expect(starting().effects).toEqual([
      { do: 'dial', dial: 1 },
      { do: 'wake', at: 30_000 },
    ]);
  });

  it('handshake done and catalogue read → HEALTHY', () => {
    expect(healthy().as('HEALTHY')).toMatchObject({ dial: 1, catalogueSize: 3, attempt: 0, reason: null });
  });

  it.each(DIAL_FAULTS)('%s → UNHEALTHY', (fault) => {
    const machine = starting().give({ type: 'dial_failed', fault, text: 'exit code 1' });
    expect(machine.as('UNHEALTHY').reason).toMatchObject({ code: fault });
    expect(machine.closed).toEqual([{ do: 'close', dial: 1, drain: false }]);
  });

  it('startTimeoutMs over → UNHEALTHY', () => {
    expect(starting().later(29_999).tick().as('STARTING').dial).toBe(1);
    expect(starting().later(30_000).tick().as('UNHEALTHY').reason.code).toBe('start_timeout');
  });

  it('exit → UNHEALTHY', () => {
    expect(starting().give({ type: 'lost' }).as('UNHEALTHY').reason.code).toBe('exited');
  });

  it('a slow check alone is no failure', () => {
    const slow: HealthEvent = {
      type: 'check_failed',
      dial: 1,
      signal: 'readiness',
      check: 1,
      how: 'timeout',
      callInFlight: false,
    };
    const machine = starting();
    const before = machine.state;
    expect(machine.give(slow).give(slow).give(slow).state).toBe(before);
  });

  it('retry after 1, 2, 4 … 60 s', () => {
    const machine = starting();
    const pauses = Array.from({ length: 8 }, () => {
      machine.dialFailed();
      const pause = (machine.as('UNHEALTHY').retryAt ?? 0) - machine.now;
      machine.wake();
      return pause;
    });
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(machine.dials).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it.each([
    [-1, 900],
    [1, 1_100],
    [0.5, 1_050],
    [99, 1_100],
    [Number.NaN, 1_000],
  ])('± 10 %: jitter %d', (jitter, pause) => {
    const machine = starting().give({ type: 'dial_failed', fault: 'exited', jitter });
    expect(machine.as('UNHEALTHY').retryAt).toBe(pause);
  });
});

describe('HEALTHY', () => {
  it.each(['liveness', 'readiness'] as const)('1st, 2nd %s failure in a row → HEALTHY', (signal) => {
    const machine = healthy().fail(signal).fail(signal);
    expect(machine.as('HEALTHY').failures[signal]).toBe(2);
    expect(machine.transitions).toHaveLength(1);
  });

  it('at the 2nd the capability check runs at once, whichever signal failed', () => {
    const machine = healthy(WITH_CAPABILITY).silent();
    expect(machine.did('check')).toBe(false);
    expect(machine.silent().effects).toContainEqual({ do: 'check', dial: 1, signal: 'capability', check: 1 });
    expect(
      healthy(WITH_CAPABILITY).fail('readiness').fail('readiness').as('HEALTHY').checking.capability?.running,
    ).toBe(healthy(WITH_CAPABILITY).fail('readiness').fail('readiness').as('HEALTHY').checks);
  });

  it('at the 2nd failure of the capability check itself the pause after a failed check holds', () => {
    const machine = healthy(WITH_CAPABILITY).fail('capability').fail('capability');
    expect(machine.did('check')).toBe(false);
    expect(machine.as('HEALTHY').checking.capability).toEqual({ at: machine.now + 5_000, running: null });
  });

  it.each(['liveness', 'readiness', 'capability'] as const)('3rd %s failure in a row → QUARANTINE', (signal) => {
    const machine = healthy(WITH_CAPABILITY).fail(signal).fail(signal).fail(signal);
    expect(machine.as('QUARANTINE').reason.code).toBe(`${signal}_failures`);
    expect(machine.closed).toEqual([{ do: 'close', dial: 1, drain: true }]);
  });

  it('3rd silent call in a row → QUARANTINE for the cooldown', () => {
    const { until, reason, dial } = quarantined().as('QUARANTINE');
    expect({ until, reason, dial }).toEqual({
      until: 60_100,
      reason: { code: 'call_failures', text: '3 call failures in a row' },
      dial: 2,
    });
  });

  it('transport lost, 1st or 2nd in the window → STARTING, re-dial at once', () => {
    const machine = healthy().give({ type: 'lost' });
    expect(machine.as('STARTING')).toMatchObject({ dial: 2, reason: { code: 'lost' }, losses: [100] });
    expect(machine.effects).toContainEqual({ do: 'dial', dial: 2 });
    expect(machine.closed).toEqual([{ do: 'close', dial: 1, drain: false }]);
    expect(machine.dialled().give({ type: 'lost' }).as('STARTING').dial).toBe(3);
  });

  it('transport lost is one event, whatever was in flight', () => {
    const machine = healthy().give({ type: 'lost' });
    for (let call = 0; call < 20; call++) machine.give({ type: 'call_failed', dial: 1, call: `${call}`, sentAt: 50 });
    expect(machine.as('STARTING').losses).toHaveLength(1);
  });

  it('3rd loss within stabilityWindowMs → QUARANTINE', () => {
    const machine = healthy().give({ type: 'lost' }).dialled().give({ type: 'lost' }).dialled().give({ type: 'lost' });
    expect(machine.as('QUARANTINE').reason.code).toBe('lost');
    expect(machine.as('QUARANTINE').losses).toEqual([]);
  });

  it('losses further apart than stabilityWindowMs → STARTING each time', () => {
    const machine = healthy();
    for (let loss = 0; loss < 9; loss++) {
      machine.give({ type: 'lost' }).later(10).dialled();
      for (let minute = 0; minute < 6; minute++) machine.later(30_000).tick().later(25_000).tick();
    }
    expect(machine.state?.state).toBe('HEALTHY');
  });

  it('the catalogue is empty where it was not → UNHEALTHY', () => {
    const machine = healthy().give({ type: 'catalogue_changed', catalogueSize: 5 });
    expect(machine.as('HEALTHY').catalogueSize).toBe(5);
    expect(machine.give({ type: 'catalogue_changed', catalogueSize: 0 }).as('UNHEALTHY').reason.code).toBe(
      'empty_catalogue',
    );
  });
});

describe('QUARANTINE', () => {
  it('cooldown over: a new dial, not before', () => {
    expect(quarantined().later(59_999).tick().dials).toEqual([1]);
    const machine = quarantined().later(60_000).tick();
    expect(machine.dials).toEqual([1, 2]);
    expect(machine.as('QUARANTINE').deadline).toBe(machine.now + 30_000);
  });

  it('new dial passes → PROBATION', () => {
    expect(onProbation().as('PROBATION')).toMatchObject({ dial: 2, permit: null, readyPasses: 0 });
  });

  it('new dial fails → UNHEALTHY', () => {
    expect(quarantined().wake().dialFailed().as('UNHEALTHY')).toMatchObject({ dial: 3, attempt: 1 });
    expect(quarantined().wake().wake().as('UNHEALTHY').reason.code).toBe('start_timeout');
  });
});

describe('UNHEALTHY', () => {
  it('retry passes → PROBATION', () => {
    expect(unhealthy().wake().dialled().as('PROBATION').dial).toBe(2);
  });

  it('retry fails → UNHEALTHY, next retry later, and no record of it', () => {
    const machine = unhealthy().wake().later(5).dialFailed();
    expect(machine.as('UNHEALTHY')).toMatchObject({ since: 100, attempt: 2, retryAt: machine.now + 2_000 });
    expect(machine.transitions).toHaveLength(1);
  });

  it('a retry that takes longer than startTimeoutMs has failed', () => {
    expect(unhealthy().wake().wake().as('UNHEALTHY').reason.code).toBe('start_timeout');
  });
});
