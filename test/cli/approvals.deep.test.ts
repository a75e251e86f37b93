// colibri approvals, approve and deny, as far as they need no terminal: which approval is meant.
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { colibri, json, usedStore } from '../support/command-line.js';
import type { Place } from '../support/serve.js';

const SAME = {
  exact: 'x',
  server: 'notes',
  tool: 'write',
  args_digest: 'd',
  definition: 'f',
  claimed: 0,
  call_id: 'c',
};
const LAST = { instance: 'i', asker: '[]', args_salt: 's', rev: 1, salt: 's', log_id: 'l', seq: 0 };

/** Adds approvals without their records, asked for in this order. */
const withApprovals = (place: Place, asked: readonly { approval_id: string; state: string }[]): void => {
  const db = new Database(place.db);
  for (const [i, one] of asked.entries()) {
    const times = { asked_at: `2026-01-01T00:00:0${i}.000Z`, expires_at: '2999-01-01T00:00:00.000Z' };
    const row = { ...SAME, ...LAST, ...times, ...one };
    const names = Object.keys(row);
    db.prepare(`INSERT INTO approvals (${names}) VALUES (${names.map((name) => `@${name}`)})`).run(row);
  }
  db.close();
};

test('an approval is named by its id or the beginning of it; without one, the command says where the ids are', async () => {
  const { place } = await usedStore();
  withApprovals(place, [
    { approval_id: 'abcd000001', state: 'asked' },
    { approval_id: 'abcd100002', state: 'denied' },
    { approval_id: '1234567890', state: 'asked' },
  ]);
  const said = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await colibri(place, args);
    expect(code).toBe(1);
    return stderr;
  };
  for (const name of ['1234', '12345678', '1234567890', 'abcd0', 'ABCD0'])
    expect(await said('approve', name), name).toContain('There is no terminal');
  expect(await said('deny', 'abcd1')).toContain('is denied');
  const several = await said('deny', 'abcd');
  expect(several).toContain('Several approvals begin with abcd');
  expect(several).toContain('abcd100002, abcd000001');
  for (const name of ['123', 'ffff', 'ab%', '12345678901'])
    expect(await said('approve', name), name).toContain(`There is no approval ${name}`);
  expect(await said('approve')).toContain('`colibri approvals`');

  const listed = async (...args: string[]): Promise<string[]> =>
    json(await colibri(place, ['approvals', ...args, '--json'])).approvals.map(
      ({ approval_id }: { approval_id: string }) => approval_id,
    );
  expect(await listed()).toEqual(['abcd000001', '1234567890']);
  expect(await listed('--all')).toEqual(['abcd000001', 'abcd100002', '1234567890']);
});
