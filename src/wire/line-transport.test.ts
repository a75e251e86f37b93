import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, type Readable, Writable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { CORE_LIMITS } from '../core/limits.js';
import { WIRE_LIMITS } from './limits.js';
import { LineTransport, type LineTransportOptions } from './line-transport.js';

const request = (id: RequestId, method = 'ping') => ({ jsonrpc: '2.0' as const, id, method });
const answer = (id: RequestId) => ({ jsonrpc: '2.0' as const, id, result: {} });
const lineOf = (message: unknown) => `${JSON.stringify(message)}\n`;

/** A client that reads nothing until it is told to. */
class SlowClient extends Writable {
  readonly received: Buffer[] = [];
  #go: (() => void) | undefined;
  #reads = false;

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.received.push(chunk);
    if (this.#reads) setImmediate(done);
    else this.#go = done;
  }

  read(): void {
    this.#reads = true;
    this.#go?.();
  }
}

/** A transport whose requests wait in `received` until somebody answers them. */
const open = async (options: LineTransportOptions & { input?: Readable; output?: Writable } = {}) => {
  const input = options.input ?? new PassThrough();
  const output = options.output ?? new PassThrough();
  const transport = new LineTransport(input, output, options);
  const received: JSONRPCMessage[] = [];
  const errors: Error[] = [];
  const onclose = vi.fn();
  transport.onmessage = (message) => void received.push(message);
  transport.onerror = (error) => void errors.push(error);
  transport.onclose = onclose;
  await transport.start();
  const closed = vi.waitUntil(() => onclose.mock.calls.length > 0, { timeout: 10_000, interval: 2 });
  closed.catch(() => {});
  /** What has left by the end of this turn. */
  const written = async (): Promise<unknown[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    const bytes = output instanceof PassThrough ? output.read() : Buffer.concat((output as SlowClient).received);
    const lines = String(bytes ?? '').split('\n');
    expect(lines.pop()).toBe('');
    return lines.map((line) => JSON.parse(line));
  };
  return { input: input as PassThrough, output, transport, received, errors, onclose, closed, written };
};

describe('reading', () => {
  it('hands on any messages unchanged and in order, however they are cut', async () => {
    const json = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue());
    const id = fc.oneof(fc.maxSafeInteger(), fc.string({ unit: 'grapheme' }));
    const params = json.filter((value) => value._meta === undefined);
    const message = fc.oneof(
      fc.record(
        { jsonrpc: fc.constant('2.0'), id, method: fc.string(), params },
        { requiredKeys: ['jsonrpc', 'id', 'method'] },
      ),
      fc.record({ jsonrpc: fc.constant('2.0'), method: fc.string(), params }, { requiredKeys: ['jsonrpc', 'method'] }),
      fc.record({ jsonrpc: fc.constant('2.0'), id, result: json }),
      fc.record({ jsonrpc: fc.constant('2.0'), id, error: fc.record({ code: fc.integer(), message: fc.string() }) }),
    );
    const end = fc.constantFrom('\n', '\r\n', '\n\n', '\n \r\n');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(message, end)),
        fc.array(fc.integer({ min: 1, max: 200 })),
        async (sent, sizes) => {
          let bytes = Buffer.from(sent.map(([value, eol]) => JSON.stringify(value) + eol).join(''));
          const wanted = sent.map(([value]) => JSON.parse(JSON.stringify(value)));
          const { input, transport, received, errors } = await open({ drainMs: 0 });
          for (const size of sizes) {
            input.write(bytes.subarray(0, size));
            bytes = bytes.subarray(size);
          }
          input.end(bytes);
          await vi.waitUntil(() => received.length >= wanted.length, { interval: 0 });
          await transport.close();
          expect(received).toEqual(wanted);
          expect(errors).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('answers a bad line, reports it once without its content, and goes on', async () => {
    const { input, received, errors, written } = await open();
    input.write(
      'secret\n{"jsonrpc":"2.0","id":"secret","method":1}\n{"jsonrpc":"2.0","method":"x","params":"secret"}\n',
    );
    input.write(lineOf(request(1)));
    await vi.waitUntil(() => received.length === 1);
    expect(await written()).toEqual([
      { jsonrpc: '2.0', error: { code: -32700, message: 'Parse error: not JSON' } },
      { jsonrpc: '2.0', id: 'secret', error: { code: -32600, message: 'Invalid Request: method must be a string' } },
    ]);
    expect(errors.map((error) => error.message)).toEqual([
      'Refused a line: Parse error: not JSON',
      'Refused a line: Invalid Request: method must be a string',
      'Refused a line: Invalid Request: params must be an object',
    ]);
  });

  it('reads strings, and a last line without line feed', async () => {
    const input = new PassThrough();
    input.setEncoding('utf8');
    const { received, closed } = await open({ input, drainMs: 0 });
    input.end(JSON.stringify({ ...request(1), method: 'grüße' }));
    await closed;
    expect(received).toEqual([request(1, 'grüße')]);
  });

  it('delivers 20,000 levels', async () => {
    const { input, received } = await open();
    input.write(`{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}\n`);
    await vi.waitUntil(() => received.length === 1);
  });

  it('answers -32603 when the receiver throws, and goes on', async () => {
    const { input, transport, errors, written } = await open();
    transport.onmessage = () => {
      throw new Error('receiver');
    };
    input.write(lineOf(request(1)) + lineOf(request(2)));
    await vi.waitUntil(() => errors.length === 2);
    expect(await written()).toEqual(
      [1, 2].map((id) => ({ jsonrpc: '2.0', id, error: { code: -32603, message: 'Internal error' } })),
    );
    expect(transport.pending).toBe(0);
  });

  it('survives an onerror that throws', async () => {
    const { input, transport, received } = await open();
    transport.onerror = () => {
      throw new Error('reporter');
    };
    input.write(`bad\n${lineOf(request(1))}`);
    await vi.waitUntil(() => received.length === 1);
  });
});

describe('lines that are too long', () => {
  const filler = Buffer.alloc(64 * 1024, 'x');
  const error = (id?: number) => ({
    jsonrpc: '2.0',
    ...(id !== undefined && { id }),
    error: { code: -32600, message: `Invalid Request: longer than ${WIRE_LIMITS.lineBytes} bytes` },
  });
  const METHOD = '"jsonrpc":"2.0","method":"tools/call"';

  const CASES: readonly [string, string, string, unknown[]][] = [
    ['id first', `{"id":7,${METHOD},"params":{"text":"`, '"}}', [error(7)]],
    ['id last', `{${METHOD},"params":{"id":8,"text":"`, '"},"id":7}', [error(7)]],
    ['id in the middle', `{"pad":"`, `","id":7,${METHOD},"params":{"id":8,"text":"${'y'.repeat(5_000)}"}}`, [error(7)]],
    ['a bad id', `{"id":1.5,${METHOD},"params":{"text":"`, '"}}', [error()]],
    ['no JSON', 'x', 'x', [error()]],
    ['a batch', '[{"id":7,"x":"', '"}]', [error()]],
    ['a notification: id only in params', `{${METHOD},"params":{"id":8,"text":"`, '","id":9}}', []],
    ['a response', '{"jsonrpc":"2.0","id":7,"result":{"text":"', '"}}', []],
  ];

  it.each(CASES)('%s', async (_what, head, tail, answers) => {
    const { input, received, errors, written } = await open();
    input.write(head);
    for (let i = 0; i < 11 * 16; i++) if (!input.write(filler)) await once(input, 'drain');
    input.write(`${tail}\n${lineOf(request(1))}`);
    await vi.waitUntil(() => received.length === 1);
    expect(await written()).toEqual(answers);
    expect(errors).toHaveLength(1);
    expect(received).toEqual([request(1)]);
  });

  it('keeps none of the rest: 300 MB in one line', async () => {
    const { input, received, written } = await open();
    const used = () => process.memoryUsage().arrayBuffers + process.memoryUsage().heapUsed;
    const before = used();
    let most = 0;
    input.write(`{"id":7,${METHOD},"params":{"text":"`);
    for (let i = 0; i < 300 * 16; i++) {
      if (!input.write(filler)) await once(input, 'drain');
      most = Math.max(most, used() - before);
    }
    input.write(`"}}\n${lineOf(request(1))}`);
    await vi.waitUntil(() => received.length === 1);
    expect(await written()).toEqual([error(7)]);
    expect(most).toBeLessThan(60 * 1024 * 1024);
  });
});

describe('a client that does not read', () => {
  it('stops 20,000 requests of one chunk early, and answers all of them once it reads', async () => {
    const count = 20_000;
    const output = new SlowClient();
    const { input, transport, received, written } = await open({ output, stdoutBacklogBytes: 64 * 1024 });
    const keep = transport.onmessage;
    transport.onmessage = (message) => {
      keep?.(message);
      const { id } = message as { id: number };
      setImmediate(() => void transport.send({ jsonrpc: '2.0', id, result: { text: 'x'.repeat(1024) } }));
    };
    const all = Array.from({ length: count }, (_, id) => lineOf(request(id))).join('');
    input.write(all);
    await vi.waitUntil(() => output.writableLength > 64 * 1024);
    await sleep(50);

    expect(input.isPaused()).toBe(true);
    expect(received.length).toBeLessThan(64 + 3 * CORE_LIMITS.groupCalls);
    expect(output.writableLength).toBeLessThan(64 * 1024 + 3 * CORE_LIMITS.groupCalls * 1100);

    output.read();
    input.end();
    await vi.waitUntil(() => received.length === count && transport.pending === 0, { timeout: 20_000 });
    await transport.drain();
    const ids = await (await written()).map((message) => (message as { id: number }).id);
    expect(ids).toEqual(Array.from({ length: count }, (_, id) => id));
  });

  it('is not read from either while it only sends bad lines', async () => {
    const output = new SlowClient();
    const { input } = await open({ output, stdoutBacklogBytes: 64 * 1024 });
    input.write('bad\n'.repeat(100_000));
    await vi.waitUntil(() => output.writableLength > 64 * 1024);
    await sleep(50);
    expect(output.writableLength).toBeLessThan(64 * 1024 + CORE_LIMITS.groupCalls * 100);
    expect(input.isPaused()).toBe(true);
  });

  it('slows down a sender who waits, and lets go of him at close', async () => {
    const output = new SlowClient();
    const { transport } = await open({ output, stdoutBacklogBytes: 100_000 });
    const note = (text: string) => transport.send({ jsonrpc: '2.0', method: 'note', params: { text } });
    await note('x'.repeat(50_000));
    const waiting = note('x'.repeat(60_000));
    expect(await Promise.race([waiting, sleep(20, 'waits')])).toBe('waits');
    output.read();
    await waiting;

    const stuck = new SlowClient();
    const other = await open({ output: stuck, stdoutBacklogBytes: 10 });
    const never = other.transport.send({ jsonrpc: '2.0', method: 'note', params: { text: 'x'.repeat(50_000) } });
    await other.transport.close();
    await expect(never).rejects.toThrow('closed');
  });

  it('is not kept progress and log messages for, far beyond the bound, but all answers', async () => {
    const output = new SlowClient();
    const { transport, written } = await open({ output, passingBacklogBytes: 64 * 1024 });
    const text = 'x'.repeat(1024);
    for (const method of ['notifications/progress', 'notifications/message'])
      for (let turn = 0; turn < 50; turn++) {
        for (let i = 0; i < 20; i++) void transport.send({ jsonrpc: '2.0', method, params: { text } });
        await nextTurn();
      }
    expect(output.writableLength).toBeLessThan(128 * 1024);
    const answered = transport.send(answer(1));
    output.read();
    await answered;
    void transport.send({ jsonrpc: '2.0', method: 'notifications/progress', params: { last: true } });
    await transport.drain();
    const messages = (await written()) as { id?: number; params?: { last?: boolean } }[];
    expect(messages.filter(({ id }) => id === 1)).toHaveLength(1);
    expect(messages.at(-1)).toMatchObject({ params: { last: true } });
  });

  it('does not wait for a drain that will not come: a high-water mark above the bound', async () => {
    const output = new Writable({ highWaterMark: 1e6, write: () => {} });
    const { input, transport, received } = await open({ output, stdoutBacklogBytes: 10 });
    input.write(lineOf(request(1)));
    await vi.waitUntil(() => received.length === 1);
    await transport.send(answer(1));
    input.write(lineOf(request(2)));
    await vi.waitUntil(() => received.length === 2);
  });
});

describe('counting', () => {
  it('counts requests until they are answered or cancelled, twice if they came twice', async () => {
    const { input, transport, received } = await open();
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 3 } };
    const messages = [request(1), request(1), request('1'), request(3), { jsonrpc: '2.0', method: 'note' }, answer(1)];
    input.write(messages.map(lineOf).join(''));
    await vi.waitUntil(() => received.length === messages.length);
    expect(transport.pending).toBe(4);
    input.write(lineOf(cancel) + lineOf(cancel));
    await vi.waitUntil(() => transport.pending === 3);
    await transport.send(answer(1));
    expect(transport.pending).toBe(2);
    await transport.send(answer(1));
    await transport.send(answer(1));
    expect(transport.pending).toBe(1);
    await transport.send(answer('1'));
    expect(transport.pending).toBe(0);
  });

  it('does not take the refusal of a bad line for the answer to a request of the same id', async () => {
    const { input, transport, errors } = await open();
    input.write(`${lineOf(request(1))}{"jsonrpc":"2.0","id":1,"method":2}\n`);
    await vi.waitUntil(() => errors.length === 1);
    expect(transport.pending).toBe(1);
  });

  it('does not count a subscription: it is open until the end', async () => {
    const { input, transport, received } = await open();
    input.write(lineOf(request(1, 'subscriptions/listen')));
    await vi.waitUntil(() => received.length === 1);
    expect(transport.pending).toBe(0);
  });
});

describe('sending', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const deep = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000));

  it.each([
    ['a BigInt', { n: 1n }],
    ['a cycle', cycle],
    ['20,000 levels', { deep }],
  ])('answers -32603 where the answer holds %s', async (_what, result) => {
    const { input, transport, received, errors, written } = await open();
    input.write(lineOf(request(1)));
    await vi.waitUntil(() => received.length === 1);
    await transport.send({ jsonrpc: '2.0', id: 1, result } as JSONRPCMessage);
    const message = 'Internal error: the answer cannot be written as JSON';
    expect(await written()).toEqual([{ jsonrpc: '2.0', id: 1, error: { code: -32603, message } }]);
    expect(errors.map((error) => error.message)).toEqual(['An answer could not be written as JSON']);
    expect(transport.pending).toBe(0);
  });

  it('rejects what is no answer and cannot be JSON, and everything after close', async () => {
    const { transport, written } = await open();
    const note = { jsonrpc: '2.0', method: 'note', params: cycle } as JSONRPCMessage;
    await expect(transport.send(note)).rejects.toThrow(TypeError);
    await transport.close();
    await expect(transport.send(answer(1))).rejects.toThrow('closed');
    expect(await written()).toEqual([]);
  });
});

describe('the end', () => {
  it('answers what is in flight before it closes', async () => {
    const { input, transport, received, onclose, closed, written } = await open();
    input.end(lineOf(request(1)) + JSON.stringify(request(2)));
    await vi.waitUntil(() => received.length === 2);
    await sleep(30);
    expect(onclose).not.toHaveBeenCalled();
    await transport.send(answer(1));
    await sleep(30);
    expect(onclose).not.toHaveBeenCalled();
    await transport.send(answer(2));
    await closed;
    expect(await written()).toEqual([answer(1), answer(2)]);
    expect(await transport.drain()).toEqual({ drained: 2, abandoned: 0 });
  });

  it('gives up after drainMs', async () => {
    const { input, transport, received, closed, written } = await open({ drainMs: 60 });
    input.end(lineOf(request(1)) + lineOf(request(2)));
    await once(input, 'end');
    expect(received).toHaveLength(2);
    await transport.send(answer(1));
    const before = performance.now();
    await closed;
    expect(performance.now() - before).toBeLessThan(1_000);
    expect(await transport.drain()).toEqual({ drained: 1, abandoned: 1 });
    expect(await written()).toEqual([answer(1)]);
  });

  it('drains on demand, with less patience, once', async () => {
    const { input, transport, received, onclose } = await open();
    input.write(lineOf(request(1)) + lineOf(request(2)));
    await vi.waitUntil(() => received.length === 2);
    const [first, second] = [transport.drain(50), transport.drain(60_000)];
    input.write(lineOf(request(3)));
    await transport.send(answer(2));
    expect(await first).toEqual({ drained: 1, abandoned: 1 });
    expect(await second).toEqual({ drained: 1, abandoned: 1 });
    expect(received).toHaveLength(2);
    expect(onclose).toHaveBeenCalledTimes(1);
    await expect(transport.drain()).resolves.toEqual({ drained: 1, abandoned: 1 });
  });

  it('takes cancellations and answers while it stops, and nothing else', async () => {
    const { input, transport, received, onclose, written } = await open();
    input.write(lineOf(request(1)) + lineOf(request(2)));
    await vi.waitUntil(() => received.length === 2);
    const drained = transport.drain(60_000);
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } as const;
    const told = { jsonrpc: '2.0', id: 'question', result: {} } as const;
    input.write(`${lineOf(request(3))}no JSON\n${lineOf({ jsonrpc: '2.0', method: 'notifications/initialized' })}`);
    input.write(lineOf(told) + lineOf(cancelled));
    await vi.waitUntil(() => received.length === 4);
    expect(received.slice(2)).toEqual([told, cancelled]);
    expect(onclose).not.toHaveBeenCalled();
    await transport.send(answer(2));
    expect(await drained).toEqual({ drained: 1, abandoned: 0 });
    expect(await written()).toEqual([answer(2)]);
  });

  it('ends at once when the last request is cancelled while it stops', async () => {
    const { input, transport, received } = await open();
    input.write(lineOf(request(1)));
    await vi.waitUntil(() => received.length === 1);
    const drained = transport.drain(60_000);
    input.write(lineOf({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }));
    expect(await drained).toEqual({ drained: 0, abandoned: 0 });
  });

  it('flushes before it closes, for as long as the client goes on reading', async () => {
    const output = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => void setTimeout(done, 40) });
    const { transport, onclose } = await open({ output, drainMs: 200 });
    for (let id = 0; id < 8; id++) void transport.send({ jsonrpc: '2.0', method: 'note' });
    await transport.drain();
    expect(output.writableLength).toBe(0);
    expect(onclose).toHaveBeenCalledTimes(1);
  });

  it('does not flush forever', async () => {
    const { transport } = await open({ output: new SlowClient(), drainMs: 30 });
    await transport.send({ jsonrpc: '2.0', method: 'note' });
    await expect(transport.drain()).resolves.toEqual({ drained: 0, abandoned: 0 });
  });

  it('closes at a stream that ended or died before the start', async () => {
    const ended = new PassThrough();
    ended.end().resume();
    await once(ended, 'end');
    await (await open({ input: ended })).closed;
    const dead = new PassThrough().destroy();
    await once(dead, 'close');
    await (await open({ input: dead })).closed;
    await (await open({ output: dead })).closed;
  });

  it('delivers what it had read when the input closes', async () => {
    const { input, received, closed } = await open({ drainMs: 50 });
    input.write(Array.from({ length: 300 }, (_, id) => lineOf(request(id))).join(''));
    await nextTurn();
    expect(received.length).toBeLessThan(300);
    input.destroy();
    await closed;
    expect(received).toHaveLength(300);
  });

  it('closes at an input that fails, and reports it', async () => {
    const { input, errors, closed } = await open();
    input.write('{"half');
    await nextTurn();
    input.destroy(new Error('EIO'));
    await closed;
    expect(errors.map((error) => error.message)).toEqual(['EIO']);
  });

  it('starts once', async () => {
    const { transport } = await open();
    await expect(transport.start()).rejects.toThrow('once');
    await transport.close();
    await expect(transport.start()).rejects.toThrow('once');
  });

  it('attaches nothing before the start', () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const before = [input.eventNames(), output.eventNames()];
    new LineTransport(input, output);
    expect([input.eventNames(), output.eventNames()]).toEqual(before);
  });

  it('closes once, takes its listeners along, and leaves one that swallows errors', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const count = (stream: PassThrough) =>
      new Map(stream.eventNames().map((name) => [name, stream.listenerCount(name)]));
    const before = [count(input), count(output)];
    for (let round = 0; round < 3; round++) {
      const { transport, onclose } = await open({ input, output });
      transport.onclose = () => {
        onclose();
        throw new Error('closer');
      };
      await Promise.all([transport.close(), transport.close()]);
      await transport.close();
      expect(onclose).toHaveBeenCalledTimes(1);
    }
    expect([count(input), count(output)]).toEqual(before.map((counts) => counts.set('error', 1)));
    expect(input.isPaused()).toBe(true);
    output.destroy(new Error('late EPIPE'));
    input.destroy(new Error('late EIO'));
    await sleep(5);
  });

  it('closes when the client is gone: EPIPE of a real process', async () => {
    const deaf = "require('fs').closeSync(0); console.log('deaf'); setTimeout(() => {}, 10_000)";
    const child = spawn(process.execPath, ['-e', deaf], { stdio: ['pipe', 'pipe', 'ignore'] });
    const { transport, errors, closed, input, received } = await open({ output: child.stdin });
    input.write(lineOf(request(1)));
    await vi.waitUntil(() => received.length === 1);
    await once(child.stdout, 'data');
    const sends = Array.from({ length: 50 }, () => transport.send({ jsonrpc: '2.0', method: 'note' }));
    await Promise.allSettled(sends);
    await closed;
    expect(errors.map((error) => (error as NodeJS.ErrnoException).code)).toEqual(['EPIPE']);
    expect(await transport.drain()).toEqual({ drained: 0, abandoned: 1 });
    child.kill();
    await once(child, 'exit');
  });

  it('closes when the output is destroyed without an error', async () => {
    const { output, errors, closed } = await open();
    output.destroy();
    await closed;
    expect(errors).toEqual([]);
  });
});
