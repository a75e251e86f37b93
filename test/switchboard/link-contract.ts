// What every link must do, whatever carries it and whichever era the server is of. A server under contract offers the
// tools `echo` (its arguments as JSON text), `fail` (a JSON-RPC error or an error result), `progress` (three reports, then a
// result, as fast as it can), `hang` (never answers; writes `cancelled` when it is told so) and `grow` (one tool more).

import { describe, expect, it } from 'vitest';
import { cancelledBy } from '../../src/core/cancellation.js';
import type { Dial, Link } from '../../src/switchboard/link/link.js';
import { callTool, type LinkPlace, linkPlace, textOf, until } from '../support/dial.js';
import { isThere } from '../support/process-list.js';

export interface Contract {
  readonly era: 'legacy' | 'modern';
  /** Starts the server if need be, and says how it is dialled. */
  dial(place: LinkPlace): Dial | Promise<Dial>;
}

const requestOf = (name: string, timeoutMs = 10_000) => ({ method: 'tools/call', params: { name }, timeoutMs });

/** A server that we did not write: one call of it whose answer we know. */
export interface Sample extends Contract {
  readonly call: string;
  readonly arguments?: Record<string, unknown>;
  contains(place: LinkPlace): string;
}

const opener =
  ({ dial }: Contract) =>
  async () => {
    const place = linkPlace();
    const link = await place.link(await dial(place));
    return { place, link };
  };

/** The part that needs no particular tools. */
export const linkBasics = (title: string, sample: Sample): void => {
  const open = opener(sample);
  const call = (link: Link) => callTool(link, sample.call, sample.arguments);

  describe(`a link, ${title}`, () => {
    it('reads the catalogue, calls, checks and closes', async () => {
      const { place, link } = await open();
      expect(link.era).toBe(sample.era);
      const tools = await link.listTools(5_000);
      expect(tools.map(({ name }) => name)).toContain(sample.call);
      const answers = await Promise.all(Array.from({ length: 20 }, () => call(link)));
      for (const answer of answers) {
        expect(answer.sent).toBe(true);
        expect(textOf(answer)).toContain(sample.contains(place));
      }
      for (const signal of ['liveness', 'readiness'] as const)
        expect((await link.check(signal, 5_000)).end.how).toBe('response');
      const pid = link.pid ?? 0;
      await link.close(true);
      expect(isThere(pid)).toBe(false);
      expect(await call(link)).toMatchObject({ end: { how: 'lost' }, sent: false });
      expect(link.told.lost).toEqual([]);
    });

    it('answers what there is not', async () => {
      const { link } = await open();
      const { end } = await link.request({ method: 'no/such', timeoutMs: 5_000 });
      expect(end).toMatchObject({ how: 'response', error: { code: -32601 } });
      expect((await callTool(link, 'no-such-tool')).end.how).toBe('response');
    });
  });
};

export const linkContract = (title: string, contract: Contract): void => {
  const { era, dial } = contract;
  const open = opener(contract);

  describe(`a link, ${title}`, () => {
    it('says what it is, and reads the whole catalogue', async () => {
      const place = linkPlace();
      const { end } = await place.dial(await dial(place), { dial: 7 });
      if (!('link' in end)) throw new Error(JSON.stringify(end));
      expect(end.link).toMatchObject({ dial: 7, era, instructions: 'Be kind.', noise: 0 });
      const names = end.tools.map(({ name }) => name).toSorted();
      expect(names).toEqual(['echo', 'fail', 'grow', 'hang', 'progress']);
      expect(await end.link.listTools(5_000)).toEqual(end.tools);
    });

    it('calls, many at once, and tells each its own answer', async () => {
      const { link } = await open();
      const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => callTool(link, 'echo', { n })));
      expect(answers.map(textOf)).toEqual(Array.from({ length: 40 }, (_, n) => JSON.stringify({ n })));
      for (const { sent, frames, elapsedMs } of answers) {
        expect(sent).toBe(true);
        expect(frames).toBeGreaterThan(0);
        expect(elapsedMs).toBeGreaterThan(0);
      }
    });

    it('passes errors as answers', async () => {
      const { link } = await open();
      const { end } = await callTool(link, 'fail');
      expect(end.how).toBe('response');
      const { end: unknown } = await link.request({ method: 'no/such', timeoutMs: 5_000 });
      expect(unknown).toMatchObject({ how: 'response', error: { code: -32601 } });
    });

    it('checks', async () => {
      const { link } = await open();
      expect((await link.check('liveness', 2_000)).end.how).toBe('response');
      const ready = await link.check('readiness', 5_000);
      expect(ready).toMatchObject({ sent: true, end: { how: 'response' } });
    });

    it('does not take the answer to a check for a sign of life of a call', async () => {
      const { link } = await open();
      const hanging = link.request(requestOf('hang', 1_000));
      expect((await link.check('readiness', 900)).end.how).toBe('response');
      expect(await hanging).toMatchObject({ end: { how: 'timeout' }, sent: true, frames: 0 });
    });

    it('loses no progress, and all of it comes before the result', async () => {
      const { link } = await open();
      for (let round = 0; round < 20; round++) {
        const seen: unknown[] = [];
        const request = { ...requestOf('progress'), onProgress: (p: object) => void seen.push(p) };
        const answer = await link.request(request).then((got) => {
          seen.push('result');
          return got;
        });
        expect(textOf(answer)).toBe('done');
        expect(seen).toEqual([1, 2, 3].map((progress) => ({ progress, total: 3 })).concat('result' as never));
      }
    });

    it('cancels: at once here, and within 100 ms there', async () => {
      const { place, link } = await open();
      const logged = (what: string) => place.log().filter((line) => line.endsWith(what));
      const delays: number[] = [];
      // Of several the fastest: the machine may be busy with something else.
      for (let round = 1; round <= 5; round++) {
        const abort = new AbortController();
        const pending = link.request({ ...requestOf('hang'), cancellation: cancelledBy(abort.signal) });
        await until(() => logged('hanging').length === round);
        const at = Date.now();
        abort.abort();
        expect(await pending).toMatchObject({ end: { how: 'cancelled' }, sent: true });
        await until(() => logged('cancelled').length === round);
        delays.push(Number(logged('cancelled').at(-1)?.split(' ')[0]) - at);
      }
      expect(Math.min(...delays)).toBeLessThan(100);
    });

    it('times out by itself, tells the server, and goes on', async () => {
      const { place, link } = await open();
      const answer = await link.request(requestOf('hang', 200));
      expect(answer).toMatchObject({ end: { how: 'timeout' }, sent: true });
      expect(answer.elapsedMs).toBeGreaterThan(190);
      await until(() => place.log().some((line) => line.endsWith('cancelled')));
      expect(textOf(await callTool(link, 'echo', { still: 'here' }))).toBe('{"still":"here"}');
    });

    it('sends nothing for a caller that is gone already', async () => {
      const { place, link } = await open();
      const answer = await link.request({ ...requestOf('hang'), cancellation: cancelledBy(AbortSignal.abort()) });
      expect(answer).toEqual({ end: { how: 'cancelled' }, sent: false, frames: 0, elapsedMs: 0 });
      await callTool(link, 'echo');
      expect(place.log().filter((line) => line.endsWith('hanging'))).toEqual([]);
    });

    it('tells when the list has changed', async () => {
      const { link } = await open();
      // The subscription of the new era is opened beside the dial.
      await until(() => {
        void callTool(link, 'grow');
        return link.told.changed > 0;
      });
      expect((await link.listTools(5_000)).length).toBeGreaterThan(5);
    });

    it('closes: what is in flight ends as lost, what comes later is not sent, and no loss is told', async () => {
      const { link } = await open();
      const pending = link.request(requestOf('hang'));
      await callTool(link, 'echo');
      await link.close(false);
      expect(await pending).toMatchObject({ end: { how: 'lost' }, sent: true });
      expect(await callTool(link, 'echo')).toMatchObject({ end: { how: 'lost' }, sent: false });
      expect(link.told.lost).toEqual([]);
    });

    it('drains: what is in flight may end first', async () => {
      const { link } = await open();
      const pending = [1, 2, 3].map((n) => callTool(link, 'echo', { n }));
      const closed = link.close(true);
      expect((await Promise.all(pending)).map(textOf)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}']);
      await closed;
    });

    it('cuts a drain short', async () => {
      const { link } = await open();
      const pending = link.request(requestOf('hang'));
      await callTool(link, 'echo');
      const drained = link.close(true);
      await link.close(false);
      expect(await pending).toMatchObject({ end: { how: 'lost' }, sent: true });
      await drained;
    });

    it('passes the caller’s own _meta and keeps that of a hop to itself', async () => {
      const { link } = await open();
      const _meta = { 'com.example/trace': 't1', progressToken: 99, 'io.modelcontextprotocol/protocolVersion': 'x' };
      const answer = await link.request({
        method: 'tools/call',
        params: { name: 'echo', arguments: { meta: true }, _meta },
        timeoutMs: 5_000,
      });
      const meta = JSON.parse(textOf(answer)) as Record<string, unknown>;
      expect(meta['com.example/trace']).toBe('t1');
      expect(meta.progressToken).toBeUndefined();
      expect(meta['io.modelcontextprotocol/protocolVersion']).not.toBe('x');
    });
  });
};
