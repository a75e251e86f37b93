// The verifier's reading of records agrees with the table that they are written from: what the table allows is read without a fault, and
// what it does not allow is a fault. The two are written down separately, so a mistake in one shows here.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../proof/canonical-json.js';
import { EVERY_RECORD } from '../../proof/record-parts.js';
import { RECORDS, type RecordKind } from '../../proof/records.js';
import { type Members, memberName, type RecordShape, type Scalar } from '../../proof/shape.js';
import { isKnownKind, knownKinds, readingFault } from './kinds.js';

const RIGHT: Readonly<Record<Scalar, unknown>> = {
  text: 'a',
  id: 'a',
  hex32: 'a'.repeat(32),
  digest: 'b'.repeat(64),
  time: '2026-02-28T23:59:59.999Z',
  count: 1,
  number: 0.5,
  flag: true,
  truth: false,
  anything: null,
};

/** Values that are not of a shape. */
const WRONG: Readonly<Record<Scalar, readonly unknown[]>> = {
  text: [1, null, ['a']],
  id: ['', 'a'.repeat(129), 1],
  hex32: ['a'.repeat(31), 'A'.repeat(32), 1],
  digest: ['b'.repeat(63), `${'b'.repeat(63)}g`, 1],
  time: ['soon', '2026-02-30T00:00:00.000Z', '2026-01-01T24:00:00.000Z', '2026-01-01T00:00:00Z', 1],
  count: [-1, 0.5, 2 ** 53, '1'],
  number: [-1, '1'],
  flag: [false, 1],
  truth: ['true', 1],
  anything: [],
};

const right = (shape: RecordShape): unknown => {
  if (typeof shape === 'string') return RIGHT[shape];
  if ('oneOf' in shape) return shape.oneOf[0];
  if ('orNull' in shape) return right(shape.orNull);
  if ('listOf' in shape) return [right(shape.listOf)];
  return 'either' in shape ? right(shape.either[0] ?? 'text') : whole(shape.members);
};

const whole = (members: Members): JsonObject =>
  Object.fromEntries(Object.entries(members).map(([name, shape]) => [memberName(name), right(shape)]));

/** Every value of a shape that is wrong in one place. */
const wrongs = (shape: RecordShape): readonly unknown[] => {
  if (typeof shape === 'string') return WRONG[shape];
  if ('oneOf' in shape) return ['great', 1];
  if ('orNull' in shape) return wrongs(shape.orNull).filter((value) => value !== null);
  if ('listOf' in shape) return ['a', ...wrongs(shape.listOf).map((value) => [right(shape.listOf), value])];
  return 'either' in shape ? [1, null] : ['a', null, ...spoilt(shape.members)];
};

/** Every object with these members that is wrong in one member, lacks one, or has one more. */
const spoilt = (members: Members): readonly JsonObject[] => {
  const sound = whole(members);
  const without = (gone: string): JsonObject =>
    Object.fromEntries(Object.entries(sound).filter(([name]) => name !== gone));
  return [
    { ...sound, more: 1 },
    ...Object.keys(members)
      .filter((name) => !name.endsWith('?'))
      .map(without),
    ...Object.entries(members).flatMap(([name, shape]) =>
      wrongs(shape).map((value) => ({ ...sound, [memberName(name)]: value })),
    ),
  ];
};

const FIRST = new Set(['succeeds', 'restore']);
const { 'store?': _store, 'adopted?': _adopted, ...FRAME } = EVERY_RECORD;

const membersOf = (kind: RecordKind): Members => ({ ...FRAME, ...RECORDS[kind].members });

/** A seal names its session; the first type that a subject may have is another one. */
const sealed = right(RECORDS.seal.members.subjects) as readonly JsonObject[];

const placed = (kind: RecordKind, body: JsonObject): JsonObject => ({
  ...body,
  ...('kind' in body && body.kind === 'a' && { kind }),
  ...(body.seq === 1 && { seq: FIRST.has(kind) ? 0 : 1 }),
  // Only the migration that gave the store its id names logs.
  ...(kind === 'migrate' && body.from === 1 && body.to === 1 && { to: 5, store: 'c'.repeat(32) }),
  // Only a call that goes to another server names the definition of a tool.
  ...(kind === 'call.enter' && body.effect === 'read' && 'definition' in body && { effect: 'proxy' }),
  // An approval that voters gave and a call used names its round, and its row in its third revision.
  ...(kind === 'approval' &&
    JSON.stringify(body.subjects) === JSON.stringify(sealed) &&
    body.state === 'asked' && {
      state: 'used',
      ...(body.via === 'elicitation' && { via: 'quorum' }),
      subjects: [{ ...sealed[0], type: 'approval', id: body.approval_id, rev: 3 }],
    }),
  // The decision of a round, and a change of a voter, name one row: their own.
  ...(kind === 'decided' &&
    JSON.stringify(body.subjects) === JSON.stringify(sealed) && {
      subjects: [{ ...sealed[0], type: 'round', id: body.round_id }],
    }),
  ...(kind === 'voter' &&
    JSON.stringify(body.subjects) === JSON.stringify(sealed) && {
      subjects: [{ ...sealed[0], type: 'voter', id: body.name }],
    }),
  ...(kind === 'definition' &&
    JSON.stringify(body.subjects) === JSON.stringify(sealed) && {
      subjects: [{ ...sealed[0], type: 'definition' }],
    }),
  ...(kind === 'seal' &&
    JSON.stringify(body.subjects) === JSON.stringify(sealed) && { subjects: [{ ...sealed[0], type: 'session' }] }),
});

const kinds = Object.keys(RECORDS) as RecordKind[];

it('knows the kinds that are written, and no other', () => {
  expect([...knownKinds()].sort()).toEqual([...kinds].sort());
  expect(isKnownKind('from the future')).toBe(false);
  expect(readingFault({ kind: 'from the future' })).toMatch(/no records of kind "from the future"/);
});

describe.each(kinds)('%s', (kind) => {
  it('is read as it is written, with and without what may be absent', () => {
    const sound = placed(kind, whole(membersOf(kind)));
    expect(readingFault(sound)).toBeUndefined();
    for (const name of Object.keys(RECORDS[kind].members).filter((one) => one.endsWith('?'))) {
      const { [memberName(name)]: _gone, ...less } = sound;
      // The form of a digest is not there without the digest; what says how a definition was found, not without it; it, not without the effect.
      const isNeeded =
        ['result_digest?', 'definition?'].includes(name) ||
        (kind === 'call.enter' && name === 'effect?') ||
        (kind === 'approval' && ['call?', 'round?'].includes(name));
      expect([name, readingFault(less)]).toEqual([name, isNeeded ? expect.any(String) : undefined]);
    }
  });

  it('is not read with a member that is wrong, missing or unknown', () => {
    const { kind: _kind, ...members } = membersOf(kind);
    const bad = spoilt({ ...members }).map((body) => placed(kind, { kind: 'a', ...body }));
    expect(bad.length).toBeGreaterThan(15);
    expect(bad.filter((body) => readingFault(body) === undefined)).toEqual([]);
  });
});

it('reads where a record may stand', () => {
  const at = (kind: RecordKind, seq: number, more: JsonObject = {}): string | undefined =>
    readingFault({ ...placed(kind, whole(membersOf(kind))), seq, ...more });
  for (const kind of kinds) {
    const begins = ['succeeds', 'restore', 'migrate', 'boot', 'accept', 'adopts'].includes(kind);
    expect([kind, at(kind, 0) === undefined]).toEqual([kind, begins]);
    expect([kind, at(kind, 7) === undefined]).toEqual([kind, !FIRST.has(kind)]);
  }
  const store = 'c'.repeat(32);
  const binding = { from: 4, to: 5 };
  expect([at('boot', 0, { store }), at('migrate', 7, { ...binding, store }), at('boot', 7, { adopted: 7 })]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(at('boot', 7, { store })).toMatch(/not the first/);
  const { logs: _logs, store: _id, ...plain } = placed('migrate', whole(membersOf('migrate')));
  expect(readingFault({ ...plain, seq: 7, from: 1, to: 2, store })).toMatch(/not the first/);
  expect(readingFault({ ...plain, seq: 7, from: 5, to: 6, logs: [] })).toMatch(/names logs/);
  expect(readingFault({ ...plain, seq: 7, ...binding })).toMatch(/does not name the store/);
  expect(at('seal', 7, { subjects: [] })).toMatch(/other rows than its session/);
  expect(readingFault({ ...plain, seq: 7, from: 5, to: 5 })).toMatch(/later version/);
  expect(at('call.exit', 7, { outcome: 'ok', subjects: [] })).toBeUndefined();
  for (const outcome of ['refused', 'domain_error', 'interrupted'])
    expect(at('call.exit', 7, { outcome, expired: [] })).toMatch(/says what was changed/);
});
