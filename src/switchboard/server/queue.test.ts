// Tests in which order calls are admitted and when they time out, with a fake clock.
import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/switchboard/fake-link.js';
import { LazyCancellation } from '../../core/cancellation.js';
import type { HealthState } from '../health/state.js';
import type { Link } from '../link/link.js';
import { CallQueue, type Entrance } from './queue.js';

const LINK = { dial: 1 } as Link;
const YES = { state: 'HEALTHY', dial: 1, throttledUntil: null } as HealthState;
/** A call waits for this server for `dialWaitMs`, two seconds. */
const DIALLING = { state: 'STARTING', dial: 1, deadline: 60_000 } as HealthState;

/** How an entrance ended, and when. */
const wordOf = (entrance: Entrance): string => Object.keys(entrance)[0] ?? '';

/** Counts who listens. */
class Kept extends LazyCancellation {
  listeners = 0;

  override listen(listener: () => void): () => void {
    this.listeners += 1;
    const unlisten = super.listen(listener);
    return () => {
      this.listeners -= 1;
      unlisten();
    };
  }
}

const rig = (concurrency = 1) => {
  const clock = new FakeClock();
  const driver = { state: YES, isBusy: false, give: () => [] };
  const server = { config: { concurrency }, driver, connections: { links: new Map([[1, LINK]]) } };
  const queue = new CallQueue(server, { nowMs: () => clock.now, setTimer: clock.setTimer });
  const ends: string[] = [];
  const enter = (call: string, timeoutMs: number, cancellation?: LazyCancellation): void =>
    queue.enter({ call, timeoutMs, cancellation }, (end) => ends.push(`${call} ${wordOf(end)} ${clock.now}`));
  const allow = (next: HealthState): void => {
    driver.state = next;
    queue.look();
  };
  return { clock, queue, ends, enter, allow };
};

describe('a queue', () => {
  it('lets in at once where there is room, and leaves no timer', () => {
    const { clock, ends, enter } = rig();
    enter('a', 1_000);
    expect([ends, clock.timers.size]).toEqual([['a turn 0'], 0]);
  });

  it('gives every one who waits its own time, whoever else has left', async () => {
    const { clock, queue, ends, enter } = rig();
    enter('a', 1_000);
    enter('b', 1_000);
    await clock.advance(300);
    enter('c', 1_000);
    enter('d', 5_000);
    await clock.advance(700);
    expect(ends).toEqual(['a turn 0', 'b busy 1000']);
    await clock.advance(300);
    expect(ends.slice(2)).toEqual(['c busy 1300']);
    queue.leave(1);
    expect(ends.slice(3)).toEqual(['d turn 1300']);
    expect(clock.timers.size).toBe(0);
  });

  it('an alarm for one who has left in time is set again for the others', async () => {
    const { clock, queue, ends, enter } = rig();
    enter('a', 1_000);
    enter('b', 1_000);
    await clock.advance(500);
    enter('c', 1_000);
    queue.leave(1); // b's turn
    await clock.advance(500);
    expect(ends).toEqual(['a turn 0', 'b turn 500']);
    await clock.advance(500);
    expect(ends.slice(2)).toEqual(['c busy 1500']);
  });

  it('a dial that ends in time is forgotten: who waited for it now waits for the others', async () => {
    const { clock, ends, enter, allow } = rig();
    enter('a', 10_000);
    allow(DIALLING);
    enter('b', 10_000);
    await clock.advance(1_000);
    allow(YES);
    await clock.advance(5_000);
    expect(ends).toEqual(['a turn 0']);
    await clock.advance(4_000);
    expect(ends.slice(1)).toEqual(['b busy 10000']);
  });

  it('a dial that takes too long is refused when its time is up', async () => {
    const { clock, ends, enter, allow } = rig();
    allow(DIALLING);
    enter('a', 10_000);
    await clock.advance(500);
    enter('b', 10_000);
    await clock.advance(1_500);
    expect(ends).toEqual(['a denied 2000']);
    await clock.advance(500);
    expect(ends.slice(1)).toEqual(['b denied 2500']);
    expect(clock.timers.size).toBe(0);
  });

  it('hears of a cancellation for as long as one waits, and no longer', () => {
    const { queue, ends, enter } = rig();
    const [early, late] = [new LazyCancellation(), new LazyCancellation()];
    enter('a', 1_000, late);
    enter('b', 1_000, early);
    early.abort();
    expect(ends).toEqual(['a turn 0', 'b cancelled 0']);
    const kept = new Kept();
    enter('c', 1_000, kept);
    expect(kept.listeners).toBe(1);
    queue.leave(1);
    late.abort();
    kept.abort();
    expect([ends.slice(2), queue.waiting, kept.listeners]).toEqual([['c turn 0'], 0, 0]);
  });

  it('one that is cancelled already does not get in', () => {
    const { ends, enter } = rig();
    const gone = new LazyCancellation();
    gone.abort();
    enter('a', 1_000, gone);
    expect(ends).toEqual(['a cancelled 0']);
  });
});
