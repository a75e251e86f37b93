// A store that the last version of format 4 wrote, with data of every kind, is migrated to format 5: no record changes, everything is
// still there and can be worked on, and every log says the new format, which is what an older process reads before it writes.
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { FORMAT } from '../../src/ledger/head.js';
import { colibri, dataOf, json, rows, stateDir } from '../support/command-line.js';
import { freshPlace, type Place, session } from '../support/serve.js';
import { bodiesOf, expectHealthy, logsOf, onHost, storeId } from './stores.js';

const FIXTURE = fileURLToPath(new URL('./format-4/', import.meta.url));
const textOf = (name: string): string => fs.readFileSync(join(FIXTURE, name), 'utf8');

/** Puts the store, its keys and its heads where a server looks for them. */
const olderPlace = (): Place => {
  const place = freshPlace();
  fs.mkdirSync(dirname(place.db), { mode: 0o700 });
  const db = new Database(place.db);
  db.pragma('journal_mode = WAL');
  db.exec(textOf('store.sql'));
  db.close();
  for (const [name, content] of Object.entries(JSON.parse(textOf('files.json')) as Record<string, string>)) {
    const path = join(stateDir(place), name);
    fs.mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    fs.writeFileSync(path, content, { mode: 0o600 });
  }
  return place;
};

/** The user and the machines that wrote the store. */
const as = (host: string) => ({ env: { ...onHost(host).env, TEST_USER: 'user' } });

const RECORDS =
  'SELECT id, log_id, seq, sequence_no, kind, tool, at, body, leaf FROM actions WHERE log_id = ? ORDER BY id';

/** What evidence rows say: the columns that format 4 had, without those that are derived. */
const EVIDENCE = {
  tasks: 'n, title, description, project, status, priority, assignee, attempt, version, salt, log_id, seq',
  leases: 'task_n, token, holder, until, minutes, released, rev, salt, log_id, seq',
  sessions: '*',
  thoughts: '*',
  task_dependencies: '*',
  payloads: '*',
  tiles: '*',
};
/** Assignee and version of each task; two were claimed, one of these was given back. */
const OLD_ASSIGNEES = [
  ['agent-1', 2],
  [null, 2],
  ['agent-2', 2],
];
const UNASSIGNED = [
  ['T-0001', 3],
  ['T-0003', 3],
];
// biome-ignore lint/suspicious/noExplicitAny: rows are looked at column by column
type Row = Record<string, any>;

const evidenceOf = (place: Place) =>
  Object.entries(EVIDENCE).map(([table, columns]) => rows(place, `SELECT ${columns} FROM ${table} ORDER BY 1, 2`));

test('a store of format 4 with its data becomes one of this format', { timeout: 60_000 }, async () => {
  const place = olderPlace();
  const logs = logsOf(place);
  expect(logs.map(({ node }) => node)).toEqual(['host/user', 'elsewhere/user']);
  const recordsOf = () => logs.map(({ log_id, size }) => rows(place, RECORDS, log_id).slice(0, size));
  const [records, evidence] = [recordsOf(), evidenceOf(place)];
  expect(evidence.map((some) => some.length > 0).slice(0, 6)).toEqual(Array(6).fill(true));

  await session(place, async (peer) => expect(dataOf(await peer.call('server_health')).ok).not.toBe(false), as('host'));
  expect(recordsOf()).toEqual(records);
  // But for the assignees that claims had set, which are taken back and recorded.
  const [before = [], ...others4] = evidence as Row[][];
  const [after = [], ...others6] = evidenceOf(place) as Row[][];
  expect(others6).toEqual(others4);
  expect(before.map(({ assignee, version }) => [assignee, version])).toEqual(OLD_ASSIGNEES);
  const [unassign, ...more] = bodiesOf(place, 'unassign');
  expect(more).toEqual([]);
  expect(unassign?.subjects.map(({ id, rev }: Row) => [id, rev])).toEqual(UNASSIGNED);
  const pointer = { log_id: unassign?.log, seq: unassign?.seq, salt: expect.any(String) };
  expect(after).toEqual(
    before.map((row) => (row.assignee === null ? row : { ...row, ...pointer, assignee: null, version: 3 })),
  );
  const formats = rows<{ format: number }>(place, 'SELECT format FROM logs UNION SELECT * FROM pragma_user_version');
  expect(formats).toEqual([{ format: FORMAT }]);
  const [migrate, ...others] = bodiesOf(place, 'migrate').filter(({ to }) => to === 5);
  expect(others).toEqual([]);
  expect(migrate).toMatchObject({ from: 4, store: storeId(place), adopted: 0, seq: logs[0]?.size });
  expect(migrate?.logs).toMatchObject(logs.map(({ log_id: log, size }) => ({ log, size })));
  await expectHealthy(place);

  const { history } = json(await colibri(place, ['tasks', 'T-0001', '--json']));
  expect(history.complete).toBe(true);
  expect(history.entries.at(-1)).toMatchObject({ what: 'assignee none: a claim had set it', seq: unassign?.seq });

  // Both machines go on with what is there.
  await session(
    place,
    async (peer) => {
      expect(dataOf(await peer.call('task_list', {})).tasks).toHaveLength(3);
      const claim = { claim_by: 'agent-1', task_id: 'T-0001' };
      const [held] = dataOf(await peer.call('task_next_actions', claim)).actions;
      expect(held.lease_token).toBeGreaterThan(2 ** 32);
      const step = { task_id: 'T-0002', status: 'ANALYZE', note: 'on format 5' };
      expect(dataOf(await peer.call('task_update', step))).toMatchObject({ status: 'ANALYZE' });
    },
    as('host'),
  );
  await session(place, (peer) => peer.call('server_ping', {}), as('elsewhere'));
  expect(logsOf(place)).toHaveLength(2);
  expect(recordsOf()).toEqual(records);
  await expectHealthy(place);
});
