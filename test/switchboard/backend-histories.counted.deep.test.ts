// Random histories of a server through a backend: whatever it does, calls end, none goes where it may not, and when it
// behaves again it is used again.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { replay } from '../../src/switchboard/health/machine.js';
import { counted } from '../support/counted.js';
import { configOf, Rig } from './backend-rig.js';
import { CALL_MANNERS, type CallManner, type Manners, TOOLS } from './fake-link.js';

const RUNS = counted('server histories', 6_000);

const manners: fc.Arbitrary<Partial<Manners>> = fc.record(
  {
    dial: fc.constantFrom<Manners['dial'][]>('ok', 'ok', 'ok', 'fault', 'hang', 'late', 'throw', 401, 403, 429),
    call: fc.oneof({ weight: 3, arbitrary: fc.constant<CallManner>('result') }, fc.constantFrom(...CALL_MANNERS)),
    check: fc.oneof({ weight: 3, arbitrary: fc.constant<CallManner>('result') }, fc.constantFrom(...CALL_MANNERS)),
    delayMs: fc.constantFrom(0, 10, 1_500, 20_000),
    tools: fc.constantFrom(TOOLS, TOOLS, [], TOOLS.slice(0, 2)),
    lostFirst: fc.boolean(),
    retryAfterMs: fc.constantFrom(null, 0, 1_000, 3_600_000),
  },
  { requiredKeys: [] },
);

const settings = fc.record({
  concurrency: fc.constantFrom(1, 2, 16),
  timeoutMs: fc.constantFrom(1_000, 50_000),
  trustHints: fc.constantFrom(true, true, false),
  health: fc.record({
    capability: fc.constantFrom(undefined, {
      tool: 'probe',
      arguments: { check: true },
      intervalMs: 20_000,
      timeoutMs: 3_000,
    }),
    failuresToQuarantine: fc.constantFrom(3, 1, 2),
    cooldownMs: fc.constantFrom(60_000, 2_000),
    startTimeoutMs: fc.constantFrom(30_000, 1_000),
    stabilityWindowMs: fc.constantFrom(300_000, 20_000),
  }),
});

type Settings = typeof settings extends fc.Arbitrary<infer T> ? T : never;

/** One thing that happens. */
type Deed =
  | { readonly do: 'behave'; readonly manners: Partial<Manners> }
  | { readonly do: 'call'; readonly tool: string; readonly times: number }
  | { readonly do: 'cancel' | 'crash' | 'list' | 'hold' | 'reconnect' }
  | { readonly do: 'wait' | 'sleep'; readonly ms: number }
  | { readonly do: 'settings'; readonly settings: Settings };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('behave' as const), manners }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      tool: fc.constantFrom('look', 'put', 'act'),
      times: fc.constantFrom(1, 1, 3, 20, 90),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(0, 1, 10, 1_000, 5_000, 31_000, 61_000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constantFrom('cancel' as const, 'crash' as const, 'list' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('hold' as const, 'reconnect' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sleep' as const), ms: fc.constantFrom(31_000, 3_600_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('settings' as const), settings }) },
);

class History {
  readonly rig: Rig;
  begun = 0;
  ended = 0;
  #stops: AbortController[] = [];
  #args = 0;
  #settings: Settings;

  constructor(first: Settings) {
    this.#settings = first;
    this.rig = new Rig(this.#config());
  }

  #config(hold: 'not_approved' | null = null) {
    return { ...configOf({ ...this.#settings, args: [String(this.#args)] }), hold };
  }

  async happen(what: Deed): Promise<void> {
    const { rig } = this;
    if (what.do === 'behave') Object.assign(rig.server.manners, what.manners);
    if (what.do === 'call') for (let turn = 0; turn < what.times; turn++) this.#call(what.tool);
    if (what.do === 'cancel') for (const stop of this.#stops.splice(0)) stop.abort();
    if (what.do === 'crash') rig.server.links.at(-1)?.crash();
    if (what.do === 'list') rig.server.links.at(-1)?.listChanged();
    if (what.do === 'wait') await rig.advance(what.ms);
    if (what.do === 'sleep') rig.clock.now += what.ms;
    if (what.do === 'settings') this.#settings = what.settings;
    if (what.do === 'reconnect') this.#args += 1;
    if (what.do === 'settings' || what.do === 'reconnect') rig.reconfigure(this.#config());
    if (what.do === 'hold') rig.reconfigure(this.#config('not_approved'));
    rig.backend.snapshot();
    // A connection that came too late is closed a moment later.
    const open = rig.server.links.filter(({ closed, isLate }) => closed === 'no' && !isLate);
    if (open.length > 1) rig.faults.push('two connections in use');
  }

  #call(tool: string): void {
    this.begun += 1;
    const stop = new AbortController();
    this.#stops.push(stop);
    void this.rig.call(tool, { signal: stop.signal }).then(() => {
      this.ended += 1;
    });
  }

  /** From now on everything works: milliseconds until HEALTHY. */
  async recover(): Promise<number> {
    const { rig } = this;
    Object.assign(rig.server.manners, { dial: 'ok', call: 'result', check: 'result', delayMs: 10, tools: TOOLS });
    rig.reconfigure(this.#config());
    // What is in flight ends as the server behaved when it began.
    await rig.advance(250_000);
    const begun = rig.clock.now;
    while (rig.state !== 'HEALTHY' && rig.clock.now - begun < 4_000_000) await rig.advance(5_000);
    return rig.clock.now - begun;
  }
}

describe('random histories', () => {
  it('nothing is sent where it may not be, every call ends, HEALTHY comes back, nothing is left', async () => {
    const figures = { histories: 0, calls: 0, sent: 0, transitions: 0, dials: 0, longestRecoveryMs: 0 };
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(settings, fc.array(deed, { maxLength: 60, size: 'max' }), async (first, deeds) => {
        const history = new History(first);
        const { rig } = history;
        for (const one of deeds) await history.happen(one);
        const took = await history.recover();
        expect([rig.state, rig.faults]).toEqual(['HEALTHY', []]);
        expect([history.ended, rig.backend.snapshot().waiting, rig.backend.snapshot().in_flight]).toEqual([
          history.begun,
          0,
          0,
        ]);
        expect(replay(rig.transitions)).toEqual([]);
        expect(rig.server.links.filter(({ closed }) => closed === 'no')).toHaveLength(1);
        const closing = rig.backend.close();
        await rig.advance(10_000);
        await closing;
        expect([rig.clock.timers.size, rig.server.links.every(({ closed }) => closed === 'yes')]).toEqual([0, true]);
        figures.histories += 1;
        RUNS.progress(figures.histories);
        figures.calls += history.begun;
        figures.sent += rig.sent.length;
        figures.transitions += rig.transitions.length;
        figures.dials += rig.server.dials.length;
        figures.longestRecoveryMs = Math.max(figures.longestRecoveryMs, took);
        for (const { from, to } of rig.transitions) seen.add(`${from} ${to}`);
      }),
      { numRuns: RUNS.count, seed: RUNS.seed },
    );
    process.stderr.write(`backend: ${JSON.stringify(figures)} ${[...seen].sort().join(', ')}\n`);
    expect(seen.size).toBeGreaterThan(12);
  }, 3_600_000);
});
