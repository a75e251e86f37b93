import { describe, expect, it } from 'vitest';
import { WIRE_LIMITS } from '../../wire/limits.js';
import { linkFetch } from './http-fetch.js';
import { HttpRefusal, TooLong } from './http-refusal.js';

const URL_ = 'http://example.test/mcp';
const answering = (response: () => Response) =>
  linkFetch(
    () => 0,
    async () => response(),
  );
const streamOf = (chunks: readonly string[]): Response => {
  const bytes = chunks.map((chunk) => new TextEncoder().encode(chunk));
  const body = new ReadableStream({
    pull: (controller) => {
      const next = bytes.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
};

describe('our fetch', () => {
  it.each([401, 403, 429, 500, 503])('throws %d', async (status) => {
    const headers = { 'retry-after': '3' };
    const thrown = await answering(() => new Response('no', { status, headers }))(URL_).catch((error) => error);
    expect(thrown).toBeInstanceOf(HttpRefusal);
    expect(thrown).toMatchObject({ status, retryAfterMs: 3_000 });
  });

  it.each([200, 202, 204, 302, 400, 404, 405])('leaves %d to the SDK', async (status) => {
    const body = status === 204 ? null : 'x';
    expect((await answering(() => new Response(body, { status }))(URL_)).status).toBe(status);
  });

  it('passes a body up to the bound', async () => {
    const all = 'x'.repeat(WIRE_LIMITS.lineBytes);
    const headers = { 'content-type': 'application/json', 'mcp-session-id': 's' };
    const response = await answering(() => new Response(all, { headers }))(URL_);
    expect(response.headers.get('mcp-session-id')).toBe('s');
    expect((await response.text()).length).toBe(all.length);
    const longer = await answering(() => new Response(`${all}x`, { headers }))(URL_);
    await expect(longer.text()).rejects.toBeInstanceOf(TooLong);
  });

  it('bounds one event, not the stream', async () => {
    const event = `data: ${'x'.repeat(4 * 1024 * 1024)}\n\n`;
    const crlf = event.replaceAll('\n', '\r\n');
    const fine = await answering(() => streamOf([event, event, crlf, event]))(URL_);
    expect((await fine.text()).length).toBe(3 * event.length + crlf.length);
    const half = event.trimEnd();
    const long = await answering(() => streamOf([event, half, half, half, event]))(URL_, { body: '{"id":"c9"}' });
    const [, error] = (await long.text()).split('\n\ndata: {');
    expect(error).toContain('"id":"c9"');
    expect(error).toContain('longer than');
  });
});
