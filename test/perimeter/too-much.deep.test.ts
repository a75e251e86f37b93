// Lists without an end, and questions of one who never reads.
import '../support/deep-part.js';
import './too-much.test.js';
import { expect, test } from 'vitest';
import { fakeServer, untilHealthy } from '../support/switchboard-file.js';
import { namesOf } from '../switchboard/wire.shared.js';
import { type Asked, hostileHttp, pour } from './hostile-http.js';
import { textOf } from './http-attacks.js';
import { answered, beside, FINE, meet, openFiles, PATIENCE_MS } from './too-much.shared.js';

const MIB = 1024 * 1024;

test('lists without an end are read to a bound', { timeout: 120_000 }, async () => {
  const entry = (LIST: string) => ({ ...fakeServer('endless', { LIST }), health: { startTimeoutMs: 60_000 } });
  const servers = { pages: entry('pages'), many: entry('many'), long: entry('long'), reference: entry('reference') };
  await meet(servers, async (peer) => {
    const { slowestMs } = await beside(
      peer,
      untilHealthy(peer, ...Object.keys(servers)).then(() => ({})),
    );
    expect(slowestMs).toBeLessThan(PATIENCE_MS);
    expect(peer.peakBytes()).toBeLessThan(500 * MIB);
    const names = namesOf(await peer.request('tools/list'));
    const listed = (server: string): number => names.filter((name) => name.startsWith(`${server}__`)).length;
    expect(['pages', 'many', 'long', 'reference'].map(listed)).toEqual([1_000, 1_000, 1, 1]);
    const call = await beside(peer, peer.call('reference__reference', { a: 1 }));
    expect(textOf(call.answer)).toBe('called');
  });
});

test('who asks without end and takes no answer fills neither memory nor descriptors', { timeout: 60_000 }, async () => {
  let isFlooding = true;
  const attacks = {
    ping: ({ response, ...asked }: Asked) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const pings = Buffer.from('data: {"jsonrpc":"2.0","id":"p","method":"ping"}\n\n'.repeat(100));
      const until = performance.now() + 3_000;
      pour(response, () => {
        if (performance.now() < until) return pings;
        isFlooding = false;
        return Buffer.from(`data: ${answered({ response, ...asked }, FINE)}\n\n`);
      });
    },
  };
  const isAnswer = (length: string | undefined): boolean => Number(length) < 45;
  const { url } = await hostileHttp({
    attacks,
    first: ({ headers }) => isFlooding && isAnswer(headers['content-length']),
  });
  await meet({ evil: fakeServer('endless'), far: { url, timeoutMs: 5_000 } }, async (peer) => {
    await untilHealthy(peer, 'evil', 'far');
    const before = openFiles(peer);
    let files = 0;
    const timer = setInterval(() => {
      files = Math.max(files, openFiles(peer));
    }, 50);
    const { slowestMs } = await beside(peer, peer.call('far__ping', {}));
    clearInterval(timer);
    expect(files - before).toBeLessThan(150);
    expect(slowestMs).toBeLessThan(PATIENCE_MS);
    const deaf = await beside(peer, peer.call('evil__deaf', {}));
    expect(deaf.slowestMs).toBeLessThan(PATIENCE_MS);
    expect(peer.peakBytes()).toBeLessThan(350 * MIB);
  });
});
