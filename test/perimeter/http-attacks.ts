// What http-bodies.test.ts and http-bodies.deep.test.ts share: answers of a hostile HTTP server, and a process that meets them.
import * as fs from 'node:fs';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { freshPlace, type Message, type Peer, session } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { verify } from '../switchboard/wire.shared.js';
import { type Asked, type Attack, type HostileHttp, hostileHttp, json, pour } from './hostile-http.js';

const MIB = 1024 * 1024;
/** 512 MiB of spaces in 600 KiB: members of gzip may stand one behind the other. */
const MEMBER = gzipSync(Buffer.alloc(4 * MIB, 32));
const BOMB = Buffer.concat(Array.from({ length: 128 }, () => MEMBER));

const residentBytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;

export const textOf = (answer: Message): string =>
  answer.error?.message ?? answer.result?.content?.[0]?.text ?? JSON.stringify(answer);

const bomb =
  (status: number, type = 'application/json'): Attack =>
  ({ response }) => {
    response.writeHead(status, { 'content-type': type, 'content-encoding': 'gzip' });
    response.end(BOMB);
  };

const endless =
  (status: number, type: string, piece: Buffer): Attack =>
  ({ response }) => {
    response.writeHead(status, { 'content-type': type });
    pour(response, () => piece, 700 * MIB);
  };

export const sent = (response: ServerResponse, location: string): true => {
  response.writeHead(307, { location }).end();
  return true;
};

const SPACES = Buffer.alloc(65_536, 32);
export const fine = ({ message: { id }, response }: Asked): void =>
  json(response, 200, { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'fine' }] } });

/** One entry for each attack, all of them the same server: what one call does to its connection must not spare us the next. */
export const within = async (
  { url }: HostileHttp,
  names: readonly string[],
  use: (peer: Peer, call: (tool: string) => Promise<Message>) => Promise<void>,
  { headers = {}, timeoutMs = 2_000 } = {},
) => {
  const place = freshPlace();
  const health = { liveness: { intervalMs: 1_000 } };
  const entry = { url, headers, timeoutMs, health };
  const servers = Object.fromEntries(names.map((name) => [name.replaceAll('_', '-'), entry]));
  writeBoard(place, { ...servers, plain: fakeServer('plain') });
  const { ended } = await session(place, async (peer) => {
    await untilHealthy(peer, ...Object.keys(servers), 'plain');
    await use(peer, (tool) => peer.call(`${tool.replaceAll('_', '-')}__${tool}`, {}));
    expect((await peer.call('plain__echo', { a: 1 })).result.content[0].text).toBe('{"a":1}');
  });
  expect(ended.code).toBe(0);
  expect(await verify(place)).toBe(0);
};

export const BODIES: Record<string, Attack> = {
  bomb_400: bomb(400),
  bomb_404: bomb(404),
  bomb_409_text: bomb(409, 'text/plain'),
  bomb_500: bomb(500),
  bomb_200: bomb(200),
  bomb_events: bomb(200, 'text/event-stream'),
  bomb_202: bomb(202),
  plain_400: endless(400, 'application/json', SPACES),
  plain_422: endless(422, 'text/html', SPACES),
  plain_200: endless(200, 'application/json', SPACES),
  page_200: endless(200, 'text/html', SPACES),
  comment: endless(200, 'text/event-stream', Buffer.from(`: ${'x'.repeat(60_000)}`)),
  field: endless(200, 'text/event-stream', Buffer.from('data: x\n')),
  // A parser that looks for LF behind every CR would take seconds for each megabyte of these.
  returns: ({ response }) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    pour(response, () => Buffer.alloc(65_536, 13), 30 * MIB);
  },
  stacked: ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip, gzip' });
    response.end(gzipSync(BOMB));
  },
  unasked: ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'zstd' });
    response.end('x');
  },
  fine,
};

/** Each of these answers in turn, with calls of another server beside it. */
export const meetBodies = async (names: readonly string[]): Promise<void> => {
  const evil = await hostileHttp({ attacks: BODIES });
  await within(
    evil,
    names,
    async (peer, call) => {
      const before = residentBytes(peer.pid);
      let healthy = 0;
      for (const name of names) {
        const answer = call(name);
        for (let n = 0; n < 5; n++) {
          const begun = performance.now();
          await peer.call('plain__echo', { n });
          healthy = Math.max(healthy, performance.now() - begun);
        }
        const text = textOf(await answer);
        expect(text, name).not.toBe('');
        if (name === 'fine') expect(text).toBe('fine');
      }
      expect(peer.peakBytes() - before).toBeLessThan(350 * MIB);
      expect(healthy).toBeLessThan(5_000); // a busy machine is late too; a standstill took longer
    },
    { timeoutMs: 20_000 },
  );
};
