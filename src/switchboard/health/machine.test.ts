// The rules below the machine's table, one test each.
import { describe, expect, it } from 'vitest';
import {
  healthy,
  INTO,
  Machine,
  onProbation,
  quarantined,
  SETTINGS,
  starting,
  WITH_CAPABILITY,
} from '../../../test/support/health-machine.js';
import type { Transition } from './event.js';
import { replay } from './machine.js';
import { SIGNALS } from './state.js';

describe('signals have a depth', () => {
  it('a success clears its own count and the shallower ones, never a deeper one', () => {
    const failed = () => healthy(WITH_CAPABILITY).silent().fail('liveness').fail('readiness').fail('capability');
    const counts = (machine: Machine) => SIGNALS.map((signal) => machine.as('HEALTHY').failures[signal]);
    expect(counts(failed())).toEqual([1, 1, 1, 1]);
    expect(counts(failed().pass('liveness'))).toEqual([0, 1, 1, 1]);
    expect(counts(failed().pass('readiness'))).toEqual([0, 0, 1, 1]);
    expect(counts(failed().give({ type: 'call_answered', call: 'c' }))).toEqual([0, 0, 0, 1]);
    expect(counts(failed().pass('capability'))).toEqual([0, 0, 0, 0]);
  });

  it('an answered call in a healthy state changes nothing at all', () => {
    const machine = healthy();
    const before = machine.state;
    machine.give({ type: 'call_answered', call: 'c' });
    expect(machine.state).toBe(before);
    expect(machine.effects).toEqual([]);
  });

  it('after a failed check the next comes after 5 s or its interval, whichever is shorter', () => {
    const machine = healthy().fail('readiness');
    expect(machine.as('HEALTHY').checking.readiness.at - machine.now).toBe(5_000);
    const quick = healthy({ ...SETTINGS, readiness: { intervalMs: 2_000, timeoutMs: 500 } }).fail('readiness');
    expect(quick.as('HEALTHY').checking.readiness.at - quick.now).toBe(2_000);
  });

  it('a hung server that answers liveness is out after 40 s', () => {
    const machine = healthy();
    const begun = machine.now;
    for (let turn = 0; turn < 100 && machine.state?.state === 'HEALTHY'; turn++) {
      machine.wake();
      for (const effect of machine.effects)
        if (effect.do === 'check' && effect.signal === 'liveness') machine.pass('liveness');
        else if (effect.do === 'check') machine.fail('readiness');
    }
    expect(machine.as('QUARANTINE').since - begun).toBe(40_000);
  });

  it('a check that nobody reported on is asked for again, under a new number', () => {
    const machine = healthy();
    const first = machine.running('liveness');
    const second = machine.later(12_000).tick().running('liveness');
    expect(second).toBeGreaterThan(first);
    machine.give({ type: 'check_failed', signal: 'liveness', check: first, how: 'timeout', callInFlight: false });
    expect(machine.as('HEALTHY').failures.liveness).toBe(0);
  });
});

describe('cooldown and flight', () => {
  it('the cooldown falls back only after stabilityWindowMs in HEALTHY', () => {
    const back = () => onProbation().give({ type: 'lost' }).wake().dialled().pass('readiness').pass('readiness');
    const until = (machine: Machine, ms: number) => {
      for (const end = machine.now + ms; machine.now < end; ) machine.later(Math.min(10_000, end - machine.now)).tick();
      return machine.silent().silent().silent().as('QUARANTINE').cooldownMs;
    };
    expect(back().as('HEALTHY').cooldownMs).toBe(120_000);
    expect(until(back(), 299_999)).toBe(120_000);
    expect(until(back(), 300_000)).toBe(60_000);
  });

  it('the cooldown doubles up to its cap', () => {
    const machine = quarantined();
    const lasted = Array.from({ length: 7 }, () => {
      const { until, since } = machine.as('QUARANTINE');
      machine.wake().dialled().give({ type: 'lost' });
      return (until - since) / 1_000;
    });
    expect(lasted).toEqual([60, 120, 240, 480, 900, 900, 900]);
  });

  it('a readiness timeout does not count while a call is in flight; a wrong answer does', () => {
    const machine = healthy();
    for (let check = 0; check < 9; check++) machine.fail('readiness', { callInFlight: true });
    expect(machine.as('HEALTHY').failures.readiness).toBe(0);
    machine.fail('readiness', { callInFlight: true, how: 'wrong' });
    expect(machine.as('HEALTHY').failures.readiness).toBe(1);
  });

  it('on QUARANTINE calls in flight may end by themselves, and what they say no longer counts', () => {
    const machine = quarantined();
    expect(machine.closed).toEqual([{ do: 'close', dial: 1, drain: true }]);
    const before = machine.state;
    expect(machine.give({ type: 'call_answered', dial: 1, call: 'x' }).state).toBe(before);
  });
});

describe('alive and throttled', () => {
  it('429 for a call clears failures and keeps Retry-After', () => {
    const machine = healthy().silent().give({ type: 'throttled', during: 'call', call: 'c', retryAfterMs: 5_000 });
    expect(machine.as('HEALTHY')).toMatchObject({ throttledUntil: machine.now + 5_000, failures: { call: 0 } });
  });

  it('429 for a check passes it', () => {
    const machine = healthy().fail('readiness');
    const check = machine.running('readiness');
    machine.give({ type: 'throttled', during: 'check', signal: 'readiness', check, retryAfterMs: null });
    expect(machine.as('HEALTHY')).toMatchObject({ throttledUntil: null, failures: { readiness: 0 } });
  });

  it('429 for the one request in PROBATION is an answer', () => {
    const machine = onProbation().give({ type: 'permit_taken', call: 'a' });
    machine.give({ type: 'throttled', during: 'call', call: 'a', retryAfterMs: 1e12 });
    expect(machine.as('HEALTHY').throttledUntil).toBe(machine.now + 900_000);
  });

  it('429 for a dial: UNHEALTHY until the server says, not counted as an attempt', () => {
    const machine = starting().give({ type: 'throttled', during: 'dial', retryAfterMs: 20_000 });
    expect(machine.as('UNHEALTHY')).toMatchObject({ reason: { code: 'throttled' }, retryAt: 20_000, attempt: 0 });
  });
});

describe('the catalogue is compared after every dial', () => {
  it('empty where it was not is a failed dial', () => {
    const machine = healthy().give({ type: 'lost' }).dialled(0);
    expect(machine.as('UNHEALTHY').reason.code).toBe('empty_catalogue');
    expect(machine.wake().dialled(0).as('UNHEALTHY').attempt).toBe(2);
    expect(machine.wake().dialled(1).as('PROBATION').catalogueSize).toBe(1);
  });

  it('a remembered catalogue counts, an empty one that was always empty is fine', () => {
    expect(new Machine(SETTINGS, { catalogueSize: 4 }).dialled(0).state?.state).toBe('UNHEALTHY');
    expect(new Machine(SETTINGS).dialled(0).state?.state).toBe('HEALTHY');
  });
});

describe('tick more than 30 s late (the machine slept)', () => {
  it('pending failures dropped, all checks run now', () => {
    const machine = healthy(WITH_CAPABILITY).silent().fail('readiness').later(60_000).tick();
    const { failures, awakeSince } = machine.as('HEALTHY');
    expect(failures).toEqual({ liveness: 0, readiness: 0, call: 0, capability: 0 });
    expect(awakeSince).toBe(machine.now);
    expect(machine.effects.filter((effect) => effect.do === 'check').map(({ signal }) => signal)).toEqual([
      'liveness',
      'readiness',
      'capability',
    ]);
    expect(machine.did('record')).toBe(false);
  });

  it('a clock that stood still meanwhile is made up for by what the tick says', () => {
    expect(healthy().silent().tick(30_001).as('HEALTHY').failures.call).toBe(0);
    expect(healthy().silent().tick(30_000).as('HEALTHY').failures.call).toBe(1);
  });

  it('silence of calls sent before it proves nothing, even if they report before the tick', () => {
    const machine = healthy();
    const sentAt = machine.now;
    machine.later(120_000);
    for (const call of ['a', 'b', 'c']) machine.give({ type: 'call_failed', call, sentAt });
    expect(machine.as('HEALTHY').failures.call).toBe(0);
    const tried = onProbation().give({ type: 'permit_taken', call: 'a' });
    const asked = tried.now;
    tried.later(120_000).give({ type: 'call_failed', call: 'a', sentAt: asked });
    expect(tried.as('PROBATION').permit).toBeNull();
  });

  it('checks asked before it no longer count', () => {
    const machine = healthy();
    const check = machine.running('readiness');
    machine
      .later(60_000)
      .give({ type: 'check_failed', signal: 'readiness', check, how: 'timeout', callInFlight: false });
    expect(machine.as('HEALTHY').failures.readiness).toBe(0);
  });

  it.each(['STARTING', 'UNHEALTHY', 'QUARANTINE'] as const)('a dial under way in %s gets its time again', (name) => {
    const machine = INTO[name]();
    if (name !== 'STARTING') machine.wake();
    machine.later(100_000).tick();
    expect(machine.as(name).deadline).toBe(machine.now + 30_000);
  });
});

describe('records', () => {
  const history = (): Machine =>
    quarantined()
      .wake()
      .dialled()
      .give({ type: 'lost' })
      .wake()
      .dialFailed()
      .wake()
      .dialled()
      .give({ type: 'removed' });

  it('each holds the event and the whole state before it, and replays to the same transition', () => {
    const { transitions } = history();
    expect(transitions.map(({ from, to }) => `${from} ${to}`)).toEqual([
      'STARTING HEALTHY',
      'HEALTHY QUARANTINE',
      'QUARANTINE PROBATION',
      'PROBATION QUARANTINE',
      'QUARANTINE UNHEALTHY',
      'UNHEALTHY PROBATION',
      'PROBATION null',
    ]);
    const stored = JSON.parse(JSON.stringify(transitions)) as Transition[];
    expect(stored).toEqual(transitions);
    expect(replay(stored)).toEqual([]);
  });

  it('a record that was changed does not replay', () => {
    const { transitions } = history();
    const changed = transitions.map((one, index) => (index === 1 ? { ...one, to: 'HEALTHY' as const } : one));
    expect(replay(changed)).toEqual([{ index: 1, recorded: 'HEALTHY', replayed: 'QUARANTINE' }]);
    const tooFew = transitions.map((one) => ({
      ...one,
      before: { ...one.before, failures: { ...one.before.failures, call: 0 } },
    }));
    expect(replay(tooFew).map(({ index }) => index)).toEqual([1]);
  });
});
