import { describe, expect, it } from 'vitest';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { CallStats } from './call.js';

describe('percentiles', () => {
  it('are those of the latest answers', () => {
    const stats = new CallStats();
    expect([stats.percentile(0.5), stats.percentile(0.99)]).toEqual([null, null]);
    for (let ms = 1; ms <= 100; ms++) stats.answered(ms);
    expect([stats.percentile(0.5), stats.percentile(0.99)]).toEqual([50, 99]);
    for (let turn = 0; turn < SWITCHBOARD_LIMITS.callDurations; turn++) stats.answered(7);
    expect([stats.percentile(0), stats.percentile(1)]).toEqual([7, 7]);
  });
});
