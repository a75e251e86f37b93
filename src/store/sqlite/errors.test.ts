import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { ColibriError } from '../../errors.js';
import { STORE_LIMITS } from '../limits.js';
import { fromFileSystem, fromSqlite, isBusy } from './errors.js';

const engineError = (code: string) => new Database.SqliteError('from the engine', code);

describe('errors of SQLite', () => {
  it.each([
    ['SQLITE_BUSY', 'STORE_BUSY'],
    ['SQLITE_BUSY_RECOVERY', 'STORE_BUSY'],
    ['SQLITE_BUSY_SNAPSHOT', 'STORE_BUSY'],
    ['SQLITE_PROTOCOL', 'STORE_BUSY'],
    ['SQLITE_FULL', 'STORE_FULL'],
    ['SQLITE_CORRUPT', 'STORE_CORRUPT'],
    ['SQLITE_CORRUPT_INDEX', 'STORE_CORRUPT'],
    ['SQLITE_NOTADB', 'STORE_CORRUPT'],
    ['SQLITE_READONLY', 'STORE_UNAVAILABLE'],
    ['SQLITE_READONLY_DBMOVED', 'STORE_UNAVAILABLE'],
    ['SQLITE_CANTOPEN', 'STORE_UNAVAILABLE'],
    ['SQLITE_PERM', 'STORE_UNAVAILABLE'],
    ['SQLITE_IOERR_FSYNC', 'STORE_UNAVAILABLE'],
    ['SQLITE_NOMEM', 'STORE_UNAVAILABLE'],
  ])('%s becomes %s with a remedy', (engine, code) => {
    const mapped = fromSqlite(engineError(engine));
    expect(mapped).toBeInstanceOf(ColibriError);
    expect(mapped).toMatchObject({ code, remedy: expect.stringMatching(/^[A-Z].*\.$/), details: { engine } });
    expect((mapped as ColibriError).retryAfterMs).toBe(
      code === 'STORE_BUSY' ? STORE_LIMITS.busyRetryAfterMs : undefined,
    );
    expect(isBusy(engineError(engine))).toBe(code === 'STORE_BUSY');
  });

  it('that blame a query pass as they are, and so does everything else', () => {
    for (const thrown of [engineError('SQLITE_CONSTRAINT_UNIQUE'), engineError('SQLITE_ERROR'), new Error('x'), 'x']) {
      expect(fromSqlite(thrown)).toBe(thrown);
    }
  });
});

describe('errors of the file system', () => {
  it('are STORE_FULL without space and STORE_UNAVAILABLE otherwise', () => {
    const failure = (code: string) => fromFileSystem(Object.assign(new Error('x'), { code }), '/a');
    expect(failure('ENOSPC').code).toBe('STORE_FULL');
    expect(failure('EDQUOT').code).toBe('STORE_FULL');
    expect(failure('EACCES').code).toBe('STORE_UNAVAILABLE');
    expect(fromFileSystem('odd', '/a').code).toBe('STORE_UNAVAILABLE');
  });
});
