// Every server of test/servers/ that misbehaves, and what a dial or a call makes of it.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { connectionDigest } from '../../src/switchboard/connection.js';
import { dialFor } from '../../src/switchboard/dial.js';
import type { LinkRequest } from '../../src/switchboard/link.js';
import { callTool, isThere, type LinkPlace, linkPlace, serverFile, textOf, until } from './link-place.js';

describe('a dial', () => {
  it('of a command that is not there', async () => {
    const place = linkPlace();
    const { end } = await place.dial(place.stdio('no-such-command-here', []));
    expect(end).toEqual({ fault: 'spawn_error', text: 'the command "no-such-command-here" was not found' });
  });

  it('of a file that may not be executed', async () => {
    const place = linkPlace();
    const file = join(place.dir, 'plain.txt');
    fs.writeFileSync(file, 'not a program');
    const { end } = await place.dial(place.stdio(file, []));
    expect(end).toMatchObject({ fault: 'spawn_error', text: expect.stringContaining('EACCES') });
  });

  it('in a directory that is not there, and of what no process can be given', async () => {
    const place = linkPlace();
    const connection = { ...place.connection(process.execPath, []), cwd: join(place.dir, 'gone') };
    const { end } = await place.dial(dialFor({ connection, written: connection }, place.deps));
    expect(end).toMatchObject({ fault: 'spawn_error', text: expect.stringContaining('does not exist') });
    const { end: odd } = await place.dial(place.stdio(process.execPath, ['a\0b']));
    expect(odd).toMatchObject({ fault: 'spawn_error' });
    expect((await place.dial(place.http('no url'))).end).toMatchObject({ fault: 'spawn_error' });
  });

  it('of a server that exits at once: its last words are kept', async () => {
    const place = linkPlace();
    const { end } = await place.dial(place.fake('dead'));
    expect(end).toEqual({ fault: 'exited', text: 'exited with code 3: Error: no licence found' });
    expect(place.deps.eras.verdicts.size).toBe(0);
  });

  it('of a server that dies of the question for its era: it is started anew and remembered', async () => {
    const place = linkPlace();
    const link = await place.link(place.fake('probe-dies'));
    expect(link.era).toBe('legacy');
    expect([...place.deps.eras.verdicts.values()]).toMatchObject([{ era: 'legacy' }]);
    expect((await place.link(place.fake('probe-dies'))).era).toBe('legacy');
  });

  it.each([
    ['plain', 'legacy', { era: 'modern', version: '2026-07-28', at: Date.now() }],
    ['modern', 'modern', { era: 'legacy', at: Date.now() }],
  ] as const)('of a server of which the wrong era was remembered: %s', async (name, era, verdict) => {
    const place = linkPlace();
    const connection = place.connection(process.execPath, [serverFile(name)]);
    place.deps.eras.set(connectionDigest({ written: connection }), verdict);
    expect((await place.link(place.fake(name))).era).toBe(era);
    expect([...place.deps.eras.verdicts.values()]).toMatchObject([{ era }]);
  });

  it('of a server that never answers', async () => {
    const place = linkPlace();
    const began = performance.now();
    const { end } = await place.dial(place.fake('mute'), { startTimeoutMs: 600 });
    expect(end).toEqual({
      fault: 'start_timeout',
      text: 'no connection within 600 ms; it said: waiting for the database',
    });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(place.deps.eras.verdicts.size).toBe(0);
  });

  it('that nobody waits for any more', async () => {
    const place = linkPlace();
    const abort = new AbortController();
    const pending = place.dial(place.fake('mute'), { signal: abort.signal });
    setTimeout(() => abort.abort(), 200);
    const { end } = await pending;
    expect(end).toMatchObject({ fault: 'start_timeout', text: expect.stringContaining('given up') });
    const { end: never } = await place.dial(place.fake('mute'), { signal: abort.signal });
    expect(never).toMatchObject({ fault: 'start_timeout' });
  });

  it('of a server that refuses', async () => {
    const place = linkPlace();
    const { end } = await place.dial(place.fake('refuses'));
    expect(end).toMatchObject({ fault: 'handshake_refused', text: expect.stringContaining('not today') });
  });

  it('of a server that takes 2.5 s to start', async () => {
    const place = linkPlace();
    const link = await place.link(place.fake('slow-start'));
    expect(link.era).toBe('legacy');
  });

  it.each(['legacy', 'modern'] as const)('of a server that takes longer than the probe: %s', async (era) => {
    const place = linkPlace();
    const slow = place.stdio(process.execPath, [serverFile('slow-start')], { SLOW_MS: '3500', SLOW_ERA: era });
    const { end } = await place.dial(slow);
    expect(end).toMatchObject({ link: { era } });
    expect([...place.deps.eras.verdicts.values()]).toMatchObject([{ era }]);
  });

  it('of 3,000 tools in pages, the last of which leads nowhere', async () => {
    const place = linkPlace();
    const { end } = await place.dial(place.fake('many-tools'));
    expect('tools' in end && new Set(end.tools.map(({ name }) => name)).size).toBe(3_000);
  });

  it('of a server without tools, with bad ones, and one whose list is empty after a restart', async () => {
    const place = linkPlace();
    expect((await place.dial(place.fake('no-tools'))).end).toMatchObject({ tools: [] });
    const bad = await place.dial(place.fake('bad-tool'));
    const tools = [{ name: 'good' }, { name: 'bad', inputSchema: 'none', extra: 1 }];
    expect(bad.end).toMatchObject({ tools });
    const empties = place.stdio(process.execPath, [serverFile('empties')], { COUNT: join(place.dir, 'count') });
    place.deps.eras.get = () => ({ era: 'legacy', at: Date.now() });
    expect((await place.dial(empties)).end).toMatchObject({ tools: [{ name: 'echo' }] });
    expect((await place.dial(empties)).end).toMatchObject({ tools: [] });
  });
});

const open = async (name: string, place: LinkPlace = linkPlace()) => ({
  place,
  link: await place.link(place.fake(name)),
});

describe('a call', () => {
  it('of a server that hangs: silence, no frame, and it was told', async () => {
    const { place, link } = await open('hangs');
    const answer = await callTool(link, 'echo', {}, 300);
    expect(answer).toMatchObject({ end: { how: 'timeout' }, sent: true, frames: 0 });
    await until(() => place.log().some((line) => line.endsWith('notifications/cancelled')));
    expect((await link.check('readiness', 2_000)).end.how).toBe('response');
  });

  it('of a slow server', async () => {
    const { link } = await open('slow-calls');
    const answers = await Promise.all([callTool(link, 'x', { ms: 300 }), callTool(link, 'x', { ms: 10 })]);
    expect(answers.map(textOf)).toEqual(['300', '10']);
    expect(answers[0]?.elapsedMs).toBeGreaterThan(250);
  });

  it('that the server dies of: one loss, all in flight end, with its last words', async () => {
    const { link } = await open('crashes');
    const answers = await Promise.all([callTool(link, 'a'), callTool(link, 'b')]);
    for (const answer of answers) expect(answer).toMatchObject({ end: { how: 'lost' }, sent: true });
    expect(link.told.lost).toEqual(['exited with code 7: panic: index out of range']);
    expect(await callTool(link, 'c')).toMatchObject({ end: { how: 'lost' }, sent: false });
    expect((await link.check('liveness', 1_000)).end.how).toBe('lost');
  });

  it('of a server that flaps', async () => {
    const place = linkPlace();
    for (let round = 0; round < 3; round++) {
      const link = await place.link(place.fake('flaps'));
      await until(() => link.told.lost.length > 0);
      expect(link.told.lost).toEqual(['exited with code 1']);
      await link.close(true);
    }
  });

  it('of a server that prints where it should not', async () => {
    const { link } = await open('banners');
    expect(link.noise).toBe(4);
    expect(textOf(await callTool(link, 'echo'))).toBe('done');
    expect(link.noise).toBe(6);
    expect(link.told.lost).toEqual([]);
  });

  it('of a server that floods stderr', async () => {
    const { link } = await open('floods-stderr');
    expect(textOf(await callTool(link, 'echo'))).toBe('flooded');
    await until(() => link.stderr.endsWith('the last word\n'));
    expect(link.stderr.length).toBeLessThanOrEqual(16 * 1024);
  });

  it('answered under other ids is not answered, but there were frames', async () => {
    const { link } = await open('wrong-ids');
    expect(await callTool(link, 'echo', {}, 400)).toMatchObject({ end: { how: 'timeout' }, sent: true, frames: 2 });
  });

  it.each(['front', 'behind'])(
    'with a result of 50 MB, the id in %s: an error that says so, and the link stays',
    async (name) => {
      const { link } = await open('huge');
      const before = process.memoryUsage().rss;
      const answer = await callTool(link, name);
      expect(textOf(answer)).toBe("error -32603: The server's answer was longer than 10485760 bytes and was dropped");
      expect(answer.frames).toBe(1);
      expect(process.memoryUsage().rss - before).toBeLessThan(120 * 1024 * 1024);
      expect(textOf(await callTool(link, 'small'))).toBe('small');
    },
  );

  it('whose progress keeps it alive', async () => {
    const { link } = await open('progress');
    const seen: unknown[] = [];
    const request: LinkRequest = {
      method: 'tools/call',
      params: { name: 'echo', arguments: { times: 10 } },
      timeoutMs: 300,
      onProgress: ({ progress }) => void seen.push(progress),
    };
    expect(textOf(await link.request(request))).toBe('done');
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const { onProgress: _, ...silent } = request;
    expect((await link.request(silent)).end.how).toBe('timeout');
  });

  it('has its effect once', async () => {
    const { place, link } = await open('counts');
    await callTool(link, 'echo', { n: 1 });
    const cancelled = link.request({
      method: 'tools/call',
      params: { name: 'echo', arguments: { n: 2 } },
      timeoutMs: 5_000,
      signal: AbortSignal.abort(),
    });
    expect((await cancelled).sent).toBe(false);
    await callTool(link, 'echo', { n: 3 });
    expect(place.log().map((line) => line.replace(/^\d+ /, ''))).toEqual(['effect {"n":1}', 'effect {"n":3}']);
  });

  it('that the server dies of while the link drains: lost, but no longer told', async () => {
    const { link } = await open('crashes');
    const pending = callTool(link, 'a');
    await link.close(true);
    expect(await pending).toMatchObject({ end: { how: 'lost' }, sent: true });
    expect(link.told.lost).toEqual([]);
  });

  it('of a server that reads no more', async () => {
    const { link } = await open('closes-stdin');
    expect(textOf(await callTool(link, 'echo'))).toBe('deaf from now on');
    await sleep(300);
    expect((await callTool(link, 'echo')).end.how).toBe('lost');
    expect(link.told.lost).toHaveLength(1);
  });

  it('of a server that closes its output and stays', async () => {
    const { link } = await open('closes-stdout');
    expect((await callTool(link, 'echo')).end.how).toBe('lost');
    expect(link.told.lost).toEqual(['closed its output']);
    const pid = link.pid ?? 0;
    await link.close(false);
    expect(isThere(pid)).toBe(false);
  });
});

describe('a server that asks', () => {
  it('is declined where nobody answers', async () => {
    const { link } = await open('asks');
    expect(JSON.parse(textOf(await callTool(link, 'roots/list')))).toEqual({ roots: [] });
    for (const method of ['sampling/createMessage', 'elicitation/create', 'tasks/list'])
      expect(JSON.parse(textOf(await callTool(link, method)))).toMatchObject({ code: -32601 });
    expect(JSON.parse(textOf(await callTool(link, 'ping')))).toEqual({});
  });

  it('gets the answer of the connected client, untouched', async () => {
    const asked: unknown[] = [];
    const place = linkPlace({
      capabilities: { roots: {}, elicitation: {} },
      onServerRequest: async (method, params) => {
        asked.push([method, params]);
        if (method === 'sampling/createMessage') throw Object.assign(new Error('no model'), { code: -1 });
        return { action: 'accept', content: { a: 1 }, beyond: true };
      },
    });
    const { link } = await open('asks', place);
    const text = textOf(await callTool(link, 'elicitation/create', { message: 'name?', odd: 1 }));
    expect(JSON.parse(text)).toEqual({ action: 'accept', content: { a: 1 }, beyond: true });
    expect(asked).toEqual([['elicitation/create', { message: 'name?', odd: 1 }]]);
    const refused = textOf(await callTool(link, 'sampling/createMessage'));
    expect(JSON.parse(refused)).toEqual({ code: -1, message: 'no model' });
  });
});
