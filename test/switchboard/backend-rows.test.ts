// The rows of the health table that begin in STARTING, HEALTHY, QUARANTINE and UNHEALTHY, driven through a backend by what
// its server does.
import { expect } from 'vitest';
import { CAPABILITY, codeOf, detailsOf, healthyRig, INTO, type Rig, walkRows } from './backend-rig.js';
import { TOOLS } from './fake-link.js';

/** In the order of the table. */
const ROWS: readonly (() => Promise<Rig>)[] = [
  // STARTING
  async () => {
    const rig = await healthyRig();
    expect(rig.state).toBe('HEALTHY');
    expect(rig.changes).toEqual([TOOLS]);
    return rig;
  },
  async () => {
    const rig = await INTO.UNHEALTHY();
    expect(rig.state).toBe('UNHEALTHY');
    await rig.advance(980);
    expect(rig.server.dials.length).toBe(1);
    await rig.advance(20);
    expect(rig.server.dials.length).toBe(2);
    await rig.advance(10 + 2_000 + 10 + 4_000);
    expect(rig.server.dials.length).toBe(4);
    const slow = await INTO.STARTING();
    await slow.advance(30_000);
    expect(slow.backend.state?.reason?.code).toBe('start_timeout');
    expect(slow.server.dials[0]?.signal.aborted).toBe(true);
    return rig;
  },
  // HEALTHY
  async () => {
    const rig = await healthyRig(CAPABILITY);
    rig.server.manners.check = 'silent';
    await rig.advance(10_000 + 2_000 + 5_000 + 2_000);
    // The capability check ran at once and passed, which says that the shallower signals were wrong.
    expect(rig.backend.state).toMatchObject({ state: 'HEALTHY', failures: { liveness: 0 }, checks: 3 });
    const plain = await healthyRig();
    plain.server.manners.check = 'silent';
    await plain.advance(19_000);
    expect(plain.backend.state).toMatchObject({ state: 'HEALTHY', failures: { liveness: 2 } });
    return rig;
  },
  async () => {
    const rig = await INTO.QUARANTINE();
    expect(rig.state).toBe('QUARANTINE');
    expect(rig.backend.state?.reason?.code).toBe('call_failures');
    const crashing = await healthyRig();
    for (let turn = 0; turn < 3; turn++) {
      crashing.server.last.crash();
      await crashing.advance(1_000);
    }
    expect(crashing.backend.state).toMatchObject({ state: 'QUARANTINE', reason: { code: 'lost' } });
    return rig;
  },
  async () => {
    const rig = await healthyRig();
    rig.server.manners.call = 'silent';
    const calls = [rig.call(), rig.call(), rig.call(), rig.call()];
    await rig.advance(100);
    rig.server.last.crash();
    expect(rig.state).toBe('STARTING');
    rig.server.manners.call = 'result';
    const waiting = rig.call();
    await rig.advance(20);
    expect(rig.transitions.map(({ to }) => to)).toEqual(['HEALTHY', 'STARTING', 'HEALTHY']);
    expect((await Promise.all(calls)).map(codeOf)).toEqual(Array(4).fill('OUTCOME_UNKNOWN sent'));
    expect(codeOf(await waiting)).toBe('result');
    return rig;
  },
  async () => {
    const rig = await healthyRig();
    rig.server.manners.tools = [];
    rig.server.last.listChanged();
    await rig.advance(0);
    expect(rig.backend.state?.reason?.code).toBe('empty_catalogue');
    expect(rig.backend.tools().size).toBe(4);
    return rig;
  },
  async () => {
    const rig = await healthyRig();
    rig.server.manners.call = 429;
    const first = rig.call();
    await rig.advance(20);
    const second = rig.call();
    await rig.advance(0);
    expect(detailsOf(await first)).toMatchObject({ reason: 'throttled', retry_after_ms: 1_000 });
    expect(detailsOf(await second)).toMatchObject({ reason: 'throttled', state: 'HEALTHY' });
    rig.server.manners.call = 'result';
    await rig.advance(1_000);
    const third = rig.call();
    await rig.advance(20);
    expect(codeOf(await third)).toBe('result');
    return rig;
  },
  // QUARANTINE
  async () => {
    const rig = await INTO.QUARANTINE();
    rig.server.manners.dial = 'hang';
    await rig.advance(60_000);
    expect(rig.state).toBe('QUARANTINE');
    expect(rig.server.dials.length).toBe(2);
    return rig;
  },
  async () => {
    const rig = await INTO.PROBATION();
    expect(rig.state).toBe('PROBATION');
    return rig;
  },
  async () => {
    const rig = await INTO.PROBATION({}, { dial: 'fault' });
    expect(rig.state).toBe('UNHEALTHY');
    return rig;
  },
  // UNHEALTHY
  async () => {
    const rig = await INTO.UNHEALTHY();
    rig.server.manners.dial = 'ok';
    await rig.advance(1_010);
    expect(rig.state).toBe('PROBATION');
    return rig;
  },
  async () => {
    const rig = await INTO.UNHEALTHY();
    await rig.advance(600_000);
    expect(rig.state).toBe('UNHEALTHY');
    expect(rig.server.dials.length).toBeLessThan(20);
    expect(rig.transitions).toHaveLength(1);
    return rig;
  },
  // What a person asks for
  async () => {
    const rig = await INTO.QUARANTINE();
    const dials = rig.server.dials.length;
    rig.backend.obey('retry', 'ada');
    await rig.advance(20);
    expect(rig.server.dials.length).toBe(dials + 1);
    expect(rig.state).toBe('PROBATION');
    expect(rig.transitions.at(-2)).toMatchObject({ from: 'QUARANTINE', to: 'QUARANTINE', event: { by: 'ada' } });
    return rig;
  },
  async () => {
    const rig = await INTO.UNHEALTHY();
    rig.server.manners.dial = 'ok';
    rig.backend.obey('restart', 'ada');
    await rig.advance(20);
    expect(rig.state).toBe('PROBATION');
    return rig;
  },
];

walkRows(['STARTING', 'HEALTHY', 'QUARANTINE', 'UNHEALTHY'], ROWS);
