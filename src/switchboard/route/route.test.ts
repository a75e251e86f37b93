import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../call/answer.js';
import { mayRoute } from '../health/permits.js';
import type { HealthState } from '../health/state.js';
import { outcomeUnknown, toolTimeout, toolUnavailable } from '../refusal.js';
import { afterReply, candidatesOf, nextOf, type ProviderView } from './route.js';

const NOW = 1_000;
const reason = { code: 'lost', text: 'it was lost' };
const settings = { capability: null };

/** As much of a state as permits ask for. */
const state = (value: object): HealthState => ({ reason: null, settings, ...value }) as unknown as HealthState;

const STATES: Readonly<Record<string, HealthState | null>> = {
  healthy: state({ state: 'HEALTHY', throttledUntil: null }),
  throttled: state({ state: 'HEALTHY', throttledUntil: NOW + 500 }),
  starting: state({ state: 'STARTING', deadline: NOW + 9_000 }),
  unhealthy: state({ state: 'UNHEALTHY', reason, retryAt: NOW + 700, deadline: null }),
  held: state({ state: 'UNHEALTHY', reason: { code: 'not_approved', text: 'x' }, retryAt: null, deadline: null }),
  quarantine: state({ state: 'QUARANTINE', reason, until: NOW + 800, deadline: null }),
  probation: state({ state: 'PROBATION', permit: null }),
  taken: state({ state: 'PROBATION', permit: { by: 'call', call: 'c' } }),
  gone: null,
};

const view = (name: string, more: Partial<ProviderView> = {}): ProviderView => ({
  server: name,
  tool: 't',
  state: STATES[name] ?? null,
  obstacle: null,
  ...more,
});
const shown = (...views: ProviderView[]) =>
  candidatesOf(views, NOW).map(({ server, eligible, rank, reason: why }) => [server, eligible, rank, why]);

describe('candidates', () => {
  it('stand in the order of the file; those that may get calls come first, those that start last', () => {
    const names = ['starting', 'quarantine', 'probation', 'healthy', 'unhealthy', 'taken', 'throttled', 'gone'];
    expect(shown(...names.map((name) => view(name)))).toEqual([
      ['starting', false, 3, 'starting'],
      ['quarantine', false, null, 'lost'],
      ['probation', true, 1, null],
      ['healthy', true, 2, null],
      ['unhealthy', false, null, 'lost'],
      ['taken', false, null, 'probation'],
      ['throttled', false, null, 'throttled'],
      ['gone', false, null, 'removed'],
    ]);
  });

  it('what stands in the way comes before the state', () => {
    const obstacle = { reason: 'arguments', text: 'they do not fit' } as const;
    expect(shown(view('healthy', { obstacle }), view('healthy'))).toEqual([
      ['healthy', false, null, 'arguments'],
      ['healthy', true, 1, null],
    ]);
  });

  it('say when something may be different', () => {
    const times = candidatesOf(
      ['unhealthy', 'quarantine', 'throttled', 'held', 'healthy'].map((name) => view(name)),
      NOW,
    );
    expect(times.map(({ retryAfterMs }) => retryAfterMs)).toEqual([700, 800, 500, null, null]);
  });
});

const names = fc.array(fc.constantFrom(...Object.keys(STATES)), { maxLength: 16 });

describe('whatever the states are', () => {
  it('the same states give the same answer, and nobody else is looked at', () => {
    fc.assert(
      fc.property(names, fc.array(fc.nat(15)), (all, triedList) => {
        const views = all.map((name) => view(name));
        const tried = new Set(triedList);
        const candidates = candidatesOf(views, NOW);
        const copy = candidatesOf(structuredClone(views), NOW);
        expect(copy).toEqual(candidates);
        expect(nextOf(copy, tried)).toBe(nextOf(candidates, tried));
      }),
    );
  });

  it('only who may get a call is eligible; the first of them that was not tried is next', () => {
    fc.assert(
      fc.property(names, fc.array(fc.nat(15)), (all, triedList) => {
        const tried = new Set(triedList);
        const permissions = all.map((name) => mayRoute(STATES[name] ?? null, NOW));
        const candidates = candidatesOf(
          all.map((name) => view(name)),
          NOW,
        );
        expect(candidates.map(({ eligible }) => eligible)).toEqual(permissions.map(({ may }) => may));
        const untried = [...permissions.keys()].filter((at) => !tried.has(at));
        const first = untried.find((at) => permissions[at]?.may === true);
        const waiting = untried.find((at) => {
          const permission = permissions[at];
          return permission?.may === false && permission.waitMs > 0;
        });
        expect(nextOf(candidates, tried)).toBe(first ?? waiting);
        const ranks = candidates.flatMap(({ rank }) => rank ?? []).sort((a, b) => a - b);
        expect(ranks).toEqual(ranks.map((_, at) => at + 1));
      }),
    );
  });
});

const place = { server: 's', tool: 't' };
const refused = (code: string, sent: boolean): Answer => {
  const refusal =
    code === 'OUTCOME_UNKNOWN'
      ? outcomeUnknown({ ...place, sentAt: '', how: 'lost' })
      : code === 'TOOL_TIMEOUT'
        ? toolTimeout(place, 1)
        : toolUnavailable({ ...place, state: null, reason: 'lost', text: '', retryAfterMs: 0, alternatives: [] });
  return { kind: 'refused', code, sent, refusal } as Answer;
};
const RESULT: Answer = { kind: 'result', result: { content: [] } };
const NO: Answer = { kind: 'result', result: { isError: true } };
const ERROR: Answer = { kind: 'error', error: { code: -32_000, message: 'no' } };
const WRONG: Answer = { kind: 'error', error: { code: -32_602, message: 'no' } };
const saying = (text: string): Answer => ({
  kind: 'result',
  result: { isError: true, content: [{ type: 'text', text }] },
});
const WRONG_TEXT = saying('MCP error -32602: Input validation error: Invalid arguments for tool x');
const WRONG_WORDS = saying("Input validation error: 'q' is a required property");

describe('after a reply', () => {
  const tried = (readOnly: boolean, fallbackOnError = false) => ({ readOnly, fallbackOnError });

  it.each([
    ['a result is the answer', RESULT, tried(false), 'answer'],
    ['so is isError', NO, tried(true), 'answer'],
    ['and a JSON-RPC error', ERROR, tried(true), 'answer'],
    ['isError of a read-only tool, where the file says so', NO, tried(true, true), 'one more'],
    ['an error likewise', ERROR, tried(true, true), 'one more'],
    ['but not if the arguments are wrong', WRONG, tried(true, true), 'answer'],
    ['nor if the SDK of the server says so in a result', WRONG_TEXT, tried(true, true), 'answer'],
    ['nor if a Python server says so', WRONG_WORDS, tried(true, true), 'answer'],
    ['but not of a tool that changes something', NO, tried(false, true), 'answer'],
    ['nor an error of one', ERROR, tried(false, true), 'answer'],
    ['a result stays the answer', RESULT, tried(true, true), 'answer'],
    ['refused, nothing was sent', refused('TOOL_UNAVAILABLE', false), tried(false), 'next'],
    ['busy, nothing was sent', refused('TOOL_BUSY', false), tried(false), 'next'],
    ['no such tool, nothing was sent', refused('TOOL_NOT_FOUND', false), tried(false), 'next'],
    ['a read-only tool gave no answer', refused('TOOL_TIMEOUT', true), tried(true), 'next'],
    ['nobody knows what was done', refused('OUTCOME_UNKNOWN', true), tried(false), 'stop'],
    ['not even where it is said to be read-only by now', refused('OUTCOME_UNKNOWN', true), tried(true, true), 'stop'],
    ['the client has gone', refused('cancelled', false), tried(true), 'stop'],
  ] as const)('%s', (_, reply, about, expected) => {
    expect(afterReply(reply, about)).toBe(expected);
  });

  it('nobody else gets a call that may have done something', () => {
    const reply = fc.oneof(
      fc.constantFrom(RESULT, NO, ERROR),
      fc
        .tuple(fc.constantFrom('TOOL_UNAVAILABLE', 'TOOL_BUSY', 'OUTCOME_UNKNOWN', 'cancelled'), fc.boolean())
        .map(([code, sent]) => refused(code, sent)),
    );
    fc.assert(
      fc.property(reply, fc.boolean(), (one, fallbackOnError) => {
        const wasSent = one.kind !== 'refused' || one.sent;
        if (wasSent) expect(afterReply(one, { readOnly: false, fallbackOnError })).not.toMatch(/next|one more/);
      }),
    );
  });
});
