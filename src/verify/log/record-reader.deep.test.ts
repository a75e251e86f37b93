// Most records are read as lines of one text. No change of a column may hide in that, whatever type or separator it has.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveOnce } from '../../../test/ledger2/signed-store.js';
import { openLedger, temporaryFolder } from '../../../test/support/stores.js';
import { verifyStore } from '../verify.js';

const template = mkdtempSync(join(tmpdir(), 'colibri-lines-'));
beforeAll(() => serveOnce(template, '0192f0c1-0000-7000-8000-000000000001', false, ['a', 'b', 'c', 'd', 'e']));
afterAll(() => rmSync(template, { recursive: true, force: true }));

/** Without SQLite's own check of the table, which would find some of the changes too. */
const findingsIn = async (dir: string) => {
  const { findings } = await verifyStore({
    ...{ path: join(dir, 'colibri.db'), scope: { kind: 'store' }, workers: 0, fileRecords: 0 },
    ...{ headsDir: join(dir, 'heads'), keys: { dir: join(dir, 'keys') } },
  });
  return findings;
};

/** Runs SQL while no column of the table of records has a type, so that SQLite stores values as they are given. */
const untyped = (path: string, sql: string): void => {
  const db = new Database(path);
  db.unsafeMode(true);
  db.pragma('foreign_keys = OFF');
  const schema = (set: string): string =>
    `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ${set} WHERE name = 'actions'; PRAGMA writable_schema = RESET;`;
  const { sql: before } = db.prepare("SELECT sql FROM sqlite_schema WHERE name = 'actions'").get() as { sql: string };
  db.exec(schema("replace(replace(replace(sql, ' TEXT', ''), ' NOT NULL', ''), 'seq INTEGER', 'seq')"));
  db.exec(schema("replace(sql, 'sequence_no INTEGER', 'sequence_no')"));
  db.exec(sql);
  db.exec(schema(`'${before.replaceAll("'", "''")}'`));
  db.close();
};

const COLUMNS = ['log_id', 'seq', 'sequence_no', 'kind', 'tool', 'at', 'body', 'leaf'] as const;
const VALUES: Readonly<Record<string, (column: string) => string>> = {
  'the same as a blob': (column) => `CAST(${column} AS BLOB)`,
  'the same as a text': (column) => `CAST(${column} AS TEXT)`,
  'the same as a real number': (column) => `CAST(${column} AS REAL)`,
  nothing: () => 'NULL',
  'a line break more': (column) => `${column} || char(10)`,
  'a separator more': (column) => `${column} || char(31)`,
  'U+0000 more': (column) => `${column} || char(0)`,
  'a space before it': (column) => `' ' || ${column}`,
  'the next column too': (column) =>
    `${column} || char(31) || ${COLUMNS[COLUMNS.indexOf(column as 'at') + 1] ?? "'x'"}`,
};
/** What is no change: texts that are texts already. */
const isSame = (column: string, value: string): boolean =>
  value === 'the same as a text' && column !== 'seq' && column !== 'sequence_no';

const CASES = COLUMNS.flatMap((column) =>
  Object.entries(VALUES)
    .filter(([value]) => !isSame(column, value))
    .map(([value, sql]) => [column, value, sql(column)] as const),
);

describe('a column of a record', () => {
  it('is as it was, before', async () => {
    const dir = temporaryFolder();
    cpSync(template, dir, { recursive: true });
    untyped(join(dir, 'colibri.db'), 'UPDATE actions SET at = at');
    expect(await findingsIn(dir)).toEqual([]);
  });

  it.each(CASES)('%s: %s', async (column, _, sql) => {
    for (const kind of ['call.enter', 'call.exit']) {
      for (const which of ['MIN', 'MAX']) {
        const dir = temporaryFolder();
        cpSync(template, dir, { recursive: true });
        const at = `(SELECT ${which}(id) FROM actions WHERE kind = '${kind}')`;
        untyped(join(dir, 'colibri.db'), `UPDATE actions SET ${column} = ${sql} WHERE id = ${at}`);
        expect(await findingsIn(dir), `${which} ${kind}`).not.toEqual([]);
      }
    }
  });

  it.each([
    [
      'a record that says what two records say',
      (first: number) =>
        `UPDATE actions SET body = body || char(10) || (SELECT concat(concat_ws(char(31), seq, sequence_no, kind, at, leaf, tool), char(0), body) FROM actions WHERE id = ${first + 1}) WHERE id = ${first}; DELETE FROM actions WHERE id = ${first + 1}`,
    ],
    ['a record at another place', (first: number) => `UPDATE actions SET id = id + 100 WHERE id = ${first}`],
    [
      'two records that changed places',
      (first: number) =>
        `UPDATE actions SET id = -id WHERE id = ${first}; UPDATE actions SET id = ${first} WHERE id = ${first + 2}; UPDATE actions SET id = ${first + 2} WHERE id < 0`,
    ],
  ] as const)('%s', async (_, sql) => {
    const dir = temporaryFolder();
    cpSync(template, dir, { recursive: true });
    const path = join(dir, 'colibri.db');
    const db = new Database(path);
    const first = db.prepare<[], number>("SELECT MIN(id) FROM actions WHERE kind = 'call.enter'").pluck().get() ?? 0;
    db.close();
    untyped(path, sql(first));
    expect(await findingsIn(dir)).not.toEqual([]);
  });
});

const AT = '2026-11-15T18:30:00.123Z';

/** A store with one call of each tool. */
const storeOf = async (tools: readonly string[]): Promise<string> => {
  const dir = temporaryFolder();
  const { store, ledger } = await openLedger(dir);
  for (const tool of tools) {
    const call = crypto.randomUUID();
    const no = await ledger.enter({ at: AT, call, tool, client: null, args: { tool } });
    await ledger.exit(no, { kind: 'call.exit', at: AT, call, tool, outcome: 'ok' });
  }
  await store.close();
  return dir;
};

it('names of tools that look like lines are no fault', async () => {
  const dir = await storeOf(['a\nb', '\n', 'x\u001fy', '"q"', 'ü', '\ufffd', '', '5', 'plain']);
  expect(await findingsIn(dir)).toEqual([]);
});

it('the number 5 is not the tool of the name 5', async () => {
  const dir = await storeOf(['5', '6']);
  untyped(join(dir, 'colibri.db'), "UPDATE actions SET tool = 5 WHERE tool = '5'");
  expect((await findingsIn(dir)).map(({ message }) => message)).toContain('Column tool differs from the body.');
});
