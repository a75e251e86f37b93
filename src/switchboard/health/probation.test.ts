// The rows of the machine's table about PROBATION, named after them.
import { describe, expect, it } from 'vitest';
import { type Machine, onProbation, SETTINGS, WITH_CAPABILITY } from '../../../test/support/health-machine.js';

describe('PROBATION', () => {
  it('entered, and a capability check is configured: the check is the one request', () => {
    const machine = onProbation(WITH_CAPABILITY);
    expect(machine.as('PROBATION').permit).toEqual({ by: 'check' });
    expect(machine.effects).toContainEqual({ do: 'check', dial: 2, signal: 'capability', check: 2 });
    expect(machine.give({ type: 'permit_taken', call: 'a' }).did('admit')).toBe(false);
    expect(machine.pass('capability').state?.state).toBe('HEALTHY');
  });

  it('its request was answered → HEALTHY', () => {
    const machine = onProbation().give({ type: 'permit_taken', call: 'a' });
    expect(machine.effects).toEqual([{ do: 'admit', call: 'a' }]);
    expect(machine.give({ type: 'call_answered', call: 'a' }).state?.state).toBe('HEALTHY');
  });

  it('only its own request counts', () => {
    const machine = onProbation().give({ type: 'permit_taken', call: 'a' }).give({ type: 'permit_taken', call: 'b' });
    expect(machine.did('admit')).toBe(false);
    machine.give({ type: 'call_answered', call: 'b' }).give({ type: 'call_failed', call: 'b', sentAt: machine.now });
    expect(machine.as('PROBATION').permit).toEqual({ by: 'call', call: 'a' });
  });

  it.each<[string, (machine: Machine) => Machine]>([
    ['silence', (machine) => machine.give({ type: 'permit_taken', call: 'a' }).silent('a')],
    ['transport lost', (machine) => machine.give({ type: 'lost' })],
    ['3 readiness failures', (machine) => machine.fail('readiness').fail('readiness').fail('readiness')],
  ])('%s → QUARANTINE, cooldown doubled', (_name, hit) => {
    const machine = hit(onProbation());
    expect(machine.as('QUARANTINE')).toMatchObject({ cooldownMs: 120_000, until: machine.now + 120_000, dial: 3 });
    expect(machine.as('QUARANTINE').reason.code).toBe('probation_failed');
  });

  it('a wrong or missing answer to the capability check → QUARANTINE, cooldown doubled', () => {
    for (const how of ['wrong', 'timeout'] as const)
      expect(onProbation(WITH_CAPABILITY).fail('capability', { how }).as('QUARANTINE').cooldownMs).toBe(120_000);
  });

  it.each(['call_cancelled', 'call_not_sent'] as const)('%s → PROBATION, permit given back', (type) => {
    const machine = onProbation().give({ type: 'permit_taken', call: 'a' }).later(500).give({ type, call: 'a' });
    expect(machine.as('PROBATION')).toMatchObject({ permit: null, idleSince: machine.now });
    expect(machine.give({ type: 'permit_taken', call: 'b' }).did('admit')).toBe(true);
  });

  it('a capability check that was not sent gives the permit back and runs again, calls stay refused', () => {
    const machine = onProbation(WITH_CAPABILITY);
    machine.give({ type: 'check_cancelled', signal: 'capability', check: machine.running('capability') });
    expect(machine.as('PROBATION').permit).toBeNull();
    expect(machine.give({ type: 'permit_taken', call: 'a' }).did('admit')).toBe(false);
    expect(machine.pass('capability').state?.state).toBe('HEALTHY');
  });

  it('30 s without a request, then 2 readiness passes in a row → HEALTHY', () => {
    const machine = onProbation();
    const entered = machine.now;
    machine.pass('readiness');
    expect(machine.now - entered).toBe(30_000);
    expect(machine.as('PROBATION').readyPasses).toBe(1);
    expect(machine.pass('readiness').as('HEALTHY').since - entered).toBe(60_000);
  });

  it('readiness passes before the 30 s are over, or with a failure between, do not count', () => {
    const eager = { ...SETTINGS, readiness: { intervalMs: 5_000, timeoutMs: 1_000 } };
    const machine = onProbation(eager);
    for (let check = 0; check < 5; check++) machine.pass('readiness');
    expect(machine.as('PROBATION').readyPasses).toBe(0);
    machine.pass('readiness').fail('readiness').pass('readiness');
    expect(machine.as('PROBATION').readyPasses).toBe(1);
    expect(machine.pass('readiness').state?.state).toBe('HEALTHY');
  });

  it('readiness passes while a request is out do not count', () => {
    const machine = onProbation().give({ type: 'permit_taken', call: 'a' });
    machine.pass('readiness').pass('readiness').pass('readiness');
    expect(machine.as('PROBATION').readyPasses).toBe(0);
  });
});
