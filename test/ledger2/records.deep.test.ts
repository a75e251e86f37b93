// Records are read, and not only hashed: whoever can write the file and has no key appends records that are right in every hash and column,
// and each contradicts something.
import { hash } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { leafHash } from '../../src/ledger/hashes.js';
import { FORMAT } from '../../src/ledger/head.js';
import { keyRing } from '../../src/ledger/keys.js';
import { ownLogOf } from '../../src/ledger/own-log.js';
import { prunePayloads } from '../../src/ledger/prune.js';
import { canonicalJson, type JsonObject } from '../../src/proof/canonical-json.js';
import { openSqliteStore } from '../../src/store/sqlite/open.js';
import { verifyStore } from '../../src/verify/verify.js';
import { type Forgery, forgeTail, macAgain } from '../support/forged-tail.js';
import { boot, now, temporaryFolder } from '../support/stores.js';
import { rebuildTree } from '../tamper/forgeries.js';
import { serveOnce } from './signed-store.js';

const ENDED = '0192f0c1-0000-7000-8000-000000000001';
const LIVING = '0192f0c1-0000-7000-8000-000000000002';
const STRANGER = '0192f0c1-0000-7000-8000-000000000003';
const USED = '3b241101-e2bb-4255-8caf-4136c566a962';
const DIGEST = 'd'.repeat(64);

const template = mkdtempSync(join(tmpdir(), 'colibri-ledger2-'));
beforeAll(async () => {
  await serveOnce(template, ENDED, true, [USED, 'c1', 'c2']);
  await serveOnce(template, LIVING, false, ['c3']);
});
afterAll(() => rmSync(template, { recursive: true, force: true }));

const copy = (): string => {
  const dir = temporaryFolder();
  cpSync(template, dir, { recursive: true });
  return dir;
};

const verify = (dir: string) =>
  verifyStore({
    path: join(dir, 'colibri.db'),
    scope: { kind: 'store' },
    headsDir: join(dir, 'heads'),
    keys: { dir: join(dir, 'keys') },
    workers: 0,
  });

const enter = (seq: number, more: JsonObject = {}): JsonObject => ({
  ...{ kind: 'call.enter', sequence_no: seq, instance: LIVING, call: 'new', tool: 't', client: null, args: 'empty' },
  ...more,
});
const exit = (sequence_no: number, more: JsonObject = {}): JsonObject => ({
  ...{ kind: 'call.exit', sequence_no, call: 'new', tool: 't', outcome: 'ok' },
  ...more,
});
/** A call, its outcome changed. */
const call =
  (more: JsonObject, intent: JsonObject = {}): Forgery =>
  (seq) => [enter(seq, intent), exit(seq, more)];
const one =
  (members: JsonObject): Forgery =>
  () => [members];

const BOOT: JsonObject = { ...boot(STRANGER) };
const BESIDE = { kind: 'beside', instance: LIVING };
const ACCEPT = { kind: 'accept', what: 'missing log', reason: 'r', by: 'b' };
const HEALTH = {
  ...{ kind: 'health', instance: LIVING, server: 's', from: 'A', to: 'B', cause: 'c', detail: null },
  ...{ event: {}, before: {}, now_ms: 1 },
};
const many = (count: number, log?: string): JsonObject[] =>
  Array.from({ length: count }, (_, i) => ({ log: log ?? String(i).padStart(32, '0'), size: 1, root: DIGEST }));
const erase = (log: string, seq: number): JsonObject[] => [
  { kind: 'erase', targets: [{ type: 'payload', id: `${log}/${seq}` }], reason: 'r', by: 'b' },
];
const nested = (levels: number): unknown => {
  let value: unknown = [];
  for (let n = 1; n < levels; n++) value = [value];
  return value;
};
const SHUTDOWN = { kind: 'shutdown', instance: LIVING, reason: 'r', drained: 0, abandoned: 0 };
const MIGRATE = { kind: 'migrate', from: 4, to: 5, checksum: DIGEST };
const END = { previous: 'e'.repeat(32), size: 1, root: DIGEST };

const ATTACKS: readonly (readonly [string, RegExp, Forgery])[] = [
  // LEDGER2 §1, row five.
  ['an outcome that is not one', /wrong value for outcome/, call({ outcome: 'great' })],
  ['a time that is not one', /wrong value for at/, call({ at: 'soon' })],
  ['a boot without members', /has no (instance|node)/, one({ kind: 'boot' })],
  ['a call of a process that never began', /had not begun in this log/, call({}, { instance: STRANGER })],
  ['a call of a process that had ended', /had ended before this call/, call({}, { instance: ENDED })],
  ['a call id used twice', /belongs to an earlier call/, call({ call: USED }, { call: USED })],
  ['`succeeds` in the middle', /only be the first/, one({ kind: 'succeeds', ...END })],
  ['`migrate` twice', /begins before version/, one(MIGRATE)],
  ['a wrong prune count', /were pruned; there were/, (seq) => [{ ...PRUNE, to_seq: seq - 1 }]],
  ['a kind that this format does not have', /no records of kind "note"/, one({ kind: 'note' })],
  ['rows changed by a call that reads', /not one that writes/, call({ subjects: [] }, { effect: 'read' })],
  ['leases run out in a call that reads', /not one that writes/, call({ expired: [] }, { effect: 'read' })],
  ['steps in a call of another server', /not one that writes/, call({ changes: [] }, { effect: 'proxy' })],
  ['an attempt in a call that nobody knows', /not one that writes/, call({ attempt: 1 }, { effect: 'open' })],
  ['a replay by a call without an effect', /not one that writes/, call({ replay_of: 1 })],
  ['a migration by other SQL', /another checksum/, one({ ...MIGRATE, from: 3, to: 4 })],
  ['a migration to format 5 without the store', /does not name the store/, one(MIGRATE)],
  ['the salt of arguments that are kept', /has the digest of a salt exactly if/, call({}, { args_salt: DIGEST })],
  [
    'the digest of arguments without that of its salt',
    /has the digest of a salt exactly if/,
    call({}, { args: 'digest', args_digest: DIGEST, args_bytes: 2 }),
  ],
  [
    'a seal of nothing',
    /other rows than its session/,
    one({ kind: 'seal', session_id: 's', genesis_hash: DIGEST, root: DIGEST, record_count: 1, subjects: [] }),
  ],
  // The same rules, broken in other ways.
  ['more logs than a record names', /wrong value for logs/, one({ kind: 'beside', instance: LIVING, logs: many(401) })],
  ['more accepted logs than a record names', /wrong value for logs/, one({ ...ACCEPT, logs: many(401) })],
  ['a log that names itself', /names its own log, or a log twice/, (_, log) => [{ ...BESIDE, logs: many(1, log) }]],
  ['a log named twice', /names its own log, or a log twice/, one({ ...BESIDE, logs: [...many(1), ...many(1)] })],
  [
    'payloads of a log that never was',
    /which is not here, were pruned/,
    (seq) => [{ ...PRUNE, of: 'e'.repeat(32), to_seq: seq }],
  ],
  [
    'a payload that is erased before it is kept',
    /was erased before it was recorded/,
    (seq, log) => erase(log, seq + 2),
  ],
  ['a payload that is erased by its own place', /was erased before it was recorded/, (seq, log) => erase(log, seq)],
  [
    'logs in another migration',
    /names logs, and is not the one/,
    one({ ...MIGRATE, from: FORMAT, to: FORMAT + 1, logs: [] }),
  ],
  ['an event nested too deep', /nested deeper than 1000 levels/, one({ ...HEALTH, event: nested(1_001) })],
  ['an event nested beyond any stack', /nested deeper than 1000 levels/, one({ ...HEALTH, event: nested(3_000) })],
  ['a day that does not exist', /wrong value for at/, call({ at: '2026-02-31T00:00:00.000Z' })],
  ['a time without milliseconds', /wrong value for at/, call({ at: '2026-11-15T18:30:00Z' })],
  ['no outcome', /has no outcome/, call({ outcome: undefined })],
  ['a member that outcomes do not have', /"verdict" that such records do not have/, call({ verdict: 'fine' })],
  ['a digest that is not one', /wrong value for result_digest/, call({ result_digest: 'ff' })],
  ['a form without a digest', /has no digest/, call({ form: 'bytes' })],
  ['subjects that are not rows', /wrong value for subjects/, call({ subjects: [{ type: 'task', id: 'T-0001' }] })],
  ['an effect that is not one', /wrong value for effect/, call({}, { effect: 'harmless' })],
  [
    'a definition of a tool of ours',
    /names the definition of a tool/,
    call({}, { effect: 'read', definition: DIGEST }),
  ],
  ['an unlisted call without a definition', /names none/, call({}, { effect: 'proxy', unlisted: true })],
  ['a definition that is not a digest', /wrong value for definition/, call({}, { effect: 'proxy', definition: 'x' })],
  [
    'definitions by a record that names none',
    /names other rows than definitions/,
    one({ kind: 'definition', instance: LIVING, subjects: [] }),
  ],
  [
    'a definition that is not there',
    /definitions .* is gone|is gone/,
    one({
      kind: 'definition',
      instance: LIVING,
      subjects: [{ type: 'definition', id: DIGEST, rev: 1, digest: DIGEST }],
    }),
  ],
  ['a flag that is false', /wrong value for late/, call({}, { late: false })],
  ['a late call of a process that never began', /had not begun/, call({}, { instance: STRANGER, late: true })],
  [
    '`restore` in the middle',
    /only be the first/,
    one({ kind: 'restore', ...END, known_size: 1, known_root: DIGEST, reason: 'r' }),
  ],
  ['a second boot of one process', /had begun before/, one({ ...boot(LIVING) })],
  ['a boot of a process that had ended', /had begun before/, one({ ...boot(ENDED) })],
  ['a second end', /had ended before/, one({ ...SHUTDOWN, instance: ENDED })],
  ['the end of a process that never began', /had not begun/, one({ ...SHUTDOWN, instance: STRANGER })],
  ['a boot after its calls', /had not begun/, (seq) => [enter(seq, { instance: STRANGER }), BOOT]],
  ['records after a rotation', /which ended it/, () => [{ kind: 'rotate', successor: 'nobody' }, BOOT]],
  ['a migration back', /later version/, one({ ...MIGRATE, from: 5, to: 4 })],
  [
    'a migration to a version that nobody knows',
    /begins before version/,
    one({ ...MIGRATE, from: FORMAT, to: FORMAT + 1 }),
  ],
  ['`store` in a later record', /not the first of its log/, one({ ...BOOT, store: 'a'.repeat(32) })],
  [
    'a seal without subjects',
    /has no subjects/,
    one({ kind: 'seal', session_id: 's', genesis_hash: DIGEST, root: DIGEST, record_count: 1 }),
  ],
  [
    'an erasure of something else',
    /wrong value for targets/,
    one({ kind: 'erase', targets: [{ type: 'task', id: 'T-0001' }], reason: 'r', by: 'b' }),
  ],
  ['a question without a method', /has no method/, one({ kind: 'asked', instance: LIVING, server: 's', call: null })],
  [
    'a transition without its event',
    /has no event/,
    one({ kind: 'health', instance: LIVING, server: 's', from: 'A', to: 'B', cause: 'c', before: {}, now_ms: 1 }),
  ],
  [
    'a list of tools that is not one',
    /wrong value for added/,
    one({
      kind: 'catalogue',
      instance: LIVING,
      server: 's',
      digest: DIGEST,
      added: 'x',
      removed: [],
      changed: [],
      subjects: [],
    }),
  ],
  [
    'a configuration of something else',
    /wrong value for what/,
    one({ kind: 'config', instance: LIVING, what: 'x', digest: DIGEST, added: [], removed: [], changed: [] }),
  ],
  [
    'a gap of nothing',
    /wrong value for count/,
    one({ kind: 'gap', count: 0, first_at: now(), last_at: now(), reason: 'r' }),
  ],
];

const PRUNE = { kind: 'prune', before: now(), from_seq: 0, count: 9 };

describe('without the key', () => {
  it('the store is whole before', async () => {
    expect(await verify(copy())).toMatchObject({ exit: 0, findings: [] });
  });

  it.each(ATTACKS)('%s', async (_, message, forgery) => {
    const dir = copy();
    forgeTail(join(dir, 'colibri.db'), forgery);
    macAgain(join(dir, 'colibri.db'), join(dir, 'keys')); // what is judged is what the records say
    const { exit, findings } = await verify(dir);
    expect(exit).toBe(20);
    expect(findings.map((finding) => finding.message).join('\n')).toMatch(message);
  });
});

describe('what healthy processes write is not a contradiction', () => {
  const RIGHT: readonly (readonly [string, Forgery])[] = [
    ['a late pair after the end', call({ late: true }, { instance: ENDED, late: true })],
    [
      'a recovered pair after the end',
      call({ outcome: 'interrupted', recovered: true }, { instance: ENDED, recovered: true }),
    ],
    ['an outcome after the end of its process', (seq) => [enter(seq), SHUTDOWN, exit(seq, { late: true })]],
    [
      'a transition after the end',
      one({
        kind: 'health',
        instance: ENDED,
        server: 's',
        from: 'A',
        to: null,
        cause: 'c',
        detail: null,
        event: {},
        before: {},
        now_ms: 1.5,
      }),
    ],
    ['a result digested as bytes', call({ result_digest: DIGEST, form: 'bytes' })],
  ];
  it.each(RIGHT)('%s', async (_, forgery) => {
    const dir = copy();
    forgeTail(join(dir, 'colibri.db'), forgery);
    macAgain(join(dir, 'colibri.db'), join(dir, 'keys')); // what is judged is what the records say
    expect((await verify(dir)).findings).toEqual([]);
  });
});

describe('columns that no key is needed to judge', () => {
  /** Keeps other arguments for the first call that keeps any, with digest and length as they should be. */
  const keep = (path: string, json: string): void => {
    const db = new Database(path);
    const { seq } = db.prepare('SELECT MIN(seq) AS seq FROM payloads').get() as { seq: number };
    const { salt } = db.prepare('SELECT salt FROM payloads WHERE seq = ?').get(seq) as { salt: string };
    const { id, body } = db.prepare('SELECT id, body FROM actions WHERE seq = ?').get(seq) as {
      id: number;
      body: string;
    };
    const args_digest = hash('sha256', Buffer.concat([Buffer.from(salt, 'hex'), Buffer.from(json)]));
    const text = canonicalJson({ ...JSON.parse(body), args_digest, args_bytes: Buffer.byteLength(json) });
    db.prepare('UPDATE payloads SET json = ? WHERE seq = ?').run(json, seq);
    db.prepare('UPDATE actions SET body = ?, leaf = ? WHERE id = ?').run(text, leafHash(text), id);
    rebuildTree(db, (db.prepare('SELECT log_id FROM logs').get() as { log_id: string }).log_id);
    db.exec('DELETE FROM checkpoints');
    db.close();
  };
  const sql =
    (statement: string) =>
    (path: string): void =>
      void new Database(path).exec(statement).close();
  const NO_MAC = /does not have the MAC/;

  it.each<[string, RegExp, (path: string) => void]>([
    ['a MAC that is not one', NO_MAC, sql("UPDATE logs SET head_mac = 'zz'")],
    ['a MAC in capitals', NO_MAC, sql('UPDATE logs SET head_mac = upper(head_mac)')],
    ['a MAC with a digit too many', NO_MAC, sql("UPDATE logs SET head_mac = head_mac || '0'")],
    ['arguments that are no JSON', /not canonical JSON/, (path) => keep(path, 'hello')],
    ['arguments with a space', /not canonical JSON/, (path) => keep(path, '{"a": 1}')],
    ['arguments out of order', /not canonical JSON/, (path) => keep(path, '{"b":1,"a":1}')],
    ['arguments nested too deep', /not canonical JSON/, (path) => keep(path, '['.repeat(2_000) + ']'.repeat(2_000))],
    [
      'log 0',
      /values that Colibri never stores/,
      sql('UPDATE logs SET no = 0; UPDATE actions SET id = id - 4294967296'),
    ],
  ])('%s', async (_, message, change) => {
    const dir = copy();
    rmSync(join(dir, 'heads'), { recursive: true });
    change(join(dir, 'colibri.db'));
    const { exit, findings } = await verifyStore({
      path: join(dir, 'colibri.db'),
      scope: { kind: 'store' },
      headsDir: join(dir, 'heads'),
      workers: 0,
    });
    expect(findings.map((finding) => finding.message).join('\n')).toMatch(message);
    expect(exit).toBe(20);
  });

  it('arguments as they should be: the forger does nothing else wrong', async () => {
    const dir = copy();
    rmSync(join(dir, 'heads'), { recursive: true });
    keep(join(dir, 'colibri.db'), '{"a":[1,"\u20ac"]}');
    const path = join(dir, 'colibri.db');
    expect((await verifyStore({ path, scope: { kind: 'store' }, workers: 0 })).findings).toEqual([]);
  });
});

describe('prune', () => {
  it('counts what was there: not what an earlier record had taken out', async () => {
    const dir = copy();
    const store = await openSqliteStore({ path: join(dir, 'colibri.db') });
    const { log } = (await store.read((tx) => tx.get<{ log: string }>('SELECT log_id AS log FROM logs'))) ?? {
      log: '',
    };
    const own = ownLogOf(keyRing({ dir: join(dir, 'keys') }), log);
    const pruning = { log: own, at: now(), before: now(), of: log };
    const rows = (await store.read((tx) => tx.all<{ seq: number }>('SELECT seq FROM payloads ORDER BY seq'))).map(
      ({ seq }) => seq,
    );
    const [first = 0, second = 0, , last = 0] = rows;
    const run = { rows: 0, bytes: 0 };
    await store.write((tx) => prunePayloads(tx, pruning, [{ ...run, from: first, to: second }]));
    await store.write((tx) => prunePayloads(tx, pruning, [{ ...run, from: first, to: last }]));
    await store.close();
    expect(await verify(dir)).toMatchObject({ exit: 0, findings: [] });
  });
});
