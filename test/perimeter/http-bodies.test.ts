// What a hostile HTTP server may answer with: bodies without an end, bombs, redirects, headers. The process stays small, every
// call is answered, and a server beside it does not notice. The other bodies are in http-bodies.deep.test.ts.
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { eventually } from '../support/process-list.js';
import { type Attack, hostileHttp } from './hostile-http.js';
import { fine, meetBodies, sent, textOf, within } from './http-attacks.js';

test('bodies of any status are bounded after decompression', { timeout: 60_000 }, () =>
  meetBodies(['bomb_400', 'plain_400', 'bomb_200', 'stacked', 'unasked', 'fine']),
);

deepTest(
  'an answer that lies about its length, breaks off or trickles ends the one call',
  {
    timeout: 60_000,
  },
  async () => {
    const attacks: Record<string, Attack> = {
      too_long: ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000000' });
        response.write('{"jsonrpc"');
        setTimeout(() => response.destroy(), 50);
      },
      trickle_200: ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const timer = setInterval(() => void response.write(' '), 100);
        response.on('close', () => clearInterval(timer));
      },
      trickle_400: ({ response }) => {
        response.writeHead(400, { 'content-type': 'application/json' });
        const timer = setInterval(() => void response.write(' '), 100);
        response.on('close', () => clearInterval(timer));
      },
      headers: ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json', 'x-long': 'x'.repeat(200_000) });
        response.end('{}');
      },
      no_gzip: ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' });
        response.end('this is no gzip');
      },
      fine,
    };
    const evil = await hostileHttp({ attacks });
    await within(evil, Object.keys(attacks), async (peer, call) => {
      const begun = performance.now();
      const texts = await Promise.all(Object.keys(attacks).map(async (name) => [name, textOf(await call(name))]));
      for (const [name, text] of texts) expect(text, name).not.toBe('');
      expect(Object.fromEntries(texts)).toMatchObject({
        fine: 'fine',
        trickle_400: expect.stringContaining('HTTP 400'),
      });
      expect(performance.now() - begun).toBeLessThan(6_000);
      expect(peer.isRunning).toBe(true);
    });
  },
);

deepTest('a key goes to nobody but the server that it is for', { timeout: 60_000 }, async () => {
  const thief = await hostileHttp({ attacks: { fine } });
  const away =
    (status: number, location: string): Attack =>
    ({ response }) =>
      void response.writeHead(status, { location }).end();
  const userinfo = thief.url.replace('//', '//me:hunter2@');
  const attacks: Record<string, Attack> = {
    ...Object.fromEntries([301, 302, 303, 307, 308].map((status) => [`s${status}`, away(status, thief.url)])),
    userinfo: away(307, userinfo),
    query: away(308, `${thief.url}?token=s3cret`),
    chain: away(307, '/mcp/again?to=away'),
    loop: away(308, '/mcp/loop'),
    fine,
  };
  const evil = await hostileHttp({
    attacks,
    first: (request, response) => {
      if (request.method === 'OPTIONS') return sent(response, thief.url);
      if (request.url === '/mcp/again?to=away') return sent(response, thief.url);
      if (request.url === '/mcp/loop') return sent(response, '/mcp/loop');
      return false;
    },
  });
  await within(
    evil,
    Object.keys(attacks),
    async (_peer, call) => {
      // The liveness check is redirected too; with the second one the end of the first is known.
      const checks = (): number => evil.seen.filter(({ method }) => method === 'OPTIONS').length;
      await eventually('checks came', () => checks() > Object.keys(attacks).length);
      expect(thief.seen).toEqual([]);
      for (const name of Object.keys(attacks).filter((one) => !['fine', 'loop'].includes(one))) {
        const text = textOf(await call(name));
        expect(text, name).toContain(thief.url);
        expect(text, name).not.toMatch(/hunter2|s3cret/);
      }
      expect(textOf(await call('loop'))).toContain('more than 3 times');
      expect(textOf(await call('fine'))).toBe('fine');
    },
    { headers: { 'X-Api-Key': 'the-users-key', Authorization: 'Bearer the-users-token' } },
  );
  expect(thief.seen).toEqual([]);
  expect(evil.seen.filter(({ path }) => path === '/mcp/loop')).toHaveLength(3);
  const here = evil.seen.filter(({ path }) => path.startsWith('/mcp/'));
  expect(here.every(({ headers }) => headers['x-api-key'] === 'the-users-key')).toBe(true);
});
