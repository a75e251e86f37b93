// What too-much.test.ts and too-much.deep.test.ts share: a process with a hostile server and one that is called beside it.
import * as fs from 'node:fs';
import { expect } from 'vitest';
import { freshPlace, type Message, type Peer, session } from '../support/serve.js';
import { fakeServer, untilHealthy, writeBoard } from '../support/switchboard-file.js';
import { verify } from '../switchboard/wire.shared.js';
import type { Asked } from './hostile-http.js';

/** Far more than a healthy call takes on a busy machine, far less than any of these attacks took. */
export const PATIENCE_MS = 2_500;

/** The answer, and how long the slowest call of the server beside it took meanwhile. */
export const beside = async (
  peer: Peer,
  work: Promise<Message>,
): Promise<{ readonly answer: Message; slowestMs: number }> => {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  let slowestMs = 0;
  do {
    const begun = performance.now();
    expect((await peer.call('plain__echo', { a: 1 })).result.content[0].text).toBe('{"a":1}');
    slowestMs = Math.max(slowestMs, performance.now() - begun);
  } while (!isOver);
  return { answer: await ended, slowestMs };
};

export const meet = async (servers: Record<string, Record<string, unknown>>, use: (peer: Peer) => Promise<void>) => {
  const place = freshPlace();
  writeBoard(place, { ...servers, plain: fakeServer('plain') });
  const { ended } = await session(place, async (peer) => {
    await untilHealthy(peer, 'plain');
    await use(peer);
  });
  expect(ended.code).toBe(0);
  expect(await verify(place)).toBe(0);
};

export const openFiles = (peer: Peer): number => fs.readdirSync(`/proc/${peer.pid}/fd`).length;

export const answered = ({ message: { id } }: Asked, result: string): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
export const FINE = '{"content":[{"type":"text","text":"fine"}]}';
