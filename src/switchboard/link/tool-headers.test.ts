import { describe, expect, it } from 'vitest';
import type { Link, LinkAnswer, LinkRequest } from './link.js';
import { ToolHeaders, withFreshHeaders } from './tool-headers.js';

const tool = (header: string) => ({
  name: 't',
  inputSchema: { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': header } } },
});
const call: LinkRequest = { method: 'tools/call', params: { name: 't', arguments: { a: 'x' } }, timeoutMs: 1 };
const answer = (code?: number): LinkAnswer => ({
  end: { how: 'response', ...(code === undefined ? { result: {} } : { error: { code, message: 'no' } }) },
  sent: true,
  frames: 1,
  elapsedMs: 1,
});

/** Sends `request` to a server that gives these answers in turn; `relist` is what happens when the tools are read again. */
const sendTo = async (answers: LinkAnswer[], relist: (headers: ToolHeaders) => void, request = call) => {
  const headers = new ToolHeaders();
  headers.listed([tool('One')]);
  const sent: LinkRequest[] = [];
  let read = 0;
  const send: Link['send'] = (one, done) => {
    sent.push(one);
    const next = answers.shift() ?? answer();
    queueMicrotask(() => done(next));
  };
  const fresh = withFreshHeaders(send, headers, async () => {
    read += 1;
    relist(headers);
  });
  const ends: LinkAnswer[] = [];
  await new Promise<void>((resolve) => {
    fresh(request, (end) => {
      ends.push(end);
      setTimeout(resolve, 5);
    });
  });
  return { ends, sent: sent.length, read };
};

describe('a call whose headers were refused', () => {
  it('is sent again with other headers, and only once', async () => {
    const other = (headers: ToolHeaders): void => headers.listed([tool('Other')]);
    expect(await sendTo([answer(-32020)], other)).toEqual({ ends: [answer()], sent: 2, read: 1 });
    const again = await sendTo([answer(-32020), answer(-32020)], other);
    expect(again).toEqual({ ends: [answer(-32020)], sent: 2, read: 1 });
  });

  it('is not sent again if the headers would be the same, or if the tools cannot be read', async () => {
    const same = (headers: ToolHeaders): void => headers.listed([tool('One')]);
    expect(await sendTo([answer(-32020)], same)).toEqual({ ends: [answer(-32020)], sent: 1, read: 1 });
    const broken = (): void => {
      throw new Error('gone');
    };
    expect(await sendTo([answer(-32020)], broken)).toEqual({ ends: [answer(-32020)], sent: 1, read: 1 });
  });

  it.each([
    [answer(-32602), call],
    [answer(), call],
    [{ ...answer(), end: { how: 'timeout' as const } }, call],
    [answer(-32020), { ...call, method: 'prompts/get' }],
  ])('is the only one that is sent again', async (first, request) => {
    const other = (headers: ToolHeaders): void => headers.listed([tool('Other')]);
    expect(await sendTo([first], other, request)).toEqual({ ends: [first], sent: 1, read: 0 });
  });
});

describe('the headers of a request', () => {
  it('are those of the tool as it was listed last', () => {
    const headers = new ToolHeaders();
    expect(headers.for(call)).toEqual({ headers: {} });
    headers.listed([tool('One')]);
    expect(headers.for(call)).toEqual({ headers: { 'Mcp-Param-One': 'x' } });
    headers.listed([tool('Two')]);
    expect(headers.for(call)).toEqual({ headers: { 'Mcp-Param-Two': 'x' } });
    headers.listed([]);
    expect(headers.for(call)).toEqual({ headers: {} });
  });

  it('are none for other methods, other tools and calls without arguments', () => {
    const headers = new ToolHeaders();
    headers.listed([tool('One')]);
    const none = { headers: {} };
    expect(headers.for({ ...call, method: 'prompts/get' })).toEqual(none);
    expect(headers.for({ method: 'tools/call' })).toEqual(none);
    for (const params of [{}, { name: 't' }, { name: 't', arguments: null }, { name: 'T', arguments: { a: 'x' } }])
      expect(headers.for({ method: 'tools/call', params })).toEqual(none);
  });

  it('of an invalid tool are a reason not to send it', () => {
    const headers = new ToolHeaders();
    headers.listed([tool('not a name')]);
    expect(headers.for(call)).toEqual({ fault: expect.stringContaining('"a" has an x-mcp-header') });
  });
});
