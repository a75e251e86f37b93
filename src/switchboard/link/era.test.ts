import { describe, expect, it } from 'vitest';
import { type EraPlan, negotiationOf, nextPlan, offeredBy, planOf } from './era.js';

const DAY = 24 * 60 * 60 * 1_000;
const PROBE: EraPlan = { era: 'probe' };
const MODERN = '2026-07-28';

describe('the plan of an opening', () => {
  it('asks where nothing is remembered, or where it is old, or of the future', () => {
    expect(planOf(undefined, 0)).toEqual(PROBE);
    expect(planOf({ era: 'legacy', at: 0 }, DAY)).toEqual(PROBE);
    expect(planOf({ era: 'legacy', at: 1 }, 0)).toEqual(PROBE);
  });

  it('follows what is remembered', () => {
    expect(planOf({ era: 'legacy', at: 0 }, DAY - 1)).toEqual({ era: 'legacy', remembered: true });
    const modern = { era: 'modern', version: MODERN, remembered: true };
    expect(planOf({ era: 'modern', version: MODERN, at: 0 }, 100 * DAY)).toEqual(modern);
  });

  it('is how the SDK negotiates', () => {
    expect(negotiationOf(PROBE, 9)).toEqual({ mode: 'auto', probe: { timeoutMs: 3_000 } });
    expect(negotiationOf({ era: 'legacy', remembered: true }, 9)).toEqual({ mode: 'legacy' });
    expect(negotiationOf({ era: 'modern', version: MODERN, remembered: true }, 9)).toEqual({
      mode: { pin: MODERN },
      probe: { timeoutMs: 9 },
    });
  });
});

describe('after an opening that failed', () => {
  it('a memory that is refused is asked anew', () => {
    for (const plan of [{ era: 'legacy' }, { era: 'modern', version: MODERN }] as const) {
      expect(nextPlan({ ...plan, remembered: true }, { fault: 'handshake_refused' })).toEqual(PROBE);
      expect(nextPlan({ ...plan, remembered: true }, { fault: 'exited' })).toBeUndefined();
      expect(nextPlan({ ...plan, remembered: false }, { fault: 'handshake_refused' })).toBeUndefined();
    }
  });

  it('one that died of the probe, or answered it with nonsense, is greeted the old way', () => {
    const legacy = { era: 'legacy', remembered: false };
    expect(nextPlan(PROBE, { fault: 'exited' })).toEqual(legacy);
    expect(nextPlan(PROBE, { fault: 'handshake_refused', unclear: true })).toEqual(legacy);
    expect(nextPlan(PROBE, { fault: 'handshake_refused' })).toBeUndefined();
    expect(nextPlan(PROBE, { fault: 'spawn_error' })).toBeUndefined();
  });

  it('one that answered the probe late is of the new era', () => {
    const next = nextPlan(PROBE, { fault: 'handshake_refused', offered: MODERN });
    expect(next).toEqual({ era: 'modern', version: MODERN, remembered: false });
  });
});

describe('a late answer to the probe', () => {
  const answer = (id: string | number, result: Record<string, unknown>) => offeredBy({ jsonrpc: '2.0', id, result });

  it('offers a version that we speak', () => {
    expect(answer('server-discover-probe-1', { supportedVersions: ['2030-01-01', MODERN] })).toBe(MODERN);
  });

  it('may be the refusal of a greeting', () => {
    const refusal = (code: number, data?: unknown) =>
      offeredBy({ jsonrpc: '2.0', id: 0, error: { code, message: 'm', data } });
    expect(refusal(-32022, { supported: [MODERN] })).toBe(MODERN);
    expect(refusal(-32022, { supported: ['2025-06-18'] })).toBeUndefined();
    expect(refusal(-32022)).toBeUndefined();
    expect(refusal(-32022, null)).toBeUndefined();
    expect(refusal(-32602, { supported: [MODERN] })).toBeUndefined();
  });

  it('is nothing else', () => {
    expect(answer('server-discover-probe-1', { supportedVersions: ['2025-06-18'] })).toBeUndefined();
    expect(answer('server-discover-probe-1', { supportedVersions: 'all' })).toBeUndefined();
    expect(answer('c1', { supportedVersions: [MODERN] })).toBeUndefined();
    expect(answer(1, { supportedVersions: [MODERN] })).toBeUndefined();
    expect(offeredBy({ jsonrpc: '2.0', method: 'x' })).toBeUndefined();
  });
});
