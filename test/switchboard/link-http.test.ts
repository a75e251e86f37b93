// What the statuses of HTTP mean, and how a link over HTTP ends. link-http.deep.test.ts has the contract of links over HTTP.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { callTool, linkPlace, textOf, until } from '../support/dial.js';
import { httpFake } from '../support/http-server.js';

describe('a dial over HTTP', () => {
  it.each([401, 403] as const)('says that %d wants credentials', async (status) => {
    const place = linkPlace();
    const { url } = await httpFake(place, 'http-status', { STATUS: String(status) });
    expect((await place.dial(place.http(url))).end).toEqual({ auth: status });
  });

  it('sends the configured headers', async () => {
    const place = linkPlace();
    const { url } = await httpFake(place, 'http-login');
    expect((await place.dial(place.http(url))).end).toEqual({ auth: 401 });
    const link = await place.link(place.http(url, { Authorization: 'Bearer open-sesame' }));
    expect(textOf(await callTool(link, 'echo', { a: 1 }))).toBe('{"a":1}');
  });

  it('keeps what a busy server says about when to come back', async () => {
    const place = linkPlace();
    const env = { STATUS: '429', RETRY_AFTER: '7' };
    expect((await place.dial(place.http((await httpFake(place, 'http-status', env)).url))).end).toEqual({
      throttled: 7_000,
    });
    const { url } = await httpFake(place, 'http-status', { STATUS: '429' });
    expect((await place.dial(place.http(url))).end).toEqual({ throttled: null });
  });

  it('fails on 5xx, having tried the old way as well', async () => {
    const place = linkPlace();
    const { url } = await httpFake(place, 'http-status', { STATUS: '500' });
    const { end } = await place.dial(place.http(url));
    expect(end).toEqual({ fault: 'handshake_refused', text: 'the server answered with HTTP 500' });
  });

  it('fails where nobody listens', async () => {
    const place = linkPlace();
    const { url, stop } = await httpFake(place, 'http-status');
    await stop();
    const { end } = await place.dial(place.http(url));
    expect(end).toEqual({ fault: 'spawn_error', text: 'the connection failed: ECONNREFUSED' });
  });

  it('gives up in time', async () => {
    const place = linkPlace();
    const { url } = await httpFake(place, 'http-mute');
    const began = performance.now();
    const { end } = await place.dial(place.http(url), { startTimeoutMs: 500 });
    expect(end).toMatchObject({ fault: 'start_timeout' });
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

describe('a link over HTTP', () => {
  const open = async (env: Record<string, string> = {}) => {
    const place = linkPlace();
    const server = await httpFake(place, 'http-status', env);
    return { place, server, link: await place.link(place.http(server.url)) };
  };

  it.each([
    ['401', { how: 'auth_required', status: 401 }, false],
    ['403', { how: 'auth_required', status: 403 }, false],
    ['429', { how: 'throttled', retryAfterMs: 2_000 }, false],
    ['500', { how: 'server_error', status: 500 }, true],
    ['503', { how: 'server_error', status: 503 }, true],
    ['404', { how: 'lost', status: 404 }, false],
    ['413', { how: 'response', error: { code: -32000, data: { status: 413 } } }, false],
    ['400', { how: 'response', error: { code: -32000, data: { status: 400 } } }, true],
  ])('reads %s in a call', async (status, end, sent) => {
    const { server, link } = await open({ RETRY_AFTER: '2' });
    await server.tell(`status?code=${status}`);
    expect(await callTool(link, 'echo')).toMatchObject({ end, sent });
    expect(link.told.lost).toHaveLength(status === '404' ? 1 : 0);
  });

  it.each([
    ['200', 'response'],
    ['405', 'response'],
    ['501', 'response'],
    ['401', 'auth_required'],
    ['429', 'throttled'],
    ['502', 'server_error'],
  ])('reads %s as liveness', async (status, how) => {
    const { server, link } = await open();
    await server.tell(`status?code=${status}`);
    expect((await link.check('liveness', 2_000)).end.how).toBe(how);
  });

  it('is lost once when the server is gone, and nothing was sent', async () => {
    const { server, link } = await open();
    await server.stop();
    // So that the connection that is kept open is known to be gone: on it a request would count as sent.
    await sleep(300);
    const answers = await Promise.all([callTool(link, 'echo'), callTool(link, 'echo')]);
    expect(answers.map(({ end }) => end.how)).toEqual(['lost', 'lost']);
    expect(answers[0]?.sent).toBe(false);
    expect(link.told.lost).toEqual(['the connection failed: ECONNREFUSED']);
    expect((await link.check('liveness', 1_000)).end.how).toBe('lost');
    expect(link.told.lost).toHaveLength(1);
  });

  it('is lost when the session is', async () => {
    const place = linkPlace();
    const server = await httpFake(place, 'http-legacy');
    const link = await place.link(place.http(server.url));
    await server.tell('forget');
    expect(await callTool(link, 'echo')).toMatchObject({ end: { how: 'lost', status: 404 }, sent: false });
    expect(link.told.lost).toEqual(['the server answered with HTTP 404']);
  });

  it('ends its session when it is closed', async () => {
    const place = linkPlace();
    const link = await place.link(place.http((await httpFake(place, 'http-legacy')).url));
    await link.close(false);
    await until(() => place.log().some((line) => line.endsWith('closed true')));
  });

  it('is lost when the stream of an answer is cut', async () => {
    const { link } = await open();
    expect(await callTool(link, 'cut')).toMatchObject({ end: { how: 'lost' }, sent: true });
    expect(link.told.lost).toEqual(['the stream of a response ended before the response']);
  });

  it.each(['page', 'broken', 'foreign'])('says so when the answer is no message of the protocol: %s', async (name) => {
    const { link } = await open();
    expect(textOf(await callTool(link, name))).toContain('not an MCP message');
    expect(textOf(await callTool(link, 'echo'))).toBe('well');
    expect(link.told.lost).toEqual([]);
  });

  it.each([false, true])('drops an answer that is too long and stays; as a stream: %s', async (stream) => {
    const { link } = await open();
    const answer = await callTool(link, 'huge', { stream });
    expect(textOf(answer)).toContain('longer than 10485760 bytes');
    expect(textOf(await callTool(link, 'echo'))).toBe('well');
    expect(link.told.lost).toEqual([]);
  });
});
