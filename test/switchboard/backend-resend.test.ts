// A call whose connection goes or whose caller goes: what is sent again and what nobody may send again.
import { describe, expect, it } from 'vitest';
import { codeOf, detailsOf, healthyRig, INTO } from './backend-rig.js';

describe('a call is sent again, once and after a new dial', () => {
  const crashDuring = async (tool: string, lostFirst: boolean): Promise<[string, number]> => {
    const rig = await healthyRig();
    Object.assign(rig.server.manners, { call: 'crash', lostFirst });
    const call = rig.call(tool);
    await rig.advance(10);
    rig.server.manners.call = 'result';
    await rig.advance(20);
    expect(rig.faults).toEqual([]);
    expect(rig.transitions.map(({ to }) => to)).toEqual(['HEALTHY', 'STARTING', 'HEALTHY']);
    return [codeOf(await call), rig.sent.length];
  };

  it('if it changes nothing or may be repeated', async () => {
    for (const lostFirst of [true, false]) {
      expect(await crashDuring('look', lostFirst)).toEqual(['result', 2]);
      expect(await crashDuring('put', lostFirst)).toEqual(['result', 2]);
      expect(await crashDuring('act', lostFirst)).toEqual(['OUTCOME_UNKNOWN sent', 1]);
    }
  });

  it('if nothing was sent', async () => {
    const rig = await healthyRig();
    rig.server.manners.call = 'unsent';
    const call = rig.call('act');
    await rig.advance(0);
    rig.server.manners.call = 'result';
    await rig.advance(20);
    expect([codeOf(await call), rig.state]).toEqual(['result', 'HEALTHY']);
  });

  it('and its progress counts on, it does not go back', async () => {
    const rig = await healthyRig();
    rig.server.manners.call = 'progress';
    const seen: unknown[] = [];
    void rig.backend.call('look', {}, { id: 'c', onProgress: ({ progress }) => void seen.push(progress) });
    await rig.advance(20);
    rig.server.last.crash();
    await rig.advance(100);
    expect(rig.sent).toHaveLength(2);
    expect(seen).toEqual([1, 2]);
  });

  it('and not a third time', async () => {
    const rig = await healthyRig();
    rig.server.manners.call = 'crash';
    const calls = [rig.call('look'), rig.call('put')];
    await rig.advance(1_000);
    const [look, put] = await Promise.all(calls);
    expect(look && detailsOf(look)).toMatchObject({ how: 'lost', safe_to_retry: true });
    expect(put && codeOf(put)).toBe('OUTCOME_UNKNOWN sent');
    expect(rig.sent).toHaveLength(4);
  });

  it('never as if nothing had been sent, when the second try finds no server', async () => {
    const rig = await healthyRig();
    rig.server.manners.call = 'crash';
    rig.server.manners.dial = 'fault';
    const calls = [rig.call('look'), rig.call('put'), rig.call('act')];
    await rig.advance(1_000);
    expect((await Promise.all(calls)).map(codeOf)).toEqual([
      'TOOL_TIMEOUT sent',
      'OUTCOME_UNKNOWN sent',
      'OUTCOME_UNKNOWN sent',
    ]);
  });
});

describe('a call is cancelled', () => {
  it('before it arrives', async () => {
    const rig = await healthyRig();
    expect(codeOf(await rig.call('act', { signal: AbortSignal.abort() }))).toBe('cancelled');
    expect(rig.sent).toEqual([]);
  });

  it('while the server is being dialled', async () => {
    const rig = await INTO.STARTING();
    const stop = new AbortController();
    const call = rig.call('act', { signal: stop.signal });
    await rig.advance(100);
    stop.abort();
    expect(codeOf(await call)).toBe('cancelled');
    expect(rig.backend.snapshot().waiting).toBe(0);
    expect(rig.clock.timers.size).toBe(1);
  });

  it('while it waits for others', async () => {
    const rig = await healthyRig({ concurrency: 1 });
    rig.server.manners.call = 'silent';
    void rig.call();
    const stop = new AbortController();
    const call = rig.call('act', { signal: stop.signal });
    stop.abort();
    expect(codeOf(await call)).toBe('cancelled');
    expect(rig.sent).toHaveLength(1);
  });

  it('in flight', async () => {
    const rig = await healthyRig();
    rig.server.manners.call = 'silent';
    const stop = new AbortController();
    const calls = [rig.call('look', { signal: stop.signal }), rig.call('act', { signal: stop.signal })];
    await rig.advance(1_000);
    stop.abort();
    expect((await Promise.all(calls)).map(codeOf)).toEqual(['cancelled sent', 'OUTCOME_UNKNOWN sent']);
    expect(rig.backend.state?.failures.call).toBe(0);
  });

  it('between two tries', async () => {
    const rig = await healthyRig();
    rig.server.manners.call = 'crash';
    const stop = new AbortController();
    const calls = [rig.call('look', { signal: stop.signal }), rig.call('put', { signal: stop.signal })];
    rig.server.manners.dial = 'hang';
    await rig.advance(100);
    stop.abort();
    expect((await Promise.all(calls)).map(codeOf)).toEqual(['cancelled sent', 'OUTCOME_UNKNOWN sent']);
  });

  it('after long silence, which is the server’s failure', async () => {
    const rig = await healthyRig();
    rig.server.manners.call = 'silent';
    const stop = new AbortController();
    void rig.call('act', { signal: stop.signal });
    await rig.advance(10_001);
    stop.abort();
    await rig.advance(0);
    expect(rig.backend.state?.failures.call).toBe(1);
  });
});
