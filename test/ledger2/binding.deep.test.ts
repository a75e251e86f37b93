// A store and its logs belong together: a log that was copied in, taken out, cut or changed is found, and nobody else is accused.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, headFiles, headsDir, json } from '../support/command-line.js';
import { freshPlace, type Place, serve } from '../support/serve.js';
import {
  besideOf,
  bodiesOf,
  change,
  expectHealthy,
  forge,
  forgetSignatures,
  homeFile,
  logsOf,
  onHost,
  ping,
  refusal,
  removeLog,
  rewriteLog,
  storeId,
  verdict,
} from './stores.js';

const ELSEWHERE = onHost('elsewhere');

/** A store that two machines have written, the first one twice: each has named the other. */
const twoLogs = async () => {
  const place = freshPlace();
  await ping(place);
  await ping(place, ELSEWHERE);
  await ping(place);
  const [first, second] = logsOf(place).map(({ log_id }) => log_id);
  return { place, first: first ?? '', second: second ?? '' };
};

const messages = ({ findings }: { findings: { kind: string; message: string }[] }): string[] =>
  findings.map(({ kind, message }) => `${kind}: ${message}`);

test('two machines on one store: every log names the store, each names the other as it was, and nothing is wrong', async () => {
  const { place, first, second } = await twoLogs();
  const id = storeId(place);
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  const firsts = bodiesOf(place).filter(({ seq }) => seq === 0);
  expect(firsts).toMatchObject([
    { log: first, kind: 'migrate', store: id },
    { log: second, kind: 'boot', store: id },
  ]);
  expect(bodiesOf(place, 'migrate').find(({ to }) => to === 5)).toMatchObject({ store: id });
  const besides = bodiesOf(place, 'beside');
  expect(besides.map(({ log, logs }) => [log, logs.map((named: { log: string }) => named.log)])).toEqual([
    [first, [second]],
    [second, [first]],
  ]);
  expect(JSON.parse(fs.readFileSync(homeFile(place, first), 'utf8'))).toMatchObject({ store_id: id, path: place.db });
  await expectHealthy(place);
  expect((await colibri(place, ['doctor'])).stdout).toMatch(/^ok +heads/m);
  // Nothing has grown elsewhere, so nothing is named again.
  await ping(place);
  expect(bodiesOf(place, 'beside')).toHaveLength(2);
  await expectHealthy(place);
});

test('both machines at the same time, and one that never comes back', async () => {
  const place = freshPlace();
  const peers = [serve(place), serve(place, ELSEWHERE), serve(place, onHost('once'))];
  for (const peer of peers) {
    await peer.initialize();
    await peer.phase2();
    await peer.call('server_ping', {});
  }
  await peers[2]?.kill('SIGKILL');
  expect((await verdict(place)).findings).toEqual([]);
  for (const peer of peers.slice(0, 2)) await peer.end();
  for (let n = 0; n < 3; n++) await ping(place, n === 1 ? ELSEWHERE : {});
  const { exit, findings } = await verdict(place);
  expect({ exit, findings }).toEqual({ exit: 10, findings: [] }); // the dead machine's log was never signed
});

test('a log of another store is found, whole as it is', async () => {
  const place = freshPlace();
  await ping(place);
  const other = besideOf(place, join(place.dir, 'other', 'colibri.db'));
  await ping(other, ELSEWHERE);
  change(place, (db) => {
    db.prepare('ATTACH ? AS other').run(other.db);
    db.exec(`INSERT INTO main.logs SELECT 2, log_id, node, public_key, format, size, frontier, opened_at, closed_at, head_mac FROM other.logs;
      INSERT INTO main.actions SELECT id + ${2 ** 32}, log_id, seq, sequence_no, kind, tool, at, body, leaf FROM other.actions;
      INSERT INTO main.payloads SELECT * FROM other.payloads;
      INSERT INTO main.checkpoints SELECT * FROM other.checkpoints;`);
  });
  const told = await verdict(place);
  expect(told.exit).toBe(20);
  expect(messages(told)).toContain('binding: The log belongs to another store.');
  // With the id of that store in the table, the other log contradicts it.
  change(place, (db) => db.prepare('UPDATE identity SET store_id = ?').run(storeId(other)));
  expect((await verdict(place)).exit).toBe(20);
});

test.each([
  ['another id', `UPDATE identity SET store_id = '${'0'.repeat(32)}'`],
  ['no id', 'DELETE FROM identity'],
  ['two ids', `INSERT INTO identity VALUES ('${'0'.repeat(32)}')`],
  ['an id of another form', "UPDATE identity SET store_id = 'mine'"],
])('%s in the table: 20', async (_, sql) => {
  const place = freshPlace();
  await ping(place);
  change(place, (db) => db.exec(sql));
  const told = await verdict(place);
  expect(told.exit).toBe(20);
  expect(messages(told).some((message) => message.startsWith('binding'))).toBe(true);
});

test('a whole log taken out: refused, 20 with its heads and 20 by the other log alone, 10 once accepted', async () => {
  const { place, first, second } = await twoLogs();
  const { size = 0 } = logsOf(place)[1] ?? {};
  removeLog(place, second);
  const told = await verdict(place);
  expect(told.exit).toBe(20);
  expect(messages(told)).toEqual(
    expect.arrayContaining([
      `binding: ${size} records of this log were signed, and the log is not in the store.`,
      `binding: The record names log ${second} with ${size} records; that log is not in the store.`,
    ]),
  );
  expect(await refusal(place)).toMatchObject({ code: 'STORE_ROLLED_BACK', message: expect.stringContaining(second) });
  expect(await colibri(place, ['restore'])).toMatchObject({ code: 10, stdout: expect.stringContaining(second) });
  expect((await colibri(place, ['status'])).stdout).toContain(`LOG ${second} IS GONE`);
  expect((await colibri(place, ['doctor'])).stdout).toMatch(new RegExp(`problem +heads +log ${second}`));
  expect((await colibri(place, ['checkpoint'])).code).toBe(1);
  // Somebody without the key says that it was accepted.
  const forged = join(place.dir, 'forged.db');
  fs.copyFileSync(place.db, forged);
  forge(besideOf(place, forged), first, {
    kind: 'accept',
    what: 'missing log',
    logs: [{ log: second, size, root: '0'.repeat(64) }],
    reason: 'forged',
    by: 'nobody',
  });
  fs.renameSync(place.db, join(place.dir, 'right.db'));
  fs.renameSync(forged, place.db);
  expect((await verdict(place)).exit).toBe(20);
  expect(await refusal(place)).toMatchObject({ code: expect.stringMatching(/STORE_ROLLED_BACK|STORE_CORRUPT/) });
  fs.renameSync(join(place.dir, 'right.db'), place.db);
  // Without any head of it, the other log's word is enough.
  const aside = join(place.dir, 'aside');
  fs.renameSync(join(headsDir(place), second), aside);
  const alone = await verdict(place);
  expect(messages(alone)).toContain(
    `binding: The record names log ${second} with ${size} records; that log is not in the store.`,
  );
  fs.renameSync(aside, join(headsDir(place), second));
  // A person decides.
  const accepted = json(await colibri(place, ['accept-loss', 'the laptop is gone', '--yes', '--json']));
  expect(accepted).toMatchObject({ accepted: true, lost: size, steps: [{ what: 'missing log' }] });
  expect(bodiesOf(place, 'accept')).toMatchObject([
    { log: first, what: 'missing log', logs: [{ log: second, size }], reason: 'the laptop is gone' },
  ]);
  expect(await colibri(place, ['restore'])).toMatchObject({ code: 0 });
  await ping(place);
  const after = await verdict(place);
  expect(after).toMatchObject({ exit: 10, findings: [], missing: [{ kind: 'missing log', count: size }] });
});

test('the first of two logs taken out', async () => {
  const { place, first } = await twoLogs();
  removeLog(place, first);
  expect((await verdict(place)).exit).toBe(20);
  expect(await refusal(place)).toMatchObject({ code: 'STORE_ROLLED_BACK', message: expect.stringContaining(first) });
  const aside = join(place.dir, 'aside');
  fs.renameSync(join(headsDir(place), first), aside);
  const told = await verdict(place);
  expect(messages(told).some((message) => message.includes(`The record names log ${first} with`))).toBe(true);
  fs.renameSync(aside, join(headsDir(place), first));
  // This machine has no log any more: a new one begins with what was accepted.
  expect(await colibri(place, ['accept-loss', 'gone', '--yes'])).toMatchObject({ code: 0 });
  const [accept] = bodiesOf(place, 'accept');
  expect(accept).toMatchObject({ seq: 0, store: storeId(place), what: 'missing log', logs: [{ log: first }] });
  await ping(place);
  await ping(place, ELSEWHERE);
  expect(await verdict(place)).toMatchObject({ exit: 10, findings: [], missing: [{ kind: 'missing log' }] });
});

test.each([
  ['shorter', (bodies: object[]) => bodies.slice(0, 2), /the store has 2\.$/],
  [
    'different',
    (bodies: Record<string, unknown>[]) =>
      bodies.map((body, i) => (i === 1 ? { ...body, at: '2001-01-01T00:00:00.000Z' } : body)),
    /with another root over its first/,
  ],
])('a log without heads that is %s than another says', async (_, rewrite, said) => {
  const { place, second } = await twoLogs();
  rewriteLog(place, second, rewrite as never);
  forgetSignatures(place, second);
  const told = await verdict(place);
  expect(told.exit).toBe(20);
  expect(
    messages(told).some((message) => message.startsWith('binding: The record names log') && said.test(message)),
  ).toBe(true);
});

const ROOT = '0'.repeat(64);
const NEVER = 'f'.repeat(32);

test.each<[string, (place: Place, log: string) => void, RegExp]>([
  [
    'a first record without the store',
    (place, log) => rewriteLog(place, log, (bodies) => bodies.map(({ store, ...body }) => body)),
    /no migration names it/,
  ],
  [
    'a first record with an id that is none',
    (place, log) =>
      rewriteLog(place, log, (bodies) => bodies.map((body) => (body.seq === 0 ? { ...body, store: 7 } : body))),
    /belongs to another store/,
  ],
  [
    'a log that never was',
    (place, log) => forge(place, log, { kind: 'beside', instance: NEVER, logs: [{ log: NEVER, size: 3, root: ROOT }] }),
    /that log is not in the store/,
  ],
  [
    'more records than there are',
    (place, log) => forge(place, log, { kind: 'beside', instance: NEVER, logs: [{ log, size: 10_000, root: ROOT }] }),
    /with 10,000 records; the store has/,
  ],
  [
    'a list of another form',
    (place, log) => forge(place, log, { kind: 'beside', instance: NEVER, logs: [{ log, size: '1', root: ROOT }, 'x'] }),
    /in a form that Colibri never writes/,
  ],
  [
    'an accepted copy that was none',
    (place, log) =>
      forge(place, log, { kind: 'accept', what: 'copy', logs: [{ log, size: 4, root: ROOT }], reason: 'r', by: 'b' }),
    /another root over its first 4 records/,
  ],
])('a forged record: %s', async (_, spoil, said) => {
  const place = freshPlace();
  await ping(place);
  const log = logsOf(place)[0]?.log_id ?? '';
  spoil(place, log);
  forgetSignatures(place, log);
  const told = await verdict(place);
  expect(told.exit).toBe(20);
  expect(messages(told).some((message) => message.startsWith('binding') && said.test(message))).toBe(true);
});

test('what a log has named is followed: a row that would keep it from naming a log is found', async () => {
  const { place } = await twoLogs();
  change(place, (db) => db.exec('UPDATE beside SET size = size + 1000'));
  expect(messages(await verdict(place))).toContain("derived: The rows do not agree with the log's records.");
});

test('heads that do not say where they belong are learned at the next signature, and half of them may be gone', async () => {
  const { place, first, second } = await twoLogs();
  fs.rmSync(homeFile(place, first));
  fs.writeFileSync(homeFile(place, second), '{"store_id": 7');
  await expectHealthy(place);
  await ping(place);
  for (const log of [first, second]) {
    expect(JSON.parse(fs.readFileSync(homeFile(place, log), 'utf8'))).toMatchObject({ store_id: storeId(place) });
  }
  const heads = headFiles(place, first);
  for (const head of heads.slice(0, -1)) fs.rmSync(head);
  await expectHealthy(place);
  await ping(place);
  await expectHealthy(place);
});

test('the heads folder of another store says nothing about this one', async () => {
  const place = freshPlace();
  await ping(place);
  const other = besideOf(place, join(place.dir, 'other', 'colibri.db'));
  const env = { XDG_STATE_HOME: join(place.dir, 'other-state') };
  await ping(other, { env });
  const choice = { env: { COLIBRI_HEADS_DIR: join(place.dir, 'other-state', 'colibri', 'heads') } };
  expect(await verdict(place, [], choice)).toMatchObject({ exit: 10, findings: [], missing: [{ kind: 'no head' }] });
  await ping(place, choice);
  await ping(other, { env });
  expect(await verdict(other, [], { env })).toMatchObject({ exit: 0 });
  expect(await verdict(place, [], choice)).toMatchObject({ exit: 0 });
});
