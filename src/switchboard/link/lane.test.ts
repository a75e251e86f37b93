import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { cancelledBy } from '../../core/cancellation.js';
import { Lane } from './lane.js';
import type { Carrier, Posted } from './link.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const lanes = (envelope: Record<string, unknown> = {}) => {
  const sent: JSONRPCMessage[] = [];
  const posted: Posted[] = [];
  let changed = 0;
  const carrier: Carrier = {
    post: (frame, post) => {
      sent.push(frame);
      posted.push(post);
    },
    notify: (frame) => void sent.push(frame),
  };
  const lane = new Lane({
    carrier,
    envelope,
    nowMs: () => Date.now(),
    events: { listChanged: () => void changed++, notified: () => {} },
  });
  const progress = (progressToken: unknown) =>
    lane.take({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } } as never);
  return { lane, sent, posted, progress, changed: () => changed };
};

const SILENT = { listChanged: () => {}, notified: () => {} };
const CALL = { method: 'tools/call', params: { name: 'x' }, timeoutMs: 1_000 };

describe('a lane', () => {
  it('writes frames with ids of its own and takes their answers', async () => {
    const { lane, sent } = lanes();
    const pending = lane.request(CALL);
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 'c1', method: 'tools/call', params: { name: 'x' } }]);
    expect(lane.take({ jsonrpc: '2.0', id: 1, result: {} })).toBe(false);
    expect(lane.take({ jsonrpc: '2.0', id: 'c2', result: {} })).toBe(false);
    vi.advanceTimersByTime(30);
    expect(lane.take({ jsonrpc: '2.0', id: 'c1', result: { odd: 1 } })).toBe(true);
    expect(lane.take({ jsonrpc: '2.0', id: 'c1', result: { odd: 2 } })).toBe(false);
    const end = { how: 'response', result: { odd: 1 } };
    expect(await pending).toEqual({ end, sent: true, frames: 3, elapsedMs: 30 });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('does not take for a loss what cannot be written', async () => {
    const post = (): void => void JSON.stringify(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)));
    const carrier: Carrier = { post, notify: () => {} };
    const lane = new Lane({
      carrier,
      envelope: {},
      nowMs: () => Date.now(),
      events: SILENT,
    });
    expect(await lane.request(CALL)).toMatchObject({ end: { how: 'response', error: { code: -32602 } }, sent: false });
  });

  it('puts the envelope and a token for progress into _meta, whatever the caller has there', () => {
    const { lane, sent } = lanes({ 'io.modelcontextprotocol/protocolVersion': 'v' });
    const _meta = { progressToken: 'theirs', 'io.modelcontextprotocol/x': 1, 'dev.colibri/receipt': 1, trace: 't' };
    void lane.request({ ...CALL, params: { name: 'x', _meta }, onProgress: () => {} });
    expect(sent).toMatchObject([{ params: { _meta: { trace: 't', progressToken: 'c1' } } }]);
    const [frame] = sent as unknown as { params: { _meta: object } }[];
    expect(Object.keys(frame?.params._meta ?? {}).toSorted()).toEqual([
      'io.modelcontextprotocol/protocolVersion',
      'progressToken',
      'trace',
    ]);
  });

  it('gives up after the time, and tells the server first', async () => {
    const { lane, sent, posted } = lanes();
    const pending = lane.request(CALL);
    vi.advanceTimersByTime(1_000);
    const params = { requestId: 'c1', reason: 'timed out' };
    expect(sent[1]).toEqual({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    expect(posted[0]?.signal.aborted).toBe(true);
    expect(await pending).toEqual({ end: { how: 'timeout' }, sent: true, frames: 0, elapsedMs: 1_000 });
  });

  it('lets progress begin the time anew, up to ten minutes', async () => {
    const { lane, progress } = lanes();
    let seen = 0;
    const pending = lane.request({ ...CALL, onProgress: () => void seen++ });
    const timer = setInterval(() => progress('c1'), 900);
    vi.advanceTimersByTime(599_999);
    expect(seen).toBe(666);
    vi.advanceTimersByTime(1);
    clearInterval(timer);
    expect(await pending).toMatchObject({ end: { how: 'timeout' }, elapsedMs: 600_000 });
    expect(progress('c1')).toBe(false);
    expect(progress(7)).toBe(false);
  });

  it('of a request that could not be handed over nothing is left', async () => {
    const cancelled: unknown[] = [];
    const carrier: Carrier = {
      post: () => {
        throw new Error('closed');
      },
      notify: (frame) => void cancelled.push(frame),
    };
    const lane = new Lane({ carrier, envelope: {}, nowMs: Date.now, events: SILENT });
    const abort = new AbortController();
    const answer = await lane.request({ ...CALL, cancellation: cancelledBy(abort.signal) });
    expect(answer).toMatchObject({ end: { how: 'lost' }, sent: false });
    abort.abort();
    vi.advanceTimersByTime(10_000);
    expect([cancelled, vi.getTimerCount(), lane.inFlight]).toEqual([[], 0, 0]);
  });

  it('ends once, whoever is first', async () => {
    const { lane, posted, sent } = lanes();
    const abort = new AbortController();
    const pending = lane.request({ ...CALL, cancellation: cancelledBy(abort.signal) });
    expect(posted[0]?.end({ how: 'server_error', status: 500 }, true)).toBe(true);
    expect(posted[0]?.end({ how: 'lost' }, true)).toBe(false);
    abort.abort();
    expect(await pending).toMatchObject({ end: { how: 'server_error', status: 500 } });
    expect(sent).toHaveLength(1);
  });

  it('knows that nothing was sent when the carrier throws', async () => {
    const throws = () => {
      throw new Error('closed');
    };
    const lane = new Lane({
      carrier: { post: throws, notify: () => {} },
      envelope: {},
      nowMs: () => 0,
      events: SILENT,
    });
    expect(await lane.request(CALL)).toMatchObject({ end: { how: 'lost' }, sent: false });
  });

  it('drains what is in flight, for a bounded time, and takes nothing new', async () => {
    const { lane } = lanes();
    const answered = lane.request(CALL);
    const hanging = lane.request({ ...CALL, timeoutMs: 60_000 });
    let drained = false;
    void lane.drain(5_000).then(() => {
      drained = true;
    });
    lane.take({ jsonrpc: '2.0', id: 'c1', result: {} });
    await vi.advanceTimersByTimeAsync(4_999);
    expect((await answered).end.how).toBe('response');
    expect(await lane.request(CALL)).toMatchObject({ end: { how: 'lost' }, sent: false });
    expect(drained).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(drained).toBe(true);
    lane.close();
    expect((await hanging).end.how).toBe('lost');
    await lane.drain(5_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it.each([null, 5, 'text', [1]])('makes an error of the result %j', async (result) => {
    const { lane } = lanes();
    const pending = lane.request(CALL);
    lane.take({ jsonrpc: '2.0', id: 'c1', result } as never);
    expect((await pending).end).toMatchObject({ how: 'response', error: { code: -32603 } });
  });

  it('tells about changed lists and leaves the message to the SDK', () => {
    const { lane, changed } = lanes();
    for (const list of ['tools', 'prompts', 'resources'])
      expect(lane.take({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` })).toBe(false);
    lane.take({ jsonrpc: '2.0', method: 'notifications/message' });
    expect(changed()).toBe(3);
    expect(lane.frames).toBe(4);
  });
});
