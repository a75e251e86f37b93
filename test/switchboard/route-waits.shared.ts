// A route over real servers of which one hangs or answers with an error: how long a caller waits, what it gets, what the record says.
import * as fs from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { colibri } from '../support/command-line.js';
import { Ledger } from '../support/ledger-check.js';
import { eventually } from '../support/process-list.js';
import { type AnyClient, type ClientKind, connect, freshPlace, type Message, type Place } from '../support/serve.js';
import { fakeServer, writeBoard } from '../support/switchboard-file.js';

const routeIn = (place: Place): Message => {
  const exit = new Ledger(place.db).records.findLast(({ kind, body }) => kind === 'call.exit' && body.route);
  return { call: exit?.body.call, ...(exit?.body.route as Message) };
};

const untilServed = (client: AnyClient, route: string): Promise<void> =>
  eventually('all servers are there', async () => {
    const score = (await client.callTool('router_score', { route })).structuredContent.data;
    return score?.candidates.every(({ state }: Message) => state === 'HEALTHY');
  });

export const routeWaits = (...kinds: ClientKind[]): void =>
  describe.each(kinds)('a %s client', (kind) => {
    test('is served by the next provider when one hangs', { timeout: 60_000 }, async () => {
      const place = freshPlace();
      const hang = join(place.dir, 'hang');
      const servers = { first: fakeServer('hangs-sometimes', { HANG: hang }), second: fakeServer('hangs-sometimes') };
      writeBoard(place, servers, { routes: { 'look:up': ['first/look', 'second/look'] } });
      const client = await connect(place, kind);
      await untilServed(client, 'look:up');
      // From twenty answers on it is known that the first one is quick.
      for (let call = 0; call < 20; call++) await client.callTool('first__look', {});
      fs.writeFileSync(hang, '');
      const began = performance.now();
      const served = await client.callTool('look__up', {});
      const ms = performance.now() - began;
      expect(served.content[0].text).toBe('well');
      expect(ms).toBeGreaterThan(1_900);
      expect(ms).toBeLessThan(6_000);
      const { servers: stats } = (await client.callTool('router_stats', {})).structuredContent.data;
      expect(stats[0]).toMatchObject({ server: 'first', state: 'HEALTHY', failures: 0, in_flight: 0 });
      await client.close();
      const { call, attempts } = routeIn(place);
      expect(attempts).toMatchObject([
        { server: 'first', how: 'cut', code: 'TOOL_TIMEOUT', sent: true },
        { server: 'second', how: 'result', sent: true },
      ]);
      const explained = await colibri(place, ['log', '--explain', call]);
      expect(explained.stdout).toContain('no answer came for so long that the next server was asked instead');
      expect((await colibri(place, ['verify'])).code).toBe(0);
    });

    test('gets the first answer unchanged if a further provider fails, too', { timeout: 60_000 }, async () => {
      const place = freshPlace();
      const tools = { readOnly: ['look'] };
      const servers = {
        sick: { ...fakeServer('hangs-sometimes', { SAYS: 'error' }), tools },
        worse: { ...fakeServer('hangs-sometimes', { SAYS: 'error' }), tools },
        well: fakeServer('hangs-sometimes'),
      };
      const routes = {
        'look:both': ['sick/look', 'worse/look', 'well/look'],
        'look:well': ['sick/look', 'well/look'],
        'look:off': [{ server: 'sick', tool: 'look', fallbackOnError: false }, 'well/look'],
      };
      writeBoard(place, servers, { routes });
      const client = await connect(place, kind);
      await untilServed(client, 'look:both');
      expect(await client.callTool('look__both', {})).toMatchObject({ isError: true, content: [{ text: 'error' }] });
      expect((await client.callTool('look__well', {})).content[0].text).toBe('well');
      expect(await client.callTool('look__off', {})).toMatchObject({ isError: true });
      await client.close();
      const ways = new Ledger(place.db).records
        .filter(({ kind: one, body }) => one === 'call.exit' && body.route && (body.route as Message).name !== null)
        .flatMap(({ body }) => [(body.route as Message).attempts.map(({ server }: Message) => server).join()])
        .filter((way) => way !== '');
      expect(ways).toEqual(['sick,worse', 'sick,well', 'sick']);
    });
  });
