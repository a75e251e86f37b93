// colibri status, and colibri alone on a terminal.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, vi } from 'vitest';
import { deepTest, describe as fastDescribe, test } from '../support/by-gate.js';
import { colibri, headsDir, rolledBackStore, usedStore, useMore } from '../support/command-line.js';
import { expectFits, peerOf } from '../support/command-output.js';
import { eventually } from '../support/process-list.js';
import { freshPlace, type Message } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { colourless, hasTerminals, onTerminal } from '../support/terminal.js';
import { status, statusJson } from './status.shared.js';

// Each starts a dozen processes, and others may be busy too.
vi.setConfig({ testTimeout: 120_000 });

describe('status', () => {
  test('living processes and their servers, failures of today', async () => {
    const place = freshPlace();
    writeBoard(place, { plain: fakeServer('plain'), dead: fakeServer('dead') });
    const [first, second] = [await peerOf(place, 'one'), await peerOf(place, 'two')];
    const settled = (text: string): boolean => /plain: STARTING → HEALTHY/.test(text) && /dead: .*UNHEALTHY/.test(text);
    for (const peer of [first, second]) await peer.until(() => settled(peer.stderr), 20_000);
    await first.call('task_get', { task_id: 'T-9' });
    await eventually(
      'both say how their servers are',
      async () => (await statusJson(place)).servers.length === 4,
      30_000,
    );
    const whole = await statusJson(place);
    expect(whole.processes.map(({ pid }: Message) => pid).toSorted()).toEqual([first.pid, second.pid].toSorted());
    expect(whole.processes[0]).toMatchObject({ mode: 'FULL', version: expect.stringMatching(/^\d/) });
    expect(whole.servers.map(({ server, state }: Message) => `${server} ${state}`).toSorted()).toEqual([
      'dead UNHEALTHY',
      'dead UNHEALTHY',
      'plain HEALTHY',
      'plain HEALTHY',
    ]);
    expect(whole.today).toMatchObject({ outcomes: { domain_error: 1 } });
    const ran = await status(place);
    expectFits(ran);
    expect(ran.stdout).toMatch(/servers +2 HEALTHY, 2 UNHEALTHY\n +dead UNHEALTHY for \d+ s in process \d+: exited/);
    expect(ran.stdout).toMatch(new RegExp(`pid ${second.pid}, up \\d+ s, FULL`));
    await first.end();
    await second.end();
    expect(await statusJson(place)).toMatchObject({ processes: [], servers: [] });
  });

  deepTest('a store that went back, heads that are gone, a store of another machine', async () => {
    const { place, log } = await rolledBackStore();
    const ran = await status(place);
    expect(ran.code).toBe(0);
    expectFits(ran);
    expect(ran.stdout.replace(/\n +/g, ' ')).toMatch(
      /THE STORE WENT BACK: \d+ records of .* were signed, this store has \d+\. See: colibri restore/,
    );
    expect((await statusJson(place)).logs[0]).toMatchObject({ known_head: { standing: 'lost' } });
    fs.rmSync(join(headsDir(place), log), { recursive: true });
    expect((await status(place)).stdout).toContain('no head is known outside the store');
    expect((await statusJson(place)).custody).toMatchObject({ heads: 'none' });
    fs.writeFileSync(join(headsDir(place), log), 'no folder');
    expect(await status(place)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/heads in .* cannot be read/s),
    });
  });

  deepTest('several logs', async () => {
    const { place, log } = await usedStore();
    await colibri(place, ['checkpoint', '--rotate', '--yes']);
    await useMore(place, 2);
    const whole = await statusJson(place);
    expect(whole.other_logs).toBe(1);
    expect(whole.logs).toHaveLength(1);
    expect(whole.logs[0].log).not.toBe(log);
    expect(whole.today.ended).toBe(5);
    expect((await status(place)).stdout).toContain('1 other log in this store');
  });
});

fastDescribe.runIf(hasTerminals)('on a terminal', () => {
  test('colibri alone: what it is, where its data is, what to try', async () => {
    const place = freshPlace();
    const { code, stdout } = onTerminal(place, [], 80);
    expect(code).toBe(0);
    const text = colourless(stdout);
    expectFits({ stdout: text });
    expect(text).toMatch(/^Colibri \d.*\n.*ledger.*\n\n/);
    expect(text).toContain(`data      ${place.db}\n          (COLIBRI_DB_PATH; created when a client first connects)`);
    for (const command of ['demo', 'init', 'status']) expect(text).toMatch(new RegExp(`^ {2}colibri ${command} `, 'm'));
    expect(fs.existsSync(place.db)).toBe(false);
    const bad = onTerminal(place, [], 80, { COLIBRI_MODE: 'sideways' });
    expect(bad).toMatchObject({ code: 0, stdout: expect.stringContaining('COLIBRI_MODE="sideways" is not allowed') });
  });
});

test('colibri alone without a terminal serves', async () => {
  const ran = await colibri(freshPlace(), [], { input: '' });
  expect(ran).toMatchObject({ code: 0, stdout: '' });
  expect(ran.stderr).toContain('store open after');
});
