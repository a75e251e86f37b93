// Random histories through the health machine, a few of each kind. machine.property.counted.deep.test.ts has many.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  eventOf,
  recoveryLimit,
  settingsArbitrary,
  turnArbitrary,
  turns,
} from '../../../test/support/health-histories.js';
import {
  CAPABILITY,
  INTO,
  Machine,
  onProbation,
  SETTINGS,
  WITH_CAPABILITY,
} from '../../../test/support/health-machine.js';
import { isInTable } from '../../../test/support/health-table.js';
import { Walk, walked } from '../../../test/support/health-walk.js';
import type { EventType, HealthEvent, Transition } from './event.js';
import { CELLS, replay, stepHealth } from './machine.js';
import { HEALTH, type HealthState } from './state.js';

const EVENT_TYPES = [
  'dialled',
  'dial_failed',
  'lost',
  'catalogue_changed',
  'check_passed',
  'check_failed',
  'check_cancelled',
  'permit_taken',
  'call_answered',
  'call_failed',
  'call_cancelled',
  'call_not_sent',
  'auth_required',
  'throttled',
  'connection_changed',
  'settings_changed',
  'removed',
  'asked',
  'tick',
] as const satisfies readonly EventType[];

describe('random histories', () => {
  it('replay of a recorded history reproduces the states', () => {
    fc.assert(
      fc.property(settingsArbitrary, turns, (settings, history) => {
        const { transitions, state } = walked(settings, history);
        const stored = JSON.parse(JSON.stringify(transitions)) as Transition[];
        expect(stored).toEqual(transitions);
        expect(replay(stored)).toEqual([]);
        expect(JSON.parse(JSON.stringify(state))).toEqual(state);
      }),
      { numRuns: 300 },
    );
  });

  it('the same history twice gives the same states, and leaves its input as it was', () => {
    fc.assert(
      fc.property(settingsArbitrary, turns, (settings, history) => {
        const freeze = (value: unknown): void => {
          if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
          Object.freeze(value);
          Object.values(value).forEach(freeze);
        };
        const walk = new Walk(settings);
        for (const turn of history) {
          freeze(walk.state);
          walk.turn(turn);
        }
        expect(walked(settings, history).state).toEqual(walk.state);
      }),
      { numRuns: 200 },
    );
  });

  it('events of an earlier dial are ignored, in every state that can be reached', () => {
    fc.assert(
      fc.property(
        settingsArbitrary,
        turns,
        turnArbitrary,
        fc.integer({ min: 1, max: 3 }),
        (settings, history, turn, back) => {
          const { state, now } = walked(settings, history);
          const event = state && eventOf(turn, state, now);
          if (state === null || event === null || !('dial' in event)) return;
          const after = stepHealth(state, { ...event, dial: state.dial - back } as HealthEvent, now + 1);
          expect(after.state).toBe(state);
          expect(after.effects).toEqual([]);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('with the store closed', () => {
  it('no PROBATION is a dead end: a capability check that is never reported on leaves the word to readiness', () => {
    fc.assert(
      fc.property(settingsArbitrary, turns, (settings, history) => {
        const walk = walked(settings, history);
        const held = walk.state?.state === 'UNHEALTHY' && walk.alarm === null;
        if (held) walk.give({ type: 'connection_changed', settings, hold: null, catalogueSize: null });
        walk.recover(recoveryLimit(walk.state?.settings ?? settings), 'closed');
        expect(walk.state?.state ?? 'HEALTHY').toBe('HEALTHY');
      }),
      { numRuns: 300 },
    );
  });

  it('a check that is cancelled each time does not put readiness off', () => {
    const machine = onProbation(WITH_CAPABILITY);
    for (let turn = 0; turn < 100 && machine.state?.state === 'PROBATION'; turn++) {
      const { capability, readiness } = machine.as('PROBATION').checking;
      if (capability?.running != null)
        machine.give({ type: 'check_cancelled', signal: 'capability', check: capability.running });
      else if (readiness.running !== null) machine.pass('readiness');
      else machine.wake();
    }
    expect(machine.state?.state).toBe('HEALTHY');
  });

  it('a check that is still in its time is waited for', () => {
    const machine = onProbation({ ...WITH_CAPABILITY, capability: { ...CAPABILITY, timeoutMs: 600_000 } });
    const begun = machine.now;
    while (machine.now - begun < 600_000) {
      if (machine.as('PROBATION').checking.readiness.running !== null) machine.pass('readiness');
      else machine.wake();
    }
    expect(machine.as('PROBATION').permit).toEqual({ by: 'check' });
  });
});

describe('every cell', () => {
  const sample = (type: HealthEvent['type'], state: HealthState, pick: number): HealthEvent =>
    eventOf({ type, pick, stale: false, pause: 0, jitter: 0 }, state, 1_000);

  it.each(HEALTH)('of %s is defined, whatever the event', (name) => {
    expect(Object.keys(CELLS[name]).toSorted()).toEqual(EVENT_TYPES.toSorted());
    for (const settings of [SETTINGS, WITH_CAPABILITY])
      for (const type of EVENT_TYPES)
        for (let pick = 0; pick < 30; pick++) {
          const machine = INTO[name](settings);
          if (pick % 2 === 1 && (name === 'UNHEALTHY' || name === 'QUARANTINE')) machine.wake();
          const { state, now } = machine;
          if (state === null) throw new Error('no state');
          const after = stepHealth(state, sample(type, state, pick), now + pick);
          expect(isInTable(name, type, after.state?.state ?? 'none')).toBe(true);
        }
  });
});

describe('servers that fail in one way', () => {
  it('a hung server (checks pass, calls are silent) leaves HEALTHY with the third call, whatever passes between', () => {
    const passes = fc.array(fc.constantFrom('liveness', 'readiness'), { maxLength: 20 });
    fc.assert(
      fc.property(fc.tuple(passes, passes, passes), (between) => {
        const machine = new Machine(SETTINGS).dialled();
        for (const signals of between) {
          for (const signal of signals) machine.pass(signal as 'liveness');
          expect(machine.state?.state).toBe('HEALTHY');
          machine.silent();
        }
        expect(machine.state?.state).toBe('QUARANTINE');
      }),
      { numRuns: 300 },
    );
  });

  it('a server that dies in every PROBATION: the cooldown doubles to its cap and falls back only after the window', () => {
    fc.assert(
      fc.property(fc.nat(8), fc.nat(600_000), (deaths, healthyMs) => {
        const machine = new Machine(SETTINGS).dialled().silent().silent().silent();
        for (let death = 0; death < deaths; death++) machine.wake().dialled().give({ type: 'lost' });
        const reached = Math.min(900_000, 60_000 * 2 ** deaths);
        expect(machine.as('QUARANTINE').cooldownMs).toBe(reached);
        machine.wake().dialled().give({ type: 'permit_taken', call: 'a' }).give({ type: 'call_answered', call: 'a' });
        for (const end = machine.now + healthyMs; machine.now < end; )
          machine.later(Math.min(10_000, end - machine.now)).tick();
        machine.silent().silent().silent();
        expect(machine.as('QUARANTINE').cooldownMs).toBe(healthyMs >= 300_000 ? 60_000 : reached);
      }),
      { numRuns: 300 },
    );
  });
});
