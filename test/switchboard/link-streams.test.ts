// Streams of events over HTTP that break off before the answer: when the rest is asked for, and that it is not asked for at revision 2026-07-28.
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type HostileChoice, hostileHttp } from '../perimeter/hostile-http.js';
import { callTool, linkPlace, textOf } from '../support/dial.js';

const stream = (response: ServerResponse, ...events: readonly string[]): ServerResponse => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of events) response.write(`${event}\n\n`);
  return response;
};

const open = async (choice: HostileChoice) => {
  const place = linkPlace();
  const server = await hostileHttp(choice);
  const link = await place.link(place.http(server.url));
  const gets = () => server.seen.filter(({ method }) => method === 'GET');
  return { link, gets };
};

describe('a stream that breaks off', () => {
  it('is asked for again after the pause that the server wants, from where it broke off', async () => {
    const began: { id?: unknown; at: number; waited?: number } = { at: 0 };
    const { link, gets } = await open({
      attacks: {
        slow: ({ message, response }) => {
          Object.assign(began, { id: message.id, at: performance.now() });
          stream(response, 'id: e1\nretry: 300\ndata: ').end();
        },
      },
      first: ({ method, headers }, response) => {
        if (method !== 'GET' || headers['last-event-id'] === undefined) return false;
        began.waited = performance.now() - began.at;
        const result = { content: [{ type: 'text', text: 'late' }] };
        stream(response, `id: e2\ndata: ${JSON.stringify({ jsonrpc: '2.0', id: began.id, result })}`).end();
        return true;
      },
    });
    expect(textOf(await callTool(link, 'slow'))).toBe('late');
    expect(gets().map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'e1']);
    expect(began.waited).toBeGreaterThan(290);
    expect(link.told.lost).toEqual([]);
  });

  it('is not asked for without a pause, whatever the server wants', async () => {
    const { gets } = await open({
      attacks: {},
      first: ({ method }, response) => {
        if (method !== 'GET') return false;
        stream(response, 'id: e1\nretry: 0\ndata: ').end();
        return true;
      },
    });
    await sleep(1_000);
    expect(gets().length).toBeGreaterThan(1);
    expect(gets().length).toBeLessThan(13);
  });

  it('at revision 2026-07-28 ends its call at once, and nothing is asked for', async () => {
    const { link, gets } = await open({
      isModern: true,
      attacks: { slow: ({ response }) => void stream(response, 'id: e1\nretry: 30000\ndata: ').end() },
    });
    expect(link.era).toBe('modern');
    const began = performance.now();
    expect(await callTool(link, 'slow')).toMatchObject({ end: { how: 'lost' }, sent: true });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(gets()).toEqual([]);
    expect(link.told.lost).toEqual(['the stream of a response ended before the response']);
  });
});
