// A call by its id, in a store so long that two threads look for it: log, prove and erase find the same one.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLI_LIMITS } from '../../src/cli/limits.js';
import { findCalls } from '../../src/cli/records/call-find.js';
import { openSqliteStore } from '../../src/store/sqlite/open.js';
import { colibri, json, rows, usedStore } from '../support/command-line.js';
import { appendRecords } from '../support/command-output.js';
import { freshPlace, type Place } from '../support/serve.js';

const NOWHERE = '01990000-0000-4000-8000-000000000000';
/** Beyond the records that are looked at first, so that either thread has a thousand. */
const OLD = 2_000;

const callId = (seq: number): string => `3b241101-e2bb-4255-8caf-${String(seq).padStart(12, '0')}`;

/** Calls one after the other, the last without an outcome. Their words name other calls, which must not be found. */
const fillers = (first: number, records: number) =>
  Array.from({ length: records }, (_, i) => {
    const [at, sequence_no] = [new Date().toISOString(), first + 2 * Math.floor(i / 2)];
    const call = callId(sequence_no);
    const client = { name: `"call":"${NOWHERE}"`, version: '1', protocol: 'x' };
    const enter = { kind: 'call.enter', instance: 'x', call, tool: 'filler', effect: 'read', client, args: 'empty' };
    const exit = { kind: 'call.exit', sequence_no, call, tool: 'filler', outcome: 'ok', duration_us: 5 };
    return { at, record: i % 2 === 0 ? enter : exit };
  });

interface Found {
  readonly call: string;
  readonly intent: number;
  readonly outcome: number;
}

describe('in a long store', () => {
  let place: Place;
  let calls: Readonly<Record<'oldest' | 'early' | 'late' | 'newest', Found>>;
  let open: string;

  beforeAll(async () => {
    const used = await usedStore(freshPlace(afterAll));
    place = used.place;
    const [, first] = used.receipts; // the first whose arguments are kept
    const [{ size = 0 } = {}] = rows<{ size: number }>(place, 'SELECT size FROM logs');
    const records = CLI_LIMITS.lookRecords + OLD + 1;
    await appendRecords(place, fillers(size, records));
    const filler = (seq: number): Found => ({ call: callId(seq), intent: seq, outcome: seq + 1 });
    const outcome = first?.seq ?? 0;
    const [intent] = rows<{ sequence_no: number }>(place, 'SELECT sequence_no FROM actions WHERE seq = ?', outcome);
    calls = {
      oldest: { call: first?.call ?? '', intent: intent?.sequence_no ?? 0, outcome },
      early: filler(size + 400),
      late: filler(size + 1_600),
      newest: filler(size + records - 3),
    };
    open = callId(size + records - 1);
  }, 120_000);

  test.each(['oldest', 'early', 'late', 'newest'] as const)('the %s call', async (which) => {
    const { call, intent, outcome } = calls[which];
    const shown = await colibri(place, ['log', call, '--json']);
    expect(json(shown)).toMatchObject({ call: { call, seq: outcome, sequence_no: intent } });
    expect(json(await colibri(place, ['prove', call, '--json']))).toMatchObject({ seq: outcome });
  });

  test('one that has no outcome, and one that is not there', async () => {
    expect(json(await colibri(place, ['log', open, '--json']))).toMatchObject({
      call: { call: open, outcome: 'lost' },
    });
    expect(await colibri(place, ['prove', open])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has no outcome yet'),
    });
    const commands = [['log'], ['log', '--explain'], ['prove'], ['erase', '--yes', '--reason', 'x']];
    for (const command of commands) {
      expect(await colibri(place, [...command, NOWHERE]), command[0]).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(/no (call|thought) and no (call|thought) 01990000/),
      });
    }
  });

  test('several at once are found by one search, also where the second thread cannot open the store', async () => {
    const store = await openSqliteStore({ path: place.db, readOnly: true });
    try {
      const named = Object.values(calls).map(({ call }) => call);
      for (const path of [place.db, join(place.dir, 'none.db')]) {
        const found = await store.read((tx) => findCalls({ tx, path }, [...named, open, NOWHERE]));
        expect(found.size).toBe(named.length + 1);
        for (const { call, intent, outcome } of Object.values(calls)) {
          expect(found.get(call)).toMatchObject({ intent: { seq: intent }, outcome: { seq: outcome } });
        }
        expect(found.get(open)).toMatchObject({ outcome: undefined });
      }
    } finally {
      await store.close();
    }
  });

  test('what is erased is what was named', async () => {
    const { call, intent } = calls.oldest;
    const erased = json(await colibri(place, ['erase', call, '--yes', '--reason', 'x', '--json']));
    expect(erased.erased).toEqual([{ type: 'payload', id: expect.stringMatching(new RegExp(`/${intent}$`)) }]);
  });
});
