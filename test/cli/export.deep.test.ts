// colibri export: enough for a stranger, exact in JSON lines, harmless in CSV, whole or not there.
import '../support/deep-part.js';
import './export.test.js';
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { colibri, dataOf, json, rows, usedStore, useMore } from '../support/command-line.js';
import { canonical, inspectLedger } from '../support/ledger-check.js';
import { sha256 } from '../support/rfc6962.js';
import { freshPlace, MAIN, type Message, serve, session } from '../support/serve.js';
import { exported, linesOf, ofRow } from './export.shared.js';
import { filledStore, keepCalling, startCommand, verdictOf, waitUntil } from './store-upkeep.js';

/** RFC 4180, read as a stranger would. */
const tableOf = (text: string): Record<string, string>[] => {
  const [columns = [], ...rest] = text
    .split(/\r\n(?=(?:[^"]*"[^"]*")*[^"]*$)/)
    .filter((line) => line !== '')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
        ([, quoted, bare]) => quoted?.replaceAll('""', '"') ?? bare ?? '',
      ),
    );
  return rest.map((cells) => Object.fromEntries(columns.map((name, i) => [name, cells[i] ?? ''])));
};

test('CSV and JSON at once on stdout is refused; with a file each has its place', async () => {
  const { place } = await usedStore();
  const refused = await colibri(place, ['export', '--what', 'calls', '--format', 'csv', '--json']);
  expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/--json and --format csv/) });
  const out = join(place.dir, 'calls.csv');
  const written = await colibri(place, ['export', '--what', 'calls', '--format', 'csv', '--json', '--out', out]);
  expect(json(written)).toMatchObject({ file: out, format: 'csv' });
});

test('thoughts and tasks: every hash and digest can be made again', async () => {
  const { place, thought } = await usedStore();
  await session(place, async (peer) => {
    const { session_id } = dataOf(await peer.call('audit_session_start', { intent: 'why', agent_id: 'ann' }));
    for (const idempotency_key of ['k', undefined]) {
      await peer.call('thought_record', { type: 'plan', content: 'Grüße\n"x"', session_id, idempotency_key });
    }
    await peer.call('task_create', { title: 'second', depends_on: ['T-0001'], project: 'p' });
  });
  await colibri(place, ['erase', thought, '--reason', 'x', '--yes']);
  const lines = await exported(place, '--what', 'thoughts');
  const sessions = new Map(ofRow(lines, 'session').map((one) => [one.session_id, one]));
  const hashed = (value: unknown): string => sha256(Buffer.from([0]), canonical(value));
  let previous: Message = {};
  const thoughts = ofRow(lines, 'thought').sort((a, b) => a.session_id.localeCompare(b.session_id) || a.seq - b.seq);
  expect(thoughts).toHaveLength(rows(place, 'SELECT 1 FROM thoughts').length);
  for (const one of thoughts) {
    const { session_id, seq, thought_id, type, task_id, agent_id, content_digest, timestamp, prev_hash } = one;
    const started = sessions.get(session_id) ?? {};
    const { log, intent, started_at, genesis_hash } = started;
    // The log in which it began is that of its first record; these sessions never changed it.
    const begun = { v: 1, kind: 'session', log, session_id, intent, started_at };
    expect(hashed({ ...begun, task_id: started.task_id, agent_id: started.agent_id })).toBe(genesis_hash);
    expect(prev_hash).toBe(seq === 0 ? genesis_hash : previous.hash);
    const idempotency = { key: one.idempotency_key, request_digest: one.request_digest };
    const text = { v: 1, session_id, seq, thought_id, type, task_id, agent_id, skill: null };
    const rest = { content_digest, timestamp, prev_hash, ...(idempotency.key !== null && { idempotency }) };
    expect(hashed({ ...text, ...rest })).toBe(one.hash);
    if (one.contents === 'stored') {
      expect(sha256(Buffer.from(one.content_salt, 'hex'), one.content)).toBe(content_digest);
    } else expect([one.thought_id, one.contents, one.content]).toEqual([thought, 'erased', null]);
    previous = one;
  }
  const tasks = await exported(place, '--what', 'tasks');
  expect(tasks.map(({ task_id, depends_on }) => [task_id, depends_on])).toEqual([
    ['T-0001', []],
    ['T-0002', ['T-0001']],
  ]);
  const records = ofRow(await exported(place), 'record');
  for (const { row: _, task_id: id, salt, log, record_seq, project_id, ...columns } of tasks) {
    const rev = columns.version;
    // Digested where there is one, so that digests of before stand (docs/audit-format.md).
    const digest = hashed({ type: 'task', id, rev, salt, ...columns, ...(project_id !== null && { project_id }) });
    const record = records.find((one) => one.log === log && one.seq === record_seq);
    expect(JSON.parse(record?.body).subjects).toContainEqual({ type: 'task', id, rev, digest });
  }
});

test('without payloads: neither arguments nor contents, nor the salts that would let one guess', async () => {
  const { place } = await usedStore();
  await useMore(place);
  const salts = [
    ...rows<{ salt: string }>(place, 'SELECT salt FROM payloads'),
    ...rows<{ salt: string }>(place, 'SELECT content_salt AS salt FROM thoughts'),
  ];
  expect(salts.length).toBeGreaterThan(4);
  for (const what of ['records', 'calls', 'thoughts']) {
    const ran = await colibri(place, ['export', '--what', what, '--no-payloads']);
    expect(ran.stdout).toContain('left out');
    for (const { salt } of salts) expect(ran.stdout).not.toContain(salt);
    expect(ran.stdout).not.toContain('Sesame Street');
  }
});

test('CSV: the same rows, and no text that a spreadsheet would run', async () => {
  const place = freshPlace();
  const titles = ['=HYPERLINK("http://x","y")', '+1', '-1', '@x', '\tx', 'a,b', 'two\nlines', 'say "no"', 'Grüße'];
  await session(place, async (peer) => {
    for (const title of titles) await peer.call('task_create', { title, description: '=1+1', priority: 'low' });
  });
  const tasks = await exported(place, '--what', 'tasks');
  expect(tasks.map(({ title }) => title)).toEqual(titles);
  const csv = await colibri(place, ['export', '--what', 'tasks', '--format', 'csv']);
  const table = tableOf(csv.stdout);
  expect(table.map(({ title }) => title)).toEqual(titles.map((title, i) => (i < 5 ? `'${title}` : title)));
  for (const [i, row] of table.entries()) {
    const { row: _, title: _title, description: _description, ...cells } = tasks[i] ?? {};
    for (const [name, cell] of Object.entries(cells)) {
      expect(row[name], name).toBe(cell === null ? '' : typeof cell === 'object' ? JSON.stringify(cell) : String(cell));
    }
  }
  for (const what of ['records', 'calls', 'thoughts']) {
    const lines = (await exported(place, '--what', what)).filter(({ row }) => `${row}s` === what);
    const { stdout } = await colibri(place, ['export', '--what', what, '--format', 'csv']);
    expect(tableOf(stdout)).toHaveLength(lines.length);
  }
});

test('beside a server that writes: whole, and as long as it says', { timeout: 60_000 }, async () => {
  const place = await filledStore(1_000, 'CALL');
  const peer = serve(place);
  await peer.initialize();
  await peer.phase2();
  const busy = keepCalling(peer);
  const out = join(place.dir, 'records.jsonl');
  const done = json(await colibri(place, ['export', '--out', out, '--json']));
  expect(await busy.stop()).toBeGreaterThan(5);
  await peer.end();
  const lines = linesOf({ stdout: fs.readFileSync(out, 'utf8') });
  const [log] = ofRow(lines, 'log');
  expect(ofRow(lines, 'record')).toHaveLength(log?.size);
  expect(done).toMatchObject({ file: out, rows: log?.size, erased: 0, bytes: fs.statSync(out).size });
  expect(inspectLedger(place.db).records.length).toBeGreaterThan(log?.size);
  expect((fs.statSync(out).mode & 0o777).toString(8)).toBe('600');
});

test('killed, interrupted, a full disk: the file that was there is as it was', { timeout: 60_000 }, async () => {
  const place = await filledStore(600, 'CALL', 60_000);
  const folder = join(place.dir, 'out');
  fs.mkdirSync(folder);
  const out = join(folder, 'all.jsonl');
  fs.writeFileSync(out, 'mine');
  const under = async (signal: NodeJS.Signals) => {
    const { child, ended } = startCommand(place, ['export', '--out', out]);
    await waitUntil(() => fs.readdirSync(folder).length > 1);
    child.kill(signal);
    return ended;
  };
  expect(await under('SIGKILL')).toMatchObject({ signal: 'SIGKILL' });
  expect(fs.readFileSync(out, 'utf8')).toBe('mine');
  for (const name of fs.readdirSync(folder).filter((name) => name.endsWith('.part'))) fs.rmSync(join(folder, name));
  expect(await under('SIGINT')).toMatchObject({ signal: 'SIGINT' });
  const full = await startCommand(place, ['export', '--out', out], { fileKiB: 3_000 }).ended;
  expect(full).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/cannot be written: E/) });
  expect(full.stderr).not.toContain('    at ');
  expect(fs.readdirSync(folder)).toEqual(['all.jsonl']);
  expect(fs.readFileSync(out, 'utf8')).toBe('mine');
  expect(await colibri(place, ['export', '--out', out])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^[\d,]+ records in .*all\.jsonl \(.* MB\)\n$/),
  });
  expect(linesOf({ stdout: fs.readFileSync(out, 'utf8') }).length).toBeGreaterThan(1_200);
  expect(fs.readdirSync(folder)).toEqual(['all.jsonl']);
  expect(await verdictOf(place)).toBe('0');
});

test('memory does not grow with what is exported', { timeout: 60_000 }, async () => {
  const place = await filledStore(64, 'CALL', 2_000_000);
  const out = join(place.dir, 'all.jsonl');
  const tight = { env: { NODE_OPTIONS: '--max-old-space-size=48' } };
  expect(await colibri(place, ['export', '--out', out], tight)).toMatchObject({ code: 0 });
  expect(fs.statSync(out).size).toBeGreaterThan(128_000_000);
});

test('a reader that has seen enough, options that make no sense, places that cannot be', async () => {
  const place = await filledStore(400, 'CALL', 2_000);
  const head = spawnSync(
    'bash',
    ['-c', `"${process.execPath}" "${MAIN}" export | head -n 1; echo "\${PIPESTATUS[0]}"`],
    {
      cwd: place.dir,
      env: place.env,
      encoding: 'utf8',
    },
  );
  expect(head.stderr).toBe('');
  expect(head.stdout.trim().split('\n').at(-1)).toBe('0');
  const refusals: readonly (readonly [string[], RegExp])[] = [
    [['--what', 'sheep'], /sheep.*records, tasks, thoughts, calls/],
    [['--format', 'xml'], /xml.*jsonl, csv/],
    [['--since', '1d', '--until', '2d'], /is not before/],
    [['--since', 'monday'], /is not a date/],
    [['--out', '/dev/null'], /exists and is not a file/],
    [['--out', place.dir], /exists and is not a file/],
    [['--out', join(place.dir, 'no', 'file')], /is not a folder/],
  ];
  for (const [args, told] of refusals) {
    const ran = await colibri(place, ['export', ...args]);
    expect(ran, args.join(' ')).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(told) });
  }
  expect(await colibri(freshPlace(), ['export'])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/no store at/),
  });
  expect(await colibri(place, ['export', '--what', 'tasks'], { env: { COLIBRI_MODE: 'READONLY' } })).toMatchObject({
    code: 0,
  });
});
