// colibri status, and colibri alone on a terminal.
import '../support/deep-part.js';
import './status.test.js';
import * as fs from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import { colibri, json, rolledBackStore, usedStore } from '../support/command-line.js';
import { expectClearRefusals, expectFits, traces } from '../support/command-output.js';
import { freshPlace, session } from '../support/serve.js';
import { colourless, hasTerminals, onTerminal } from '../support/terminal.js';
import { status, statusJson } from './status.shared.js';

// Each starts a dozen processes, and others may be busy too.
vi.setConfig({ testTimeout: 120_000 });

describe('status', () => {
  test('what is there, how it grew, how it is signed, who holds what, what is not covered', async () => {
    const { place, log } = await usedStore();
    const ran = await status(place);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expectFits(ran);
    const size = (await statusJson(place)).store.records;
    expect(ran.stdout).toContain(`store     ${place.db}\n          (COLIBRI_DB_PATH)\n`);
    expect(ran.stdout).toMatch(
      new RegExp(`, ${size} records, .* a record\\n +grew by ${size} records in 24 h, ${size} in 7 d`),
    );
    expect(ran.stdout).toContain(`ledger    log ${log}\n          ${size} records, all signed`);
    expect(ran.stdout).toContain(`newest known head: ${size}, the same`);
    expect(ran.stdout).toContain('custody   key: readable by the user this runs as');
    expect(ran.stdout).toContain('heads: same disk');
    expect(ran.stdout).toMatch(/not +what an agent does with its client's own tools/);
    expect(ran.stdout).toContain('tasks     1 open, 0 blocked, 0 leased\n          1 GATHER');
    expect(ran.stdout).toContain('processes none runs');
    expect(ran.stdout).toMatch(/today +3 calls: 3 ok, 0 running\n/);
    expect(ran.stdout).toContain('unknown   none');
    const whole = await statusJson(place);
    expect(whole).toMatchObject({
      project: { name: null },
      store: { path: place.db, bytes: fs.statSync(place.db).size, last_24_h: size, last_7_d: size },
      logs: [{ log, own: true, size, signed_size: size, root: expect.stringMatching(/^[0-9a-f]{64}$/) }],
      tasks: { states: { GATHER: 1, DONE: 0 }, leased: 0 },
      processes: [],
      today: { ended: 3, outcomes: {}, running: 0, unknown: 0, counted_since: null },
    });
    const signed = json(await colibri(place, ['checkpoint', '--json']));
    expect(signed).toMatchObject({ size, root: whole.logs[0].root });
  });

  test('the project and the rule that chose it', async () => {
    const { place } = await usedStore();
    const dir = join(place.dir, 'hive');
    fs.mkdirSync(join(dir, '.git'), { recursive: true });
    expect((await status(place, '--project', dir)).stdout).toContain('project   hive (--project)\n');
    const env = { CLAUDE_PROJECT_DIR: dir };
    expect((await colibri(place, ['status'], { env })).stdout).toContain('project   hive (CLAUDE_PROJECT_DIR)\n');
  });

  test('what is older than today, than a day, than a week', async () => {
    const { place } = await usedStore();
    const size = (await statusJson(place)).store.records;
    const db = new Database(place.db);
    const age = (days: number): void => {
      const at = new Date(Date.now() - days * 86_400_000).toISOString();
      db.prepare(`UPDATE actions SET at = ?`).run(at);
    };
    const grown = { today: { ended: 0 }, store: { last_24_h: 0, last_7_d: size } };
    age(2);
    expect(await statusJson(place)).toMatchObject(grown);
    expect(json(await colibri(place, ['log', '--since', 'today', '--json']))).toMatchObject({
      calls: [],
      looked_through: 0,
    });
    expect(json(await colibri(place, ['log', '--since', '3d', '--json'])).calls).toHaveLength(3);
    age(8);
    expect(await statusJson(place)).toMatchObject({ store: { last_24_h: 0, last_7_d: 0 } });
    db.close();
  });

  test('an empty store, stores that cannot be looked at; nothing is written', async () => {
    const { place } = await usedStore();
    await expectClearRefusals(place, ['status']);
    const before = traces(place);
    expect(await status(place)).toMatchObject({ code: 0 });
    expect(await status(place, '--json')).toMatchObject({ code: 0 });
    expect(traces(place)).toEqual(before);

    const fresh = freshPlace();
    await session(fresh, async () => {});
    const ran = await status(fresh);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    expect(ran.stdout).toMatch(/tasks +none\n/);
    expect(ran.stdout).toMatch(/today +no calls\n/);
    expect(await colibri(fresh, ['log'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No calls are recorded yet.\n',
    });
    expect(await colibri(fresh, ['log', '--tool', 'task_get'])).toMatchObject({
      stderr: 'No record matches the filters.\n',
    });
    expect(await colibri(fresh, ['tasks'])).toMatchObject({ code: 0, stdout: expect.stringContaining('0 open') });
  });

  test('help with examples fits the screen', async () => {
    const place = freshPlace();
    for (const name of ['status', 'log', 'tasks']) {
      const help = await colibri(place, [name, '--help']);
      expectFits(help);
      expect(help.stdout).toMatch(new RegExp(`^ {2}colibri ${name} .*[a-z]`, 'm'));
      expect(help.stdout).toContain('Exit codes: 0, 1');
      expect(help.stdout).toContain('--json');
    }
  });
});

describe.runIf(hasTerminals)('on a terminal', () => {
  test('status in colour where something needs a person', async () => {
    const { place } = await rolledBackStore();
    const { stdout } = onTerminal(place, ['status'], 80);
    expect(stdout).toContain('\u001b[31m');
    expectFits({ stdout: colourless(stdout) });
    expectFits({ stdout: colourless(onTerminal(place, ['status'], 50).stdout) }, 50);
    expect(onTerminal(place, ['status'], 80, { NO_COLOR: '1' }).stdout).not.toContain('\u001b[');
  });
});
