// Every server of test/servers/ that misbehaves later, and what a call makes of it.
import { describe, expect, it } from 'vitest';
import { cancelledBy } from '../../src/core/cancellation.js';
import type { LinkRequest } from '../../src/switchboard/link/link.js';
import { callTool, linkPlace, textOf, until } from '../support/dial.js';
import { isThere } from '../support/process-list.js';
import { open } from './link-faults.shared.js';

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
    expect(link.told.lost).toEqual(['exited with code 7; it said: panic: index out of range']);
    expect(await callTool(link, 'c')).toMatchObject({ end: { how: 'lost' }, sent: false });
    expect((await link.check('liveness', 1_000)).end.how).toBe('lost');
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
      expect(textOf(answer)).toBe(
        "error -32603: The server's answer was longer than 10485760 bytes and was dropped. The call may have done its work",
      );
      expect(answer.frames).toBe(1);
      expect(process.memoryUsage().rss - before).toBeLessThan(120 * 1024 * 1024);
      expect(textOf(await callTool(link, 'small'))).toBe('small');
    },
  );

  it.each([
    ['{"jsonrpc":"2.0","id":ID,"error":"boom"}', 'Invalid Request: error must have an integer code and a message'],
    [
      '{"jsonrpc":"2.0","id":ID,"error":{"code":"ENOENT","message":"no"}}',
      'Invalid Request: error must have an integer code and a message',
    ],
    ['{"jsonrpc":"2.0","id":ID,"result":{},"error":{}}', 'Invalid Request: both result and error'],
    ['{"id":ID,"result":{}}', 'Invalid Request: jsonrpc must be "2.0"'],
    ['{"jsonrpc":"2.0","id":ID,"result":{"structuredContent":{"mean":NaN}}}', 'Parse error: not JSON'],
    ['{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"\u00ff"}]}}', 'Parse error: not UTF-8'],
  ])('answered by %s: an error that says so, and one line of noise', async (line, why) => {
    const { link } = await open('unreadable');
    const answer = await callTool(link, 'say', { line });
    expect(textOf(answer)).toBe(
      `error -32603: The server's answer could not be read and was dropped (${why}). The call may have done its work`,
    );
    expect(link.noise).toBe(1);
    expect(
      textOf(
        await callTool(link, 'say', {
          line: '{"jsonrpc":"2.0","id":ID,"error":null,"result":{"content":[{"type":"text","text":"fine"}]}}',
        }),
      ),
    ).toBe('fine');
  });

  it('whose server dies in the middle of the answer is lost', async () => {
    const { link } = await open('unreadable');
    const line = '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"te';
    expect(await callTool(link, 'die', { line })).toMatchObject({ end: { how: 'lost' }, sent: true });
  });

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
      cancellation: cancelledBy(AbortSignal.abort()),
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
      capabilities: () => ({ roots: {}, elicitation: {} }),
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
