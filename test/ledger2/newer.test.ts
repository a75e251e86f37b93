// A store of a newer format: what only a newer version knows is not judged, and the chain of records and its signatures still are.
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { FORMAT } from '../../src/ledger/head.js';
import { headsIn } from '../../src/ledger/heads.js';
import { keyRing } from '../../src/ledger/keys.js';
import { createSigner } from '../../src/ledger/signer.js';
import { verifyStore } from '../../src/verify/verify.js';
import { openTaskTools, type TaskTools } from '../tasks/task-tools.js';
import { Forger } from './forger.js';

const NEWER = FORMAT + 1;
const DIGEST = 'd'.repeat(64);

const verdictOf = (path: string) =>
  verifyStore({ path, scope: { kind: 'store' }, headsDir: join(dirname(path), 'heads'), workers: 0 });

const sign = async ({ store, path }: TaskTools): Promise<void> => {
  const dir = dirname(path);
  const row = await store.read((tx) => tx.get<{ log: string }>('SELECT log_id AS log FROM logs'));
  const [keys, heads] = [keyRing({ dir: join(dir, 'keys') }), headsIn(join(dir, 'heads'))];
  const fail = (why: unknown): never => {
    throw new Error(String(why));
  };
  await createSigner({ store, log: row?.log ?? '', keys, heads, warn: fail, onBroken: fail }).sign();
};

/** A store that a later version has migrated and used: another schema, kinds, members, subjects and transitions that nobody knows here. */
const newer = async (migration: object | null = { from: FORMAT, to: NEWER }): Promise<string> => {
  const tools = await openTaskTools();
  await tools.ok('task_create', { title: 'one' });
  await sign(tools);
  const forger = new Forger(tools.path);
  if (migration !== null) forger.append({ kind: 'migrate', checksum: DIGEST, ...migration });
  forger.append({ kind: 'from the future', subjects: [{ type: 'board', id: 'b', rev: 7, digest: DIGEST }] });
  forger.call({ changes: [{ task_id: 'T-0001', from: 'INIT', to: 'PARKED', version: 9, attempt: 1 }], boards: ['b'] });
  forger.db.exec(`CREATE TABLE boards (id TEXT PRIMARY KEY, name TEXT); ALTER TABLE tasks ADD COLUMN board TEXT;
    UPDATE tasks SET status = 'PARKED'; UPDATE logs SET format = ${NEWER}; PRAGMA user_version = ${NEWER}`);
  forger.end();
  return tools.path;
};

const change = (path: string, sql: string): string => {
  const db = new Database(path);
  db.exec(sql);
  db.close();
  return path;
};

/** SQL for the hex text of a column with another first digit. */
const otherDigit = (column: string): string =>
  `CASE substr(${column}, 1, 1) WHEN 'a' THEN 'b' ELSE 'a' END || substr(${column}, 2)`;

describe('a store of a newer format', () => {
  it('is 10, whatever it says in ways that this version does not know', async () => {
    const { exit, valid, complete, findings, missing, remarks, not_checked } = await verdictOf(await newer());
    expect({ exit, valid, complete, findings }).toEqual({ exit: 10, valid: true, complete: false, findings: [] });
    expect(missing[0]).toMatchObject({
      kind: 'newer format',
      message: expect.stringContaining(`has format ${NEWER}, this Colibri knows ${FORMAT}: verify with the newer one`),
    });
    expect(remarks.join('\n')).toMatch(/has 1 record of kinds that this version does not know/);
    expect(not_checked[0]).toContain(`only a Colibri that knows format ${NEWER} can judge them`);
  });

  it.each([
    ['a record is changed', "UPDATE actions SET body = replace(body, 'ok', 'no') WHERE kind = 'call.exit'", /leaf/],
    ['a record is gone', 'DELETE FROM actions WHERE seq = 5', /missing/],
    ['a column differs from the body', "UPDATE actions SET tool = 'x' WHERE tool IS NOT NULL", /Column tool/],
    ['the frontier is another one', `UPDATE logs SET frontier = ${otherDigit('frontier')}`, /frontier/],
    ['a checkpoint is changed', "UPDATE checkpoints SET note = replace(note, 'a', 'b')", /./],
    ['a checkpoint is gone', 'DELETE FROM checkpoints', /is gone/],
    ['the key is another one', `UPDATE logs SET public_key = ${otherDigit('public_key')}`, /./],
    ['the log was cut', 'DELETE FROM actions WHERE seq > 4; UPDATE logs SET size = 5', /was signed for/],
  ])('is 20 if %s', async (_, sql, says) => {
    const { exit, findings } = await verdictOf(change(await newer(), sql));
    expect(exit).toBe(20);
    expect(findings.map(({ message }) => message).join('\n')).toMatch(says);
  });

  it.each([
    ['no record says that it was migrated', null],
    ['its records lead to another format', { from: FORMAT, to: NEWER + 1 }],
  ])('is 20 if %s: somebody edited the number', async (_, migration) => {
    const { exit, findings } = await verdictOf(await newer(migration));
    expect(exit).toBe(20);
    expect(findings[0]?.message).toContain(`has format ${NEWER}, but no record says that it was migrated`);
  });

  it('is 20 if only the number is a newer one', async () => {
    for (const sql of ['PRAGMA user_version = 99', 'UPDATE logs SET format = 99']) {
      const tools = await openTaskTools();
      const { exit, findings } = await verdictOf(change(tools.path, sql));
      expect({ exit, message: findings[0]?.message }).toEqual({
        exit: 20,
        message: 'The store has format 99, but no record says that it was migrated.',
      });
    }
  });

  it('cannot be asked about one session or task', async () => {
    const scope = { kind: 'task', id: 'T-0001' } as const;
    expect(await verifyStore({ path: await newer(), scope, workers: 0 })).toMatchObject({ exit: 30 });
  });
});
