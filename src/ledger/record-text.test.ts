import fc from 'fast-check';
import { expect, test } from 'vitest';
import { EVERY_RECORD } from '../proof/record-parts.js';
import { type LedgerRecord, RECORDS } from '../proof/records.js';
import { memberName } from '../proof/shape.js';
import { enterText, exitText } from './call-text.js';
import { type Frame, recordText } from './record-text.js';

const FRAME: Frame = { at: '2026-11-17T10:00:00.000Z', log: 'a'.repeat(32), seq: 7, sequence_no: 7, v: 1 };

const namesOf = (kind: 'call.enter' | 'call.exit'): string[] =>
  Object.keys({ ...EVERY_RECORD, ...RECORDS[kind].members })
    .map(memberName)
    .filter((name) => !['at', 'log', 'seq', 'sequence_no', 'v', 'kind'].includes(name));

/** Words that the table demands are plain text in both writers; every other member may hold anything that JSON can say, or be absent. */
const PLAIN = { args: ['stored', 'digest', 'empty', 'none'], outcome: ['ok', 'failed'] } as const;

const record = (kind: 'call.enter' | 'call.exit') =>
  fc
    .record(
      Object.fromEntries(
        namesOf(kind).map((name) => {
          if (name in PLAIN) return [name, fc.constantFrom(...PLAIN[name as keyof typeof PLAIN])];
          if (name === 'client') return [name, fc.option(fc.record({ name: fc.string({ unit: 'grapheme' }) }))];
          const value = fc.oneof(
            fc.string({ unit: 'grapheme' }),
            fc.nat(),
            fc.boolean(),
            fc.jsonValue({ maxDepth: 2 }),
          );
          return [
            name,
            fc.option(
              value.filter((it) => JSON.stringify(it).isWellFormed()),
              { nil: undefined },
            ),
          ];
        }),
      ),
    )
    .map((members) => ({ ...members, kind }) as unknown as LedgerRecord);

const quick = (frame: Frame, said: LedgerRecord): string =>
  said.kind === 'call.enter' ? enterText(frame, said) : exitText(frame, said as LedgerRecord & { kind: 'call.exit' });

test.each(['call.enter', 'call.exit'] as const)(
  'a record of kind %s is written as the table of records says',
  (kind) => {
    fc.assert(
      fc.property(record(kind), (said) => {
        expect(quick(FRAME, said)).toBe(recordText(FRAME, said));
      }),
    );
  },
);

test.each(['call.enter', 'call.exit'] as const)('no member of %s is left out', (kind) => {
  const names = namesOf(kind);
  const said = { ...Object.fromEntries(names.map((name) => [name, name === 'client' ? { name } : name])), kind };
  const written = JSON.parse(quick(FRAME, said as unknown as LedgerRecord)) as Record<string, unknown>;
  expect(Object.keys(written)).toEqual([...names, ...Object.keys(FRAME), 'kind'].sort());
});
