// What the next start must not continue or sign: stores that somebody without the key made to fit, so that the start looks at the wrong place.
import { generateKeyPairSync, hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { FORMAT } from '../../src/ledger/head.js';
import { colibri } from '../support/command-line.js';
import { forgeTail } from '../support/forged-tail.js';
import type { Body } from '../support/ledger-check.js';
import { freshPlace, type Place } from '../support/serve.js';
import { bodiesOf, change, forgetSignatures, logsOf, ping, refusal, rewriteLog, storeId, verdict } from './stores.js';

const AT = '2026-11-15T18:30:00.123Z';
const NO_LOG = { no: 0, log_id: '', node: '', size: 0 };

const used = async (): Promise<{ place: Place; log: string; node: string; size: number }> => {
  const place = freshPlace();
  await ping(place);
  const { log_id: log, node, size } = logsOf(place)[0] ?? NO_LOG;
  return { place, log, node, size };
};

const withoutMac = (place: Place) => change(place, (db) => db.exec('UPDATE logs SET head_mac = NULL'));

/** A log under a key of the forger's own, with one record. */
const insertLog = (place: Place, no: number, node: string, record: (log: string) => object): string => {
  const key = Buffer.from(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const log = hash('sha256', key).slice(0, 32);
  change(place, (db) =>
    db
      .prepare(
        `INSERT INTO logs (no, log_id, node, public_key, format, size, frontier, opened_at) VALUES (?, ?, ?, ?, ${FORMAT}, 0, '', ?)`,
      )
      .run(no, log, node, key.toString('hex'), AT),
  );
  rewriteLog(place, log, () => [{ v: 1, log, seq: 0, at: AT, store: storeId(place), ...record(log) } as Body]);
  return log;
};

const expectNothingSigned = async (place: Place): Promise<void> => {
  const before = bodiesOf(place).length;
  const { code } = await refusal(place);
  expect(code).toBe('STORE_CORRUPT');
  expect(bodiesOf(place)).toHaveLength(before);
  expect((await verdict(place)).exit).toBe(20);
  const doctor = await colibri(place, ['doctor']);
  expect(doctor).toMatchObject({ code: 1, stdout: expect.stringContaining("was not written with the log's key") });
};

test('a history without the record of the migration, without a MAC and without heads is not taken over as one of format 4', async () => {
  const { place, log } = await used();
  forgetSignatures(place, log);
  change(place, (db) => db.exec('DELETE FROM payloads'));
  rewriteLog(place, log, (bodies) => {
    const [boot] = bodies.filter(({ kind }) => kind === 'boot');
    return [{ ...boot, seq: 0, store: storeId(place) } as unknown as Body];
  });
  withoutMac(place);
  await expectNothingSigned(place);
});

test('a log of a stranger that says it migrated the store does not vouch for a tail without a MAC', async () => {
  const { place, log, size } = await used();
  forgeTail(place.db, () => [{ kind: 'erase', targets: [], reason: 'asked for', by: 'me' }]);
  withoutMac(place);
  const root = '0'.repeat(64);
  // Number 0: its records come before all others.
  const logs = [{ log, size: size + 1, root }];
  insertLog(place, 0, 'elsewhere/eve', () => ({ kind: 'migrate', from: 4, to: 5, checksum: root, logs }));
  await expectNothingSigned(place);
});

test.each([
  ['succeeds', {}],
  ['restore', { known_size: 9, known_root: '0'.repeat(64), reason: 'disk' }],
])('a log that went back is not hidden by a successor that nobody signed (%s)', async (kind, members) => {
  const { place, log, node } = await used();
  const cut = 6;
  change(place, (db) => db.exec(`DELETE FROM payloads WHERE seq >= ${cut}; DELETE FROM instances`));
  change(place, (db) => db.exec(`DELETE FROM checkpoints WHERE size > ${cut}`));
  rewriteLog(place, log, (bodies) => bodies.slice(0, cut));
  change(place, (db) => db.prepare('UPDATE logs SET closed_at = ?, head_mac = NULL').run(AT));
  const end = { previous: log, size: cut, root: '0'.repeat(64), ...members };
  const next = insertLog(place, 2, node, () => ({ kind, ...end }));
  change(place, (db) => db.prepare('UPDATE logs SET closed_at = ? WHERE log_id = ?').run(AT, next));
  insertLog(place, 3, node, () => ({ kind: 'succeeds', previous: next, size: 1, root: '0'.repeat(64) }));
  const before = bodiesOf(place).length;
  expect((await refusal(place)).code).toBe('STORE_ROLLED_BACK');
  expect(await colibri(place, ['restore'])).toMatchObject({ code: 10, stdout: expect.stringContaining(log) });
  const accepted = await colibri(place, ['accept-loss', 'whatever', '--yes']);
  expect(accepted.code).not.toBe(0);
  expect(accepted.stderr).toContain('cannot be accepted');
  expect(await colibri(place, ['doctor'])).toMatchObject({ stdout: expect.stringContaining(`log ${log} has ${cut}`) });
  expect(bodiesOf(place)).toHaveLength(before);
});
