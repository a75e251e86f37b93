// What wire.test.ts and wire.deep.test.ts share: real servers behind Colibri, for any kind of client.
import { describe, expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { Ledger, receiptOf } from '../support/ledger-check.js';
import { descendants, eventually, isThere, serverPid } from '../support/process-list.js';
import { type ClientKind, connect, freshPlace, type Message, type Place } from '../support/serve.js';
import { everything, files, memory, writeBoard } from '../support/switchboard-file.js';

export const namesOf = (answer: Message): string[] => answer.result.tools.map(({ name }: Message) => name);

export const verify = async (place: Place): Promise<number | null> => (await colibri(place, ['verify'])).code;

export const hasServer = (pid: number, text: string): boolean => {
  try {
    return serverPid(pid, text) > 0;
  } catch {
    return false;
  }
};

/** The outcome records of a tool. */
export const outcomesOf = (place: Place, tool: string): string[] =>
  new Ledger(place.db).records
    .filter(({ kind, body }) => kind === 'call.exit' && body.tool === tool)
    .map(({ body }) => [body.outcome, body.code].filter(Boolean).join(' '));

/** Three real servers behind Colibri, for each kind of client. */
export const testThreeServers = (kinds: readonly ClientKind[]): void => {
  describe.each(kinds)('a %s client', (kind) => {
    test('lists and calls three real servers, and reads why one is gone', { timeout: 60_000 }, async () => {
      const place = freshPlace();
      writeBoard(place, { everything: everything(), memory: memory(place), files: files(place) });
      const client = await connect(place, kind);
      let names: string[] = [];
      await eventually('all servers are listed', async () => {
        names = (await client.listTools()).tools.map(({ name }) => name);
        return ['everything__', 'memory__', 'files__'].every((start) => names.some((name) => name.startsWith(start)));
      });
      expect(names.slice(0, 2)).toEqual(['server_ping', 'server_health']);
      expect(names.filter((name) => name.includes('__'))).toEqual(
        expect.arrayContaining(['everything__echo', 'memory__read_graph', 'files__list_directory']),
      );
      expect(names.indexOf('everything__echo')).toBeLessThan(names.indexOf('memory__read_graph'));
      expect(names.indexOf('memory__read_graph')).toBeLessThan(names.indexOf('files__list_directory'));

      const echo = await client.callTool('everything__echo', { message: 'hi' });
      expect(echo.content).toEqual([{ type: 'text', text: 'Echo: hi' }]);
      expect(receiptOf(echo)).toMatchObject({ seq: expect.any(Number) });
      const graph = await client.callTool('memory__read_graph', {});
      expect(graph.structuredContent).toEqual({ entities: [], relations: [] });

      const wrong = await client.callTool('everything__echo', { mesage: 'hi' });
      expect(wrong).toMatchObject({ isError: true });
      expect(wrong.structuredContent).toBeUndefined();
      expect(wrong.content[0].text).toMatch(/message/);

      // Both with and without an output schema: a client holds structured content against the server's own.
      for (const [server, tool, args] of [
        ['server-memory', 'memory__read_graph', {}],
        ['server-everything', 'everything__echo', { message: 'x' }],
      ] as const) {
        // Three losses within the window: it is quarantined.
        for (let loss = 0; loss < 3; loss++) {
          const pid = serverPid(client.pid, server);
          process.kill(pid, 'SIGKILL');
          await eventually('the loss is noticed', () => !isThere(pid));
          if (loss < 2) await eventually('it is back', () => hasServer(client.pid, server));
          if (loss < 2)
            await eventually('it answers', async () => (await client.callTool(tool, args)).isError !== true);
        }
        let refused: Message = {};
        await eventually('it is refused', async () => {
          refused = await client.callTool(tool, args);
          return refused.isError === true;
        });
        const { error } = refused._meta['dev.colibri/refusal'];
        expect(error).toMatchObject({ code: 'TOOL_UNAVAILABLE', status: 503, details: { state: 'QUARANTINE' } });
        expect(refused.content[0].text).toMatch(/Try again in \d+ s/);
        expect(JSON.parse(refused.content[1].text)).toEqual({ ok: false, error });
        expect(refused.structuredContent).toBeUndefined();
        expect(receiptOf(refused)).toBeDefined();
      }
      // The third one never noticed.
      expect((await client.callTool('files__list_allowed_directories', {})).isError).not.toBe(true);

      const children = descendants(client.pid);
      await client.close();
      expect(children.filter(isThere)).toEqual([]);
      expect(outcomesOf(place, 'everything__echo').slice(0, 2)).toEqual(['ok', 'rejected INVALID_PARAMS']);
      expect(outcomesOf(place, 'memory__read_graph')).toContain('refused TOOL_UNAVAILABLE');
      expect(await verify(place)).toBe(0);
      const replayed = await colibri(place, ['switchboard', 'replay']);
      expect(replayed).toMatchObject({
        code: 0,
        stdout: expect.stringMatching(/^\d+ transitions replayed, 0 differences/),
      });
    });
  });
};
