// The chaos suite itself, as a person runs it: what it measures, and that it fails where something does not hold.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, type TestContext } from 'vitest';
import { descendants, eventually, isThere } from '../support/process-list.js';
import { freshPlace, type Message, type Place } from '../support/serve.js';
import { everything, fakeServer } from '../support/switchboard-file.js';

const RUN = fileURLToPath(new URL('../../chaos/run.mjs', import.meta.url));
const HTTP_SERVER = fileURLToPath(new URL('../servers/http-status.mjs', import.meta.url));

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>;
  stderr(): string;
}

const start = (place: Place, args: readonly string[]): Running => {
  const child = spawn(process.execPath, [RUN, ...args], { cwd: place.dir, env: place.env, stdio: 'pipe' });
  child.stdin.end();
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  place.onEnd(async () => {
    if (child.exitCode === null) child.kill('SIGKILL');
    await ended;
  });
  return { child, ended, stderr: () => stderr };
};

const only = (...kinds: readonly string[]): string[] => kinds.flatMap((kind) => ['--only', kind]);

/** Side by side, so each has a place of its own. */
const placeOf = ({ onTestFinished }: TestContext): Place => freshPlace(onTestFinished);

const rowOf = (report: Message, id: string): Message => report.rows.find((row: Message) => row.id === id);

const HELD = { hung: 0, ineligible: 0, twice: 0, faults: [] };

describe.concurrent('npm run chaos', { timeout: 240_000 }, () => {
  it('makes servers sick one after another, and everything holds', async (context) => {
    const place = placeOf(context);
    const { code, stdout } = await start(place, ['--json', ...only('hanging', 'crashing', 'garbage')]).ended;
    const report = JSON.parse(stdout) as Message;
    expect(report.faults).toEqual([]);
    expect(code).toBe(0);
    expect(report).toMatchObject({
      ok: true,
      scale: 20,
      skipped: [],
      left: [],
      totals: { servers: 5, hung: 0, ineligible: 0, twice: 0 },
      exit: { code: 0 },
      verify: { code: 0 },
      replay: { code: 0, text: expect.stringMatching(/^[\d,]+ transitions replayed, 0 differences$/) },
    });
    expect(report.rows.map(({ id }: Message) => id)).toEqual(['hanging', 'crashing', 'garbage']);
    // It answers its pings all the time, and is out all the same.
    expect(rowOf(report, 'hanging')).toMatchObject({ ...HELD, outBy: 'call_failures' });
    expect(rowOf(report, 'crashing')).toMatchObject({ ...HELD, outBy: 'lost' });
    for (const id of ['hanging', 'crashing']) {
      const row = rowOf(report, id);
      for (const figure of [row.detectionMs, row.outMs, row.recoveryMs]) expect(figure).toEqual(expect.any(Number));
      expect(row.detectionMs).toBeLessThanOrEqual(row.outMs);
      expect(row.calls['refused TOOL_UNAVAILABLE']).toBeGreaterThan(0);
      expect(row.others.before.calls).toBeGreaterThan(0);
      expect(row.others.meanwhile).toMatchObject({ p50Ms: expect.any(Number), worstMs: expect.any(Number) });
    }
    expect(rowOf(report, 'garbage')).toMatchObject({ ...HELD, detectionMs: null, transitions: [] });
  });

  it('fails where a server says that effects happened twice', async (context) => {
    const { code, stdout } = await start(placeOf(context), only('tells-twice')).ended;
    expect(stdout).toMatch(/BROKEN {2}tells-twice \(tells-twice\): \d+ effects happened twice/);
    expect(stdout).toMatch(/not everything held\s*$/);
    expect(code).toBe(1);
  });

  it('disturbs the servers of a file from outside, without its lies and its secrets', async (context) => {
    const place = placeOf(context);
    const http = spawn(process.execPath, [HTTP_SERVER], { env: place.env, stdio: ['pipe', 'pipe', 'ignore'] });
    place.onEnd(() => void http.kill('SIGKILL'));
    const [said] = await once(http.stdout, 'data');
    const url = `http://127.0.0.1:${/\d+/.exec(String(said))?.[0]}/mcp?key=\${SECRET}`;
    const calls = join(place.dir, 'calls');
    const file = join(place.dir, 'board.json');
    const board = {
      mcpServers: {
        plain: { ...fakeServer('plain', { CALLS: calls }) },
        everything: everything(),
        remote: { url },
        held: { command: 'node', args: [`\${NOT_SET}`] },
        off: { command: 'node', disabled: true },
      },
    };
    fs.writeFileSync(file, `// mine\n${JSON.stringify(board)}`);
    const before = fs.readFileSync(file, 'utf8');
    place.env.SECRET = 'sesame';
    const args = ['--config', 'board.json', '--json', '--tool', 'remote/echo={}', ...only('killed', 'refused')];

    const asked = await start(place, args).ended;
    expect(asked.code).toBe(2);
    expect(asked.stderr).toContain('nobody is there to be asked; add --yes to agree');

    const { code, stdout, stderr } = await start(place, [...args, '--yes']).ended;
    const report = JSON.parse(stdout) as Message;
    expect(report.faults).toEqual([]);
    expect(code).toBe(0);
    expect(report.rows.map(({ id, server }: Message) => `${server} ${id}`)).toEqual([
      'plain killed',
      'everything killed',
      'remote refused',
    ]);
    // Nothing of `plain` says that it changes nothing, so it was not called; checks alone saw the loss.
    expect(fs.existsSync(calls)).toBe(false);
    expect(report.rows[0]).toMatchObject({ detectedBy: 'STARTING', calls: {}, ineligible: null, twice: null });
    expect(report.rows[1].calls.ok).toBeGreaterThan(0);
    expect(report.rows[2]).toMatchObject({ ...HELD, outMs: expect.any(Number) });
    expect(report.skipped).toMatchObject([{ server: 'held', state: 'UNHEALTHY' }]);
    expect(stderr).toContain(`key=\${SECRET}`);
    expect(stdout + stderr).not.toContain('sesame');
    expect(fs.readFileSync(file, 'utf8')).toBe(before);
  });

  it('ends on a signal, and nothing is left', async (context) => {
    const place = placeOf(context);
    const { child, ended, stderr } = start(place, only('blocked'));
    await eventually('it is disturbing', () => stderr().includes('SIGSTOP'), 60_000);
    const started = descendants(child.pid ?? 0);
    expect(started.length).toBeGreaterThan(3);
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    expect(started.filter(isThere)).toEqual([]);
    expect(fs.readdirSync(place.env.TMPDIR ?? '')).toEqual([]);
  });

  it.each([
    [['--only', 'sick'], 'no kind sick; there are dead, hanging'],
    [['--scale', '0'], '--scale takes a number'],
    [['--tool', 'a/b'], '--tool goes with --config'],
    [['--config', 'nowhere.json'], 'there is no file'],
    [['--wrong'], "Unknown option '--wrong'"],
  ])('refuses %j', async (args, words) => {
    const place = freshPlace();
    const { code, stderr } = await start(place, args).ended;
    expect(stderr).toContain(words);
    expect(code).toBe(2);
  });
});
