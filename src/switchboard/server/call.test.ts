import { describe, expect, it } from 'vitest';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { callEvent } from './call.js';
import { CallStats } from './call-stats.js';

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

it('says in words what the columns of the board leave out', () => {
  const stats = new CallStats();
  expect(stats.notes).toEqual([]);
  stats.refused = 1;
  stats.errors = 2;
  expect(stats.notes).toEqual(['1 of its calls was refused', '2 of its calls were answered with an error']);
  stats.refused = 12;
  stats.errors = 1;
  expect(stats.notes).toEqual(['12 of its calls were refused', '1 of its calls was answered with an error']);
});

describe('a call counts as failed only if the server sent no frame at all', () => {
  const end = { sent: true, how: 'timeout', frames: 0, elapsedMs: 50_000 } as const;
  const sender = { dial: 1, call: 'c', sentMs: 0 };
  it.each([
    ['our timeout in silence', end, 'call_failed'],
    ['our timeout after progress', { ...end, frames: 1 }, 'call_cancelled'],
    [
      'the client cancels after more than 10 s of silence',
      { ...end, how: 'cancelled', elapsedMs: 10_001 },
      'call_failed',
    ],
    ['the client cancels earlier', { ...end, how: 'cancelled', elapsedMs: 10_000 }, 'call_cancelled'],
    ['the client cancels after a frame', { ...end, how: 'cancelled', frames: 1 }, 'call_cancelled'],
    ['a result or any JSON-RPC error', { ...end, how: 'response', frames: 1 }, 'call_answered'],
    ['HTTP 5xx', { ...end, how: 'server_error' }, 'call_failed'],
    ['the transport was lost: said by another event', { ...end, how: 'lost' }, 'lost'],
    ['stopped before it was sent', { ...end, sent: false }, 'call_not_sent'],
  ] as const)('%s', (_name, { how, ...rest }, type) => {
    const answer = { ...rest, end: how === 'response' ? { how, result: {} } : { how } };
    expect(callEvent(answer, sender).type).toBe(type);
  });
});
