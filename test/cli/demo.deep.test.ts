// colibri demo: what it claims is held against what it left behind, read by code that shares nothing with it; and a
// product with one thing broken makes it fail.

import { execSync } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { inspectLedger, type Receipt } from '../support/ledger-check.js';
import { checkFile } from '../support/naive-proof.js';
import { isThere } from '../support/process-list.js';
import { filesBelow } from '../support/serve.js';
import { brokenBuild, demoPlace, PATIENCE_MS, processesIn, runDemo } from './demo-run.js';

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

// biome-ignore lint/suspicious/noExplicitAny: claims are looked at field by field, each test at other ones
type Data = Record<string, any>;

/** The raw key in a C2SP vkey. */
const keyIn = (vkey: string): string =>
  Buffer.from(vkey.split('+').slice(2).join('+'), 'base64').subarray(1).toString('hex');

test(
  'for people: 80 columns, no colours, nothing left; what to do next exists',
  async () => {
    const place = demoPlace();
    const { code, stdout, stderr } = await runDemo(place);
    expect(stderr).toBe('');
    expect(code).toBe(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    const lines = stdout.split('\n');
    const [story, next] = [lines.slice(0, lines.indexOf('To go on:')), lines.slice(lines.indexOf('To go on:') + 1)];
    const tooLong = story.filter((line) => line.length > 80 && !line.includes(place.tmp));
    expect(tooLong).toEqual([]);
    expect(stdout.match(/^ {3}ok {2}\S/gm)).toHaveLength(Number(/All (\d+) claims held/.exec(stdout)?.[1]));
    expect(stdout).toMatch(/its connection was\s+lost once/);
    expect(stdout).toMatch(/503 Service Unavailable \(Tool: almanac\)/);
    expect(stdout).toMatch(/,\s+which\s+was\s+removed\.$/m);
    expect(filesBelow(place.dir)).toEqual([]);
    expect(processesIn(place.dir)).toEqual([]);

    // What the README shows of it is what it says, but for numbers and names that differ each time.
    const known = (text: string): string => text.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '#');
    const shown =
      /^```text\n(.*?)^```$/ms.exec(fs.readFileSync(new URL('../../README.md', import.meta.url), 'utf8'))?.[1] ?? '';
    expect(shown).not.toBe('');
    const said = new Set(story.map(known));
    expect(
      shown
        .trimEnd()
        .split('\n')
        .filter((line) => !said.has(known(line))),
    ).toEqual([]);

    const help = await colibri(place, ['--help']);
    const commands = next.flatMap((line) => /^ {2}(?:colibri|node \S+) (\w+)$/.exec(line)?.[1] ?? []);
    expect(commands).toEqual(['init', 'status']);
    for (const command of commands) expect(help.stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'));
  },
  PATIENCE_MS,
);

describe('interrupted', () => {
  test.each(['An agent at work', 'are listed with ours', '5. Proof'])(
    'at "%s" it ends what it started and removes its folder',
    async (interruptAt) => {
      const place = demoPlace();
      const { code, stderr, stdout } = await runDemo(place, { interruptAt });
      expect({ code, stderr }).toEqual({ code: 130, stderr: 'colibri: Stopped. Its folder was removed.\n' });
      expect(stdout).not.toContain('To go on:');
      expect(filesBelow(place.dir)).toEqual([]);
      expect(processesIn(place.dir)).toEqual([]);
    },
    PATIENCE_MS,
  );

  test(
    'a reader that goes away leaves nothing behind either',
    async () => {
      const place = demoPlace();
      expect(await runDemo(place, { deaf: true })).toMatchObject({ code: 0, stderr: '' });
      expect(filesBelow(place.dir)).toEqual([]);
      expect(processesIn(place.dir)).toEqual([]);
    },
    PATIENCE_MS,
  );
});

describe('a product with one thing broken', () => {
  const FAULTS: readonly { name: string; file: string; from: string; to: string; claim: RegExp }[] = [
    {
      name: 'tasks may skip states',
      file: 'domains/tasks/state-machine.js',
      from: "INIT: ['GATHER', 'CANCELLED']",
      to: "INIT: ['GATHER', 'DONE', 'CANCELLED']",
      claim: /straight to DONE is refused|the result of task_update has the documented shape/,
    },
    {
      name: 'receipts name other records',
      file: 'middleware/audit.js',
      from: 'const { seq, leaf } = appended;',
      to: "const { seq } = appended; const leaf = '0'.repeat(64);",
      claim: /every receipt that the client kept is in the ledger/,
    },
    {
      name: 'routes stop at their first provider',
      file: 'switchboard/route/route.js',
      from: '!tried.has(at)',
      to: '!tried.has(at) && at === 0',
      claim: /the route still answers/,
    },
    {
      name: 'verify does not look at contents',
      file: 'verify/evidence/thoughts.js',
      from: "[sayPointer('row', where, 'content is not what was digested')]",
      to: '[]',
      claim: /verify says 20/,
    },
  ];

  test.each(FAULTS)(
    '$name: it fails and says where',
    async ({ file, from, to, claim }) => {
      const place = demoPlace();
      const main = brokenBuild(place, file, from, to);
      const before = filesBelow(place.tmp);
      const { code, stdout, stderr } = await runDemo(place, { main, args: ['--json'] });
      expect(code).toBe(1);
      expect(stderr).toMatch(claim);
      expect(JSON.parse(stdout)).toMatchObject({ ok: false, failure: expect.stringMatching(claim) });
      expect(filesBelow(place.tmp)).toEqual(before);
      expect(processesIn(place.tmp)).toEqual([]);
    },
    PATIENCE_MS,
  );
});

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
    const moves = ended.flatMap(({ body }) => (body.changes ?? []).map(({ to }: Data) => to));
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
