// The walk of advice.test.ts, many times.
import { expect, test } from 'vitest';
import { counted } from '../support/counted.js';
import { walkAdvice } from './advice.shared.js';

const run = counted('worlds of wrong requests', 5_000);

test('random wrong requests: the advice harms nothing and reaches what the rules allow', async () => {
  const { codes, reached } = await walkAdvice(run.count, run.seed, run.progress);
  expect([...codes.keys()].sort()).toEqual(
    expect.arrayContaining([
      'ERR_BLOCKED',
      'ERR_DEPENDENCY_CANCELLED',
      'ERR_DEPENDENCY_CYCLE',
      'ERR_INVALID_TRANSITION',
      'ERR_LEASE_LOST',
      'ERR_LEASE_REQUIRED',
      'ERR_NOT_FOUND',
      'ERR_VERSION_CONFLICT',
      // It is the first problem of few random requests: a twentieth of the run may not meet it.
      ...(run.count >= 2_000 ? ['ERR_WRITEBACK_REQUIRED'] : []),
    ]),
  );
  expect(reached).toBeGreaterThan(run.count / 4);
}, 1_200_000);
