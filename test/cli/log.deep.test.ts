// colibri log: what was called, one line each; one call in full; why it went as it went; and following along.
import '../support/deep-part.js';
import './log.test.js';
import * as fs from 'node:fs';
import { describe, expect, test, vi } from 'vitest';
import { colibri, json, rows, SECRET, usedStore, useMore } from '../support/command-line.js';
import {
  appendRecords,
  expectClearRefusals,
  expectFits,
  onScreen,
  peerOf,
  Running,
  traces,
} from '../support/command-output.js';
import { receiptOf } from '../support/ledger-check.js';
import { serverPid } from '../support/process-list.js';
import { freshPlace, type Message, session } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';
import { colourless, hasTerminals, onTerminal } from '../support/terminal.js';
import { calls, listTasksAs, log, mixedStore, soon } from './log.shared.js';

// Each starts a dozen processes, and others may be busy too.
vi.setConfig({ testTimeout: 120_000 });
const toolsOf = (listed: readonly Message[]): string[] => listed.map(({ tool }) => tool);

describe('the list', () => {
  test('every filter leaves exactly what it says', async () => {
    const { place, session_id } = await mixedStore();
    const cases: Readonly<Record<string, string>> = {
      '--tool task_update --tool task_create': 'task_update task_create',
      '--outcome rejected': 'nobody_has_it task_get',
      '--outcome DOMAIN_ERROR': 'task_get task_get',
      '--client cursor': 'nobody_has_it task_get task_get task_get task_get',
      '--client cursor --outcome ok': 'task_get',
      '--client curs': '',
      '--client CURSOR': '',
      '--task 1': 'task_get task_update task_create',
      '--task T-9': 'task_get',
      '--server nobody': '',
      '--limit 2': 'nobody_has_it task_get',
      '--since 2h --limit 1': 'nobody_has_it',
      '--until 2h': '',
      '--since yesterday --until 2020-01-01': '',
    };
    for (const [args, tools] of Object.entries(cases)) {
      expect(toolsOf(await calls(place, ...args.split(' '))).join(' '), args).toBe(tools);
    }
    expect(toolsOf(await calls(place, '--session', session_id))).toEqual(['thought_record', 'audit_session_start']);
    const all = await calls(place);
    const middle = all[4]?.ended_at ?? '';
    expect(await calls(place, '--until', middle)).toEqual(all.filter(({ ended_at }) => ended_at < middle));
    expect(await calls(place, '--since', middle)).toEqual(all.filter(({ ended_at }) => ended_at >= middle));
    expect(await log(place, '--client', 'nobody')).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No record matches the filters.\n',
    });
  });

  test('other records than calls', async () => {
    const { place } = await mixedStore();
    const ran = await log(place, '--kind', 'boot', '--kind', 'shutdown', '--kind', 'seal');
    expectFits(ran);
    const kinds = ran.stdout
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(/ {2,}/)[1]);
    expect(kinds.filter((kind) => kind === 'boot')).toHaveLength(2);
    expect(kinds.slice(0, 2)).toContain('shutdown');
    const { records } = json(await log(place, '--kind', 'boot', '--json'));
    expect(records).toMatchObject([
      { kind: 'boot', mode: 'FULL' },
      { kind: 'boot', mode: 'FULL' },
    ]);
    expect((await log(place, '--kind', 'bot')).stderr).toContain('no records of kind "bot"; the nearest is boot');
  });

  test('mistakes are one line', async () => {
    const { place } = await usedStore();
    const mistakes: readonly (readonly [string[], RegExp])[] = [
      [['--outcome', 'fialed'], /no outcome "fialed"; the nearest is failed/],
      [['--since', '2026-02-31'], /--since "2026-02-31" is not a time/],
      [['--task', 'x'], /is not a task/],
      [['--limit', '0'], /from 1 to/],
      [['--kind', 'boot', '--outcome', 'ok'], /are about calls/],
      [['--follow', '--until', 'today'], /exclude each other/],
      [['--follow', '1'], /does not go with a record/],
      [['--explain'], /needs a call/],
      [['--explain', '0'], /Only a call can be explained/],
      [['77777'], /No log has a record 77777/],
      [['0199a2f4-0000-7000-8000-000000000000'], /no call and no thought/],
      [Array.from({ length: 21 }, () => ['--tool', 'x']).flat(), /given 21 times/],
    ];
    for (const [args, told] of mistakes) {
      const ran = await log(place, ...args);
      expect(ran, args.join(' ')).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(told) });
      expect(ran.stderr.trim().split('\n')).toHaveLength(1);
    }
  });

  test('stores that cannot be looked at', async () => {
    const { place } = await usedStore();
    for (const args of [['log'], ['log', '--follow'], ['log', '1']]) await expectClearRefusals(place, args);
  });

  test('nothing is written', async () => {
    const { place, receipts } = await usedStore();
    const before = traces(place);
    for (const args of [
      [],
      ['--task', '1'],
      ['--all'],
      [receipts[1]?.call ?? ''],
      ['--explain', receipts[1]?.call ?? ''],
    ]) {
      expect(await log(place, ...args), args.join(' ')).toMatchObject({ code: 0 });
    }
    expect(traces(place)).toEqual(before);
    expect(await colibri(place, ['log'], { env: { COLIBRI_MODE: 'READONLY' } })).toMatchObject({ code: 0 });
  });

  test('names that were written to fool a terminal, and wide ones', async () => {
    const place = freshPlace();
    const peer = await peerOf(place, '蜂蜜クライアント\u001b[2J\u202e');
    for (const tool of [
      '\u001b]0;title\u0007',
      '工具'.repeat(30),
      '👩‍👩‍👧'.repeat(12),
      'e\u0301'.repeat(100),
      'x'.repeat(300),
    ]) {
      await peer.call(tool, { a: '\u009b2J' });
    }
    await peer.end();
    const ran = await log(place);
    expectFits(ran);
    expect(ran.stdout).toContain('\\u001b');
    expect(ran.stdout).toContain('工具');
    for (const { seq } of await calls(place)) {
      expectFits(await log(place, String(seq)));
      expectFits(await log(place, '--explain', String(seq)));
    }
    const raw = await log(place, '--json');
    expect(raw.stdout.replaceAll('\n', '')).not.toMatch(/\p{Cc}|\u202e/u);
    expect(json(raw).calls.at(-1)).toMatchObject({ client: { name: '蜂蜜クライアント\u001b[2J\u202e' } });
  });

  test('a store of several logs: records are named with theirs, and all are in one order', async () => {
    const { place, log: old } = await usedStore();
    await colibri(place, ['checkpoint', '--rotate', '--yes']);
    await useMore(place, 2);
    const listed = await calls(place);
    expect(toolsOf(listed)).toEqual(['server_ping', 'server_ping', 'thought_record', 'task_update', 'task_create']);
    const ran = await log(place);
    expectFits(ran);
    expect(ran.stdout).toMatch(new RegExp(`task_create .* ${old.slice(0, 4)}[0-9a-f]*/\\d+$`, 'm'));
    const place1 = /(\S+\/\d+)$/m.exec(ran.stdout.split('\n').at(-2) ?? '')?.[1] ?? '';
    expect(await log(place, place1)).toMatchObject({ code: 0, stdout: expect.stringContaining('task_create  ok') });
  });
});

describe('how far it looks', () => {
  const AT = new Date(Date.now() - 60_000).toISOString();
  const filler = (first: number) => (_: unknown, i: number) => {
    const sequence_no = first + 2 * Math.floor(i / 2);
    const call = `3b241101-e2bb-4255-8caf-${String(sequence_no).padStart(12, '0')}`;
    const enter = {
      kind: 'call.enter',
      instance: 'x',
      call,
      tool: 'filler',
      effect: 'read',
      client: null,
      args: 'empty',
    };
    const exit = { kind: 'call.exit', sequence_no, call, tool: 'filler', outcome: 'ok', duration_us: 5 };
    return { at: AT, record: i % 2 === 0 ? enter : exit };
  };

  test('100,000 records unless all are asked for, and it says so', async () => {
    const { place, receipts } = await usedStore();
    const [{ size = 0 } = {}] = rows<{ size: number }>(place, 'SELECT size FROM logs');
    await appendRecords(place, Array.from({ length: 100_002 }, filler(size)));
    const bounded = await log(place, '--tool', 'task_create');
    expect(bounded).toMatchObject({ code: 0, stdout: '' });
    expect(bounded.stderr).toMatch(/^Searched the newest 100,000 records, back to .*; --all searches the rest\.$/m);
    expect(json(await log(place, '--tool', 'task_create', '--json'))).toMatchObject({
      calls: [],
      looked_through: 100_000,
      stopped_at: AT,
      more: true,
    });
    expect(toolsOf(await calls(place, '--tool', 'task_create', '--all'))).toEqual(['task_create']);
    // A time bounds it too: the records after it are not gone through.
    const before = new Date(Date.parse(AT) - 3_600_000).toISOString();
    expect(json(await log(place, '--tool', 'task_create', '--until', before, '--json'))).toMatchObject({
      looked_through: 0,
      more: false,
    });
    expect(await log(place, String(receipts[0]?.seq))).toMatchObject({ code: 0 });
    const status = json(await colibri(place, ['status', '--json']));
    expect(status.today.counted_since === null || status.today.ended <= 50_000).toBe(true);
  });
});

describe('one call', () => {
  test('the command it names proves it', async () => {
    const { place, receipts } = await usedStore();
    const { stdout } = await log(place, receipts[0]?.call ?? '');
    const [, args = ''] = /proof +colibri (prove .*)$/m.exec(stdout) ?? [];
    expect(await colibri(place, args.split(' '))).toMatchObject({ code: 0 });
    expect(await colibri(place, ['verify', 'call.proof'])).toMatchObject({ code: 0 });
  });

  test('arguments that are erased, digested, or not kept are told apart', async () => {
    const { place, receipts, thought } = await usedStore();
    const [, update, record] = receipts;
    await colibri(place, ['erase', update?.call ?? '', thought, '--reason', 'x', '--yes']);
    expect((await log(place, update?.call ?? '')).stdout).toMatch(/arguments erased or pruned/);
    const erased = await log(place, record?.call ?? '');
    expect(erased.stdout).toContain('decision by raw: (erased; its hash stays)');
    expect(erased.stdout).not.toContain(SECRET);
    for (const [policy, told] of [
      ['digest', /only their digest is kept/],
      ['none', /arguments not kept/],
    ] as const) {
      const env = { COLIBRI_AUDIT_PAYLOADS: policy };
      const { value } = await session(place, (peer) => peer.call('task_get', { task_id: 'T-0001' }), { env });
      expect((await log(place, receiptOf(value)?.call ?? '')).stdout, policy).toMatch(told);
    }
    const { value } = await session(place, (peer) => peer.call('server_ping'));
    expect((await log(place, receiptOf(value)?.call ?? '')).stdout).toMatch(/arguments none were given/);
  });

  test('a record that is no call shows what it says', async () => {
    const { place } = await usedStore();
    const ran = await log(place, '0');
    expect(ran.code).toBe(0);
    expectFits(ran);
    expect(ran.stdout).toMatch(/^migrate\n/);
  });
});

describe('why', () => {
  test('a server that may get no calls: the health record that put it there is named', async () => {
    const place = freshPlace();
    writeBoard(place, { plain: { ...fakeServer('plain'), health: { failuresToQuarantine: 1, cooldownMs: 600_000 } } });
    const peer = await peerOf(place, 'claude-code');
    await peer.until(() => peer.stderr.includes('plain: STARTING → HEALTHY'), 20_000);
    await peer.call('plain__echo', {});
    process.kill(serverPid(peer.pid, 'plain.mjs'), 'SIGKILL');
    await peer.until(() => peer.stderr.includes('HEALTHY → QUARANTINE'), 20_000);
    const refused = receiptOf(await peer.call('plain__echo', {}));
    const ran = await log(place, '--explain', refused?.call ?? '');
    expectFits(ran);
    const text = ran.stdout.replace(/\n {2}/g, ' ');
    expect(text).toContain('Colibri refused the call: plain__echo did not run.');
    expect(text).toContain('TOOL_UNAVAILABLE:');
    expect(text).toMatch(/plain was QUARANTINE since .* from HEALTHY\): lost, its connection was lost/);
    const [, seq = ''] = /\(record (\d+), from HEALTHY\)/.exec(text) ?? [];
    expect((await log(place, seq)).stdout).toMatch(/plain: HEALTHY → QUARANTINE/);
    expect(toolsOf(await calls(place, '--server', 'plain'))).toEqual(['plain__echo', 'plain__echo']);
    const { records } = json(await log(place, '--kind', 'health', '--server', 'plain', '--json'));
    expect(records.map(({ to }: Message) => to)).toEqual(['QUARANTINE', 'HEALTHY']);
    const status = await onScreen(place, ['status']);
    expectFits(status);
    expect(status.stdout).toMatch(/servers +1 QUARANTINE\n +plain QUARANTINE for \d+ s: /);
    await peer.end();
  });

  test('an answer that says it failed is no success', async () => {
    const place = freshPlace();
    const provider = { command: 'node', args: [...(fakeServer('provider').args as string[]), 'one'] };
    writeBoard(place, { one: provider });
    const peer = await peerOf(place, 'claude-code');
    await peer.until(() => peer.stderr.includes('one: STARTING → HEALTHY'), 20_000);
    const { call, seq } = receiptOf(await peer.call('one__act', { id: 'x', no: true })) ?? { call: '', seq: 0 };
    await peer.end();
    const text = (await log(place, '--explain', call)).stdout.replace(/\n {2}/g, ' ');
    expect(text).toMatch(
      /one received the call of one__act, and the server answered with an error \(isError\)\. The recorded outcome is ok because/,
    );
    expect(text).not.toContain('one__act succeeded');
    expect((await log(place)).stdout).toMatch(new RegExp(`one__act +id=x +is_error .* claude-code +${seq}$`, 'm'));
    expect((await log(place, call)).stdout).toMatch(
      /^outcome +is_error: the server answered with an error \(isError\)/m,
    );
  });

  test('the note about its route is told, candidate by candidate and try by try', async () => {
    const { place } = await usedStore();
    const at = new Date().toISOString();
    const instance = '0192f0c1-0000-7000-8000-000000000001';
    const call = '3b241101-e2bb-4255-8caf-4136c566a962';
    const health = (server: string, to: string, detail: string | null) => ({
      at,
      record: {
        kind: 'health',
        instance,
        server,
        from: 'HEALTHY',
        to,
        cause: 'call_failures',
        detail,
        event: {},
        before: {},
        now_ms: 1,
      },
    });
    const size = rows<{ size: number }>(place, 'SELECT size FROM logs')[0]?.size ?? 0;
    const sequence_no = size + 2;
    const route = {
      name: 'search:internet',
      candidates: [
        { server: 'brave', tool: 'web_search', state: 'QUARANTINE', eligible: false, reason: 'call_failures' },
        { server: 'late', tool: 'search', state: 'STARTING', eligible: true },
        { server: 'other', tool: 'search', state: 'HEALTHY', eligible: true },
      ],
      attempts: [
        { server: 'late', tool: 'search', how: 'error', code: '-32603', sent: true, duration_ms: 900 },
        { server: 'other', tool: 'search', how: 'lost', code: 'OUTCOME_UNKNOWN', sent: true, duration_ms: 12.5 },
      ],
    };
    await appendRecords(place, [
      health('brave', 'QUARANTINE', '3 call failures in a row'),
      health('brave-2', 'UNHEALTHY', 'another one'),
      {
        at,
        record: {
          kind: 'call.enter',
          instance,
          call,
          tool: 'search_internet',
          effect: 'proxy',
          client: null,
          args: 'empty',
        },
      },
      {
        at,
        record: {
          kind: 'call.exit',
          sequence_no,
          call,
          tool: 'search_internet',
          outcome: 'failed',
          code: 'OUTCOME_UNKNOWN',
          route,
        },
      },
    ]);
    const text = (await log(place, '--explain', call)).stdout.replace(/\n {2}/g, ' ');
    expect(text).toContain('The route search:internet names these tools, in this order:');
    expect(text).toContain('1. web_search of brave: QUARANTINE, may not get calls (call_failures).');
    expect(text).toContain('2. search of late: STARTING, the call waited for it and then was sent.');
    expect(text).toContain('3. search of other: HEALTHY, may get calls.');
    expect(text).toContain('Try 2: search of other, sent; the connection was lost (OUTCOME_UNKNOWN), after 13 ms.');
    expect(text).toMatch(/brave was QUARANTINE since .*: call_failures, 3 call failures in a row\./);
    expect(text).toContain('There is no health record of other shortly before this call');
    expect(text).toContain('Check whether the work was done before you call the tool again.');
    expect(toolsOf(await calls(place, '--server', 'brave'))).toEqual(['search_internet']);
    expect(toolsOf(await calls(place, '--outcome', 'unknown'))).toEqual(['search_internet']);
    expect(json(await colibri(place, ['status', '--json'])).today).toMatchObject({
      unknown: 1,
      outcomes: { failed: 1 },
    });
  });

  test('a mode that does not admit the tool is named', async () => {
    const { place } = await usedStore();
    const at = new Date().toISOString();
    const size = rows<{ size: number }>(place, 'SELECT size FROM logs')[0]?.size ?? 0;
    const [boot] = rows<{ body: string }>(place, `SELECT body FROM actions WHERE kind = 'boot'`);
    const { instance } = JSON.parse(boot?.body ?? '{}');
    const call = '3b241101-e2bb-4255-8caf-4136c566a962';
    await appendRecords(place, [
      { at, record: { kind: 'call.enter', instance, call, tool: 't', client: null, args: 'empty' } },
      {
        at,
        record: {
          kind: 'call.exit',
          sequence_no: size,
          call,
          tool: 't',
          outcome: 'rejected',
          code: 'TOOL_NOT_ADMITTED',
        },
      },
    ]);
    expect((await log(place, '--explain', call)).stdout).toContain(
      'The Colibri process of this call runs in mode FULL.',
    );
  });

  test('a route that went to its second server', async () => {
    const place = freshPlace();
    const provider = (name: string) => ({
      command: 'node',
      args: [...(fakeServer('provider').args as string[]), name],
      health: { failuresToQuarantine: 1, cooldownMs: 600_000 },
    });
    writeBoard(place, { one: provider('one'), two: provider('two') }, { routes: { 'do:it': ['one/act', 'two/act'] } });
    const peer = await peerOf(place, 'claude-code');
    const seen = (text: string) => peer.until(() => peer.stderr.includes(text), 20_000);
    await seen('one: STARTING → HEALTHY');
    await seen('two: STARTING → HEALTHY');
    process.kill(serverPid(peer.pid, 'provider.mjs one'), 'SIGKILL');
    await seen('one: HEALTHY → QUARANTINE');
    const done = await peer.call('do__it', { id: 'x' });
    expect(done.result.content[0].text).toBe('two x');
    const { seq, call } = receiptOf(done) ?? { seq: 0, call: '' };
    const ran = await log(place, '--explain', call);
    expectFits(ran);
    const text = ran.stdout.replace(/\n {2}/g, ' ');
    expect(text).toContain('do__it succeeded.');
    expect(text).toContain('The route do:it names these tools, in this order:');
    expect(text).toContain('1. act of one: QUARANTINE, may not get calls (lost).');
    expect(text).toContain('2. act of two: HEALTHY, may get calls.');
    expect(text).toMatch(/Try 1: act of two, sent; it answered, after /);
    expect(text).toMatch(/one was QUARANTINE since .*: lost, its connection was lost/);
    for (const server of ['one', 'two']) {
      expect((await calls(place, '--server', server)).map((listed) => listed.seq)).toEqual([seq]);
    }
    await peer.end();
  });
});

describe('following', () => {
  test('with a filter, as text', async () => {
    const { place } = await usedStore();
    const following = new Running(place, ['log', '-f', '--tool', 'task_list', '--client', 'two']);
    await soon('the head', () => following.lines.length === 1);
    await listTasksAs(place, 'one', 1);
    await listTasksAs(place, 'two', 2);
    await soon('both', () => following.lines.length >= 3);
    following.kill('SIGTERM');
    expect(await following.ended).toEqual({ code: 0, signal: null });
    expectFits(following);
    expect(following.lines).toHaveLength(3);
    expect(following.lines[1]).toMatch(/task_list +ok .* two /);
  });

  test('before there is a store it waits for one, unless the store was named', async () => {
    const named = freshPlace();
    expect(await log(named, '--follow')).toMatchObject({ code: 1, stderr: expect.stringContaining('no store at') });

    const { COLIBRI_DB_PATH, ...env } = named.env;
    const place = { ...named, env };
    fs.mkdirSync(`${place.dir}/.colibri`);
    const [text, asData] = [[], ['--json']].map((args) => new Running(place, ['log', '--follow', ...args]));
    await soon('the words', () => text?.lines.length === 2 && asData?.stderr.includes('Waiting') === true);
    expect(text?.stdout).toMatch(/^Nothing is recorded yet: .*\.colibri\/colibri\.db .*\nWaiting for a client/);
    const [seq] = await listTasksAs(place, 'first', 1);
    await soon('the call', () => text?.lines.length === 4 && asData?.lines.length === 1);
    expect(asData?.messages).toMatchObject([{ seq, tool: 'task_list' }]);
    expect(text?.lines[3]).toMatch(/task_list +ok .* first /);
    for (const one of [text, asData]) {
      one?.kill('SIGINT');
      expect(await one?.ended).toEqual({ code: 0, signal: null });
    }
  });

  test('Ctrl-C ends it while it waits', async () => {
    const { COLIBRI_DB_PATH, ...env } = freshPlace().env;
    const place = { ...freshPlace(), env };
    const waiting = new Running(place, ['log', '--follow']);
    await soon('the words', () => waiting.lines.length === 2);
    waiting.kill('SIGINT');
    expect(await waiting.ended).toEqual({ code: 0, signal: null });
    expect(waiting.stderr).toBe('');
  });

  test('a reader that has seen enough ends it with the next call', async () => {
    const { place } = await usedStore();
    const following = new Running(place, ['log', '--follow']);
    await soon('the first lines', () => following.lines.length >= 4);
    following.closePipe();
    await listTasksAs(place, 'one', 5);
    expect(await following.ended).toEqual({ code: 0, signal: null });
    expect(following.stderr).toBe('');
  });

  test('a store that was replaced is told', async () => {
    const { place } = await usedStore();
    const following = new Running(place, ['log', '--follow']);
    await soon('the first lines', () => following.lines.length >= 4);
    fs.renameSync(place.db, `${place.db}.away`);
    expect(await following.ended).toEqual({ code: 1, signal: null });
    expect(following.stderr).toMatch(/was replaced by another file\. Start following again\.\n$/);
  });
});

describe.runIf(hasTerminals)('on a terminal', () => {
  test('as wide as it is, in colour unless NO_COLOR', async () => {
    const { place } = await mixedStore();
    for (const width of [60, 80, 120]) {
      const { code, stdout } = onTerminal(place, ['log'], width);
      expect(code).toBe(0);
      expect(stdout).toContain('\u001b[');
      expectFits({ stdout: colourless(stdout) }, width);
    }
    const bare = onTerminal(place, ['log'], 80, { NO_COLOR: '1' });
    expect(bare.stdout).not.toContain('\u001b[');
    expect(onTerminal(place, ['log'], 120).stdout).toContain('TOOL_NOT_FOUND');
  });
});

test('a call that was cancelled after it was sent: nobody knows whether it did its work', async () => {
  const place = freshPlace();
  writeBoard(place, { plain: fakeServer('plain') });
  const peer = await peerOf(place, 'claude-code');
  await peer.until(() => peer.stderr.includes('plain: STARTING → HEALTHY'), 20_000);
  peer.send({ jsonrpc: '2.0', id: 'h', method: 'tools/call', params: { name: 'plain__hang', arguments: {} } });
  await soon('the call is recorded', async () => (await calls(place, '--outcome', 'running')).length === 1);
  peer.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'h' } });
  await soon('it is cancelled', async () => (await calls(place, '--outcome', 'cancelled')).length === 1);
  const [cancelled] = await calls(place, '--outcome', 'unknown');
  expect(cancelled).toMatchObject({ tool: 'plain__hang', outcome: 'cancelled', code: null, unknown: true });
  expect(json(await colibri(place, ['status', '--json'])).today).toMatchObject({ running: 0, unknown: 1 });
  const text = (await log(place, '--explain', cancelled?.call ?? '')).stdout.replace(/\n {2}/g, ' ');
  expect(text).toContain('The client cancelled plain__hang. The call had been sent: the MCP server may or may not');
  expect(text).not.toContain('text of the answer');
});

test('a call whose process dies: running, then lost and unknown, then interrupted', async () => {
  const place = freshPlace();
  writeBoard(place, { plain: fakeServer('plain') });
  const peer = await peerOf(place, 'claude-code');
  await peer.until(() => peer.stderr.includes('plain: STARTING → HEALTHY'), 20_000);
  peer.send({ jsonrpc: '2.0', id: 'h', method: 'tools/call', params: { name: 'plain__hang', arguments: {} } });
  await soon('the call is recorded', async () => (await calls(place, '--outcome', 'running')).length === 1);
  expect(json(await colibri(place, ['status', '--json'])).today).toMatchObject({ running: 1, unknown: 0 });
  await peer.kill('SIGKILL');
  const [lost] = await calls(place, '--outcome', 'lost');
  expect(lost).toMatchObject({ tool: 'plain__hang', outcome: 'lost', unknown: true, ended_at: null });
  expect(await calls(place, '--outcome', 'running')).toEqual([]);
  expect((await log(place, lost?.call ?? '')).stdout).toContain('its process died');
  const status = await onScreen(place, ['status']);
  expectFits(status);
  expect(status.stdout).toMatch(/unknown +1 call may or may not have had its\s+effect/);
  expect(status.stdout).toMatch(/1 process died/);
  await useMore(place, 1);
  const [closed] = await calls(place, '--outcome', 'unknown');
  expect(closed).toMatchObject({ call: lost?.call, outcome: 'interrupted', unknown: true });
  expect((await log(place, '--explain', lost?.call ?? '')).stdout.replace(/\n {2}/g, ' ')).toContain(
    'The MCP server may or may not have done the work',
  );
});
