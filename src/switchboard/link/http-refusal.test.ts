import { SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { HttpRefusal, refusalEnd, retryAfterMs, Unusable } from './http-refusal.js';

const http = (status: number, text?: string) =>
  new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'x', { status, statusText: 'x', ...(text && { text }) });
const rpc = (code: number) => JSON.stringify({ jsonrpc: '2.0', id: 'c1', error: { code, message: 'm' } });

describe('what an error of HTTP means', () => {
  it.each([
    [401, 'auth_required', false],
    [403, 'auth_required', false],
    [404, 'lost', false],
    [405, 'response', false],
    [413, 'response', false],
    [415, 'response', false],
    [429, 'throttled', false],
    [400, 'response', true],
    [409, 'response', true],
    [500, 'server_error', true],
    [599, 'server_error', true],
  ])('%d', (status, how, sent) => {
    for (const error of [http(status), new HttpRefusal(status, null)]) {
      const ended = refusalEnd(error);
      expect(ended.end.how).toBe(how);
      expect(ended.sent).toBe(sent);
    }
  });

  it('an error of JSON-RPC in the body is the answer; a 404 is one only if it speaks of the method', () => {
    expect(refusalEnd(http(400, rpc(-32602))).end).toMatchObject({ how: 'response', error: { code: -32602 } });
    expect(refusalEnd(http(404, rpc(-32601))).end).toMatchObject({ how: 'response', error: { code: -32601 } });
    expect(refusalEnd(http(404, rpc(-32001))).end).toEqual({ how: 'lost', status: 404 });
    expect(refusalEnd(http(404, '<html>')).end).toEqual({ how: 'lost', status: 404 });
    expect(refusalEnd(http(400, 'null')).end).toMatchObject({ error: { data: { status: 400 } } });
  });

  it.each([
    ['ECONNREFUSED', false],
    ['ENOTFOUND', false],
    ['UND_ERR_CONNECT_TIMEOUT', false],
    ['ECONNRESET', true],
    ['UND_ERR_SOCKET', true],
  ])('no answer at all: %s', (code, sent) => {
    const cause = Object.assign(new Error('x'), { code });
    const thrown = new Error('negotiation failed', { cause: new TypeError('fetch failed', { cause }) });
    expect(refusalEnd(thrown)).toEqual({ end: { how: 'lost' }, sent, text: `the connection failed: ${code}` });
  });

  it('all addresses of a host refused', () => {
    const refused = Object.assign(new Error('x'), { code: 'ECONNREFUSED' });
    expect(refusalEnd(new TypeError('fetch failed', { cause: new AggregateError([refused]) })).sent).toBe(false);
  });

  it('what is too long, what is no error, what refers to itself', () => {
    expect(refusalEnd(new Unusable('so long')).end).toMatchObject({ how: 'response', error: { message: 'so long' } });
    expect(refusalEnd(new RangeError('deep'))).toMatchObject({
      end: { how: 'response', error: { code: -32602 } },
      sent: false,
    });
    expect(refusalEnd('odd')).toMatchObject({ end: { how: 'lost' }, sent: true });
    const circle = new Error('round');
    circle.cause = circle;
    expect(refusalEnd(circle).text).toBe('the connection failed: round');
  });
});

describe('Retry-After', () => {
  it.each([
    [null, null],
    ['', null],
    ['120', 120_000],
    ['99999999999999', 3_600_000],
    ['Thu, 01 Jan 2300 00:00:11 GMT', 3_600_000],
    ['0', 0],
    ['Thu, 01 Jan 1970 00:00:11 GMT', 10_000],
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['soon', null],
  ])('%s', (value, ms) => {
    expect(retryAfterMs(value, 1_000)).toBe(ms);
  });
});
