// colibri prune: old arguments go, every proof stands, servers go on.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, json, rows, usedStore } from '../support/command-line.js';
import { inspectLedger } from '../support/ledger-check.js';
import { type Place, session } from '../support/serve.js';
import { callMany, countInFiles, countRows, momentNow, prunes } from './store-upkeep.js';

/** Everything but payloads and what a record more changes. */
const evidence = (place: Place): string =>
  JSON.stringify(
    ['tasks', 'leases', 'sessions', 'thoughts'].map((table) => rows(place, `SELECT * FROM ${table} ORDER BY rowid`)),
  );

test('what is older goes, what is newer stays, every proof stands', { timeout: 60_000 }, async () => {
  const { place, receipts, thought, log } = await usedStore();
  await session(place, (peer) => callMany(peer, 600, 'OLD'));
  const before = await momentNow();
  await session(place, (peer) => callMany(peer, 40, 'NEW'));
  const proof = join(place.dir, 'proof');
  expect(await colibri(place, ['prove', receipts[0]?.call ?? '', '--out', proof])).toMatchObject({ code: 0 });
  const [tables, old] = [evidence(place), countRows(place.db, 'payloads') - 40];
  const size = inspectLedger(place.db).records.length;
  expect(countInFiles(place, /OLD\d+END/g)).toBeGreaterThanOrEqual(600);

  const dry = await colibri(place, ['prune', '--before', before, '--dry-run', '--json']);
  expect(json(dry)).toMatchObject({ before, would_prune: old });
  expect(inspectLedger(place.db).records).toHaveLength(size);

  const done = json(await colibri(place, ['prune', '--before', before, '--yes', '--json']));
  expect(done).toMatchObject({ before, pruned: old, records: 2, bytes: json(dry).bytes });
  expect(done.file.free).toBeGreaterThan(0);
  expect(inspectLedger(place.db).problems).toEqual([]);
  const [first, second] = prunes(place);
  expect([first?.count + second?.count, first?.before, first?.log, first?.of]).toEqual([old, before, log, undefined]);
  expect(second?.from_seq).toBe(first?.to_seq + 1);
  expect(countInFiles(place, /OLD\d+END/g)).toBe(0);
  expect(countInFiles(place, /NEW\d+END/g)).toBe(40);
  expect(evidence(place)).toBe(tables);

  const verdict = await colibri(place, ['verify']);
  expect(verdict).toMatchObject({ code: 0, stdout: expect.stringContaining(`${old} contents were erased or pruned`) });
  for (const target of [receipts[0]?.call ?? '', thought]) {
    const again = join(place.dir, `again-${target}`);
    expect(await colibri(place, ['prove', target, '--out', again])).toMatchObject({ code: 0 });
    for (const file of [proof, again]) expect(await colibri(place, ['verify', file])).toMatchObject({ code: 0 });
  }
  const nothing = await colibri(place, ['prune', '--before', before, '--yes']);
  expect(nothing).toMatchObject({ code: 0, stdout: expect.stringContaining('No arguments are kept of calls before') });
  expect(prunes(place)).toHaveLength(2);
});
