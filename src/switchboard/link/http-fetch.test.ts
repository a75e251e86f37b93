import { describe, expect, it } from 'vitest';
import { WIRE_LIMITS } from '../../wire/limits.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { linkFetch } from './http-fetch.js';
import { HttpRefusal, Unusable } from './http-refusal.js';

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

  it.each([200, 202, 204, 304, 400, 404, 405])('leaves %d to the SDK', async (status) => {
    const body = status === 204 || status === 304 ? null : 'x';
    expect((await answering(() => new Response(body, { status }))(URL_)).status).toBe(status);
  });

  it('passes a body up to the bound', async () => {
    const all = 'x'.repeat(WIRE_LIMITS.lineBytes);
    const headers = { 'content-type': 'application/json', 'mcp-session-id': 's' };
    const response = await answering(() => new Response(all, { headers }))(URL_);
    expect(response.headers.get('mcp-session-id')).toBe('s');
    expect((await response.text()).length).toBe(all.length);
    const longer = await answering(() => new Response(`${all}x`, { headers }))(URL_);
    await expect(longer.text()).rejects.toBeInstanceOf(Unusable);
  });

  it('bounds one event, not the stream', async () => {
    const event = `data: ${'x'.repeat(4 * 1024 * 1024)}\n\n`;
    const crlf = event.replaceAll('\n', '\r\n');
    const fine = await answering(() => streamOf([event, event, crlf, event]))(URL_);
    // Lines end with LF for whoever reads them.
    expect((await fine.text()).length).toBe(4 * event.length);
    const half = event.trimEnd();
    const long = await answering(() => streamOf([event, half, half, half, event]))(URL_, { body: '{"id":"c9"}' });
    const [, error] = (await long.text()).split('\n\ndata: {');
    expect(error).toContain('"id":"c9"');
    expect(error).toContain('longer than');
  });

  it('gives on whole lines only, whatever ends them and however they are cut', async () => {
    const text = 'data: one\rdata: two\r\n\r\ndata: three\n\ndata: end';
    for (let size = 1; size < text.length; size++) {
      const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      const body = (await answering(() => streamOf(pieces))(URL_)).body;
      const given: string[] = [];
      for await (const chunk of body ?? []) given.push(new TextDecoder().decode(chunk));
      expect(given.join('')).toBe('data: one\ndata: two\n\ndata: three\n\ndata: end');
      expect(given.slice(0, -1).every((piece) => piece.endsWith('\n'))).toBe(true);
    }
  });

  it('reads no more of an error than its bound, and waits for it no longer than that', async () => {
    const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) });
    const cut = await answering(() => new Response(endless(), { status: 400 }))(URL_);
    expect((await cut.arrayBuffer()).byteLength).toBe(SWITCHBOARD_LIMITS.errorBodyBytes);
    const begun = performance.now();
    const mute = await answering(() => new Response(new ReadableStream(), { status: 404 }))(URL_);
    expect(await mute.text()).toBe('');
    expect(performance.now() - begun).toBeLessThan(SWITCHBOARD_LIMITS.errorBodyMs + 2_000);
  });

  it.each(['gzip, gzip', 'zstd', 'compress', 'br, identity', 'aes128gcm', ','])(
    'drops an answer in the encoding %s',
    async (encoding) => {
      const headers = { 'content-encoding': encoding };
      await expect(answering(() => new Response('x', { headers }))(URL_)).rejects.toBeInstanceOf(Unusable);
    },
  );

  it('reads nothing behind 202', async () => {
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) });
    expect(await (await answering(() => new Response(endless, { status: 202 }))(URL_)).text()).toBe('');
  });
});
