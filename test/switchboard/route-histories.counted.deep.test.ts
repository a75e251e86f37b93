// Random histories of three servers behind routes: every call ends, nothing reaches a server that may not get it, nothing is
// done twice, and the record of each call is the whole truth.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { counted } from '../support/counted.js';
import { CALL_MANNERS, type CallManner, type FakeLink, type Manners } from './fake-link.js';
import { choiceFaults } from './route-records.js';
import { type Ended, RouteRig } from './route-rig.js';

const RUNS = counted('route histories', 5_000);
const SERVERS = ['a', 'b', 'c'] as const;

const manners: fc.Arbitrary<Partial<Manners>> = fc.record(
  {
    dial: fc.constantFrom<Manners['dial'][]>('ok', 'ok', 'ok', 'fault', 'hang', 'late', 401, 429),
    call: fc.oneof({ weight: 3, arbitrary: fc.constant<CallManner>('result') }, fc.constantFrom(...CALL_MANNERS)),
    check: fc.constantFrom<CallManner[]>('result', 'result', 'silent', 'crash'),
    delayMs: fc.constantFrom(0, 10, 700, 20_000),
    lostFirst: fc.boolean(),
  },
  { requiredKeys: [] },
);

const server = fc.constantFrom(...SERVERS);

type Deed =
  | { readonly do: 'behave'; readonly server: string; readonly manners: Partial<Manners> }
  | { readonly do: 'call'; readonly route: string; readonly times: number }
  | { readonly do: 'crash'; readonly server: string }
  | { readonly do: 'cancel' }
  | { readonly do: 'wait'; readonly ms: number };

const deed: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('behave' as const), server, manners }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      route: fc.constantFrom('look:at', 'act:on', 'put:down', 'try:all'),
      times: fc.constantFrom(1, 1, 2, 20),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), server }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cancel' as const) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('wait' as const),
      ms: fc.constantFrom(0, 10, 1_000, 5_000, 31_000, 61_000),
    }),
  },
);

const settings = fc.record({
  concurrency: fc.constantFrom(1, 16),
  timeoutMs: fc.constantFrom(1_000, 50_000),
  health: fc.record({ cooldownMs: fc.constantFrom(60_000, 2_000), failuresToQuarantine: fc.constantFrom(3, 1) }),
});

type Settings = typeof settings extends fc.Arbitrary<infer T> ? T : never;

interface Call {
  readonly id: string;
  readonly route: string;
  /** Servers that were sent it, in order; `answered`: those whose answer came. */
  readonly reached: string[];
  end: Ended | undefined;
}

class History {
  readonly rig: RouteRig;
  readonly calls: Call[] = [];
  #stops: AbortController[] = [];

  constructor(first: Settings) {
    const all = (tool: string) => SERVERS.map((name) => `${name}/${tool}`);
    const asking = SERVERS.map((name) => ({ server: name, tool: 'look', fallbackOnError: true }));
    this.rig = new RouteRig({
      servers: Object.fromEntries(SERVERS.map((name) => [name, first])),
      routes: { 'look:at': all('look'), 'act:on': all('act'), 'put:down': all('put'), 'try:all': asking },
    });
    for (const name of SERVERS) this.#watch(name);
  }

  /** Besides what the rig of a server watches: which call it was that came. */
  #watch(name: string): void {
    const { server: fake } = this.rig.rig(name);
    const before = fake.onSend;
    fake.onSend = (link: FakeLink, request) => {
      before(link, request);
      const { id } = (request.params?.arguments ?? {}) as { readonly id?: string };
      this.calls.find((call) => call.id === id)?.reached.push(name);
    };
  }

  async happen(what: Deed): Promise<void> {
    if (what.do === 'behave') Object.assign(this.rig.rig(what.server).server.manners, what.manners);
    if (what.do === 'crash') this.rig.rig(what.server).server.links.at(-1)?.crash();
    if (what.do === 'call') for (let turn = 0; turn < what.times; turn++) this.#call(what.route);
    if (what.do === 'cancel') for (const stop of this.#stops.splice(0)) stop.abort();
    if (what.do === 'wait') await this.rig.clock.advance(what.ms);
  }

  #call(route: string): void {
    const call: Call = { id: `call ${this.calls.length}`, route, reached: [], end: undefined };
    const stop = new AbortController();
    this.calls.push(call);
    this.#stops.push(stop);
    void this.rig.call(route, { id: call.id }, { signal: stop.signal }).then((end) => {
      call.end = end;
    });
  }
}

const faultsOf = ({ id, route, reached, end }: Call): string[] => {
  if (end === undefined) return [`${id} did not end`];
  const { note, kind, code } = end;
  const sent = note.attempts.filter((attempt) => attempt.sent).map((attempt) => attempt.server);
  const handed = note.attempts.filter(({ sent: was, how }) => was || how === 'refused' || how === 'lost');
  const faults = choiceFaults(note);
  // What reached a server was handed to its connection; a connection may refuse to pass it on.
  if (sent.some((name) => !reached.includes(name))) faults.push(`sent to ${sent}, reached ${reached}`);
  if (reached.some((name) => !handed.some((attempt) => attempt.server === name)))
    faults.push(`reached ${reached}, recorded ${JSON.stringify(note.attempts)}`);
  const isReading = route === 'look:at' || route === 'try:all';
  if (!isReading && new Set(sent).size > 1) faults.push(`${route} was sent to ${sent}`);
  if (route === 'act:on' && sent.length > 1) faults.push(`act was sent ${sent.length} times`);
  if (code === 'OUTCOME_UNKNOWN' && isReading) faults.push('a read-only call is unknown');
  // With `fallbackOnError`, the error answer of an earlier provider is the answer if the one after it failed, too.
  const answering = route === 'try:all' ? note.attempts : note.attempts.slice(-1);
  if (kind !== 'refused' && !answering.some(({ how }) => how === 'result' || how === 'is_error' || how === 'error'))
    faults.push('answered by nobody');
  if (kind !== 'refused' && note.attempts.slice(0, -1).some(({ how }) => how === 'result'))
    faults.push('went on after a result');
  return faults.map((fault) => `${id} ${route}: ${fault}`);
};

it(
  'whatever three servers do',
  async () => {
    const figures = { histories: 0, calls: 0, sent: 0, answered: 0, fellBack: 0, exhausted: 0, unknown: 0 };
    await fc.assert(
      fc.asyncProperty(settings, fc.array(deed, { maxLength: 40, size: 'max' }), async (first, deeds) => {
        const history = new History(first);
        const { rig, calls } = history;
        await rig.clock.advance(20);
        rig.look();
        await rig.warm();
        for (const one of deeds) await history.happen(one);
        for (const name of SERVERS)
          Object.assign(rig.rig(name).server.manners, { dial: 'ok', call: 'result', check: 'result', delayMs: 10 });
        await rig.clock.advance(1_000_000);
        expect(rig.faults).toEqual([]);
        expect(calls.flatMap(faultsOf)).toEqual([]);
        figures.histories += 1;
        RUNS.progress(figures.histories);
        figures.calls += calls.length;
        figures.sent += calls.reduce((sum, { reached }) => sum + reached.length, 0);
        figures.answered += calls.filter(({ end }) => end?.kind !== 'refused').length;
        figures.exhausted += calls.filter(({ end }) => end?.code === 'FALLBACK_CHAIN_EXHAUSTED').length;
        figures.unknown += calls.filter(({ end }) => end?.code === 'OUTCOME_UNKNOWN').length;
        figures.fellBack += calls.filter(
          ({ end }) => new Set(end?.note.attempts.map((one) => one.server)).size > 1,
        ).length;
      }),
      { numRuns: RUNS.count, seed: RUNS.seed },
    );
    process.stderr.write(`routes: ${JSON.stringify(figures)}\n`);
    for (const [what, count] of Object.entries(figures)) expect(count, what).toBeGreaterThan(0);
  },
  120_000 + RUNS.count * 1_000,
);
