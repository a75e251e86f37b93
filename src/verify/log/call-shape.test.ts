import fc from 'fast-check';
import { describe, expect } from 'vitest';
import { deepTest, test as it } from '../../../test/support/by-gate.js';
import { canonicalJson } from '../../proof/canonical-json.js';
import { callReader } from './call-shape.js';
import { isCanonical } from './canonical.js';
import { ARGS, ATTEMPT_ENDS, EFFECTS, OUTCOMES, readingFault } from './kinds.js';

const text = fc.oneof(fc.string({ maxLength: 12 }), fc.string({ unit: 'grapheme', maxLength: 6 }));
const plain = fc.stringMatching(/^[a-z.:0-9-]{0,12}$/);
const digest = fc.stringMatching(/^[0-9a-f]{63,64}$/);
const log = fc.stringMatching(/^[0-9a-f]{32,33}$/);
const at = fc.oneof(
  plain,
  fc.stringMatching(/^20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-6]\d:[0-6]\d\.\d{3}Z$/),
  fc.constant('2026-11-15T18:30:00.123Z'),
);
const oneOf = (words: readonly string[]) => fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...words) }, plain);
const count = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const some = <T>(of: fc.Arbitrary<T>) => fc.option(of, { nil: undefined });
const client = fc.option(fc.record({ name: plain, protocol: plain, version: text }));

const enter = fc.record({
  kind: fc.constant('call.enter'),
  args: oneOf(ARGS),
  args_bytes: some(count),
  args_digest: some(digest),
  at,
  call: plain,
  check: some(fc.constant(true)),
  client,
  effect: some(oneOf(EFFECTS)),
  host: some(fc.record({ model: text })),
  instance: plain,
  late: some(fc.constant(true)),
  log,
  seq: fc.nat(),
  sequence_no: fc.nat(),
  tool: text,
  v: fc.constantFrom(1, 2),
});

const candidate = fc.record({
  eligible: fc.boolean(),
  reason: some(text),
  server: plain,
  state: fc.option(plain),
  tool: plain,
});
const attempt = fc.record({
  code: some(plain),
  duration_ms: count,
  how: oneOf(ATTEMPT_ENDS),
  sent: fc.boolean(),
  server: plain,
  tool: text,
});
const route = fc.record({
  attempts: fc.array(attempt, { maxLength: 3 }),
  candidates: fc.array(candidate, { maxLength: 3 }),
  name: fc.option(plain),
});

const exit = fc.record({
  kind: fc.constant('call.exit'),
  at,
  call: plain,
  code: some(text),
  duration_us: some(count),
  late: some(fc.constant(true)),
  log,
  outcome: oneOf(OUTCOMES),
  result_digest: some(digest),
  route: some(route),
  seq: fc.nat(),
  sequence_no: fc.nat(),
  subjects: some(fc.constant([])),
  tool: text,
  v: fc.constantFrom(1, 2),
});

type Columns = Readonly<Partial<Record<'seq' | 'sequence_no' | 'kind' | 'tool' | 'at' | 'leaf', unknown>>>;
const LEAF = 'e'.repeat(64);

/** A line as the store gives it: the columns, changed or not, and the text. */
const lineOf = (body: string, changed: Columns = {}): string => {
  const { seq, sequence_no, kind, tool, at: time, leaf } = { leaf: LEAF, ...JSON.parse(body), ...changed };
  return `${[seq, sequence_no, kind, time, leaf, tool].join('\u001f')}\u0000${body}`;
};
const callIn = (body: string, changed?: Columns) => {
  const line = lineOf(body, changed);
  const found = callReader(String(JSON.parse(body).log)).line(`before\n${line}\nafter`, 7);
  if (found === undefined) return undefined;
  expect(found.end).toBe(7 + line.length);
  expect(found.leaf).toBe(LEAF);
  return found.body;
};

/** Every field that is taken out is as the text has it, and nothing is wrong with the record. */
const agrees = (body: string): boolean => {
  const quick = callIn(body);
  if (quick === undefined) return true;
  const parsed = JSON.parse(body) as Record<string, unknown>;
  if (parsed.seq !== 0 && readingFault(parsed) !== undefined) return false;
  return (
    isCanonical(body, parsed) &&
    Object.entries(quick).every(([key, value]) => JSON.stringify(parsed[key]) === JSON.stringify(value))
  );
};

describe('callReader', () => {
  const whatIsInIt = (numRuns: number): void =>
    fc.assert(
      fc.property(fc.oneof(enter, exit), (record) => agrees(canonicalJson(record))),
      { numRuns },
    );
  it('takes out of a record what is in it', () => whatIsInIt(500));
  deepTest('takes out of any record what is in it', () => whatIsInIt(5_000));

  it('takes nothing out of a text that is not canonical', () => {
    const spelled = fc.tuple(fc.oneof(enter, exit), fc.constantFrom(0, 1));
    fc.assert(fc.property(spelled, ([record, indent]) => agrees(JSON.stringify(record, undefined, indent))));
  });

  it('knows what the ledger writes', () => {
    const said = {
      v: 1,
      log: '0'.repeat(32),
      at: '2026-11-15T18:30:00.123Z',
      call: 'c',
      tool: 'task_list',
      seq: 7,
      sequence_no: 7,
    };
    const client = { name: 'n', version: '1', protocol: 'p' };
    const args = { args: 'stored', args_bytes: 2, args_digest: 'f'.repeat(64) };
    for (const record of [
      { ...said, kind: 'call.enter', instance: 'i', client, effect: 'read', ...args },
      { ...said, kind: 'call.enter', instance: 'i', client: null, args: 'none', late: true },
      { ...said, kind: 'call.exit', outcome: 'ok', result_digest: 'f'.repeat(64), duration_us: 12 },
      { ...said, kind: 'call.exit', outcome: 'rejected', code: 'INVALID_PARAMS', late: true },
      { ...said, kind: 'call.exit', outcome: 'ok', route: { name: null, candidates: [], attempts: [] } },
      {
        ...said,
        kind: 'call.exit',
        outcome: 'refused',
        code: 'TOOL_UNAVAILABLE',
        route: {
          name: 'search:internet',
          candidates: [
            { server: 'a', tool: 't', state: 'QUARANTINE', eligible: false, reason: 'lost' },
            { server: 'b', tool: 't', state: null, eligible: false },
          ],
          attempts: [
            { server: 'a', tool: 't', how: 'refused', code: 'TOOL_UNAVAILABLE', sent: false, duration_ms: 0 },
            { server: 'b', tool: 't', how: 'lost', sent: true, duration_ms: 12 },
          ],
        },
      },
    ]) {
      expect(callIn(canonicalJson(record))).toMatchObject({ kind: record.kind, seq: 7, call: 'c', tool: 'task_list' });
    }
    // What names rows is looked at whole.
    const subjects = [{ type: 'task', id: 'T-0001', rev: 1, digest: 'ff' }];
    expect(callIn(canonicalJson({ ...said, kind: 'call.exit', outcome: 'ok', subjects }))).toBeUndefined();
  });

  it('takes nothing out of a record whose columns say something else', () => {
    const said = {
      v: 1,
      log: '0'.repeat(32),
      at: '2026-11-15T18:30:00.123Z',
      call: 'c',
      tool: 'x',
      seq: 17,
      sequence_no: 17,
    };
    const intent = canonicalJson({ ...said, kind: 'call.enter', instance: 'i', client: null, args: 'empty' });
    const outcome = canonicalJson({ ...said, sequence_no: 16, kind: 'call.exit', outcome: 'ok' });
    const other: Columns[] = [
      ...[{ seq: 1 }, { seq: 7 }, { seq: 170 }, { seq: '017' }, { sequence_no: 15 }, { sequence_no: '16.0' }],
      ...[{ tool: 'y' }, { tool: '' }, { tool: 'x\u001f' }, { at: '2026-11-15T18:30:00.124Z' }, { at: '' }],
      ...[{ kind: 'call.entex' }, { leaf: LEAF.slice(1) }, { leaf: `${LEAF}0` }, { leaf: LEAF.toUpperCase() }],
    ];
    for (const body of [intent, outcome]) {
      expect(callIn(body)).toMatchObject({ seq: 17, tool: 'x' });
      for (const changed of other) expect(callIn(body, changed), JSON.stringify(changed)).toBeUndefined();
    }
    expect(callIn(intent, { kind: 'call.exit' })).toBeUndefined();
    expect(callIn(outcome, { kind: 'call.enter' })).toBeUndefined();
    expect(callReader('.*').line(lineOf(intent), 0)).toBeUndefined();
    expect(callReader('1'.repeat(32)).line(lineOf(intent), 0)).toBeUndefined();
  });
});
