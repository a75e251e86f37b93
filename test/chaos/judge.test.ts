// What a chaos run makes of what it saw: each invariant can be broken, and what only looks like a breach is none.
import { describe, expect, it } from 'vitest';

interface Call {
  readonly key: string;
  readonly server: string;
  readonly how: string;
  readonly code?: string;
  readonly began: number;
  readonly ended: number;
  readonly ms: number;
}
interface Arrival {
  readonly key: string;
  readonly at: number;
}
interface Transition {
  readonly server: string;
  readonly from: string;
  readonly to: string;
  readonly cause: string;
  readonly at: number;
}
interface Judge {
  reachedIneligible(calls: Call[], arrivals: Arrival[], transitions: Transition[]): string[];
  twice(arrivals: Arrival[]): string[];
  detection(calls: Call[], transitions: Transition[], since: number): Record<string, unknown>;
  recovery(calls: Call[], transitions: Transition[], how: { since: number; isCalled: boolean }): number | undefined;
}

const file = new URL('../../chaos/judge.mjs', import.meta.url).href;
const judge = (await import(file)) as Judge;

const call = (key: string, began: number, ended: number, how = 'ok', code?: string): Call => ({
  key,
  server: 's',
  how,
  began,
  ended,
  ms: ended - began,
  ...(code !== undefined && { code }),
});
const move = (from: string, to: string, at: number): Transition => ({ server: 's', from, to, cause: 'c', at });

const SICK = [move('STARTING', 'HEALTHY', 0), move('HEALTHY', 'QUARANTINE', 100), move('QUARANTINE', 'PROBATION', 200)];

describe('a call that reached an ineligible server', () => {
  it.each([
    ['began and arrived while it was out', [call('a', 110, 120)], [{ key: 'a', at: 115 }], ['a']],
    ['was sent before it was out and arrived later', [call('a', 99, 120)], [{ key: 'a', at: 115 }], []],
    ['began while it was out and arrived when it was no more', [call('a', 110, 220)], [{ key: 'a', at: 201 }], []],
    ['did not arrive', [call('a', 110, 111, 'refused', 'TOOL_UNAVAILABLE')], [], []],
    ['was refused as unsent', [call('a', 50, 60, 'refused', 'TOOL_UNAVAILABLE')], [{ key: 'a', at: 55 }], ['a']],
    ['was refused as sent', [call('a', 50, 60, 'refused', 'OUTCOME_UNKNOWN')], [{ key: 'a', at: 55 }], []],
  ])('%s', (_what, calls, arrivals, found) => {
    expect(judge.reachedIneligible(calls, arrivals, SICK)).toEqual(found);
  });

  it('is the second of a probation, not the first', () => {
    const calls = [call('a', 210, 230), call('b', 211, 231)];
    const arrivals = [
      { key: 'a', at: 215 },
      { key: 'b', at: 216 },
    ];
    expect(judge.reachedIneligible(calls, arrivals, SICK)).toEqual(['b']);
    expect(judge.reachedIneligible(calls.slice(0, 1), arrivals, SICK)).toEqual([]);
  });
});

it('an effect that happened twice is found by its name', () => {
  const arrivals = ['a', 'b', 'a', 'c'].map((key, at) => ({ key, at }));
  expect(judge.twice(arrivals)).toEqual(['a']);
});

describe('detection', () => {
  const out = [move('HEALTHY', 'STARTING', 130), move('STARTING', 'UNHEALTHY', 180)];

  it('is the first of a caller that was let down and a state', () => {
    expect(judge.detection([call('a', 90, 150, 'refused', 'TOOL_TIMEOUT')], out, 100)).toMatchObject({
      seenAt: 130,
      seenBy: 'STARTING',
      outAt: 180,
    });
    expect(judge.detection([call('a', 90, 120, 'refused', 'TOOL_TIMEOUT')], out, 100)).toMatchObject({
      seenAt: 120,
      seenBy: 'TOOL_TIMEOUT',
    });
  });

  it('is nothing where all went well, or badly before', () => {
    const calls = [call('a', 90, 150), call('b', 10, 20, 'refused', 'TOOL_TIMEOUT')];
    expect(judge.detection(calls, [], 100)).toMatchObject({ seenAt: undefined, outAt: undefined });
  });
});

describe('recovery', () => {
  const back = [move('QUARANTINE', 'PROBATION', 300), move('PROBATION', 'HEALTHY', 310)];

  it('takes both the state and a call that began after it', () => {
    const how = { since: 250, isCalled: true };
    expect(judge.recovery([call('a', 240, 320)], back, how)).toBeUndefined();
    expect(judge.recovery([call('a', 312, 320), call('b', 330, 340)], back, how)).toBe(320);
    expect(judge.recovery([call('a', 312, 320)], back.slice(0, 1), how)).toBeUndefined();
  });

  it('takes the state alone where nothing may be called', () => {
    expect(judge.recovery([], back, { since: 250, isCalled: false })).toBe(310);
  });
});
