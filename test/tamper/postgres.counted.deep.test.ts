// What a verification finds in rows it finds on PostgreSQL too: rows edited, deleted, inserted, put back and swapped, drawn at random as for
// SQLite, then put into a server. What the server itself refuses (a wrong type, a key twice) cannot be there.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Verdict } from '../../src/verify/verdict/verdict.js';
import { verifyStore } from '../../src/verify/verify.js';
import { counted } from '../support/counted.js';
import { askServer, noPostgres } from '../support/postgres.js';
import { cloned, copyRows, emptyStore } from '../support/postgres-copy.js';
import { changeAtRandom, type Original } from './changes.js';
import { lookAt } from './dump.js';
import { type MadeStore, makeStore } from './store-life.js';
import { reasonOf, verdictOf } from './verdicts.js';

const CHANGES = counted('random changes on PostgreSQL', 600);
const ROWS: ReadonlySet<string> = new Set([
  'edited',
  'deleted',
  'inserted',
  'swapped',
  'put back',
  'tables put back',
  'retold',
]);

const verdictAt = (url: string, { headsDir, keysDir }: MadeStore, workers = 0): Promise<Verdict> =>
  verifyStore({ path: 'the test database', url, scope: { kind: 'store' }, headsDir, keys: { dir: keysDir }, workers });

const withoutFile = ({ exit, findings, missing, record_count, remarks, unsigned }: Verdict) => ({
  ...{ exit, findings, missing, record_count, remarks, unsigned },
});

const sizesIn = (folder: string): readonly number[] =>
  readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

describe.skipIf(noPostgres())('on PostgreSQL', () => {
  test(`${CHANGES.count} random changes of rows, each one detected`, {
    timeout: 120_000 + CHANGES.count * 3_000,
  }, async () => {
    const store = await makeStore(CHANGES.seed, [
      { processes: 2, calls: 40 },
      'the key is lost',
      { processes: 2, calls: 30, killed: 1 },
      'contents are erased',
      'arguments are pruned',
      { processes: 1, calls: 10 },
    ]);
    const empty = await emptyStore();
    const dir = mkdtempSync(join(tmpdir(), 'colibri-tamper-'));
    const undetected: string[] = [];
    const kinds = new Map<string, number>();
    try {
      const healthy = await cloned(empty.url);
      await copyRows(store.path, healthy.url);
      const here = await verdictOf(store.path, store);
      for (const workers of [0, 2])
        expect(withoutFile(await verdictAt(healthy.url, store, workers))).toEqual(withoutFile(here));
      expect([0, 10], reasonOf(here)).toContain(here.exit);
      await healthy.drop();
      const original: Original = {
        from: store.path,
        path: join(dir, 'changed.db'),
        look: lookAt(store.path),
        older: store.older,
        signed: new Map(
          readdirSync(store.headsDir).map((log) => [log, Math.max(...sizesIn(join(store.headsDir, log)))]),
        ),
      };
      for (let seed = CHANGES.seed, done = 0; done < CHANGES.count; seed++) {
        const changed = changeAtRandom(original, seed);
        if (!ROWS.has(changed.kind) || changed.mayBeUnreadable) continue;
        done += 1;
        CHANGES.progress(done);
        const other = await cloned(empty.url);
        const isTaken = await copyRows(original.path, other.url).then(
          () => true,
          () => false,
        );
        const kind = `${changed.kind}${isTaken ? '' : ', refused by the server'}`;
        kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
        if (isTaken) {
          const verdict = await verdictAt(other.url, store);
          if (verdict.exit !== 20)
            undetected.push(`seed ${seed}, ${changed.kind}: ${changed.what}\n  ${reasonOf(verdict)}`);
        }
        await other.drop();
      }
    } finally {
      rmSync(dir, { recursive: true, force: true });
      await empty.drop();
      await store.remove();
    }
    process.stderr.write(`${JSON.stringify(Object.fromEntries(kinds))}\n`);
    expect(undetected).toEqual([]);
    expect([...kinds].filter(([kind]) => !kind.includes('refused')).length).toBeGreaterThan(3);
  });

  let store: MadeStore;
  let whole: { url: string; drop: () => Promise<void> };
  beforeAll(async () => {
    store = await makeStore(1, [{ processes: 1, calls: 30 }]);
    whole = await emptyStore();
    await copyRows(store.path, whole.url);
    expect((await verdictAt(whole.url, store)).exit).toBe(0);
  });
  afterAll(async () => {
    await whole.drop();
    await store.remove();
  });

  test.each([
    [
      'a trigger',
      `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
      CREATE TRIGGER t BEFORE INSERT ON actions FOR EACH ROW EXECUTE FUNCTION f()`,
    ],
    ['a rule', 'CREATE RULE r AS ON DELETE TO actions DO INSTEAD NOTHING'],
    ['a view', 'CREATE VIEW v AS SELECT * FROM actions'],
    ['a view in place of a table', 'ALTER TABLE actions RENAME TO other; CREATE VIEW actions AS SELECT * FROM other'],
    ['a function', `CREATE FUNCTION strpos(text, varchar) RETURNS int LANGUAGE sql AS 'SELECT 1'`],
    ['row security', 'ALTER TABLE actions ENABLE ROW LEVEL SECURITY'],
    ['a policy', 'CREATE POLICY p ON actions USING (false)'],
    ['a key switched off', 'ALTER TABLE thoughts DISABLE TRIGGER ALL'],
    ['a column', 'ALTER TABLE logs ADD COLUMN extra int'],
    ['a default', "ALTER TABLE actions ALTER COLUMN tool SET DEFAULT 'x'"],
    ['a type', 'ALTER TABLE tiles ALTER COLUMN idx TYPE int'],
    ['an index gone', 'DROP INDEX actions_accepted'],
    ['a key gone', 'ALTER TABLE checkpoints DROP CONSTRAINT checkpoints_pkey'],
    ['an heir', 'CREATE TABLE heir () INHERITS (actions)'],
    ['a sequence set back', "SELECT setval('tasks_n_seq', 1, false)"],
  ])('finds %s', async (_, sql) => {
    const made = await cloned(whole.url);
    try {
      await askServer(made.url, sql);
      expect((await verdictAt(made.url, store)).exit).toBe(20);
    } finally {
      await made.drop();
    }
  });
});
