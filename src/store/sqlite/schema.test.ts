import { describe, expect, it } from 'vitest';
import { MIGRATIONS } from './migrations/index.js';
import { compareSchema, type SchemaRow, schemaError, schemaOf } from './schema.js';

const OURS = schemaOf(MIGRATIONS, MIGRATIONS.length);
const row = (type: string, name: string, sql: string | null = null, tbl_name = name): SchemaRow => ({
  type,
  name,
  tbl_name,
  sql,
});

describe('a schema', () => {
  it('that the migrations made is ours, in every version', () => {
    for (const { version } of MIGRATIONS) {
      const own = schemaOf(MIGRATIONS, version);
      expect(compareSchema(own, own)).toEqual([]);
    }
    expect(schemaOf(MIGRATIONS, 0)).toEqual([]);
  });

  it('may have the tables that the engine makes for itself, exactly as it writes them', () => {
    const stat = row('table', 'sqlite_stat1', 'CREATE TABLE sqlite_stat1(tbl,idx,stat)');
    expect(compareSchema([...OURS, stat], OURS)).toEqual([]);
    for (const odd of [
      { ...stat, sql: 'CREATE TABLE sqlite_stat1(tbl,idx,stat DEFAULT (randomblob(9)))' },
      { ...stat, type: 'view' },
      { ...stat, tbl_name: 'logs' },
      row('table', 'sqlite_stat9', 'CREATE TABLE sqlite_stat9(a)'),
      row('index', 'sqlite_autoindex_evil_1', null, 'evil'),
    ]) {
      expect(compareSchema([...OURS, odd], OURS)).toMatchObject([{ kind: 'foreign', name: odd.name }]);
    }
  });

  it('is compared by type, name, table and text', () => {
    const [first, ...rest] = OURS;
    if (first === undefined) throw new Error('there is no schema');
    expect(compareSchema([{ ...first, sql: `${first.sql} ` }, ...rest], OURS)).toMatchObject([{ kind: 'changed' }]);
    expect(compareSchema([{ ...first, tbl_name: 'x' }, ...rest], OURS)).toMatchObject([{ kind: 'changed' }]);
    expect(compareSchema(rest, OURS)).toMatchObject([{ kind: 'missing', name: first.name }]);
  });

  it('of somebody else is named in the refusal, whatever it is called', () => {
    const error = schemaError({ kind: 'foreign', type: 'trigger', name: 'a"\u001b[2J', table: 'logs' });
    expect(error.code).toBe('STORE_CORRUPT');
    expect(error.message).toBe('the store holds the trigger "a\\"\\u001b[2J" on "logs", which Colibri did not make');
  });
});
