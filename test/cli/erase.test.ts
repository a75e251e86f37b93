// colibri erase: contents go, every proof stands.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, rows, SECRET, usedStore } from '../support/command-line.js';
import { inspectLedger } from '../support/ledger-check.js';
import type { Place } from '../support/serve.js';
import { holding } from './store-upkeep.js';

const erasures = (place: Place) =>
  inspectLedger(place.db)
    .records.filter(({ kind }) => kind === 'erase')
    .map(({ body }) => body);

test('a thought: proofs from before and after stand, verify says 0, the bytes are gone', async () => {
  const { place, thought, log } = await usedStore();
  const before = join(place.dir, 'before');
  await colibri(place, ['prove', thought, '--out', before]);
  expect(holding(place, SECRET)).not.toEqual([]);

  const erased = await colibri(place, ['erase', thought, '--reason', 'an address', '--yes']);
  expect(erased).toMatchObject({ code: 0, stdout: expect.stringContaining('may still have copies') });
  expect(holding(place, SECRET)).toEqual([]);
  expect(erasures(place)).toMatchObject([
    { log, targets: [{ type: 'thought', id: thought }], reason: 'an address', by: expect.any(String) },
  ]);
  expect(rows(place, 'SELECT content, content_salt FROM thoughts WHERE thought_id = ?', thought)).toEqual([
    { content: null, content_salt: null },
  ]);

  const after = join(place.dir, 'after');
  await colibri(place, ['prove', thought, '--out', after]);
  expect(await colibri(place, ['verify', before])).toMatchObject({ code: 0, stdout: expect.stringContaining(SECRET) });
  const bare = await colibri(place, ['verify', after]);
  expect(bare).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The content is not in this file (erased or left out)'),
  });
  expect(bare.stdout).not.toContain(SECRET);
  expect(await colibri(place, ['verify'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 content was erased or pruned'),
  });
  const [row] = rows<{ session_id: string }>(place, 'SELECT session_id FROM thoughts WHERE thought_id = ?', thought);
  expect(await colibri(place, ['verify', '--session', row?.session_id ?? ''])).toMatchObject({ code: 0 });
});
