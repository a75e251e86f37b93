// More than anybody can use, from a hostile server: millions of values in one answer, streams that are never closed. The process
// stays small, and the server beside it is served. Floods and lists without an end are in too-much.deep.test.ts.
import { expect } from 'vitest';
import { deepTest, test } from '../support/by-gate.js';
import { fakeServer, untilHealthy } from '../support/switchboard-file.js';
import { type Asked, hostileHttp } from './hostile-http.js';
import { textOf } from './http-attacks.js';
import { answered, beside, FINE, meet, openFiles, PATIENCE_MS } from './too-much.shared.js';

const MEMBERS = `{${Array.from({ length: 400_000 }, (_, n) => `"k${n}":1`).join(',')}}`;

deepTest('millions of values are refused before they are read', { timeout: 60_000 }, async () => {
  const http = await hostileHttp({
    attacks: {
      json: (asked) =>
        void asked.response.writeHead(200, { 'content-type': 'application/json' }).end(answered(asked, MEMBERS)),
      // The quote in the comment is no beginning of a text.
      events: (asked) =>
        void asked.response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(`: "\ndata: ${answered(asked, MEMBERS)}\n\n`),
    },
  });
  await meet({ evil: fakeServer('endless'), far: { url: http.url } }, async (peer) => {
    await untilHealthy(peer, 'evil', 'far');
    for (const tool of ['evil__wide', 'evil__objects', 'far__json', 'far__events']) {
      const { answer, slowestMs } = await beside(peer, peer.call(tool, {}));
      expect(textOf(answer), tool).toMatch(/had too many values/);
      expect(slowestMs, tool).toBeLessThan(PATIENCE_MS);
    }
    expect((await peer.call('evil__text', {})).result.content[0].text).toHaveLength(12 * 600_000);
  });
});

test('a list of messages is no answer', { timeout: 60_000 }, async () => {
  const attacks = {
    batch: (asked: Asked) =>
      void asked.response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(` \n[${'{"jsonrpc":"2.0","method":"x"},'.repeat(20_000)}${answered(asked, FINE)}]`),
  };
  const { url } = await hostileHttp({ attacks });
  await meet({ far: { url } }, async (peer) => {
    await untilHealthy(peer, 'far');
    expect(textOf(await peer.call('far__batch', {}))).toMatch(/a list of messages/);
  });
});

deepTest('a stream that is not ended after the answer is cut', { timeout: 60_000 }, async () => {
  const attacks = {
    open: (asked: Asked) => {
      asked.response.writeHead(200, { 'content-type': 'text/event-stream' });
      asked.response.write(`data: ${answered(asked, FINE)}\n\n`);
    },
  };
  const { url } = await hostileHttp({ attacks });
  await meet({ far: { url } }, async (peer) => {
    await untilHealthy(peer, 'far');
    const before = openFiles(peer);
    for (let n = 0; n < 60; n++) expect(textOf(await peer.call('far__open', {}))).toBe('fine');
    expect(openFiles(peer) - before).toBeLessThan(25);
  });
});
