// Very many random histories through the health machine: whatever happens, the invariants of walk.ts hold and it recovers.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counted } from '../../../test/support/counted.js';
import { MAX_TURNS, recoveryLimit, settingsArbitrary, turns } from '../../../test/support/health-histories.js';
import { TABLE } from '../../../test/support/health-table.js';
import { walked } from '../../../test/support/health-walk.js';

const EVENTS = counted('health events', 10_000_000);

describe('random histories', () => {
  it(
    'no illegal transition, no second request in one PROBATION, no lost alarm or connection, no dead end',
    () => {
      const seen = new Set<string>();
      const figures = { events: 0, histories: 0, transitions: 0, longestRecoveryMs: 0 };
      fc.assert(
        fc.property(settingsArbitrary, turns, (settings, history) => {
          const walk = walked(settings, history);
          const held = walk.state?.state === 'UNHEALTHY' && walk.alarm === null;
          if (held) walk.give({ type: 'connection_changed', settings, hold: null, catalogueSize: null });
          const took = walk.recover(
            recoveryLimit(walk.state?.settings ?? settings),
            figures.histories % 2 === 0 ? 'open' : 'closed',
          );
          for (const one of walk.seen) seen.add(one);
          figures.events += walk.events;
          EVENTS.progress(figures.events);
          figures.histories += 1;
          figures.transitions += walk.transitions.length;
          figures.longestRecoveryMs = Math.max(figures.longestRecoveryMs, took);
        }),
        { numRuns: Math.round((EVENTS.count * 2) / MAX_TURNS), seed: EVENTS.seed },
      );
      process.stderr.write(`health: ${JSON.stringify(figures)}\n`);
      expect(figures.events).toBeGreaterThan(EVENTS.count * 0.5);
      const never = TABLE.flatMap(({ from, events, to }) =>
        (from === 'any' ? [] : to.filter((name) => name !== from)).flatMap((name) =>
          events.map((event) => `${from} ${event} ${name}`),
        ),
      ).filter((one) => !seen.has(one));
      expect(never).toEqual([]);
    },
    60_000 + EVENTS.count,
  );
});
