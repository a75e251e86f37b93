// The rows of the health table that begin in PROBATION and anywhere, driven through a backend by what its server does.
import { expect } from 'vitest';
import {
  CAPABILITY,
  codeOf,
  configOf,
  detailsOf,
  healthyRig,
  INTO,
  isSound,
  type Rig,
  walkRows,
} from './backend-rig.js';

/** In the order of the table. */
const ROWS: readonly (() => Promise<Rig>)[] = [
  // PROBATION
  async () => {
    const rig = await INTO.PROBATION({}, { delayMs: 100 });
    await rig.advance(100);
    const [first, second] = [rig.call(), rig.call()];
    await rig.advance(0);
    expect(detailsOf(await second)).toMatchObject({ reason: 'probation', state: 'PROBATION' });
    await rig.advance(100);
    expect(codeOf(await first)).toBe('result');
    return rig;
  },
  async () => {
    const rig = await INTO.PROBATION(CAPABILITY, { delayMs: 100 });
    await rig.advance(80);
    expect(rig.backend.state).toMatchObject({ state: 'PROBATION', permit: { by: 'check' } });
    const call = rig.call();
    expect(codeOf(await call)).toBe('TOOL_UNAVAILABLE');
    await rig.advance(100);
    expect(rig.state).toBe('HEALTHY');
    return rig;
  },
  async () => {
    for (const manner of ['isError', 'error', 'result', 403, 429] as const) {
      const rig = await INTO.PROBATION();
      rig.server.manners.call = manner;
      void rig.call();
      await rig.advance(20);
      expect([manner, rig.state]).toEqual([manner, 'HEALTHY']);
      isSound(rig);
    }
    return healthyRig();
  },
  async () => {
    for (const manner of ['silent', 'crash', 'server_error'] as const) {
      const rig = await INTO.PROBATION();
      rig.server.manners.call = manner;
      void rig.call();
      await rig.advance(50_000);
      expect([manner, rig.state]).toEqual([manner, 'QUARANTINE']);
      expect(rig.backend.state?.cooldownMs).toBe(120_000);
      isSound(rig);
    }
    const wrong = await INTO.PROBATION(CAPABILITY, { call: 'isError' });
    await wrong.advance(20);
    expect(wrong.backend.state).toMatchObject({ state: 'QUARANTINE', reason: { code: 'probation_failed' } });
    return wrong;
  },
  async () => {
    const rig = await INTO.PROBATION();
    rig.server.manners.call = 'silent';
    const stop = new AbortController();
    const call = rig.call('act', { signal: stop.signal });
    await rig.advance(1_000);
    expect(rig.backend.state).toMatchObject({ permit: { by: 'call' } });
    stop.abort();
    await rig.advance(0);
    expect(rig.backend.state).toMatchObject({ state: 'PROBATION', permit: null });
    expect(codeOf(await call)).toBe('OUTCOME_UNKNOWN sent');
    return rig;
  },
  async () => {
    const rig = await INTO.PROBATION();
    await rig.advance(29_000);
    expect(rig.state).toBe('PROBATION');
    await rig.advance(62_000);
    expect(rig.state).toBe('HEALTHY');
    return rig;
  },
  async () => {
    const rig = await INTO.PROBATION();
    rig.server.manners.tools = [];
    rig.server.last.listChanged();
    await rig.advance(0);
    expect(rig.backend.state).toMatchObject({ state: 'UNHEALTHY', reason: { code: 'empty_catalogue' } });
    return rig;
  },
  // any
  async () => {
    const rig = await healthyRig();
    rig.server.manners.call = 401;
    rig.server.manners.dial = 401;
    const call = rig.call();
    await rig.advance(20);
    expect(rig.backend.state).toMatchObject({ state: 'UNHEALTHY', reason: { code: 'auth_required' } });
    expect(codeOf(await call)).toBe('TOOL_UNAVAILABLE');
    await rig.advance(299_900);
    expect(rig.server.dials.length).toBe(1);
    rig.reconfigure(configOf({ timeoutMs: 40_000 }));
    await rig.advance(20);
    expect(rig.server.dials.length).toBe(2);
    return rig;
  },
  async () => {
    const rig = await healthyRig();
    const old = rig.server.last;
    rig.server.manners.delayMs = 1_000;
    const call = rig.call();
    await rig.advance(0);
    rig.reconfigure(configOf({ args: ['other'] }));
    expect([rig.state, old.closed]).toEqual(['STARTING', 'draining']);
    await rig.advance(1_000);
    expect([codeOf(await call), rig.state, old.closed]).toEqual(['result', 'HEALTHY', 'yes']);
    rig.reconfigure({ ...configOf({ args: ['third'] }), hold: 'not_approved' });
    expect(rig.backend.state).toMatchObject({ state: 'UNHEALTHY', reason: { code: 'not_approved' } });
    expect(detailsOf(await rig.call())).toMatchObject({ reason: 'not_approved', retry_after_ms: null });
    rig.reconfigure(configOf({ args: ['third'] }));
    await rig.advance(1_000);
    expect(rig.state).toBe('HEALTHY');
    return rig;
  },
  async () => {
    const rig = await healthyRig({ concurrency: 1 });
    rig.server.manners.call = 'silent';
    void rig.call();
    void rig.call();
    expect(rig.backend.snapshot()).toMatchObject({ waiting: 1, in_flight: 1 });
    rig.reconfigure(configOf({ concurrency: 2 }));
    expect(rig.backend.snapshot()).toMatchObject({ waiting: 0, in_flight: 2, state: 'HEALTHY' });
    return rig;
  },
  async () => {
    const rig = await INTO.PROBATION({}, { delayMs: 1_000 });
    await rig.advance(1_000);
    const first = rig.call();
    await rig.advance(10);
    rig.backend.obey('restart', 'ada');
    expect(rig.backend.state?.reason).toMatchObject({ code: 'restarted', text: 'ada restarted it' });
    await rig.advance(20);
    expect(codeOf(await first)).toBe('OUTCOME_UNKNOWN sent'); // it was ended, so that the next request is the only one
    await rig.advance(2_000);
    expect(rig.state).toBe('PROBATION');
    return rig;
  },
  async () => {
    const rig = await healthyRig({ concurrency: 1 });
    rig.server.manners.delayMs = 100;
    const [flying, waiting] = [rig.call(), rig.call()];
    await rig.advance(0);
    const removed = rig.backend.remove();
    expect(rig.backend.state).toBeNull();
    expect(detailsOf(await waiting)).toMatchObject({ reason: 'removed', state: null });
    await rig.advance(100);
    await removed;
    expect(codeOf(await flying)).toBe('result');
    expect(rig.clock.timers.size).toBe(0);
    return rig;
  },
  async () => {
    const rig = await healthyRig();
    const [old] = rig.server.links;
    rig.reconfigure(configOf({ args: ['other'] }));
    old?.crash();
    await rig.advance(20);
    expect(rig.state).toBe('HEALTHY');
    return rig;
  },
  async () => {
    const rig = await healthyRig();
    rig.server.manners.check = 'silent';
    await rig.advance(19_000);
    expect(rig.backend.state?.failures.liveness).toBe(2);
    rig.server.manners.check = 'result';
    rig.clock.now += 3_600_000;
    await rig.advance(50);
    expect(rig.backend.state).toMatchObject({ state: 'HEALTHY', failures: { liveness: 0 } });
    return rig;
  },
];

walkRows(['PROBATION', 'any'], ROWS);
