// The rows of the machine's table that hold in every state, named after them.
import { describe, expect, it } from 'vitest';
import {
  CAPABILITY,
  healthy,
  INTO,
  Machine,
  onProbation,
  quarantined,
  SETTINGS,
  WITH_CAPABILITY,
} from '../../../test/support/health-machine.js';
import { mayRoute } from './permits.js';
import { HEALTH } from './state.js';

describe('any', () => {
  it.each(HEALTH)('401 in %s → UNHEALTHY auth_required, retry every 5 min', (name) => {
    const machine = INTO[name]();
    if (name === 'UNHEALTHY' || name === 'QUARANTINE') machine.wake(); // A dial must be under way to get an answer.
    const attempts = machine.state?.attempt;
    machine.give({ type: 'auth_required', status: 401, during: name === 'HEALTHY' ? 'call' : 'dial', call: 'c' });
    expect(machine.as('UNHEALTHY')).toMatchObject({ retryAt: machine.now + 300_000, attempt: attempts });
    expect(machine.as('UNHEALTHY').reason.code).toBe('auth_required');
    const dials = machine.dials.length;
    expect(machine.wake().dials).toHaveLength(dials + 1);
    expect(machine.dialled().state?.state).toBe('PROBATION');
  });

  it('403 from a check → auth_required; 403 for a call is an answer', () => {
    const check = { during: 'check', signal: 'readiness', check: 1 } as const;
    expect(healthy().give({ type: 'auth_required', status: 403, ...check }).state?.state).toBe('UNHEALTHY');
    const call = { type: 'auth_required', status: 403, during: 'call', call: 'a' } as const;
    expect(healthy().silent().give(call).as('HEALTHY').failures.call).toBe(0);
    expect(onProbation().give({ type: 'permit_taken', call: 'a' }).give(call).state?.state).toBe('HEALTHY');
  });

  it('auth_required is tried again at once when any key changes', () => {
    const machine = healthy().give({ type: 'auth_required', status: 401, during: 'call', call: 'c' });
    machine.later(1_000).give({ type: 'settings_changed', settings: SETTINGS });
    expect(machine.effects).toEqual([{ do: 'wake', at: machine.now }]);
    expect(machine.wake().dials).toEqual([1, 2]);
  });

  it.each(['QUARANTINE', 'UNHEALTHY'] as const)(
    'a person asks for a retry in %s → a dial at once, recorded, PROBATION',
    (name) => {
      const machine = INTO[name]();
      const dials = machine.dials.length;
      machine.later(10).give({ type: 'asked', what: 'retry', by: 'ada' });
      expect(machine.dials).toHaveLength(dials + 1);
      expect(machine.transitions.at(-1)).toMatchObject({ from: name, to: name, event: { what: 'retry', by: 'ada' } });
      machine.give({ type: 'asked', what: 'retry', by: 'ada' });
      expect(machine.dials).toHaveLength(dials + 1); // one dial is under way
      machine.dialled().give({ type: 'permit_taken', call: 'a' });
      expect(machine.effects).toContainEqual({ do: 'admit', call: 'a' });
      machine.give({ type: 'permit_taken', call: 'b' });
      expect(machine.effects).not.toContainEqual({ do: 'admit', call: 'b' });
    },
  );

  it.each(['STARTING', 'HEALTHY', 'PROBATION'] as const)(
    'a person asks in %s: a retry is nothing, a restart goes by PROBATION',
    (name) => {
      const machine = INTO[name]();
      const [dials, before] = [machine.dials.length, machine.state];
      machine.give({ type: 'asked', what: 'retry', by: 'ada' });
      expect(machine.state).toEqual(before);
      machine.give({ type: 'asked', what: 'restart', by: 'ada' });
      expect(machine.as('UNHEALTHY').reason).toMatchObject({ code: 'restarted', text: 'ada restarted it' });
      expect(machine.closed.at(-1)).toMatchObject({ dial: before?.dial, drain: name === 'HEALTHY' });
      expect(machine.wake().dials).toHaveLength(dials + 1);
      expect(machine.dialled().state?.state).toBe('PROBATION');
    },
  );

  it('a server that waits for a person is not dialled because another one asks', () => {
    const machine = healthy().give({
      type: 'connection_changed',
      settings: SETTINGS,
      hold: 'not_approved',
      catalogueSize: null,
    });
    const before = machine.state;
    machine.give({ type: 'asked', what: 'restart', by: 'ada' });
    expect(machine.state).toEqual(before);
  });

  it.each(HEALTH)('connection keys changed in %s → STARTING with a new process, the old one drains', (name) => {
    const machine = INTO[name]();
    const before = machine.state;
    const isUp = name !== 'UNHEALTHY' && name !== 'QUARANTINE';
    machine.closed.length = 0;
    machine.later(10).give({ type: 'connection_changed', settings: SETTINGS, hold: null, catalogueSize: null });
    const dial = (before?.dial ?? 0) + (isUp ? 1 : 0);
    expect(machine.as('STARTING')).toMatchObject({ dial, attempt: 0, cooldownMs: 60_000, catalogueSize: null });
    expect(machine.closed).toEqual(isUp ? [{ do: 'close', dial: before?.dial, drain: true }] : []);
    expect(machine.effects).toContainEqual({ do: 'dial', dial });
    expect(machine.transitions.at(-1)).toMatchObject({ from: name, to: 'STARTING' });
  });

  it.each(HEALTH)('other keys changed in %s → unchanged, applied in place', (name) => {
    const machine = INTO[name]();
    const settings = { ...SETTINGS, cooldownMs: 5_000, liveness: { intervalMs: 1_000, timeoutMs: 500 } };
    machine.give({ type: 'settings_changed', settings });
    expect(machine.state).toMatchObject({ state: name, settings, cooldownMs: 5_000 });
    expect(machine.did('record')).toBe(false);
  });

  it('other keys changed: a shorter interval counts at once, a capability check comes and goes', () => {
    const machine = onProbation().give({ type: 'settings_changed', settings: WITH_CAPABILITY }).tick();
    expect(machine.as('PROBATION').permit).toEqual({ by: 'check' });
    machine.give({ type: 'settings_changed', settings: SETTINGS });
    expect(machine.as('PROBATION').permit).toBeNull();
    const soon = { ...SETTINGS, readiness: { intervalMs: 2_000, timeoutMs: 500 } };
    const quick = healthy().give({ type: 'settings_changed', settings: soon });
    expect(quick.as('HEALTHY').checking.readiness.at).toBe(quick.now + 2_000);
  });

  it('other keys changed: a capability check that is added waits for the call that has the permit', () => {
    const machine = onProbation().give({ type: 'permit_taken', call: 'a' });
    machine.give({ type: 'settings_changed', settings: { ...SETTINGS, capability: CAPABILITY } }).tick();
    expect(machine.did('check')).toBe(false);
    expect(machine.as('PROBATION').permit).toEqual({ by: 'call', call: 'a' });
    expect(machine.give({ type: 'call_cancelled', call: 'a' }).pass('capability').state?.state).toBe('HEALTHY');
  });

  it.each(HEALTH)('removed from the config in %s → none; refused, drained, closed', (name) => {
    const machine = INTO[name]();
    machine.give({ type: 'removed' });
    expect(machine.state).toBeNull();
    expect(mayRoute(machine.state, 0)).toMatchObject({ may: false, reason: 'removed' });
    expect(machine.did('close')).toBe(name !== 'UNHEALTHY' && name !== 'QUARANTINE');
    expect(machine.transitions.at(-1)).toMatchObject({ from: name, to: null });
    expect(machine.tick().effects).toEqual([]);
  });

  it.each(HEALTH)('event of an earlier dial in %s → ignored', (name) => {
    const machine = INTO[name]();
    const before = machine.state;
    const dial = (before?.dial ?? 0) - 1;
    machine.give({ type: 'lost', dial }).give({ type: 'dialled', dial, catalogueSize: 1 });
    machine.give({ type: 'auth_required', dial, status: 401, during: 'dial' });
    expect(machine.state).toBe(before);
    expect(machine.effects).toEqual([]);
  });

  it('event of a dial that has not begun → ignored', () => {
    const machine = quarantined();
    const before = machine.state;
    expect(machine.dialled().dialFailed().give({ type: 'auth_required', status: 401, during: 'dial' }).state).toBe(
      before,
    );
  });

  it('held until a person acts: no dial, no alarm, then STARTING', () => {
    const machine = new Machine(SETTINGS, { hold: 'not_approved' });
    expect(machine.as('UNHEALTHY').reason.code).toBe('not_approved');
    expect(machine.effects.at(-1)).toEqual({ do: 'wake', at: null });
    expect(machine.later(1e9).tick().dials).toEqual([]);
    machine.give({ type: 'connection_changed', settings: SETTINGS, hold: null, catalogueSize: null });
    expect(machine.as('STARTING').dial).toBe(1);
  });
});
