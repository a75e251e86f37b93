// What scores permit, at the edge of each rule.
import { describe, expect, it } from 'vitest';
import { type GateScores, gatesOf, maxParallelTasks } from './gates.js';

const gates = (scores: Partial<GateScores>) => gatesOf({ execution: 0, arbitration: 0, governance: 0, ...scores });

describe('tasks at once', () => {
  it.each([
    [0, 1],
    [1, 1],
    [3, 1],
    [4, 2],
    [8, 2],
    [9, 3],
    [399, 19],
    [400, 20],
    [10_000, 20],
  ])('execution %d: %d', (score, tasks) => expect(maxParallelTasks(score)).toBe(tasks));
});

describe('for information', () => {
  it.each([
    [0, 0, 10_000],
    [1, 0, 10_000],
    [2, 1, 10_000],
    [1_000, 9, 10_000],
    [1_001, 9, 9_990],
    [1_023, 9, 9_775],
    [1_024, 10, 9_765],
    [10_000, 13, 1_000],
  ])('execution %d: bonus %d, discount %d', (execution, rate_limit_bonus, stake_discount) =>
    expect(gates({ execution })).toMatchObject({ rate_limit_bonus, stake_discount }),
  );
});

describe('who may arbitrate and govern', () => {
  it.each([
    [5_000, 3_000, true],
    [4_999, 3_000, false],
    [5_000, 2_999, false],
    [10_000, 10_000, true],
    [0, 0, false],
  ])('arbitration %d, execution %d: %s', (arbitration, execution, can_arbitrate) =>
    expect(gates({ arbitration, execution }).can_arbitrate).toBe(can_arbitrate),
  );

  it.each([
    [4_000, true],
    [3_999, false],
  ])('governance %d: %s', (governance, can_govern) => expect(gates({ governance }).can_govern).toBe(can_govern));

  it('says what is missing', () => {
    expect(gates({ arbitration: 4_999, execution: 3_000 }).reasons.can_arbitrate).toBe(
      'arbitration 4999 of 5000: too low; execution 3000 of 3000',
    );
  });
});
