// Arguments that are sent as HTTP headers, over real connections: the SDK's server compares each header with its argument and refuses the
// call if they differ.
import { describe, expect } from 'vitest';
import { deepTest, describe as fastDescribe, test as it } from '../support/by-gate.js';
import { callTool, type LinkPlace, linkPlace, textOf } from '../support/dial.js';
import { httpFake } from '../support/http-server.js';

type Headers = Readonly<Record<string, string>>;

const open = async (env: Record<string, string> = {}) => {
  const place = linkPlace();
  const server = await httpFake(place, 'http-params', env);
  return { place, server, link: await place.link(place.http(server.url)) };
};

/** The `mcp-*` headers of each call that arrived. */
const arrived = (place: LinkPlace): Headers[] =>
  place.log().map((line) => JSON.parse(line.slice(line.indexOf('{'))) as Headers);

const paramsOf = (headers: Headers | undefined): Headers =>
  Object.fromEntries(Object.entries(headers ?? {}).filter(([name]) => name.startsWith('mcp-param-')));

describe('a call over HTTP', () => {
  it('repeats the arguments that the tool wants as headers, and the standard headers', async () => {
    const { place, link } = await open();
    const args = { text: 'eu-1', count: 42, on: false, inner: { deep: 'ü' }, plain: 'p' };
    expect(textOf(await callTool(link, 'mirror', args))).toBe(JSON.stringify(args));
    expect(arrived(place)).toEqual([
      {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'mirror',
        'mcp-param-text': 'eu-1',
        'mcp-param-count': '42',
        'mcp-param-on': 'false',
        'mcp-param-deep': '=?base64?w7w=?=',
      },
    ]);
  });

  deepTest('says every text the same way in both places', async () => {
    const { place, link } = await open();
    const evil = ['a\r\nX-Evil: 1\r\n\r\nPOST / HTTP/1.1', '\n', '\0', '\u0085\u2028', '=?base64?YQ==?='];
    for (const value of [...evil, '', ' ', '\t', 'a\tb', '世界', '\u{1F600}', 'ÿ', 'x'.repeat(8_000)])
      expect(textOf(await callTool(link, 'mirror', { text: value }))).toBe(JSON.stringify({ text: value }));
    const names = ['mcp-method', 'mcp-name', 'mcp-param-text', 'mcp-protocol-version'];
    for (const headers of arrived(place)) expect(Object.keys(headers).toSorted()).toEqual(names);
  });

  deepTest('has no header for null, an object or a list, and leaves the answer to the server', async () => {
    const { place, link } = await open();
    for (const text of [null, { a: 1 }, ['a']])
      expect(textOf(await callTool(link, 'mirror', { text }))).toMatch(/must be string/);
    expect(arrived(place).map(paramsOf)).toEqual([{}, {}, {}]);
  });

  it('is not sent if a header cannot say the argument, or if the tool is invalid', async () => {
    const { place, link } = await open();
    for (const [tool, args, message] of [
      ['mirror', { text: '\ud800' }, /"text".*surrogate/],
      ['mirror', { text: 'x'.repeat(70_000) }, /"text".*65536 bytes/],
      ['mirror', { text: 'é'.repeat(10_000_000) }, /"text".*65536 bytes/],
      ['number', { amount: 1 }, /This tool cannot be called over HTTP: its parameter "amount"/],
      ['twice', { one: 'a', other: 'b' }, /This tool cannot be called over HTTP: its parameter "other"/],
    ] as const) {
      const answer = await callTool(link, tool, args);
      expect(textOf(answer)).toMatch(message);
      expect(answer).toMatchObject({ sent: false, end: { how: 'response', error: { code: -32602 } } });
    }
    expect(place.log()).toEqual([]);
    // The connection is as good as before.
    expect(textOf(await callTool(link, 'mirror', { text: 'x' }))).toBe('{"text":"x"}');
  });

  it('is told by the server that its headers are too large, and was not run', async () => {
    const { link } = await open();
    const answer = await callTool(link, 'mirror', { text: 'x'.repeat(40_000) });
    expect(answer).toMatchObject({ sent: false, end: { how: 'response', error: { data: { status: 431 } } } });
  });

  it('is sent once more with the headers that the tool wants by now', async () => {
    const { place, server, link } = await open();
    expect(textOf(await callTool(link, 'moves', { text: 'a' }))).toBe('{"text":"a"}');
    await server.tell('change');
    expect(textOf(await callTool(link, 'moves', { text: 'b' }))).toBe('{"text":"b"}');
    expect(textOf(await callTool(link, 'moves', { text: 'c' }))).toBe('{"text":"c"}');
    expect(arrived(place).map(paramsOf)).toEqual([
      { 'mcp-param-old': 'a' },
      { 'mcp-param-old': 'b' },
      { 'mcp-param-new': 'b' },
      { 'mcp-param-new': 'c' },
    ]);
    // Whoever keeps the tool list must read it again.
    expect(link.told.changed).toBe(1);
  });

  deepTest('has no such headers for a server of an older protocol', async () => {
    const { place, link } = await open({ ERA: 'old' });
    expect(link.era).toBe('legacy');
    for (const [tool, args] of [['mirror', { text: 'a', count: 1 }] as const, ['number', { amount: 1.5 }] as const])
      expect(textOf(await callTool(link, tool, args))).toBe(JSON.stringify(args));
    expect(arrived(place).map(paramsOf)).toEqual([{}, {}]);
  });
});

fastDescribe('a configured header', () => {
  it.each([
    ['X-Key', 'open\nsesame'],
    ['X-Key', 'open\0sesame'],
    ['X-Key', 'open sesame 世'],
    ['X Key', 'open sesame'],
  ])('that HTTP does not allow is named without its value: %j %j', async (name, value) => {
    const place = linkPlace();
    const { end } = await place.dial(place.http('http://127.0.0.1:9/mcp', { [name]: value }));
    const text = `the header "${name}" has a name or a value with characters that HTTP does not allow`;
    expect(end).toEqual({ fault: 'spawn_error', text });
  });
});
