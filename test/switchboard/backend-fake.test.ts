// The fake of the other tests keeps the contract that link.ts describes.

import { describe, expect, it } from 'vitest';
import { cancelledBy } from '../../src/core/cancellation.js';
import type { LinkRequest } from '../../src/switchboard/link/link.js';
import { FakeClock, type FakeLink, FakeServer, type Manners, TOOLS } from './fake-link.js';

const REQUEST: LinkRequest = { method: 'tools/call', params: { name: 'act' }, timeoutMs: 1_000 };

const open = async (manners: Partial<Manners> = {}) => {
  const clock = new FakeClock();
  const server = new FakeServer(clock);
  Object.assign(server.manners, manners);
  const told: string[] = [];
  const events = {
    lost: ({ text }: { readonly text: string }) => void told.push(text),
    listChanged: () => void told.push('changed'),
    notified: () => {},
  };
  const dialling = server.dial({ dial: 3, events, signal: new AbortController().signal, startTimeoutMs: 1_000 });
  await clock.advance(10);
  const end = await dialling;
  if (!('link' in end)) throw new Error(JSON.stringify(end));
  expect([end.tools, end.link.dial]).toEqual([TOOLS, 3]);
  return { clock, told, link: end.link as FakeLink };
};

describe('a fake link', () => {
  it('answers, counts frames and time', async () => {
    const { clock, link } = await open();
    const answer = link.request(REQUEST);
    await clock.advance(10);
    expect(await answer).toMatchObject({ end: { how: 'response' }, sent: true, frames: 1, elapsedMs: 10 });
  });

  it('times out by itself', async () => {
    const { clock, link } = await open({ call: 'silent' });
    const answer = link.request(REQUEST);
    await clock.advance(1_000);
    expect(await answer).toEqual({ end: { how: 'timeout' }, sent: true, frames: 0, elapsedMs: 1_000 });
  });

  it('cancels, and sends nothing for a caller that is gone already', async () => {
    const { link } = await open();
    const gone = await link.request({ ...REQUEST, cancellation: cancelledBy(AbortSignal.abort()) });
    expect(gone).toEqual({ end: { how: 'cancelled' }, sent: false, frames: 0, elapsedMs: 0 });
    const stop = new AbortController();
    const answer = link.request({ ...REQUEST, cancellation: cancelledBy(stop.signal) });
    stop.abort();
    expect(await answer).toMatchObject({ end: { how: 'cancelled' }, sent: true });
  });

  it('tells a loss once, and not after it was closed', async () => {
    for (const lostFirst of [true, false]) {
      const { clock, link, told } = await open({ lostFirst });
      const answer = link.request(REQUEST);
      link.crash();
      link.crash();
      await clock.advance(10);
      expect([(await answer).end.how, told]).toEqual(['lost', ['exit 1']]);
      expect(await link.request(REQUEST)).toMatchObject({ end: { how: 'lost' }, sent: false });
    }
    const { link, told } = await open();
    const answer = link.request(REQUEST);
    await link.close(false);
    link.crash();
    expect([(await answer).end.how, (await answer).sent, told]).toEqual(['lost', true, []]);
  });

  it('drains for a bounded time', async () => {
    const { clock, link } = await open();
    const answer = link.request(REQUEST);
    const closing = link.close(true);
    await clock.advance(10);
    await closing;
    expect((await answer).end.how).toBe('response');
    const hung = await open({ call: 'silent' });
    const lost = hung.link.request({ ...REQUEST, timeoutMs: 60_000 });
    void hung.link.close(true);
    await hung.clock.advance(5_000);
    expect((await lost).end.how).toBe('lost');
    expect([clock.timers.size, hung.clock.timers.size]).toEqual([0, 0]);
  });
});
