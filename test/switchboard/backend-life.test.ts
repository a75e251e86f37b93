// What a backend keeps and tells beside its calls: catalogue, capability check, board, sleep, the end.
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Backend } from '../../src/switchboard/server/backend.js';
import { CAPABILITY, codeOf, configOf, healthyRig, INTO, Rig } from './backend-rig.js';
import { FakeClock, FakeServer, TOOLS } from './fake-link.js';

describe('the catalogue', () => {
  it('is compared after every dial and every change', async () => {
    const rig = new Rig(configOf(), { remembered: TOOLS });
    await rig.advance(20);
    expect(rig.changes).toEqual([]);
    rig.server.manners.tools = TOOLS.slice(1);
    rig.server.last.listChanged();
    await rig.advance(0);
    expect(rig.changes).toEqual([TOOLS.slice(1)]);
    rig.server.manners.tools = TOOLS;
    rig.server.last.crash();
    await rig.advance(20);
    expect(rig.changes).toEqual([TOOLS.slice(1), TOOLS]);
  });

  it('that empties is a failed dial, and the old one stays listed', async () => {
    const rig = new Rig(configOf(), { remembered: TOOLS }, undefined, { tools: [] });
    await rig.advance(20);
    expect(rig.backend.state).toMatchObject({ state: 'UNHEALTHY', reason: { code: 'empty_catalogue' } });
    expect([rig.backend.tools().size, rig.changes.length, rig.server.last.closed]).toEqual([4, 0, 'yes']);
  });

  it('that was listed for another client says nothing about this one', async () => {
    const rig = new Rig(configOf(), { remembered: TOOLS, isGuess: true }, undefined, { tools: [] });
    expect(rig.backend.tools().size).toBe(4);
    await rig.advance(20);
    expect([rig.state, rig.backend.tools().size]).toEqual(['HEALTHY', 0]);
  });

  it('is read again with pauses, however often the server says that it changed', async () => {
    const rig = await healthyRig();
    const link = rig.server.last;
    for (let turn = 0; turn < 100; turn++) {
      link.listChanged();
      await rig.advance(100);
    }
    expect(link.readings).toBeGreaterThan(8);
    expect(link.readings).toBeLessThan(12);
  });

  it('of another connection replaces the old one when it is known', async () => {
    const rig = await healthyRig();
    rig.server.manners.dial = 'hang';
    rig.reconfigure(configOf({ args: ['other'] }));
    expect(rig.backend.tools().size).toBe(4);
    const other = new FakeServer(rig.clock);
    other.manners.tools = [];
    rig.backend.reconfigure(configOf({ args: ['third'] }), { dial: other.dial, remembered: [] });
    expect(rig.backend.tools().size).toBe(0);
    await rig.advance(20);
    expect([rig.state, other.dials.length]).toEqual(['HEALTHY', 1]);
  });

  it('hidden or not: the state is asked', async () => {
    const rig = await INTO.UNHEALTHY({ whenUnavailable: 'hide' });
    expect(rig.backend.mayList().may).toBe(true);
    await rig.advance(10_000);
    expect(rig.backend.mayList()).toMatchObject({ may: false, reason: 'hidden' });
  });
});

describe('a capability check', () => {
  it('of a tool that is not read-only is off, and the board says so', async () => {
    const rig = await healthyRig({ health: { capability: { tool: 'act' } } });
    const note = 'capability check is off: act is not known to be read-only';
    expect(rig.backend.state?.settings.capability).toBeNull();
    expect(rig.backend.snapshot().notes).toEqual([note]);
    expect(rig.warnings).toEqual([`fake: ${note}`]);
  });

  it('is switched by what the tool says of itself, before it would run', async () => {
    const rig = await healthyRig(CAPABILITY);
    expect(rig.backend.state?.settings.capability).not.toBeNull();
    rig.server.manners.tools = TOOLS.map(({ annotations: _gone, ...tool }) => tool as (typeof TOOLS)[number]);
    rig.server.last.listChanged();
    await rig.advance(0);
    expect(rig.backend.state?.settings.capability).toBeNull();
    rig.reconfigure(configOf({ ...CAPABILITY, tools: { readOnly: ['probe'] } }));
    expect(rig.backend.state?.settings.capability).not.toBeNull();
    // The check is on again; what stays on the board is that the tools changed.
    const changed = ['look', 'put', 'probe'].map((name) =>
      expect.stringMatching(`^${name}: changed at .*: annotations$`),
    );
    expect(rig.backend.snapshot().notes).toEqual(changed);
  });
});

describe('a capability check that cannot be recorded', () => {
  it('sends nothing, is no event, and PROBATION is left by readiness', async () => {
    let isOpen = true;
    const config = configOf({ ...CAPABILITY, tools: { readOnly: ['probe'] } });
    const rig = new Rig(config, { recordedCheck: async (_check, send) => (isOpen ? send() : undefined) });
    await rig.advance(20);
    rig.server.manners.call = 'silent';
    for (let turn = 0; turn < 3; turn++) void rig.call();
    await rig.advance(50_000);
    rig.server.manners.call = 'result';
    isOpen = false;
    const before = rig.sent.length;
    await rig.advance(70_000);
    expect(rig.state).toBe('PROBATION');
    await rig.advance(120_000);
    expect([rig.state, rig.sent.length]).toEqual(['HEALTHY', before]);
    const call = rig.call();
    await rig.advance(100);
    expect(codeOf(await call)).toBe('result');
  });
});

describe("a capability check of a project's file", () => {
  /** When checks of a tool that never says what is expected began, within ten minutes. */
  const begun = async (origin: 'user' | 'project'): Promise<number[]> => {
    const health = {
      ...{ cooldownMs: 1_000, cooldownMaxMs: 1_000, failuresToQuarantine: 2 },
      capability: { tool: 'probe', intervalMs: 60_000, expect: { contains: 'never said' } },
    };
    const at: number[] = [];
    const config = configOf({ health, tools: { readOnly: ['probe'] } }, 'fake', origin);
    const rig: Rig = new Rig(config, {
      recordedCheck: (_check, send) => {
        at.push(rig.clock.now);
        return send();
      },
    });
    await rig.advance(600_000);
    expect(rig.transitions.some(({ to }) => to === 'QUARANTINE')).toBe(true);
    return at;
  };

  it('is never sooner than its least interval after the one before, however it ends', async () => {
    const at = await begun('project');
    expect(at.length).toBeGreaterThan(3);
    expect(at.slice(1).every((ms, n) => ms - (at[n] ?? 0) >= 60_000)).toBe(true);
    // The user's own may.
    expect((await begun('user')).length).toBeGreaterThan(30);
  });

  it('begins anew with another check, which somebody has agreed to, and not with other times', async () => {
    const asked = (check: object) =>
      configOf(
        {
          health: { capability: { tool: 'probe', afterFailures: 1, ...check } },
          timeoutMs: 1_000,
          tools: { readOnly: ['*'] },
        },
        'fake',
        'project',
      );
    let checks = 0;
    const rig = new Rig(asked({}), {
      recordedCheck: (_check, send) => {
        checks++;
        return send();
      },
    });
    await rig.advance(20);
    // At the first failure of a call the check is to run at once.
    rig.server.manners.call = 'silent';
    void rig.call();
    await rig.advance(1_500);
    rig.server.manners.call = 'result';
    expect(checks).toBe(1);
    void rig.call();
    await rig.advance(100);
    rig.reconfigure(asked({ timeoutMs: 5_000 }));
    rig.server.manners.call = 'silent';
    void rig.call();
    await rig.advance(1_500);
    rig.server.manners.call = 'result';
    await rig.advance(25_000);
    expect(checks).toBe(1);
    // The one that was left out is asked for again, and by now it is another.
    rig.reconfigure(asked({ timeoutMs: 5_000, arguments: { other: 1 } }));
    await rig.advance(20_000);
    expect(checks).toBe(2);
  });
});

describe('the board', () => {
  it('shows a server as it is', async () => {
    const rig = await healthyRig();
    rig.server.last.noise = 3;
    expect(rig.backend.snapshot()).toEqual({
      server: 'fake',
      state: 'HEALTHY',
      since: '2026-01-01T00:00:00.010Z',
      reason: null,
      next_at: '2026-01-01T00:00:10.010Z',
      calls: 0,
      failures: 0,
      unknown: 0,
      waiting: 0,
      in_flight: 0,
      p50_ms: null,
      p99_ms: null,
      noise: 3,
      tools: 4,
      notes: [],
    });
    rig.server.last.crash();
    await rig.advance(20);
    expect(rig.backend.snapshot().noise).toBe(3);
  });

  it('shows a server that is held or gone', async () => {
    const rig = new Rig({ ...configOf({ env: { A: '1' } }), missing: ['A'] });
    expect(rig.backend.snapshot()).toMatchObject({ reason: { code: 'missing_variable' }, next_at: null });
    expect(rig.server.dials).toEqual([]);
    await rig.backend.remove();
    expect(rig.backend.snapshot()).toMatchObject({ state: null, since: null, next_at: null });
  });
});

describe('sleep', () => {
  it('shows by the wall clock where the monotonic one stands still', async () => {
    const rig = await healthyRig();
    rig.server.manners.check = 'silent';
    await rig.advance(19_000);
    expect(rig.backend.state?.failures.liveness).toBe(2);
    const { wallMs } = rig.clock;
    rig.clock.wallMs = () => wallMs() + 60_000;
    await rig.advance(5_000);
    expect(rig.backend.state).toMatchObject({ state: 'HEALTHY', failures: { liveness: 0 } });
    expect(rig.backend.state?.awakeSince).toBeGreaterThan(19_000);
  });
});

describe('silence', () => {
  it('of a readiness check says nothing while a call is in flight', async () => {
    const rig = await healthyRig({ health: { liveness: { intervalMs: 3_600_000 } } });
    Object.assign(rig.server.manners, { check: 'silent', call: 'silent' });
    await rig.advance(29_000);
    void rig.call();
    await rig.advance(15_000);
    expect(rig.backend.state?.failures.readiness).toBe(0);
    await rig.advance(50_000);
    expect(rig.backend.state?.failures.readiness).toBeGreaterThan(0);
  });

  it('of a call that was sent before a sleep says nothing', async () => {
    const rig = await healthyRig();
    rig.server.manners.call = 'silent';
    await rig.advance(1_000);
    void rig.call();
    rig.clock.now += 3_600_000;
    await rig.advance(100);
    expect(rig.backend.snapshot()).toMatchObject({ in_flight: 0, failures: 1 });
    expect(rig.backend.state).toMatchObject({ state: 'HEALTHY', failures: { call: 0 } });
    void rig.call();
    await rig.advance(50_000);
    expect(rig.backend.state).toMatchObject({ state: 'HEALTHY', failures: { call: 1 } });
  });
});

describe('the end', () => {
  it('refuses who waits, closes what is open, leaves no timer', async () => {
    const rig = await healthyRig({ concurrency: 1 });
    rig.server.manners.call = 'silent';
    const calls = [rig.call(), rig.call('look')];
    const closing = rig.backend.close();
    await rig.advance(0);
    await closing;
    expect((await Promise.all(calls)).map(codeOf)).toEqual(['OUTCOME_UNKNOWN sent', 'TOOL_UNAVAILABLE']);
    expect([rig.clock.timers.size, rig.server.last.closed, rig.transitions.length]).toEqual([0, 'yes', 1]);
    expect(codeOf(await rig.call())).toBe('TOOL_UNAVAILABLE');
  });

  it('leaves no timer of a catalogue that was just read, and no listener of a call', async () => {
    const rig = await healthyRig();
    const { signal } = new AbortController();
    const call = rig.call('act', { signal });
    rig.server.last.listChanged();
    await rig.advance(10);
    expect([codeOf(await call), getEventListeners(signal, 'abort').length]).toEqual(['result', 0]);
    void rig.backend.close();
    await rig.advance(0);
    expect(rig.clock.timers.size).toBe(0);
  });

  it('closes a connection that comes up after it was given up', async () => {
    const rig = await INTO.STARTING({}, { dial: 'late' });
    const closing = rig.backend.close();
    await rig.advance(0);
    await closing;
    expect([rig.server.last.closed, rig.clock.timers.size]).toEqual(['yes', 0]);
  });

  it('does not wait for ever for a dial that never ends', async () => {
    const clock = new FakeClock();
    const dial = () => new Promise<never>(() => {});
    const rig = new Rig(configOf(), { dial }, clock);
    let isClosed = false;
    void rig.backend.close().then(() => {
      isClosed = true;
    });
    await clock.advance(9_999);
    expect(isClosed).toBe(false);
    await clock.advance(1);
    expect([isClosed, clock.timers.size]).toEqual([true, 0]);
  });

  it('a dial that throws and listeners that throw are survived', async () => {
    const clock = new FakeClock();
    const { dial, manners } = new FakeServer(clock);
    const fail = (): never => {
      throw new Error('no');
    };
    const more = { dial, onTransition: fail, onCatalogue: fail };
    const rig = new Rig(configOf(), more, clock);
    await rig.advance(20);
    expect([rig.state, rig.warnings.length]).toEqual(['HEALTHY', 2]);
    manners.dial = 'throw';
    rig.backend.reconfigure(configOf({ args: ['other'] }));
    await rig.advance(0);
    expect(rig.backend.state).toMatchObject({ state: 'UNHEALTHY', reason: { code: 'spawn_error' } });
    expect(rig.backend).toBeInstanceOf(Backend);
    await rig.backend.close();
  });
});
