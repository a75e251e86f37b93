// colibri demo: what it claims is held against what it left behind, read by code that shares nothing with it; and a
// product with one thing broken makes it fail.
import { execSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { inspectLedger, type Receipt } from '../support/ledger-check.js';
import { checkFile } from '../support/naive-proof.js';
import { isThere } from '../support/process-list.js';
import { filesBelow, freshPlace } from '../support/serve.js';
import { demoPlace, PATIENCE_MS, processesIn, runDemo } from './demo-run.js';

// biome-ignore lint/suspicious/noExplicitAny: claims are looked at field by field, each test at other ones
type Data = Record<string, any>;

interface Told {
  readonly steps: readonly { readonly title: string; readonly claims: readonly { claim: string; data?: Data }[] }[];
  readonly [key: string]: unknown;
}

/** The facts behind the one claim that begins so, or holds that word. */
const factsOf = ({ steps }: Told, words: RegExp): Data => {
  const found = steps.flatMap(({ claims }) => claims).filter(({ claim }) => words.test(claim));
  expect(found, String(words)).toHaveLength(1);
  return found[0]?.data ?? {};
};

const query = <T>(db: string, sql: string, ...params: unknown[]): T[] => {
  const open = new Database(db, { readonly: true, fileMustExist: true });
  try {
    return open.prepare<unknown[], T>(sql).all(...params);
  } finally {
    open.close();
  }
};

/** The raw key in a C2SP vkey. */
const keyIn = (vkey: string): string =>
  Buffer.from(vkey.split('+').slice(2).join('+'), 'base64').subarray(1).toString('hex');

test(
  'every claim is true of what it left behind',
  async () => {
    const place = demoPlace();
    const { code, stdout, stderr } = await runDemo(place, { args: ['--keep', '--json'] });
    expect(stderr).toBe('');
    expect(code).toBe(0);
    const told = JSON.parse(stdout) as Told;
    const folder = String(told.folder);
    expect(fs.readdirSync(place.tmp)).toEqual([folder.slice(place.tmp.length + 1)]);
    const store = String(told.store);

    // The ledger, recomputed from its file.
    const { problems, records } = inspectLedger(store);
    expect(problems).toEqual([]);
    const entered = records.filter(({ kind }) => kind === 'call.enter');
    const ended = records.filter(({ kind }) => kind === 'call.exit');
    expect(told).toMatchObject({ ok: true, kept: true, calls: entered.length, records: records.length });
    expect(ended).toHaveLength(entered.length);
    expect(factsOf(told, /^the ledger holds/)).toMatchObject({ intents: entered.length, outcomes: ended.length });

    // Receipts: each names the outcome of a call, by its hash.
    const receipts = fs
      .readFileSync(join(folder, 'receipts.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Receipt);
    const outcomes = new Map(ended.map((record) => [record.seq, record]));
    for (const { seq, leaf, call } of receipts) {
      expect(outcomes.get(seq)).toMatchObject({ leaf, body: { call } });
    }
    expect(new Set(receipts.map(({ seq }) => seq)).size).toBe(receipts.length);
    expect(factsOf(told, /^the whole store verifies/)).toMatchObject({ exit: 0, receipts: receipts.length });

    // The crash: two processes served the store, the first has no end.
    const boots = records.filter(({ kind }) => kind === 'boot');
    expect(boots).toHaveLength(2);
    const ends = records.filter(({ kind }) => kind === 'shutdown').map(({ body }) => body.instance);
    expect(ends).toEqual([boots[1]?.body.instance]);
    const { session } = factsOf(told, /is in ANALYZE/);
    const { acknowledged, unanswered } = factsOf(told, /^the server is dead/);
    const { unheard } = factsOf(told, /^the next server has all/);
    const measured = query(
      store,
      "SELECT 1 FROM thoughts WHERE session_id = ? AND content LIKE 'Measurement %'",
      session,
    );
    expect(measured).toHaveLength(acknowledged + unheard);
    expect(unheard).toBeLessThanOrEqual(unanswered);

    // The tasks and the session.
    expect(query(store, 'SELECT status FROM tasks ORDER BY n')).toEqual([
      { status: 'DONE' },
      { status: 'INIT' },
      { status: 'INIT' },
    ]);
    const refused = ended.filter(({ body }) => body.code === 'ERR_INVALID_TRANSITION');
    expect(refused).toHaveLength(1);
    const moves = ended.flatMap(({ body }) => (body.change === undefined ? [] : [body.change.to]));
    expect(moves).toEqual(['GATHER', 'ANALYZE', 'PLAN', 'APPLY', 'VERIFY', 'DONE']);
    const sealed = factsOf(told, /^the session is sealed/);
    const [row] = query<Data>(store, 'SELECT root, record_count FROM sessions WHERE session_id = ?', session);
    expect(row).toEqual({ root: sealed.root, record_count: sealed.record_count });

    // The proof file, checked by the descriptions of its parts alone.
    const { file, vkey } = factsOf(told, /exported as a proof file/);
    const { content } = factsOf(told, /^a stranger/);
    expect(checkFile(fs.readFileSync(file, 'utf8'), keyIn(vkey))).toBe(content);

    // The forgery: one byte.
    const { copy, thought } = factsOf(told, /^one byte of a copy/);
    const [before, after] = [fs.readFileSync(store), fs.readFileSync(copy)];
    expect(after.length).toBe(before.length);
    expect([...before.keys()].filter((at) => before[at] !== after[at])).toHaveLength(1);
    const contents = [store, copy].map((db) =>
      query<{ content: string }>(db, 'SELECT content FROM thoughts WHERE thought_id = ?', thought),
    );
    expect(contents[0]).not.toEqual(contents[1]);
    expect(factsOf(told, /^verify says 20/)).toMatchObject({ exit: 20, finding: { where: { id: thought } } });

    // The servers.
    const health = records.filter(({ kind, body }) => kind === 'health' && body.server === 'almanac');
    expect(factsOf(told, /^every change of health/).states).toEqual(health.map(({ body }) => body.to));
    const { dead, pid } = factsOf(told, /was started again/);
    expect(dead).not.toBe(pid);
    expect([dead, pid].filter(isThere)).toEqual([]);
    const routed = ended.filter(({ body }) => body.tool === 'date__weekday').map(({ body }) => body.route.attempts);
    expect(routed.map((attempts) => attempts.at(-1).server)).toEqual(['almanac', 'calendar', 'almanac']);
    const unavailable = ended.filter(({ body }) => body.code === 'TOOL_UNAVAILABLE');
    expect(unavailable.length).toBeGreaterThan(0);
    expect(unavailable.every(({ body }) => body.tool === 'almanac__weekday_of')).toBe(true);

    // The store as somebody finds it who types what the demo says.
    const verdict = execSync(`${told.look} --json`, { cwd: place.cwd, encoding: 'utf8', env: place.env });
    expect(JSON.parse(verdict)).toMatchObject({ exit: 0, valid: true, complete: true, record_count: records.length });

    // Nothing outside.
    expect(filesBelow(place.home)).toEqual([]);
    expect(filesBelow(place.cwd)).toEqual([]);
    expect(processesIn(folder)).toEqual([]);
  },
  PATIENCE_MS,
);

test('a folder that cannot be made is one line', async () => {
  const place = demoPlace();
  fs.rmSync(place.tmp, { recursive: true });
  const { code, stdout, stderr } = await runDemo(place);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr.trim().split('\n')).toHaveLength(1);
});

test('help has an example, the exit codes and --json', async () => {
  const { stdout } = await colibri(freshPlace(), ['demo', '--help']);
  for (const words of ['Exit codes', '  colibri demo ', '--json', '--keep']) expect(stdout).toContain(words);
});
