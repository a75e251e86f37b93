// What routes-wire.test.ts and routes-wire.deep.test.ts share.
import { expect } from 'vitest';
import type { Message } from '../support/serve.js';

export const ROUTER = ['router_score', 'router_call', 'router_fallback', 'router_stats'];

export const errorIn = (result: Message): Message =>
  result._meta?.['dev.colibri/refusal']?.error ?? result.structuredContent?.error;

export const dataIn = (result: Message): Message => {
  expect(result.structuredContent).toMatchObject({ ok: true });
  expect(JSON.parse(result.content[0].text)).toEqual(result.structuredContent);
  return result.structuredContent.data;
};

export const REQUEST = { id: 'x' };
