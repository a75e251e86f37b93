// Arguments that are sent as HTTP headers, through the built process: which tools clients see, what arrives at the server, and that no secret
// in such an argument is written down.
import { expect, vi } from 'vitest';
import { written } from '../perimeter/secrets.shared.js';
import { deepTest, test } from '../support/by-gate.js';
import { colibri } from '../support/command-line.js';
import { linkPlace } from '../support/dial.js';
import { httpFake } from '../support/http-server.js';
import { eventually } from '../support/process-list.js';
import { SECRETS } from '../support/secrets.js';
import { connect, freshPlace, session } from '../support/serve.js';
import { untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { verify } from './wire.shared.js';

vi.setConfig({ testTimeout: 60_000 });

const TOKEN = SECRETS.find(({ kind }) => kind === 'GitHub classic')?.secret ?? '';

const start = async () => {
  const place = freshPlace();
  const servers = linkPlace();
  const { url } = await httpFake(servers, 'http-params');
  writeBoard(place, { http: { url } });
  return { place, servers };
};

test.each(['v2 modern', 'v1'] as const)(
  'a %s client sees the tools that can be called, and its arguments arrive as headers',
  async (kind) => {
    const { place, servers } = await start();
    const client = await connect(place, kind);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    await eventually('the tools are listed', async () => (await names()).includes('http__mirror'));
    expect((await names()).filter((name) => name.startsWith('http__'))).toEqual(['http__mirror', 'http__moves']);
    const args = { text: 'a\r\nX-Evil: 1', count: 7, on: true };
    const { content } = await client.callTool('http__mirror', args);
    expect(content).toEqual([{ type: 'text', text: JSON.stringify(args) }]);
    expect(servers.log().at(-1)).toContain(
      '"mcp-param-count":"7","mcp-param-on":"true","mcp-param-text":"=?base64?YQ0KWC1FdmlsOiAx?="',
    );
    for (const name of ['http__number', 'http__twice'])
      await expect(
        client.callTool(name, { amount: 1 }).then((answer) => answer.isError || Promise.reject(answer)),
      ).rejects.toBeDefined();
    expect(servers.log()).toHaveLength(1);
  },
);

deepTest(
  'a secret in such an argument stands in no record, log or screen, and the tools left out are named',
  async () => {
    const { place, servers } = await start();
    const { value, peer } = await session(place, async (peer) => {
      await untilHealthy(peer, 'http');
      // Once as it should be, and once so that it cannot be sent.
      const calls = [{ token: TOKEN }, { token: TOKEN, text: '\ud800' }, { token: TOKEN, text: 'x'.repeat(40_000) }];
      const answers = [];
      for (const args of calls) answers.push(await peer.call('http__mirror', args));
      const screens = [['switchboard', '--once'], ['log'], ['export']];
      const shown = await Promise.all(screens.map(async (words) => (await colibri(place, words)).stdout));
      return { answers, shown: shown.join('\n') };
    });
    expect(servers.log().join('\n')).toContain(`"mcp-param-token":"${TOKEN}"`);
    const places = { store: written(place), stderr: peer.stderr, screens: value.shown };
    for (const [where, text] of Object.entries(places)) {
      expect(text.includes(TOKEN), where).toBe(false);
      expect(text.includes(Buffer.from(TOKEN).toString('base64')), where).toBe(false);
    }
    expect(JSON.stringify(value.answers.slice(1))).not.toContain(TOKEN);
    expect(peer.stderr).toMatch(/http: number: left out, its parameter "amount" has an x-mcp-header/);
    expect(peer.stderr).toMatch(/http: twice: left out, its parameter "other" has an x-mcp-header/);
    expect(await verify(place)).toBe(0);
  },
);
