// One call of a route, step by step: who gets it, who gets it next, and when nobody may.
import { describe, expect, it } from 'vitest';
import { SWITCHBOARD_LIMITS } from '../../src/switchboard/limits.js';
import { configOf } from './backend-rig.js';
import type { CallManner } from './fake-link.js';
import { detailsIn, type Ended, pathOf, type RouteRig, threeServers } from './route-rig.js';

/** Runs a call while the clock moves. */
const ended = async (rig: RouteRig, call: Promise<Ended>, ms = 1_000_000): Promise<Ended> => {
  let over = false;
  void call.then(() => {
    over = true;
  });
  for (let spent = 0; !over && spent < ms; spent += 500) await rig.clock.advance(500);
  return call;
};

const behaves = (rig: RouteRig, server: string, call: CallManner): void => {
  rig.rig(server).server.manners.call = call;
};

/** Three failed calls in a row. */
const quarantine = async (rig: RouteRig, server: string): Promise<void> => {
  behaves(rig, server, 'silent');
  for (let turn = 0; turn < 3; turn++) void rig.rig(server).call();
  for (let spent = 0; rig.rig(server).state === 'HEALTHY' && spent < 60_000; spent += 100) await rig.clock.advance(100);
  behaves(rig, server, 'result');
  rig.rig(server).sent.length = 0;
  expect(rig.rig(server).state).toBe('QUARANTINE');
};

describe('the first provider that may get calls', () => {
  it('gets it, and nobody else is asked', async () => {
    const rig = await threeServers();
    const end = await ended(rig, rig.call('act:on'));
    expect(end).toMatchObject({ kind: 'result', note: { name: 'act:on' } });
    expect(rig.sent).toEqual(['a']);
    expect(end.note.candidates).toEqual(
      ['a', 'b', 'c'].map((server) => ({ server, tool: 'act', state: 'HEALTHY', eligible: true })),
    );
    expect(end.note.attempts).toEqual([{ server: 'a', tool: 'act', how: 'result', sent: true, duration_ms: 10 }]);
  });

  it('is the second where the first is quarantined, and the record says so', async () => {
    const rig = await threeServers();
    await quarantine(rig, 'a');
    const end = await ended(rig, rig.call('act:on'));
    expect(pathOf(end)).toEqual(['b result sent']);
    expect(end.note.candidates[0]).toEqual({
      server: 'a',
      tool: 'act',
      state: 'QUARANTINE',
      eligible: false,
      reason: 'call_failures',
    });
    expect(rig.routes.stats().find(({ route }) => route === 'act:on')).toMatchObject({
      calls: 1,
      answered: 1,
      fell_back: 1,
    });
  });

  it('a server on probation gets one request, the others go on', async () => {
    const rig = await threeServers();
    await quarantine(rig, 'a');
    await rig.clock.advance(60_100);
    expect(rig.rig('a').state).toBe('PROBATION');
    rig.rig('a').server.manners.delayMs = 400;
    const calls = [1, 2, 3].map(() => rig.call('act:on'));
    const ends = await ended(
      rig,
      Promise.all(calls).then(([last]) => last as Ended),
    );
    expect(pathOf(ends)).toEqual(['a result sent']);
    expect((await Promise.all(calls)).map((end) => pathOf(end))).toEqual([
      ['a result sent'],
      ['b result sent'],
      ['b result sent'],
    ]);
    expect(rig.faults).toEqual([]);
    expect(rig.rig('a').state).toBe('HEALTHY');
  });

  it('one that starts is waited for only where nobody else is there', async () => {
    const rig = await threeServers();
    const redial = (dial: 'ok' | 'hang', args: string): void => {
      Object.assign(rig.rig('a').server.manners, { dial, delayMs: 500 });
      rig.rig('a').reconfigure(configOf({ args: [args] }, 'a'));
    };
    redial('hang', 'one');
    expect(rig.rig('a').state).toBe('STARTING');
    expect(pathOf(await ended(rig, rig.call('act:on')))).toEqual(['b result sent']);
    for (const name of ['b', 'c']) {
      rig.rig(name).server.manners.dial = 'fault';
      rig.rig(name).server.last.crash();
    }
    await rig.clock.advance(50);
    expect([...rig.rigs.values()].map(({ state }) => state)).toEqual(['STARTING', 'UNHEALTHY', 'UNHEALTHY']);

    redial('ok', 'two');
    const waited = await ended(rig, rig.call('act:on'));
    expect(waited.note.candidates[0]).toMatchObject({ state: 'STARTING', eligible: false, reason: 'starting' });
    expect(pathOf(waited)).toEqual(['a result sent']);

    redial('hang', 'three');
    const inVain = await ended(rig, rig.call('act:on'));
    expect(inVain).toMatchObject({ code: 'FALLBACK_CHAIN_EXHAUSTED', sent: false });
    expect(inVain.note.attempts).toMatchObject([{ server: 'a', how: 'refused', sent: false, duration_ms: 2_000 }]);
  });
});

describe('the next provider', () => {
  it('gets what was never sent', async () => {
    const rig = await threeServers();
    behaves(rig, 'a', 429);
    const end = await ended(rig, rig.call('act:on'));
    expect(pathOf(end)).toEqual(['a refused TOOL_UNAVAILABLE', 'b result sent']);
  });

  it('gets what a read-only tool left without an answer', async () => {
    const rig = await threeServers({ a: { timeoutMs: 1_000 } });
    behaves(rig, 'a', 'silent');
    behaves(rig, 'b', 'server_error');
    const end = await ended(rig, rig.call('look:at'));
    expect(pathOf(end)).toEqual(['a timeout TOOL_TIMEOUT sent', 'b server_error TOOL_TIMEOUT sent', 'c result sent']);
  });

  it('gets what a loss left without an answer: nobody waits for a new dial while another is well', async () => {
    const rig = await threeServers();
    behaves(rig, 'a', 'crash');
    const end = await ended(rig, rig.call('look:at'));
    expect(pathOf(end)).toEqual(['a lost TOOL_TIMEOUT sent', 'b result sent']);
    expect(rig.rig('a').sent).toHaveLength(1);
  });

  it('the last one is asked once more after a loss, and both tries are told', async () => {
    const rig = await threeServers();
    await quarantine(rig, 'b');
    await quarantine(rig, 'c');
    behaves(rig, 'a', 'crash');
    const end = await ended(rig, rig.call('look:at'));
    expect(pathOf(end)).toEqual(['a lost sent', 'a lost TOOL_TIMEOUT sent']);
    expect(rig.rig('a').sent).toHaveLength(2);
  });

  it.each([
    ['silence', 'silent', 'a timeout OUTCOME_UNKNOWN sent'],
    ['a loss', 'crash', 'a lost OUTCOME_UNKNOWN sent'],
    ['HTTP 502', 'server_error', 'a server_error OUTCOME_UNKNOWN sent'],
  ] as const)('gets nothing that may have done its work: %s', async (_, manner, path) => {
    const rig = await threeServers({ a: { timeoutMs: 1_000 } });
    behaves(rig, 'a', manner);
    const end = await ended(rig, rig.call('act:on'));
    expect(pathOf(end)).toEqual([path]);
    expect(end).toMatchObject({ code: 'OUTCOME_UNKNOWN', sent: true });
    expect(detailsIn(end)).toMatchObject({ route: 'act:on', server: 'a', safe_to_retry: false });
    expect(rig.sent).toEqual(['a']);
  });

  it('nor what is idempotent: that says nothing about another server', async () => {
    const rig = await threeServers({ a: { timeoutMs: 1_000 } });
    behaves(rig, 'a', 'crash');
    const end = await ended(rig, rig.call('put:down'));
    expect(end.code).toBe('OUTCOME_UNKNOWN');
    expect(pathOf(end)).toEqual(['a lost sent', 'a lost OUTCOME_UNKNOWN sent']);
  });

  it('nor where hints are not trusted', async () => {
    const rig = await threeServers({ a: { timeoutMs: 1_000, trustHints: false } });
    behaves(rig, 'a', 'silent');
    expect((await ended(rig, rig.call('look:at'))).code).toBe('OUTCOME_UNKNOWN');
  });

  it.each([
    ['isError', 'a is_error sent'],
    ['error', 'a error -32601 sent'],
  ] as const)('gets a call that a read-only tool refused with %s, where the file says so', async (manner, path) => {
    const providers = ['a', 'b'].map((server) => ({ server, tool: 'look', fallbackOnError: true }));
    const rig = await threeServers({}, { 'look:on': providers });
    behaves(rig, 'a', manner);
    const end = await ended(rig, rig.call('look:on'));
    expect(pathOf(end)).toEqual([path, 'b result sent']);
    expect(rig.rig('a').state).toBe('HEALTHY');
    expect((await ended(rig, rig.call('look:at'))).note.attempts).toHaveLength(1);
  });

  it('does not get what a tool refused that changes something', async () => {
    const providers = ['a', 'b'].map((server) => ({ server, tool: 'act', fallbackOnError: true }));
    const rig = await threeServers({}, { 'act:anyway': providers });
    behaves(rig, 'a', 'isError');
    const end = await ended(rig, rig.call('act:anyway'));
    expect(end.result).toMatchObject({ isError: true });
    expect(pathOf(end)).toEqual(['a is_error sent']);
  });
});

describe('nobody is left', () => {
  it('every attempt and its reason are told, and when to come back', async () => {
    const rig = await threeServers({ c: { timeoutMs: 1_000 } });
    await quarantine(rig, 'a');
    behaves(rig, 'b', 429);
    behaves(rig, 'c', 'silent');
    const end = await ended(rig, rig.call('look:at'));
    expect(end).toMatchObject({ kind: 'refused', code: 'FALLBACK_CHAIN_EXHAUSTED', sent: true });
    const details = detailsIn(end);
    expect(details).toMatchObject({
      route: 'look:at',
      safe_to_retry: true,
      retry_after_ms: 1_000,
      attempts: [
        { server: 'b', how: 'refused', sent: false, reason: 'throttled' },
        { server: 'c', how: 'timeout', sent: true, reason: 'no answer within 1000 ms' },
      ],
      candidates: [
        {
          server: 'a',
          state: 'QUARANTINE',
          eligible: false,
          rank: null,
          reason: expect.stringMatching(/^call_failures: /),
        },
        { server: 'b', eligible: true },
        { server: 'c', eligible: true },
      ],
    });
    expect(end.refusal?.content[0].text).toMatch(
      /^The route look:at did not serve the call: look of a.*\. Try again in 1 s\.$/,
    );
    expect(end.refusal).not.toHaveProperty('structuredContent');
  });

  it('nothing was sent where nobody was eligible', async () => {
    const quick = { timeoutMs: 1_000 };
    const rig = await threeServers({ a: quick, b: quick, c: quick });
    for (const name of ['a', 'b', 'c']) await quarantine(rig, name);
    const end = await ended(rig, rig.call('look:at'));
    expect(end).toMatchObject({ code: 'FALLBACK_CHAIN_EXHAUSTED', sent: false, note: { attempts: [] } });
    expect(detailsIn(end).retry_after_ms).toBeGreaterThan(0);
  });
});

describe('a read-only tool that answers with an error', () => {
  const LISTED = { tools: { readOnly: ['look'] } };

  it('lets one further provider try if the file lists it as read-only', async () => {
    const rig = await threeServers({ a: LISTED });
    behaves(rig, 'a', 'isError');
    const end = await ended(rig, rig.call('look:at'));
    expect(pathOf(end)).toEqual(['a is_error sent', 'b result sent']);
    expect(end.result).toMatchObject({ content: [{ text: 'well' }] });
    expect(rig.routes.stats()[0]).toMatchObject({ calls: 1, answered: 1, fell_back: 1 });
  });

  it.each([
    ['only a hint says that it is read-only', {}],
    ['the pattern is for another tool', { tools: { readOnly: ['look_*'] } }],
  ])('is the answer if %s', async (_, settings) => {
    const rig = await threeServers({ a: settings });
    behaves(rig, 'a', 'isError');
    expect(pathOf(await ended(rig, rig.call('look:at')))).toEqual(['a is_error sent']);
  });

  it('is the answer if the provider has fallbackOnError false', async () => {
    const providers = [{ server: 'a', tool: 'look', fallbackOnError: false }, 'b/look'];
    const rig = await threeServers({ a: LISTED }, { 'look:on': providers });
    behaves(rig, 'a', 'isError');
    expect(pathOf(await ended(rig, rig.call('look:on')))).toEqual(['a is_error sent']);
  });

  it.each([
    ['isError', 'b is_error sent'],
    ['error', 'b error -32601 sent'],
    ['server_error', 'b server_error TOOL_TIMEOUT sent'],
    [429, 'b refused TOOL_UNAVAILABLE'],
  ] as const)(
    'is the answer, unchanged, if the further one fails, too (%s), and nobody else is asked',
    async (manner, path) => {
      const rig = await threeServers({ a: LISTED, b: LISTED });
      behaves(rig, 'a', 'error');
      behaves(rig, 'b', manner);
      const end = await ended(rig, rig.call('look:at'));
      expect(pathOf(end)).toEqual(['a error -32601 sent', path]);
      expect(end.kind).toBe('error');
      expect(rig.rig('c').sent).toEqual([]);
      expect(rig.routes.stats()[0]).toMatchObject({ answered: 1, fell_back: 0, exhausted: 0 });
    },
  );

  it('is the answer if nobody else is there', async () => {
    const rig = await threeServers({ a: LISTED }, { 'look:alone': ['a/look'] });
    behaves(rig, 'a', 'isError');
    expect((await ended(rig, rig.call('look:alone'))).result).toMatchObject({ isError: true });
  });

  it('is not the answer if the further provider may have done something', async () => {
    const rig = await threeServers({ a: LISTED, b: { timeoutMs: 1_000 } }, { 'look:act': ['a/look', 'b/act'] });
    behaves(rig, 'a', 'isError');
    behaves(rig, 'b', 'silent');
    expect(await ended(rig, rig.call('look:act'))).toMatchObject({ kind: 'refused', code: 'OUTCOME_UNKNOWN' });
  });
});

describe('a read-only provider that takes long', () => {
  const { routeWaitMostMs, routeWaitLeastMs, silenceMs } = SWITCHBOARD_LIMITS;

  /** Calls that make the times of a server known. */
  const practise = async (rig: RouteRig, server: string, calls: number, delayMs: number): Promise<void> => {
    rig.rig(server).server.manners.delayMs = delayMs;
    for (let call = 0; call < calls; call++) {
      void rig.rig(server).call();
      await rig.clock.advance(delayMs + 10);
    }
    rig.rig(server).sent.length = 0;
  };

  it.each([
    ['whose times are hardly known: ten seconds', 19, 100, routeWaitMostMs],
    ['that is usually quick: two seconds', 20, 100, routeWaitLeastMs],
    ['that usually takes a second: four seconds', 20, 1_000, 4_000],
    ['that usually takes long: ten seconds', 20, 4_000, routeWaitMostMs],
  ])('%s', async (_, calls, delayMs, waitMs) => {
    const rig = await threeServers();
    await practise(rig, 'a', calls, delayMs);
    behaves(rig, 'a', 'silent');
    const end = await ended(rig, rig.call('look:at'));
    expect(pathOf(end)).toEqual(['a cut TOOL_TIMEOUT sent', 'b result sent']);
    expect(end.note.attempts[0]?.duration_ms).toBe(waitMs);
    expect(rig.faults).toEqual([]);
  });

  it('is not less healthy for it, however often', async () => {
    const rig = await threeServers();
    behaves(rig, 'a', 'silent');
    for (let call = 0; call < 5; call++) await ended(rig, rig.call('look:at'));
    expect(routeWaitMostMs).toBeGreaterThanOrEqual(silenceMs);
    expect(rig.rig('a').backend.state).toMatchObject({ state: 'HEALTHY', failures: { call: 0 } });
    expect(rig.rig('a').backend.snapshot()).toMatchObject({ failures: 0, unknown: 0, in_flight: 0 });
  });

  it('is waited for while nobody else is HEALTHY, and not longer', async () => {
    const rig = await threeServers({ b: { timeoutMs: 1_000 } }, { 'look:two': ['a/look', 'b/look'] });
    await quarantine(rig, 'b');
    behaves(rig, 'a', 'silent');
    const call = rig.call('look:two');
    await rig.clock.advance(30_000);
    expect(rig.rig('a').sent).toHaveLength(1);
    const end = await ended(rig, call);
    expect(pathOf(end)[0]).toBe('a timeout TOOL_TIMEOUT sent');
  });

  it('gives its answer if that comes in time', async () => {
    const rig = await threeServers();
    rig.rig('a').server.manners.delayMs = routeWaitMostMs - 100;
    expect(pathOf(await ended(rig, rig.call('look:at')))).toEqual(['a result sent']);
  });

  it('in whose queue a call waits: nothing was sent', async () => {
    const rig = await threeServers({ a: { concurrency: 1, timeoutMs: 100_000 } });
    behaves(rig, 'a', 'silent');
    void rig.rig('a').call();
    const end = await ended(rig, rig.call('look:at'));
    expect(pathOf(end)).toEqual(['a cut TOOL_BUSY', 'b result sent']);
  });

  it('a tool that may change something is waited for', async () => {
    const rig = await threeServers({ a: { timeoutMs: 60_000 } });
    behaves(rig, 'a', 'silent');
    expect(pathOf(await ended(rig, rig.call('act:on')))).toEqual(['a timeout OUTCOME_UNKNOWN sent']);
  });

  it('a client that cancels meanwhile has cancelled', async () => {
    const rig = await threeServers();
    behaves(rig, 'a', 'silent');
    const stop = new AbortController();
    const call = rig.call('look:at', {}, { signal: stop.signal });
    await rig.clock.advance(3_000);
    stop.abort();
    expect(pathOf(await ended(rig, call))).toEqual(['a cancelled sent']);
  });
});

describe('a chain ends', () => {
  it('when the client cancels', async () => {
    const rig = await threeServers();
    behaves(rig, 'a', 'silent');
    const stop = new AbortController();
    const call = rig.call('look:at', {}, { signal: stop.signal });
    await rig.clock.advance(100);
    stop.abort();
    const end = await ended(rig, call);
    expect(pathOf(end)).toEqual(['a cancelled sent']);
    expect(rig.sent).toEqual(['a']);
  });

  it('when it has taken too long: nobody is tried any more', async () => {
    const slow = { timeoutMs: 120_000 };
    const rig = await threeServers({ a: slow, b: slow, c: slow });
    // A server that asked for a pause is HEALTHY and gets no calls, so nobody is cut short for it.
    for (const [name, pauseMs] of [
      ['b', 95_000],
      ['c', 190_000],
    ] as const) {
      rig.rig(name).server.manners.retryAfterMs = pauseMs;
      behaves(rig, name, 429);
      void rig.rig(name).call();
    }
    await rig.clock.advance(20);
    for (const name of ['a', 'b', 'c']) behaves(rig, name, 'silent');
    const begun = rig.clock.now;
    const end = await ended(rig, rig.call('look:at'));
    expect(pathOf(end)).toEqual(['a cut TOOL_TIMEOUT sent', 'b cut TOOL_TIMEOUT sent']);
    expect(rig.clock.now - begun).toBeGreaterThan(SWITCHBOARD_LIMITS.routeMs);
    expect(rig.rig('c').state).toBe('HEALTHY');
    expect(rig.rig('c').sent).toHaveLength(1); // the call that it answered with 429
  });

  it('progress grows from one provider to the next', async () => {
    const rig = await threeServers({ a: { timeoutMs: 1_000 } });
    const seen: unknown[] = [];
    behaves(rig, 'a', 'progress');
    rig.rig('a').server.manners.delayMs = 10;
    behaves(rig, 'b', 'progress');
    void rig.call('look:at', {}, { onProgress: ({ progress }) => void seen.push(progress) });
    await rig.clock.advance(3_000);
    expect(seen).toEqual([1, 2]);
  });
});

describe('arguments', () => {
  const strict = (required: string) => ({
    name: 'look',
    inputSchema: { type: 'object', properties: { [required]: { type: 'number' } }, required: [required] },
    annotations: { readOnlyHint: true },
  });

  const rigWith = async (routes: Record<string, readonly unknown[]>) => {
    const rig = await threeServers({}, routes);
    for (const [name, required] of [
      ['a', 'n'],
      ['b', 'count'],
    ] as const) {
      rig.rig(name).server.manners.tools = [strict(required)];
      rig.rig(name).server.last.listChanged();
    }
    await rig.clock.advance(2_000);
    rig.look({ routes });
    return rig;
  };

  it('are made for each provider, and repaired as its server wants', async () => {
    const rig = await rigWith({ r: ['a/look', { server: 'b', tool: 'look', arguments: { count: '$n' } }] });
    expect(rig.route('r').fault).toBeNull();
    expect(await rig.routes.check(rig.route('r'), { n: '7' })).toEqual({ args: { n: 7 } });
    await ended(rig, rig.call('r', { n: 7 }));
    await quarantine(rig, 'a');
    await ended(rig, rig.call('r', { n: 7 }));
    expect(rig.rig('b').sent.map(({ params }) => params)).toEqual([{ name: 'look', arguments: { count: 7 } }]);
  });

  it('that fit nobody are the caller’s fault, whatever the servers are like', async () => {
    const rig = await rigWith({ r: ['a/look'] });
    await quarantine(rig, 'a');
    expect(await rig.routes.check(rig.route('r'), { n: 'x' })).toMatchObject({
      problem: expect.stringMatching(/number/),
    });
    expect(await rig.routes.check(rig.route('r'), [])).toMatchObject({ problem: expect.stringMatching(/object/) });
  });

  it('that fit one of them go to that one', async () => {
    const providers = [
      { server: 'a', tool: 'look', arguments: { n: '$x' } },
      { server: 'b', tool: 'look', arguments: { count: { from: 'y', default: 1 } } },
    ];
    const rig = await rigWith({ r: providers });
    const end = await ended(rig, rig.call('r', { y: 2 }));
    expect(end.note.candidates[0]).toMatchObject({ server: 'a', eligible: false, reason: 'arguments' });
    expect(pathOf(end)).toEqual(['b result sent']);
  });
});

describe('a route that contradicts its servers', () => {
  it('is off from the moment a tool is gone, and on again when it is back', async () => {
    const rig = await threeServers();
    expect(rig.routes.listed(() => false).map(({ name }) => name)).toContain('look__at');
    const { manners } = rig.rig('b').server;
    const before = manners.tools;
    manners.tools = before.filter(({ name }) => name !== 'look');
    rig.rig('b').server.last.listChanged();
    await rig.clock.advance(2_000);
    rig.look();
    expect(rig.routes.listed(() => false).map(({ name }) => name)).toEqual(['act__on', 'put__down']);
    expect(rig.routes.notes).toEqual(['route look:at is off: "b" has no tool "look"']);
    expect(rig.lines).toEqual(['route look:at is off: "b" has no tool "look"']);
    const end = await rig.call('look:at');
    expect(end).toMatchObject({ code: 'TOOL_UNAVAILABLE', sent: false, note: { name: 'look:at', attempts: [] } });
    expect(detailsIn(end)).toMatchObject({ route: 'look:at', reason: 'route_off', retry_after_ms: null });
    expect(rig.sent).toEqual([]);
    manners.tools = before;
    rig.rig('b').server.last.listChanged();
    await rig.clock.advance(2_000);
    rig.look();
    expect(rig.routes.notes).toEqual([]);
    expect((await ended(rig, rig.call('look:at'))).kind).toBe('result');
  });
});

describe('alternatives', () => {
  it('are the other providers of its routes that may get calls now', async () => {
    const rig = await threeServers({}, { again: ['a/look', 'c/look'] });
    expect(rig.routes.alternativesTo({ server: 'a', tool: 'look' })).toEqual([
      { server: 'b', tool: 'look' },
      { server: 'c', tool: 'look' },
    ]);
    await quarantine(rig, 'b');
    expect(rig.routes.alternativesTo({ server: 'a', tool: 'look' })).toEqual([{ server: 'c', tool: 'look' }]);
    expect(rig.routes.alternativesTo({ server: 'a', tool: 'probe' })).toEqual([]);
  });
});
