// A call through a backend: its reply, and how long it waits.
import { describe, expect, it } from 'vitest';
import { codeOf, configOf, detailsOf, healthyRig, INTO, Rig } from './backend-rig.js';
import { FakeClock, TOOLS } from './fake-link.js';

describe('a reply', () => {
  it('is what the server said, untouched', async () => {
    const rig = await healthyRig();
    const codes: string[] = [];
    for (const manner of ['result', 'isError', 'error'] as const) {
      rig.server.manners.call = manner;
      const call = rig.call();
      await rig.advance(20);
      codes.push(codeOf(await call));
    }
    expect(codes).toEqual(['result', 'isError', 'error']);
    expect(rig.state).toBe('HEALTHY');
    expect(rig.backend.snapshot()).toMatchObject({
      ...{ calls: 3, failures: 0, p50_ms: 10, p99_ms: 10 },
      notes: ['2 of its calls were answered with an error'],
    });
  });

  it('after silence says whether the call may be repeated', async () => {
    const rig = await healthyRig();
    rig.server.manners.call = 'silent';
    const calls = [rig.call('look'), rig.call('put')];
    await rig.advance(50_000);
    const [look, put] = await Promise.all(calls);
    expect(look && codeOf(look)).toBe('TOOL_TIMEOUT sent');
    expect(look && detailsOf(look)).toEqual({ server: 'fake', tool: 'look', timeout_ms: 50_000, safe_to_retry: true });
    expect(put && detailsOf(put)).toEqual({
      server: 'fake',
      tool: 'put',
      sent_at: '2026-01-01T00:00:00.020Z',
      how: 'timeout',
      safe_to_retry: false,
    });
    expect(rig.backend.snapshot()).toMatchObject({ calls: 2, failures: 2, unknown: 1 });
  });

  it('trusts hints only where they are to be trusted', async () => {
    const rig = await healthyRig({ trustHints: false, tools: { readOnly: ['ac*'] } });
    rig.server.manners.call = 'silent';
    const calls = [rig.call('look'), rig.call('act')];
    await rig.advance(50_000);
    expect((await Promise.all(calls)).map(codeOf)).toEqual(['OUTCOME_UNKNOWN sent', 'TOOL_TIMEOUT sent']);
  });

  it('carries whatever arguments and `_meta` there are', async () => {
    const rig = await healthyRig();
    void rig.backend.call('act', null, { id: 'a', meta: { traceparent: '00-1' } });
    void rig.backend.call('act', undefined, { id: 'b' });
    void rig.backend.ask('prompts/get', { name: 'p' }, { id: 'c' });
    expect(rig.sent.map(({ method, params }) => ({ method, params }))).toEqual([
      { method: 'tools/call', params: { _meta: { traceparent: '00-1' }, name: 'act', arguments: null } },
      { method: 'tools/call', params: { name: 'act' } },
      { method: 'prompts/get', params: { name: 'p' } },
    ]);
  });

  it('is a refusal for a tool that is not offered', async () => {
    const rig = await healthyRig({ tools: { deny: ['a*'] } });
    expect(codeOf(await rig.call('act'))).toBe('TOOL_NOT_FOUND');
    expect([...rig.backend.tools().keys()]).toEqual(['look', 'put', 'probe']);
    expect(rig.sent).toEqual([]);
  });

  it('survives a connection that breaks its promise, and lone surrogates', async () => {
    const rig = await healthyRig();
    rig.server.manners.call = 'reject';
    const call = rig.call('a\ud800');
    await rig.advance(20);
    expect(codeOf(await call)).toBe('OUTCOME_UNKNOWN sent');
    expect(rig.warnings).toHaveLength(1);
    expect(rig.state).toBe('HEALTHY');
  });
});

describe('waiting', () => {
  it('lasts up to 2 s for a server that is being dialled', async () => {
    const rig = await INTO.STARTING();
    const call = rig.call();
    await rig.advance(1_999);
    expect(rig.backend.snapshot().waiting).toBe(1);
    await rig.advance(1);
    expect(detailsOf(await call)).toMatchObject({ state: 'STARTING', reason: 'starting', retry_after_ms: 2_000 });
  });

  it('ends at once when the dial fails', async () => {
    const rig = await INTO.STARTING({}, { dial: 'fault', delayMs: 500 });
    const call = rig.call();
    await rig.advance(480);
    expect(detailsOf(await call)).toMatchObject({ state: 'UNHEALTHY', reason: 'handshake_refused' });
  });

  it('is for 64 at most', async () => {
    const rig = await healthyRig({ concurrency: 2 });
    rig.server.manners.delayMs = 100;
    const calls = Array.from({ length: 2 + 64 }, () => rig.call());
    const last = rig.call();
    expect(codeOf(await last)).toBe('TOOL_BUSY');
    expect(detailsOf(await last)).toMatchObject({ waiting: 64 });
    expect(rig.backend.snapshot()).toMatchObject({ waiting: 64, in_flight: 2 });
    await rig.advance(33 * 100);
    expect((await Promise.all(calls)).map(codeOf)).toEqual(Array(66).fill('result'));
    expect(rig.faults).toEqual([]);
  });

  it('for others to end takes no longer than a call', async () => {
    const rig = await healthyRig({ concurrency: 1, health: { failuresToQuarantine: 100 } });
    rig.server.manners.call = 'silent';
    void rig.call();
    await rig.advance(1_000);
    const [second, third] = [rig.call(), rig.call()];
    await rig.advance(50_000);
    expect(codeOf(await third)).toBe('TOOL_BUSY');
    await rig.advance(49_000);
    expect(codeOf(await second)).toBe('OUTCOME_UNKNOWN sent');
  });

  it('ends at once for all when the server becomes ineligible', async () => {
    const rig = await healthyRig({ concurrency: 1, health: { failuresToQuarantine: 1 } });
    rig.server.manners.call = 'silent';
    const calls = [rig.call(), rig.call(), rig.call()];
    await rig.advance(10);
    rig.server.last.crash();
    await rig.advance(0);
    expect((await Promise.all(calls)).map(codeOf)).toEqual([
      'OUTCOME_UNKNOWN sent',
      'TOOL_UNAVAILABLE',
      'TOOL_UNAVAILABLE',
    ]);
  });

  it('one hanging server has no effect on another', async () => {
    const clock = new FakeClock();
    const sick = new Rig(configOf({}, 'sick'), {}, clock, { dial: 'hang' });
    const well = new Rig(configOf({}, 'well'), {}, clock);
    await clock.advance(20);
    const [one, other] = [sick.call(), well.call()];
    await clock.advance(10);
    expect(codeOf(await other)).toBe('result');
    await clock.advance(2_000);
    expect(codeOf(await one)).toBe('TOOL_UNAVAILABLE');
  });
});

describe('progress', () => {
  it('reaches the caller and is a sign of life', async () => {
    const rig = await healthyRig();
    rig.server.manners.call = 'progress';
    const seen: unknown[] = [];
    const call = rig.backend.call('act', {}, { id: 'a', onProgress: (params) => seen.push(params) });
    await rig.advance(50_000);
    expect(seen).toEqual([{ progress: 1 }]);
    expect(codeOf(await call)).toBe('OUTCOME_UNKNOWN sent');
    expect(rig.backend.state?.failures.call).toBe(0);
  });
});

it('tools of the remembered catalogue are there before the server is', async () => {
  const rig = new Rig(configOf(), { remembered: TOOLS }, undefined, { dial: 'hang' });
  expect([...rig.backend.tools().keys()]).toEqual(['look', 'put', 'act', 'probe']);
  expect(rig.backend.mayList()).toEqual({ may: true });
  await rig.backend.close();
});
