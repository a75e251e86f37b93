// What routes-wire.test.ts and routes-wire.deep.test.ts share: a route over real servers, for any kind of client.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { Ledger, receiptOf } from '../support/ledger-check.js';
import { eventually, isThere, serverPid } from '../support/process-list.js';
import { type AnyClient, type ClientKind, connect, freshPlace, type Message, type Place } from '../support/serve.js';
import { everything, files, memory, writeBoard } from '../support/switchboard-file.js';

export const ROUTER = ['router_score', 'router_call', 'router_fallback', 'router_stats'];

export const errorIn = (result: Message): Message =>
  result._meta?.['dev.colibri/refusal']?.error ?? result.structuredContent?.error;

export const dataIn = (result: Message): Message => {
  expect(result.structuredContent).toMatchObject({ ok: true });
  expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
  return result.structuredContent.data;
};

export const REQUEST = { id: 'x' };

/** Three losses within the window. */
const quarantine = async (client: AnyClient, script: string, server: string): Promise<void> => {
  const stateOf = async (): Promise<string> =>
    dataIn(await client.callTool('router_stats', { server })).servers[0].state;
  for (let loss = 0; loss < 3; loss++) {
    await eventually(`${server} is there`, async () => (await stateOf()) === 'HEALTHY', 30_000);
    const pid = serverPid(client.pid, script);
    process.kill(pid, 'SIGKILL');
    await eventually('it is gone', () => !isThere(pid));
    await eventually('the loss is noticed', async () => {
      const state = await stateOf();
      return state !== 'HEALTHY' || serverPid(client.pid, script) !== pid;
    });
  }
  await eventually(`${server} is quarantined`, async () => (await stateOf()) === 'QUARANTINE');
};

const routesOf = (place: Place) => ({
  'find:thing': [
    'memory/search_nodes',
    { server: 'files', tool: 'search_files', arguments: { path: place.dir, pattern: '$query' } },
  ],
  'say:it': [{ server: 'everything', tool: 'echo', arguments: { message: { from: 'text', default: 'nothing' } } }],
});

/** A route over three real servers, for each kind of client. */
export const testRoute = (kinds: readonly ClientKind[]): void => {
  describe.each(kinds)('a %s client', (kind) => {
    test('calls a route, is served by the next provider, and reads why nobody is left', {
      timeout: 120_000,
    }, async () => {
      const place = freshPlace();
      fs.writeFileSync(join(place.dir, 'thing.txt'), 'x');
      const servers = { everything: everything(), memory: memory(place), files: files(place) };
      writeBoard(place, servers, { routes: routesOf(place) });
      const client = await connect(place, kind);
      let tools: Message[] = [];
      await eventually(
        'all servers are listed',
        async () => {
          tools = (await client.listTools()).tools;
          const names = tools.map(({ name }) => name);
          return ['everything__', 'memory__', 'files__'].every((start) => names.some((name) => name.startsWith(start)));
        },
        30_000,
      );
      const names = tools.map(({ name }) => name);
      expect(names.slice(14, 20)).toEqual([...ROUTER, 'find__thing', 'say__it']);
      expect(names[20]).toMatch(/^everything__/);
      const listed = tools.find(({ name }) => name === 'find__thing');
      expect(listed).toMatchObject({
        description: expect.stringMatching(/^Route find:thing: .*search_nodes of memory, then search_files of files\./),
        inputSchema: { properties: { query: { type: 'string' } }, required: ['query'] },
        annotations: { readOnlyHint: true },
      });
      expect(listed).not.toHaveProperty('outputSchema');
      expect(tools.find(({ name }) => name === 'say__it')?.inputSchema).toMatchObject({
        properties: { text: { type: 'string' } },
        additionalProperties: false,
      });

      const found = await client.callTool('find__thing', { query: 'nothing' });
      expect(found.structuredContent).toEqual({ entities: [], relations: [] });
      expect(receiptOf(found)).toBeDefined();
      expect((await client.callTool('say__it', {})).content[0].text).toBe('Echo: nothing');
      const wrong = await client.callTool('say__it', { txt: 'x' });
      expect(errorIn(wrong)).toMatchObject({ code: 'INVALID_PARAMS', message: expect.stringContaining('"text"?') });

      expect(dataIn(await client.callTool('router_score', { route: 'find:thing' }))).toMatchObject({
        route: 'find:thing',
        winner: { server: 'memory', tool: 'search_nodes' },
        candidates: [
          { server: 'memory', state: 'HEALTHY', eligible: true, rank: 1, reason: null },
          { server: 'files', state: 'HEALTHY', eligible: true, rank: 2, reason: null },
        ],
      });
      const called = await client.callTool('router_call', { server: 'everything', tool: 'get-tiny-image' });
      expect(dataIn(called)).toMatchObject({ server: 'everything', tool: 'get-tiny-image', is_error: false });
      expect(called.content.slice(1).map(({ type }: Message) => type)).toEqual(['text', 'image', 'text']);

      await quarantine(client, 'server-memory', 'memory');
      const fallen = await client.callTool('find__thing', { query: 'thing.txt' });
      expect(fallen.content[0].text).toContain('thing.txt');
      const refused = await client.callTool('memory__search_nodes', { query: 'x' });
      const other = { server: 'files', tool: 'search_files', name: 'files__search_files' };
      expect(errorIn(refused)).toMatchObject({
        code: 'TOOL_UNAVAILABLE',
        details: { state: 'QUARANTINE', alternatives: [other] },
      });
      expect(refused.content[0].text).toMatch(/or use files__search_files\.$/);
      const score = dataIn(await client.callTool('router_score', { route: 'find:thing' }));
      expect(score).toMatchObject({
        winner: { server: 'files' },
        candidates: [
          {
            server: 'memory',
            state: 'QUARANTINE',
            eligible: false,
            rank: null,
            reason: expect.stringMatching(/^lost: /),
          },
          { server: 'files', rank: 1 },
        ],
      });
      const second = await client.callTool('router_fallback', {
        route: 'find:thing',
        arguments: { query: 'thing.txt' },
      });
      expect(dataIn(second)).toMatchObject({
        server: 'files',
        tool: 'search_files',
        is_error: false,
        attempts: [{ server: 'files', how: 'result', sent: true }],
      });
      expect(second.content[1].text).toContain('thing.txt');

      await quarantine(client, 'server-filesystem', 'files');
      const nobody = await client.callTool('find__thing', { query: 'x' });
      expect(nobody).toMatchObject({ isError: true });
      expect(nobody.structuredContent).toBeUndefined();
      expect(errorIn(nobody)).toMatchObject({
        code: 'FALLBACK_CHAIN_EXHAUSTED',
        status: 503,
        details: {
          route: 'find:thing',
          attempts: [],
          candidates: [{ server: 'memory' }, { server: 'files' }],
          safe_to_retry: true,
        },
      });
      const told = await client.callTool('router_fallback', { route: 'find:thing', arguments: { query: 'x' } });
      expect(told.structuredContent).toMatchObject({ ok: false, error: { code: 'FALLBACK_CHAIN_EXHAUSTED' } });
      await client.close();

      const ledger = new Ledger(place.db);
      const exits = ledger.pairs.map(({ exit }) => exit?.body);
      expect(exits.filter((body) => body?.tool === 'find__thing').map((body) => [body?.outcome, body?.code])).toEqual([
        ['ok', undefined],
        ['ok', undefined],
        ['refused', 'FALLBACK_CHAIN_EXHAUSTED'],
      ]);
      const { exit, enter } = ledger.pairOf(receiptOf(fallen));
      expect(enter.body).toMatchObject({ tool: 'find__thing', effect: 'proxy' });
      expect(exit?.body.route).toEqual({
        name: 'find:thing',
        candidates: [
          { server: 'memory', tool: 'search_nodes', state: 'QUARANTINE', eligible: false, reason: 'lost' },
          { server: 'files', tool: 'search_files', state: 'HEALTHY', eligible: true },
        ],
        attempts: [
          { server: 'files', tool: 'search_files', how: 'result', sent: true, duration_ms: expect.any(Number) },
        ],
      });
      expect(ledger.pairOf(receiptOf(refused)).exit?.body.route).toMatchObject({
        name: null,
        candidates: [{ server: 'memory', state: 'QUARANTINE', eligible: false, reason: 'lost' }],
        attempts: [{ server: 'memory', how: 'refused', code: 'TOOL_UNAVAILABLE', sent: false }],
      });
      expect((await colibri(place, ['verify'])).code).toBe(0);
    });
  });
};
