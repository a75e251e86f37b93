// Real stores, made by the code that makes them, changed from outside one thing at a time.

import { createPublicKey, generateKeyPairSync, hash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { evidenceStore, type Told } from '../../test/support/evidence-store.js';
import { logWithoutKey } from '../../test/support/log-without-key.js';
import { boot, callLedgerParts, now, temporaryFolder } from '../../test/support/stores.js';
import { acceptRollback } from '../ledger/accept.js';
import { createCallLedger } from '../ledger/calls/call-ledger.js';
import { endInstance, recordBoot } from '../ledger/calls/instances.js';
import { FORMAT, readHead } from '../ledger/head.js';
import { headsIn } from '../ledger/heads.js';
import { keyRing } from '../ledger/keys.js';
import { append } from '../ledger/ledger.js';
import { signCheckpoint } from '../ledger/notes.js';
import { openLog } from '../ledger/open.js';
import { rotateKey } from '../ledger/rotate.js';
import { createSigner } from '../ledger/signer.js';
import { rootOf } from '../ledger/tree.js';
import { canonicalJson, type JsonObject } from '../proof/canonical-json.js';
import { originOf } from '../proof/checkpoint.js';
import type { BootRecord, LedgerRecord, PruneRecord } from '../proof/records.js';
import { openSqliteStore } from '../store/sqlite/open.js';
import type { FindingKind } from './verdict/finding.js';
import { UnknownScope, type VerifyRequest, verifyStore } from './verify.js';

const INSTANCE = '0192f0c1-0000-7000-8000-000000000001';
const STRANGER = 'f'.repeat(32);
/** No record and no node hashes to it. */
const NOTHING = '0'.repeat(64);

/** A record that says little and may stand anywhere. */
const config = (instance: string): LedgerRecord => ({
  ...{ kind: 'config', instance, what: 'switchboard', digest: NOTHING },
  ...{ added: [], removed: [], changed: [] },
});

interface Place {
  readonly dir: string;
  readonly path: string;
}

const placeIn = (dir: string): Place => ({ dir, path: join(dir, 'colibri.db') });

/** A store open for writing, and what its process would have at hand. */
const openAt = async ({ dir, path }: Place, first: Partial<BootRecord> = {}) => {
  const store = await openSqliteStore({ path });
  const keys = keyRing({ dir: join(dir, 'keys') });
  const heads = headsIn(join(dir, 'heads'));
  const options = { store, keys, heads, node: 'host/user', now };
  const booted = { ...boot(INSTANCE), ...first };
  await store.instances.hold(booted.instance);
  const log = await openLog(options, (tx, opened) => recordBoot(tx, opened, now(), booted));
  const fail = (why: unknown): never => {
    throw new Error(String(why));
  };
  const signer = createSigner({ store, log: log.id, keys, heads, warn: fail, onBroken: fail });
  const ledger = createCallLedger({ ...callLedgerParts, store, log, instance: booted.instance });
  const say = (...records: LedgerRecord[]) =>
    store.write((tx) =>
      append(
        tx,
        log,
        records.map((record) => ({ at: now(), record })),
      ),
    );
  const call = async (tool: string, args: unknown) => {
    const [at, id] = [now(), crypto.randomUUID()];
    const no = await ledger.enter({ at, call: id, tool, client: null, args });
    return {
      no,
      ...(await ledger.exit(no, { kind: 'call.exit', at, call: id, tool, outcome: 'ok' })),
      call: id,
      log: log.id,
    };
  };
  const end = async () => {
    await endInstance(
      { store, log, now },
      { instance: booted.instance, reason: 'test', drained: 0, abandoned: 0 },
      false,
    );
    await signer.sign();
    await store.close();
  };
  return { store, log, options, signer, ledger, say, call, end };
};

/** Calls with and without arguments, signed in between. */
const fill = async (place: Place): Promise<void> => {
  const { call, signer, end } = await openAt(place);
  for (let i = 0; i < 12; i++) await call(i % 3 === 0 ? 'task_list' : 'task_get', i % 2 === 0 ? { id: `T-${i}` } : {});
  await signer.sign();
  for (let i = 0; i < 4; i++) await call('task_get', { id: `T-${i}` });
  await end();
};

/** More than two stretches, straight through the ledger; one call begins in the first and ends in the last. */
const fillLong = async (place: Place, records: number): Promise<void> => {
  const { say, signer, ledger, end } = await openAt(place);
  const many = Array.from({ length: records }, () => config(INSTANCE));
  const call = { at: now(), call: crypto.randomUUID(), tool: 't' };
  const no = await ledger.enter({ ...call, client: null, args: {} });
  await say(...many.slice(0, 5_000));
  await signer.sign();
  await say(...many.slice(5_000));
  await ledger.exit(no, { ...call, kind: 'call.exit', outcome: 'ok' });
  await end();
};

/** Three logs: the key was lost twice. */
const fillSucceeded = async (place: Place): Promise<void> => {
  for (const instance of [INSTANCE, crypto.randomUUID(), crypto.randomUUID()]) {
    await (await openAt(place, { instance })).end();
    renameSync(join(place.dir, 'keys'), join(place.dir, instance));
  }
};

const templates = mkdtempSync(join(tmpdir(), 'colibri-verify-'));
const template = (name: string): Place => placeIn(join(templates, name));
const LONG = 20_000;

beforeAll(async () => {
  for (const name of ['short', 'long', 'succeeded']) mkdirSync(template(name).dir);
  await fill(template('short'));
  await fillLong(template('long'), LONG);
  await fillSucceeded(template('succeeded'));
});
afterAll(() => rmSync(templates, { recursive: true, force: true }));

const copyOf = (name: string): Place => {
  const dir = temporaryFolder();
  cpSync(template(name).dir, dir, { recursive: true });
  return placeIn(dir);
};

const verify = ({ dir, path }: Place, more: Partial<VerifyRequest> = {}) =>
  verifyStore({
    path,
    scope: { kind: 'store' },
    headsDir: join(dir, 'heads'),
    keys: { dir: join(dir, 'keys') },
    workers: 0,
    ...more,
  });

type Change = (db: Database.Database, place: Place) => void;

const changed = ({ path, dir }: Place, change: Change): Place => {
  const db = new Database(path);
  db.pragma('foreign_keys = OFF');
  change(db, { path, dir });
  db.close();
  return { path, dir };
};

/** Another body at a place, with the leaf that belongs to it: what whoever knows the format would do. */
const rewrite = (db: Database.Database, seq: number, change: (body: JsonObject) => object, no = 1): void => {
  const id = no * 2 ** 32 + seq;
  const text = db.prepare('SELECT body FROM actions WHERE id = ?').pluck().get(id) as string;
  const body = canonicalJson(change(JSON.parse(text)));
  const leaf = hash('sha256', `\u0000${body}`);
  db.prepare('UPDATE actions SET body = ?, leaf = ? WHERE id = ?').run(body, leaf, id);
};

const seqOf = (db: Database.Database, kind: string, nth = 0): number =>
  db.prepare('SELECT seq FROM actions WHERE kind = ? ORDER BY seq LIMIT 1 OFFSET ?').pluck().get(kind, nth) as number;

const withPayload = (db: Database.Database): number =>
  db.prepare('SELECT MIN(seq) FROM payloads').pluck().get() as number;

const sql =
  (...statements: string[]): Change =>
  (db) => {
    for (const statement of statements) db.exec(statement);
  };

describe('a healthy store', () => {
  it('is intact and complete', async () => {
    const verdict = await verify(copyOf('short'));
    expect(verdict).toMatchObject({ exit: 0, valid: true, complete: true, broken_count: 0, missing: [], remarks: [] });
    expect(verdict.record_count).toBe(34 + FORMAT);
    expect(verdict.first_broken_at).toBeNull();
    expect(verdict.custody.key).toMatch(/^readable by the user this runs as: .*keys/);
    expect(verdict.custody.heads).toMatch(/^same disk: .*heads$/);
    expect(verdict.not_checked).toHaveLength(3);
    expect(verdict.checked.join(' ')).toMatch(
      new RegExp(`${34 + FORMAT} records of 1 log: .* 2 checkpoints and 2 heads\\. 0 rows of `),
    );
  });

  it('is the same to threads, stretch by stretch', async () => {
    const progress: number[] = [];
    const verdict = await verify(copyOf('long'), { workers: 2, onProgress: (done) => progress.push(done) });
    expect(verdict).toMatchObject({ exit: 0, complete: true, findings: [] });
    expect(progress).toEqual([8_192, 16_384, verdict.record_count]);
  });

  it('without a known head lacks one, and says so', async () => {
    const place = copyOf('short');
    const verdict = await verify(place, {
      headsDir: join(place.dir, 'nowhere'),
      keys: { dir: join(place.dir, 'nowhere') },
    });
    expect(verdict).toMatchObject({ exit: 10, valid: true, missing: [{ kind: 'no head' }] });
    expect(verdict.custody).toEqual({ key: 'not on this machine', heads: 'none' });
  });
});

const FIRST_TILE = 'level = 8 AND idx = 0';

/** What was done, how it is found, and in which words. */
const TAMPERS: readonly (readonly [string, FindingKind, RegExp, Change])[] = [
  [
    'a body',
    'record',
    /hash of the body/,
    sql(`UPDATE actions SET body = replace(body, 'task_get', 'task_put') WHERE seq = ${FORMAT + 4}`),
  ],
  ['a body and its leaf', 'tree', /frontier/, (db) => rewrite(db, 9, (body) => ({ ...body, at: '2020' }))],
  [
    'what a checkpoint signed',
    'checkpoint',
    /another root/,
    (db) => rewrite(db, 9, (body) => ({ ...body, at: '2020' })),
  ],
  ['a leaf', 'record', /hash of the body/, sql(`UPDATE actions SET leaf = '${NOTHING}' WHERE seq = 9`)],
  ['a body that is no text', 'record', /not text/, sql(`UPDATE actions SET body = x'7b7d' WHERE seq = 9`)],
  [
    'white space in a body',
    'record',
    /canonical/,
    (db) => {
      const body = `${db.prepare('SELECT body FROM actions WHERE seq = 9').pluck().get()} `;
      db.prepare('UPDATE actions SET body = ?, leaf = ? WHERE seq = 9').run(body, hash('sha256', `\u0000${body}`));
    },
  ],
  ['the version of a body', 'record', /version/, (db) => rewrite(db, 9, (body) => ({ ...body, v: 2 }))],
  ['the place in a body', 'record', /another place/, (db) => rewrite(db, 9, (body) => ({ ...body, seq: 10 }))],
  ['a column log_id', 'record', /log_id differs/, sql(`UPDATE actions SET log_id = '${STRANGER}' WHERE seq = 9`)],
  ['a column seq', 'record', /seq differs/, sql('UPDATE actions SET seq = 99 WHERE seq = 9')],
  ['a column sequence_no', 'record', /sequence_no differs/, sql('UPDATE actions SET sequence_no = 1 WHERE seq = 9')],
  ['a column kind', 'record', /kind differs/, sql(`UPDATE actions SET kind = 'gap' WHERE seq = 9`)],
  ['a column tool', 'record', /tool differs/, sql(`UPDATE actions SET tool = 'x' WHERE seq = 9`)],
  [
    'a column tool that is a blob',
    'record',
    /tool differs/,
    sql(
      'UPDATE actions SET tool = CAST(tool AS BLOB) WHERE seq = (SELECT MIN(seq) FROM actions WHERE tool IS NOT NULL)',
    ),
  ],
  ['a column at', 'record', /at differs/, sql(`UPDATE actions SET at = '2020' WHERE seq = 9`)],
  [
    'a number beyond all',
    'record',
    /sequence_no differs/,
    sql('UPDATE actions SET sequence_no = 9223372036854775807 WHERE seq = 9'),
  ],
  ['a record taken out', 'record', /missing/, sql('DELETE FROM actions WHERE seq = 9')],
  [
    'the last record taken out',
    'tree',
    /the store has/,
    sql('DELETE FROM actions WHERE seq = (SELECT MAX(seq) FROM actions)'),
  ],
  ['all records taken out', 'tree', /the store has 0/, sql('DELETE FROM actions')],
  [
    'two records exchanged',
    'record',
    /another place/,
    sql(
      'CREATE TEMP TABLE two AS SELECT * FROM actions WHERE seq IN (8, 9)',
      'UPDATE actions SET body = (SELECT body FROM two WHERE two.seq = 17 - actions.seq), leaf = (SELECT leaf FROM two WHERE two.seq = 17 - actions.seq) WHERE seq IN (8, 9)',
    ),
  ],
  [
    'a record of no log',
    'record',
    /belong to no log/,
    sql(`INSERT INTO actions SELECT 7, log_id, 7, NULL, 'gap', NULL, at, body, leaf FROM actions WHERE seq = 7`),
  ],
  [
    'a record behind the end',
    'record',
    /belong to no log/,
    sql(
      `INSERT INTO actions SELECT id + 1, log_id, seq + 1, NULL, 'gap', NULL, at, body, leaf FROM actions ORDER BY id DESC LIMIT 1`,
    ),
  ],
  [
    'a call renamed in its outcome',
    'call',
    /another call/,
    (db) => rewrite(db, seqOf(db, 'call.exit'), (body) => ({ ...body, call: 'x' })),
  ],
  [
    'an outcome of another kind of record',
    'call',
    /not an intent/,
    (db) => rewrite(db, seqOf(db, 'call.exit'), (body) => ({ ...body, sequence_no: 0 })),
  ],
  [
    'an outcome before its intent',
    'call',
    /no earlier call/,
    (db) => rewrite(db, seqOf(db, 'call.exit'), (body) => ({ ...body, sequence_no: 30 })),
  ],
  [
    'an intent with the number of another',
    'call',
    /number of this record/,
    (db) => rewrite(db, seqOf(db, 'call.enter'), (body) => ({ ...body, sequence_no: 3 })),
  ],
  [
    'arguments',
    'payload',
    /digested/,
    sql(`UPDATE payloads SET json = replace(json, 'T-', 'X-') WHERE seq = (SELECT MIN(seq) FROM payloads)`),
  ],
  ['arguments with more', 'payload', /another length/, sql(`UPDATE payloads SET json = json || ' '`)],
  ['arguments emptied', 'payload', /not text/, sql('UPDATE payloads SET json = NULL')],
  ['a salt', 'payload', /digested/, sql(`UPDATE payloads SET salt = '${'0'.repeat(32)}'`)],
  ['a salt that is none', 'payload', /salt/, sql(`UPDATE payloads SET salt = 'x'`)],
  [
    'arguments taken out',
    'payload',
    /missing, and no record says why/,
    sql('DELETE FROM payloads WHERE seq = (SELECT MIN(seq) FROM payloads)'),
  ],
  [
    'arguments put in',
    'payload',
    /no record mentions/,
    sql(`INSERT INTO payloads SELECT log_id, 0, salt, json FROM payloads LIMIT 1`),
  ],
  [
    'arguments beside the last record',
    'payload',
    /no record mentions/,
    sql('INSERT INTO payloads SELECT log_id, (SELECT MAX(seq) FROM actions), salt, json FROM payloads LIMIT 1'),
  ],
  [
    'arguments behind the end',
    'payload',
    /no record/,
    sql(`INSERT INTO payloads SELECT log_id, 999, salt, json FROM payloads LIMIT 1`),
  ],
  [
    'arguments of no log',
    'payload',
    /not in the store/,
    sql(`INSERT INTO payloads SELECT '${STRANGER}', 0, salt, json FROM payloads LIMIT 1`),
  ],
  [
    'a digest that is not kept',
    'payload',
    /no digest/,
    (db) => rewrite(db, withPayload(db), ({ args_digest: _, ...body }) => body),
  ],
  ['a frontier', 'tree', /frontier/, sql(`UPDATE logs SET frontier = '${NOTHING}'`)],
  ['a size', 'tree', new RegExp(`says ${33 + FORMAT} records`), sql('UPDATE logs SET size = size - 1')],
  ['a size without end', 'tree', /says 4000000000/, sql('UPDATE logs SET size = 4000000000')],
  ['a node put in', 'tree', /can have 0/, sql(`INSERT INTO tiles SELECT log_id, 8, 0, '' FROM logs`)],
  ['a node of no log', 'tree', /not in the store/, sql(`INSERT INTO tiles VALUES ('${STRANGER}', 8, 0, '')`)],
  ['a checkpoint taken out', 'checkpoint', /is missing or was inserted/, sql('DELETE FROM checkpoints WHERE no = 1')],
  ['the last checkpoint taken out', 'checkpoint', /is gone/, sql('DELETE FROM checkpoints WHERE no = 2')],
  [
    'a signature',
    'checkpoint',
    /not signed/,
    sql(
      `UPDATE checkpoints SET note = replace(note, char(10) || char(10), char(10) || char(10)) || '' , size = size WHERE 0`,
      `UPDATE checkpoints SET note = substr(note, 1, length(note) - 8) || 'AAAA' || substr(note, -4) WHERE no = 1`,
    ),
  ],
  ['a note that is none', 'checkpoint', /malformed/, sql(`UPDATE checkpoints SET note = 'x' WHERE no = 1`)],
  ['a note of another size', 'checkpoint', /another size/, sql('UPDATE checkpoints SET size = 5 WHERE no = 1')],
  [
    'a checkpoint behind the end',
    'checkpoint',
    /never had/,
    sql('INSERT INTO checkpoints SELECT log_id, 3, 999, note FROM checkpoints WHERE no = 1'),
  ],
  [
    'a checkpoint of no log',
    'checkpoint',
    /not in the store/,
    sql(`INSERT INTO checkpoints SELECT '${STRANGER}', 1, 1, note FROM checkpoints WHERE no = 1`),
  ],
  [
    'a checkpoint of a log without a name',
    'checkpoint',
    /not in the store/,
    sql(`INSERT INTO checkpoints SELECT '', 1, 1, note FROM checkpoints WHERE no = 1`),
  ],
  ['a node of a log that is a blob', 'tree', /not in the store/, sql(`INSERT INTO tiles VALUES (x'00', 8, 0, '')`)],
  ['a name of a log', 'log', /follow from its public key/, sql(`UPDATE logs SET public_key = '${NOTHING}'`)],
  ['a node', 'log', /first boot/, sql(`UPDATE logs SET node = 'x'`)],
  ['opened_at', 'log', /opened_at/, sql(`UPDATE logs SET opened_at = 'x'`)],
  ['closed_at', 'log', /no log continues it/, sql(`UPDATE logs SET closed_at = opened_at`)],
  ['a size that is no number', 'log', /never stores/, sql(`UPDATE logs SET size = 'x'`)],
  ['a log taken out', 'log', /has no log/, sql('DELETE FROM logs')],
  ['a format', 'log', /format/, sql('UPDATE logs SET format = 2')],
  ['a trigger', 'schema', /foreign trigger/, sql('CREATE TRIGGER t AFTER INSERT ON actions BEGIN SELECT 1; END')],
  ['an index', 'schema', /no index actions_outcome/, sql('DROP INDEX actions_outcome')],
  ['a table', 'schema', /no table payloads/, sql('DROP TABLE payloads')],
  ['the table of the logs', 'schema', /no table logs/, sql('DROP TABLE logs')],
  ['the table of the records', 'schema', /no table actions/, sql('DROP TABLE actions')],
  ['a table defined anew', 'schema', /redefined/, sql('ALTER TABLE tiles ADD COLUMN more TEXT')],
  ['the mark of the file', 'schema', /application id/, sql('PRAGMA application_id = 5')],
  ['the version of the file', 'schema', /user_version/, sql('PRAGMA user_version = 1')],
  [
    'a row of an index',
    'file',
    /SQLite reports/,
    (db) => {
      const redefine = (from: string, to: string) =>
        `PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, '${from}', '${to}') WHERE name = 'checkpoints_by_size';
         PRAGMA writable_schema = RESET;`;
      db.unsafeMode(true);
      db.exec(redefine('(log_id, size)', '(log_id, size) WHERE no < 0'));
      db.exec(`REINDEX checkpoints_by_size; ${redefine(' WHERE no < 0', '')}`);
    },
  ],
  ['a row that names nobody', 'file', /does not exist/, sql('INSERT INTO task_dependencies VALUES (1, 2)')],
  [
    'an evidence row',
    'row',
    /./,
    sql(`INSERT INTO sessions VALUES ('s', 'i', NULL, NULL, 'o', 't', 'g', NULL, NULL, NULL, 1, '', 'x', 0)`),
  ],
  [
    'a subject',
    'subject',
    /gone/,
    (db) => rewrite(db, 9, (body) => ({ ...body, subjects: [{ type: 'task', id: 'T-0001', rev: 1, digest: '' }] })),
  ],
];

describe('what was changed is found', () => {
  it.each(TAMPERS)('%s', async (_, kind, words, change) => {
    const verdict = await verify(changed(copyOf('short'), change));
    expect(verdict).toMatchObject({ exit: 20, valid: false, complete: true });
    expect(verdict.findings.filter((finding) => finding.kind === kind && words.test(finding.message))).not.toEqual([]);
    expect(verdict.first_broken_at).not.toBeNull();
  });

  it('in a text that is no UTF-8 and looks like one', async () => {
    const place = placeIn(temporaryFolder());
    const { call, end } = await openAt(place);
    await call('tool \ufffd', { text: '\ufffd' });
    await end();
    expect(await verify(place)).toMatchObject({ exit: 0 });
    const torn = (column: string) => `CAST(replace(hex(${column}), 'EFBFBD', 'F09F98') AS TEXT)`;
    const { path } = place;
    const db = new Database(path);
    const row = db
      .prepare(`SELECT id, ${torn('body')} AS hex FROM actions WHERE body LIKE '%text%' OR tool IS NOT NULL LIMIT 1`)
      .get() as { id: number; hex: string };
    db.prepare('UPDATE actions SET body = CAST(? AS TEXT) WHERE id = ?').run(Buffer.from(row.hex, 'hex'), row.id);
    db.close();
    expect((await verify(place)).findings).toMatchObject([
      { kind: 'record', message: 'The stored text is not valid UTF-8.' },
    ]);
  });

  it('and where, in a long log', async () => {
    expect(await verify(copyOf('long'))).toMatchObject({ exit: 0, complete: true });
    for (const [statement, where] of [
      [`UPDATE tiles SET hash = '${NOTHING}' WHERE ${FIRST_TILE}`, { table: 'tiles', id: '8/0' }],
      ['DELETE FROM tiles WHERE level = 14', { table: 'tiles', id: '14/0' }],
      ['DELETE FROM tiles WHERE level = 13 AND idx = 1', { table: 'tiles', id: '13/1' }],
      ['UPDATE actions SET leaf = upper(leaf) WHERE seq = 16384', { seq: 16_384 }],
      ['DELETE FROM actions WHERE seq = 8191', { seq: 8_191 }],
    ] as const) {
      const verdict = await verify(changed(copyOf('long'), sql(statement)));
      expect(verdict).toMatchObject({ exit: 20, first_broken_at: where });
    }
  });

  it('however much there is: the first ones are named, all are counted', async () => {
    const verdict = await verify(changed(copyOf('long'), sql(`UPDATE actions SET at = 'x'`)), { workers: 2 });
    expect(verdict.findings).toHaveLength(100);
    expect(verdict.broken_count).toBeGreaterThan(LONG);
    expect(verdict.first_broken_at).toMatchObject({ seq: 0 });
  });
});

const firstLog = (db: Database.Database): unknown => db.prepare('SELECT log_id FROM logs WHERE no = 1').pluck().get();

const SUCCESSIONS: readonly (readonly [string, RegExp, Change])[] = [
  [
    'a log that is open again',
    /not the time at which/,
    sql('UPDATE logs SET closed_at = NULL, node = no WHERE no = 1'),
  ],
  ['another time', /not the time at which/, sql(`UPDATE logs SET closed_at = '2020' WHERE no = 1`)],
  ['another end', /not end as its successor says/, (db) => rewrite(db, 0, (body) => ({ ...body, size: 1 }), 2)],
  ['another root', /not end as its successor says/, (db) => rewrite(db, 0, (body) => ({ ...body, root: NOTHING }), 2)],
  ['two that took over', /More than one/, (db) => rewrite(db, 0, (body) => ({ ...body, previous: firstLog(db) }), 3)],
  ['a stranger before', /not in the store/, (db) => rewrite(db, 0, (body) => ({ ...body, previous: STRANGER }), 2)],
  ['nobody after', /no log continues it/, (db) => rewrite(db, 0, (body) => ({ ...body, kind: 'gap' }), 2)],
  [
    'no record',
    /has no record/,
    sql('DELETE FROM actions WHERE id >= 3 * 4294967296', 'UPDATE logs SET size = 0 WHERE no = 3'),
  ],
];

/** A log that somebody without any key of ours has written into the store. */
const intrude = async ({ path }: Place, isClosed: boolean, ...records: LedgerRecord[]): Promise<void> => {
  const { publicKey } = generateKeyPairSync('ed25519');
  const key = createPublicKey({ key: publicKey.export({ type: 'spki', format: 'pem' }), format: 'pem' })
    .export({ type: 'spki', format: 'der' })
    .subarray(-32);
  const log = hash('sha256', key).slice(0, 32);
  const store = await openSqliteStore({ path });
  await store.write(async (tx) => {
    await tx.run(
      `INSERT INTO logs (log_id, node, public_key, format, size, frontier, opened_at, closed_at)
       VALUES (?, 'stranger', ?, ?, 0, '', ?, NULL)`,
      log,
      key.toString('hex'),
      FORMAT,
      now(),
    );
    await append(
      tx,
      logWithoutKey(log),
      records.map((record) => ({ at: now(), record })),
    );
    if (isClosed) await tx.run('UPDATE logs SET closed_at = ? WHERE log_id = ?', now(), log);
  });
  await store.close();
};

/** Replaces the key of a store that nobody serves. */
const rotateAt = async ({ dir, path }: Place): Promise<void> => {
  const store = await openSqliteStore({ path });
  const [keys, heads] = [keyRing({ dir: join(dir, 'keys') }), headsIn(join(dir, 'heads'))];
  const fail = (why: unknown): never => {
    throw new Error(String(why));
  };
  await rotateKey({ store, keys, heads, node: 'host/user', now }, async (tx, log) => {
    await createSigner({ store, log, keys, heads, warn: fail, onBroken: fail }).signIn(tx);
  });
  await store.close();
};

/** Two logs: the key was replaced. Both are signed. */
const rotated = async (): Promise<Place> => {
  const place = copyOf('short');
  await rotateAt(place);
  await (await openAt(place, { instance: crypto.randomUUID() })).end();
  return place;
};

/** The second log and everything in it, taken out. */
const withoutSecond = (place: Place): Place =>
  changed(place, (db) => {
    const log = db.prepare('SELECT log_id FROM logs WHERE no = 2').pluck().get();
    for (const table of ['payloads', 'tiles', 'checkpoints', 'actions', 'logs']) {
      db.prepare(`DELETE FROM ${table} WHERE log_id = ?`).run(log);
    }
  });

const ending = async ({ path }: Place): Promise<{ previous: string; size: number; root: string }> => {
  const store = await openSqliteStore({ path });
  const { log_id: previous } = (await store.read((tx) =>
    tx.get<{ log_id: string }>('SELECT log_id FROM logs WHERE no = 1'),
  )) ?? { log_id: '' };
  const { size, frontier } = await store.read((tx) => readHead(tx, previous));
  await store.close();
  return { previous, size, root: rootOf(frontier) };
};

const wordsOf = ({ findings }: { findings: readonly { kind: string; message: string }[] }): string =>
  findings.map(({ kind, message }) => `${kind}: ${message}`).join('\n');

describe('a log of somebody else', () => {
  const begun: LedgerRecord = { ...boot(crypto.randomUUID()), node: 'stranger' };

  it('that says it was replaced, and by nobody', async () => {
    const place = copyOf('short');
    await intrude(place, true, begun, { kind: 'rotate', successor: 'nobody' });
    const verdict = await verify(place);
    expect(verdict).toMatchObject({ exit: 20, missing: [{ kind: 'no head' }] });
    expect(wordsOf(verdict)).toMatch(/log: The log is closed, and no log continues it/);
  });

  it('that is open lacks a head, and so does a closed one', async () => {
    const place = copyOf('short');
    await intrude(place, false, begun);
    expect(await verify(place)).toMatchObject({ exit: 10, missing: [{ kind: 'no head' }, { kind: 'unsigned' }] });
    const closed = copyOf('succeeded');
    const [log = ''] = changedLogs(closed);
    rmSync(join(closed.dir, 'heads', log), { recursive: true });
    const { exit, missing } = await verify(closed);
    expect([exit, missing.filter(({ kind }) => kind === 'no head')]).toEqual([
      10,
      [{ kind: 'no head', message: expect.stringContaining(log) }],
    ]);
  });

  it('in the place of the one that a rotation names', async () => {
    const place = await rotated();
    expect(await verify(place)).toMatchObject({ exit: 0, missing: [] });
    const gone = await verify(withoutSecond(place));
    expect(gone.exit).toBe(20);
    expect(wordsOf(gone)).toMatch(/log: The log is closed, and no log continues it/);
    expect(wordsOf(gone)).toMatch(/log: The log names log [0-9a-f]{32} as its successor, which is not in the store/);
    expect(wordsOf(gone)).toMatch(/head: .* was signed for \d+ records of a log that is not in the store/);
    await intrude(place, false, { kind: 'succeeds', ...(await ending(place)) });
    const taken = await verify(place);
    expect(taken.exit).toBe(20);
    expect(wordsOf(taken)).toMatch(/log: The log named another log as its successor/);
    expect(wordsOf(taken)).toMatch(/head: .* of a log that is not in the store/);
  });
});

const changedLogs = ({ path }: Place): string[] => {
  const db = new Database(path, { readonly: true });
  try {
    return db.prepare('SELECT log_id FROM logs ORDER BY no').pluck().all() as string[];
  } finally {
    db.close();
  }
};

describe('logs that follow each other', () => {
  it('are intact, and their lost keys are told', async () => {
    const verdict = await verify(copyOf('succeeded'));
    expect(verdict.findings).toEqual([]);
    expect(verdict).toMatchObject({ exit: 10, missing: [{ kind: 'lost key' }, { kind: 'lost key' }] });
  });

  it.each(SUCCESSIONS)('%s', async (_, words, change) => {
    const { exit, findings } = await verify(changed(copyOf('succeeded'), change));
    expect(exit).toBe(20);
    expect(findings.filter(({ kind, message }) => kind === 'log' && words.test(message))).not.toEqual([]);
  });
});

const headOf = ({ dir }: Place): { log: string; newest: string; folder: string } => {
  const log = readdirSync(join(dir, 'heads'))[0] ?? '';
  const folder = join(dir, 'heads', log);
  const newest = readdirSync(folder).sort((a, b) => Number(b) - Number(a))[0] ?? '';
  return { log, newest, folder };
};

const noteOf = (db: Database.Database, no: number): string =>
  db.prepare('SELECT note FROM checkpoints WHERE no = ?').pluck().get(no) as string;

const noteIn = ({ path }: Place, no: number): string => {
  const db = new Database(path, { readonly: true });
  try {
    return noteOf(db, no);
  } finally {
    db.close();
  }
};

/** As the store was before its last records. */
const rollBack = async (place: Place): Promise<Place> => {
  const older = placeIn(temporaryFolder());
  cpSync(place.dir, older.dir, { recursive: true });
  const { call, end } = await openAt(place);
  await call('task_get', {});
  await end();
  cpSync(older.path, place.path);
  return place;
};

describe('heads', () => {
  it('a store that went back', async () => {
    const verdict = await verify(await rollBack(copyOf('short')));
    expect(verdict).toMatchObject({
      exit: 20,
      findings: [
        {
          kind: 'head',
          message: expect.stringMatching(new RegExp(`signed for ${38 + FORMAT} records; the log has ${34 + FORMAT}`)),
        },
      ],
    });
  });

  it('a store that went back, accepted', async () => {
    const place = await rollBack(copyOf('short'));
    const { log } = headOf(place);
    const store = await openSqliteStore({ path: place.path });
    const keys = keyRing({ dir: join(place.dir, 'keys') });
    await acceptRollback({ store, keys, heads: headsIn(join(place.dir, 'heads')), node: 'host/user', now }, 'backup');
    await store.close();
    const receipts = [{ log, seq: 34 + FORMAT, leaf: '', call: '' }];
    // Nobody signed it yet: whoever can write the database could have said so.
    const unsigned = await verify(place, { receipts });
    expect(unsigned.exit).toBe(20);
    expect(new Set(unsigned.findings.map(({ kind }) => kind))).toEqual(new Set(['head', 'receipt']));
    await (await openAt(place, { instance: crypto.randomUUID() })).end();
    const verdict = await verify(place);
    expect(verdict.findings).toEqual([]);
    expect(verdict).toMatchObject({ exit: 10, missing: [{ kind: 'restore', count: 4 }] });
    expect(await verify(place, { receipts })).toMatchObject({
      exit: 10,
      remarks: ['1 receipt is for records that an accepted restore gave up.'],
    });
    changed(place, (db) => rewrite(db, 0, (body) => ({ ...body, known_root: NOTHING }), 2));
    expect((await verify(place)).findings).toContainEqual(expect.objectContaining({ kind: 'head' }));
  });

  it('another history of the same length', async () => {
    const place = copyOf('short');
    const { folder, newest, log } = headOf(place);
    const key = keyRing({ dir: join(place.dir, 'keys') }).find(log);
    if (key === undefined) throw new Error('no key');
    const note = signCheckpoint({ origin: originOf(log), size: Number(newest), root: NOTHING }, key);
    expect(await verify(place, { heads: [note] })).toMatchObject({ exit: 20, findings: [{ kind: 'head' }] });
    writeFileSync(join(folder, newest), note);
    expect(await verify(place)).toMatchObject({
      exit: 20,
      findings: [{ kind: 'head', message: expect.stringMatching(/begins with other records/) }],
    });
  });

  it.each([
    ['is malformed', '5', 'x'],
    ['does not have the size that its name says', '5', undefined],
  ])('a file that %s', async (words, name, text) => {
    const place = copyOf('short');
    writeFileSync(join(headOf(place).folder, name), text ?? noteIn(place, 1));
    const { exit, findings } = await verify(place);
    expect([exit, findings[0]?.kind, findings[0]?.message]).toEqual([20, 'head', expect.stringContaining(words)]);
  });

  it('that somebody is about to write are not there yet', async () => {
    const place = copyOf('short');
    writeFileSync(join(headOf(place).folder, '99.1234.part'), 'colibri');
    writeFileSync(join(headOf(place).folder, '.DS_Store'), 'x');
    expect(await verify(place)).toMatchObject({ exit: 0, remarks: [] });
  });

  it('and what else lies between them: a remark', async () => {
    const place = copyOf('short');
    for (const name of ['notes.txt', '7 heads', 'a', 'b']) writeFileSync(join(headOf(place).folder, name), 'x');
    expect(await verify(place)).toMatchObject({
      exit: 0,
      remarks: [expect.stringMatching(/not named after a size: .* and 1 more\.$/)],
    });
  });

  it.each(['0', '007', '12345678901234567'])('under the name %s, which looks like a size: found', async (name) => {
    const place = copyOf('short');
    writeFileSync(join(headOf(place).folder, name), noteIn(place, 1));
    expect(await verify(place)).toMatchObject({
      exit: 20,
      findings: [{ kind: 'head', message: expect.stringMatching(/is not named like a size/) }],
    });
  });

  it.each([
    ['the head itself, elsewhere', (place: Place, path: string) => renameSync(path, join(place.dir, 'kept'))],
    ['nothing', (_: Place, path: string) => rmSync(path)],
  ])('that is a link to %s: found', async (_, move) => {
    const place = copyOf('short');
    const { folder, newest } = headOf(place);
    move(place, join(folder, newest));
    symlinkSync(join(place.dir, 'kept'), join(folder, newest));
    expect(await verify(place)).toMatchObject({
      exit: 20,
      findings: [{ kind: 'head', message: expect.stringMatching(/named like a head but is not a file/) }],
    });
  });

  it('no file, or too much of one: found, and the rest is looked at', async () => {
    const place = copyOf('short');
    mkdirSync(join(headOf(place).folder, '5'));
    writeFileSync(join(headOf(place).folder, '6'), 'x'.repeat(70_000));
    const verdict = await verify(place);
    expect(verdict).toMatchObject({ exit: 20, complete: true, broken_count: 2 });
    expect(wordsOf(verdict)).toMatch(/head: .*5 is named like a head but is not a file.*\n.*6 is too large for a head/);
  });

  it.each([
    [
      'a folder that cannot be read',
      ({ dir }: Place, _: string) => {
        rmSync(join(dir, 'heads'), { recursive: true });
        writeFileSync(join(dir, 'heads'), 'x');
      },
      2,
    ],
  ])('%s: the verdict lacks it', async (_, spoil, lacking) => {
    const place = copyOf('short');
    spoil(place, headOf(place).folder);
    const { exit, complete, missing } = await verify(place);
    expect([exit, complete, missing.map(({ kind }) => kind)]).toEqual([10, true, Array(lacking).fill('no head')]);
    expect(missing.at(-1)?.message).toMatch(
      /cannot be read: E[A-Z]+: .* A rollback past an unreadable head would not show/,
    );
  });

  it('of another store, handed in', async () => {
    const other = placeIn(temporaryFolder());
    await fill(other);
    const heads = [noteIn(other, 1)];
    expect(await verify(copyOf('short'), { heads })).toMatchObject({
      exit: 20,
      findings: [{ message: expect.stringMatching(/does not belong to a log of this store/) }],
    });
  });

  it('handed in and right, without any beside the store', async () => {
    const place = copyOf('short');
    const { headsDir: _, ...bare } = { headsDir: '' };
    const verdict = await verify(place, { ...bare, headsDir: join(place.dir, 'none'), heads: [noteIn(place, 2)] });
    expect(verdict).toMatchObject({ exit: 0, custody: { heads: 'given' } });
  });
});

describe('what is missing and says so', () => {
  it('a lost key, a rotated one', async () => {
    const place = copyOf('short');
    await rotateAt(place);
    expect((await verify(place)).missing).toMatchObject([{ kind: 'no head' }]);
    renameSync(join(place.dir, 'keys'), join(place.dir, 'gone'));
    const again = await openAt(place, { instance: crypto.randomUUID() });
    await again.end();
    const verdict = await verify(place);
    expect(verdict.findings).toEqual([]);
    expect(verdict).toMatchObject({ exit: 10, missing: [{ kind: 'no head' }, { kind: 'lost key' }] });
  });

  it('gaps, and calls of processes that are gone', async () => {
    const place = copyOf('short');
    const instance = crypto.randomUUID();
    const { say, ledger, store } = await openAt(place, { instance });
    await say({ kind: 'gap', count: 3, first_at: now(), last_at: now(), reason: 'test' });
    await ledger.enter({ at: now(), call: 'c', tool: 't', client: null, args: {} });
    expect((await verify(place)).missing).toEqual([expect.objectContaining({ kind: 'gap', count: 3 })]);
    await store.close();
    const verdict = await verify(place);
    expect(verdict).toMatchObject({ exit: 10, missing: [{ kind: 'gap' }, { kind: 'open calls', count: 1 }] });
  });

  it('contents that a record says were erased or pruned', async () => {
    const place = copyOf('short');
    const { say, log, end, store } = await openAt(place, { instance: crypto.randomUUID() });
    const seqs = (await store.read((tx) => tx.all<{ seq: number }>('SELECT seq FROM payloads ORDER BY seq'))).map(
      ({ seq }) => seq,
    );
    const [first = 0, second = 0, third = 0, fourth = 0] = seqs;
    await store.write((tx) => tx.run('DELETE FROM payloads WHERE seq <= ?', fourth));
    await say({ kind: 'prune', before: now(), from_seq: second, to_seq: third, count: 2 });
    expect((await verify(place)).findings).toMatchObject([
      { kind: 'payload', where: { seq: first } },
      { kind: 'payload', where: { seq: fourth } },
    ]);
    const targets = [first, fourth].map((seq) => ({ type: 'payload', id: `${log.id}/${seq}` }) as const);
    await say({ kind: 'erase', targets, reason: 'r', by: 'b' });
    await end();
    expect(await verify(place)).toMatchObject({
      exit: 0,
      remarks: ['4 contents were erased or pruned, and records say so.'],
    });
  });

  it('payloads of a closed log that were pruned by the one after it, below a head that is trusted', async () => {
    const place = copyOf('short');
    await rotateAt(place);
    const instance = crypto.randomUUID();
    const { say, signer, store, log, options, end } = await openAt(place, { instance });
    const [previous = ''] = (
      await store.read((tx) => tx.all<{ log_id: string }>('SELECT log_id FROM logs ORDER BY no'))
    ).map(({ log_id }) => log_id);
    await store.write((tx) => tx.run('DELETE FROM payloads'));
    await say({ kind: 'prune', before: now(), of: previous, from_seq: 0, to_seq: 42, count: 10 });
    await say(...Array.from({ length: 10_000 }, () => config(instance)));
    await signer.sign();
    const since = options.heads.newest(log.id, () => true)?.note ?? '';
    await end();
    expect(await verify(place)).toMatchObject({ exit: 0 });
    const verdict = await verify(place, { since });
    expect(verdict).toMatchObject({ exit: 0, findings: [] });
    expect(verdict.not_checked.join(' ')).toMatch(/the first 8,192 records were taken on trust/);
  });

  it('prunes that cannot have been: of what came later, of nothing, of what is there', async () => {
    const PAYLOAD = expect.objectContaining({ kind: 'payload' });
    const wrong: readonly Partial<PruneRecord>[] = [
      { from_seq: -1, to_seq: 2 },
      { from_seq: 0, to_seq: 1_000_000 },
      { from_seq: 9, to_seq: 2 },
      { from_seq: 0, to_seq: 20 },
    ];
    for (const range of wrong) {
      const place = copyOf('short');
      const { say, end } = await openAt(place, { instance: crypto.randomUUID() });
      await say({ kind: 'prune', before: now(), from_seq: 0, to_seq: 0, count: 1, ...range });
      await end();
      expect(await verify(place)).toMatchObject({ exit: 20, findings: expect.arrayContaining([PAYLOAD]) });
    }
  });

  it('a machine that went down: only a remark', async () => {
    const place = placeIn(temporaryFolder());
    const before = await openAt(place, { machine_boot: 'one' });
    await before.store.close();
    await (await openAt(place, { instance: crypto.randomUUID(), machine_boot: 'two' })).end();
    await (await openAt(place, { instance: crypto.randomUUID(), machine_boot: 'three' })).end();
    const verdict = await verify(place);
    expect(verdict).toMatchObject({ exit: 0 });
    expect(verdict.remarks).toEqual([
      expect.stringContaining(`went down before record ${1 + FORMAT} without a shutdown`),
    ]);
  });
});

describe('receipts', () => {
  it('are held against the record at their place', async () => {
    const place = copyOf('short');
    const { call, end } = await openAt(place, { instance: crypto.randomUUID() });
    const receipt = await call('task_get', {});
    await end();
    expect(await verify(place, { receipts: [receipt] })).toMatchObject({ exit: 0 });
    for (const wrong of [{ seq: 3 }, { seq: 999 }, { log: STRANGER }, { leaf: NOTHING }]) {
      const verdict = await verify(place, { receipts: [{ ...receipt, ...wrong }] });
      expect(verdict).toMatchObject({ exit: 20, findings: [{ kind: 'receipt' }] });
    }
  });
});

describe('a head that the user trusts', () => {
  it('spares what is below it, ties it, and is listed', async () => {
    const place = copyOf('long');
    const since = noteIn(place, 2);
    const verdict = await verify(place, { since });
    expect(verdict).toMatchObject({ exit: 0, record_count: verdict.record_count });
    expect(verdict.record_count).toBeLessThan(8_192);
    expect(verdict.not_checked[0]).toMatch(/first 16,384 records were taken on trust/);
    changed(place, sql(`UPDATE tiles SET hash = '${NOTHING}' WHERE level = 13 AND idx = 0`));
    expect(await verify(place, { since })).toMatchObject({ exit: 20 });
  });
});

describe('time', () => {
  it('that is up leaves an unfinished verdict', async () => {
    const verdict = await verify(copyOf('long'), { workers: 2, budgetMs: 1 });
    // Nothing was read in so short a time, so nothing can be said.
    expect(verdict).toMatchObject({ exit: 30, valid: false, complete: false, record_count: 0 });
    expect(verdict.not_checked[0]).toMatch(/time limit/);
    const inline = await verify(copyOf('long'), { budgetMs: 60 });
    expect(inline.complete).toBe(inline.record_count > LONG);
    expect(inline.exit).toBe(inline.record_count > 0 ? 0 : 30);
    if (!inline.complete && inline.record_count > 0) expect(inline.checked_to_seq).toBe(inline.record_count - 1);
  });

  it('that the caller no longer has ends the threads', async () => {
    const stop = new AbortController();
    const asked = verify(copyOf('long'), { workers: 2, signal: stop.signal });
    setTimeout(() => stop.abort(new Error('enough')), 20);
    await expect(asked).rejects.toThrow('enough');
  });

  it('ends no thread by force, which could abort the process inside the database driver', async () => {
    const terminate = vi.spyOn(Worker.prototype, 'terminate');
    const noise = placeIn(temporaryFolder());
    writeFileSync(noise.path, 'x'.repeat(8_192));
    expect(await verify(noise, { workers: 2 })).toMatchObject({ exit: 30 });
    expect(await verify(copyOf('long'), { workers: 2 })).toMatchObject({ exit: 0, complete: true });
    expect(await verify(copyOf('long'), { workers: 2, budgetMs: 1 })).toMatchObject({ complete: false });
    expect(terminate).not.toHaveBeenCalled();
    terminate.mockRestore();
  });
});

describe('a store that cannot be read', () => {
  it.each([
    ['no file', () => {}, 'nothing'],
    ['no database', (path: string) => writeFileSync(path, 'x'.repeat(8_192)), 'noise'],
    ['nothing in it', (path: string) => writeFileSync(path, ''), 'empty'],
    ['somebody else', (path: string) => void new Database(path).exec('CREATE TABLE t (x)').close(), 'foreign'],
  ])('%s', async (_, make, name) => {
    const place = placeIn(temporaryFolder());
    const path = join(place.dir, name);
    make(path);
    const custody = { key: 'not looked for', heads: 'not looked for' };
    expect(await verify({ ...place, path })).toMatchObject({ exit: 30, valid: false, complete: false, custody });
    expect(await verify({ ...place, path }, { workers: 1 })).toMatchObject({ exit: 30 });
  });

  it.each([
    ['a newer schema without the tables of the ledger', 'ALTER TABLE tiles RENAME TO tiers'],
    [
      'a newer schema with a view in place of one',
      'ALTER TABLE tiles RENAME TO t; CREATE VIEW tiles AS SELECT * FROM t',
    ],
    ['a newer schema with another column', 'ALTER TABLE checkpoints RENAME COLUMN note TO text'],
  ])('%s', async (_, statement) => {
    const verdict = await verify(changed(copyOf('short'), sql(`${statement}; PRAGMA user_version = 99`)));
    expect(verdict).toMatchObject({ exit: 30 });
    expect(verdict.not_checked[0]).toMatch(/99/);
  });
});

describe('scopes', () => {
  let told: Told;
  beforeAll(async () => {
    told = await evidenceStore();
    return () => told.remove();
  });

  it('one session, and those about a task: thoughts and the records they point to', async () => {
    for (const scope of [
      { kind: 'session', id: told.sealed },
      { kind: 'task', id: told.task },
    ] as const) {
      const headsDir = join(told.path, '..', 'heads');
      const verdict = await verifyStore({ path: told.path, scope, headsDir, workers: 1 });
      expect(verdict).toMatchObject({ exit: 0, complete: true, scope, findings: [] });
      expect(verdict.custody).toEqual({ key: 'not looked for', heads: 'not looked for' });
      expect(verdict.record_count).toBeGreaterThanOrEqual(told.sealedThoughts);
      expect(verdict.not_checked[0]).toMatch(/other records/);
    }
  });

  it('a record that they point to, changed', async () => {
    const path = join(temporaryFolder(), 'copy.db');
    cpSync(told.path, path);
    changed(
      { dir: '', path },
      sql(`UPDATE actions SET at = 'x' WHERE id = (SELECT l.no * 4294967296 + t.seq FROM thoughts t JOIN logs l USING (log_id)
        WHERE t.session_id = '${told.sealed}' LIMIT 1)`),
    );
    const verdict = await verifyStore({ path, scope: { kind: 'session', id: told.sealed }, workers: 0 });
    expect(verdict).toMatchObject({ exit: 20, findings: [{ kind: 'record', where: { seq: expect.any(Number) } }] });
  });

  it.each([
    ['tasks', "title = title || '!'"],
    ['tasks', "status = 'CANCELLED'"],
    ['leases', "holder = 'somebody else'"],
  ])('a task whose row was changed: %s, %s', async (table, set) => {
    const path = join(temporaryFolder(), 'copy.db');
    cpSync(told.path, path);
    changed({ dir: '', path }, sql(`UPDATE ${table} SET ${set}`));
    const verdict = await verifyStore({ path, scope: { kind: 'task', id: told.task }, workers: 0 });
    expect(verdict).toMatchObject({ exit: 20, findings: [{ kind: 'row', where: { table } }] });
  });

  it('refuse what is not there', async () => {
    for (const kind of ['session', 'task'] as const) {
      const asked = verify(copyOf('short'), { scope: { kind, id: 'T-0099' } });
      await expect(asked).rejects.toBeInstanceOf(UnknownScope);
    }
  });
});

describe('while a server writes', () => {
  it('nothing looks wrong', async () => {
    const place = copyOf('long');
    const { call, signer, end } = await openAt(place, { instance: crypto.randomUUID() });
    let going = true;
    const writing = (async () => {
      while (going) {
        await Promise.all([call('task_get', { id: 'T-1' }), call('task_list', {})]);
        await signer.sign();
      }
    })();
    for (let i = 0; i < 2; i++) {
      const verdict = await verify(place, { workers: 2 });
      expect(verdict.findings).toEqual([]);
      expect(verdict).toMatchObject({ exit: 0, complete: true });
    }
    going = false;
    await writing;
    await end();
  });
});
