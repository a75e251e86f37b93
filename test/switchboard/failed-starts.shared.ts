// A server that fails to start again and again for the same reason: callers are told to stop trying, and what to tell the user.
import { describe, expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { eventually } from '../support/process-list.js';
import { type ClientKind, connect, freshPlace, type Message } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';

const errorIn = (result: Message): Message =>
  result._meta?.['dev.colibri/refusal']?.error ?? result.structuredContent?.error;

export const failedStarts = (...kinds: ClientKind[]): void =>
  describe.each(kinds)('a %s client', (kind) => {
    test('is told after three failed starts', { timeout: 60_000 }, async () => {
      const place = freshPlace();
      const routes = { 'find:it': ['dead/echo', 'absent/echo'] };
      const absent = { command: '/no/such/program' };
      writeBoard(place, { dead: fakeServer('dead'), absent, quick: fakeServer('plain') }, { routes });
      const client = await connect(place, kind);
      const call = (): Promise<Message> =>
        client.callTool('router_call', { server: 'dead', tool: 'echo', arguments: {} });
      let refused = await call();
      expect(errorIn(refused).details.retry_after_ms).not.toBeNull();
      await eventually(
        'it has failed three times',
        async () => {
          refused = await call();
          return errorIn(refused).details.failed_starts === 3;
        },
        30_000,
      );
      const { code, details } = errorIn(refused);
      expect(code).toBe('TOOL_UNAVAILABLE');
      const told = 'Tell the user that dead does not start and that this command shows why: colibri logs dead';
      expect(details).toMatchObject({ state: 'UNHEALTHY', reason: 'exited', retry_after_ms: null, remedy: told });
      const text = JSON.stringify(refused.content);
      expect(text).toContain(
        'it failed to start 3 times in a row for the same reason: it ended while it was starting: exited with code 3',
      );
      expect(text).not.toMatch(/try again in/i);

      let exhausted: Message = {};
      await eventually(
        'the route knows of both',
        async () => {
          exhausted = await client.callTool('find__it', {});
          return exhausted.content[0].text.includes('colibri logs absent');
        },
        30_000,
      );
      expect(errorIn(exhausted)).toMatchObject({ code: 'FALLBACK_CHAIN_EXHAUSTED', details: { retry_after_ms: null } });
      expect(exhausted.content[0].text).not.toMatch(/try again in/i);

      const logs = await colibri(place, ['logs', 'dead']);
      expect(logs.stdout).toContain('Error: no licence found');
      expect((await colibri(place, ['logs', 'absent'])).stdout).toContain('"/no/such/program" was not found');
      expect((await colibri(place, ['switchboard', '--once'])).stdout).toContain('dead: its output: colibri logs dead');
      expect((await colibri(place, ['doctor'])).stdout).toContain('colibri logs dead');
      expect((await client.callTool('quick__echo', { a: 1 })).isError).not.toBe(true);
      await client.close();
      expect((await colibri(place, ['switchboard', 'replay'])).stdout).toMatch(/ 0 differences/);
    });
  });
