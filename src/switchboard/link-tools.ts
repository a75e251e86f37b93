// A server's catalogue of tools, all pages, as it is declared. Asked for by frames of ours: the SDK would answer from its
// cache, drop what it does not know, and refuse the whole list for one bad schema.

import { LIMITS } from '../limits.js';
import type { DeclaredTool, LinkAnswer, LinkRequest } from './link.js';

/** Why a catalogue could not be read; the answer says how the request for it ended. */
export class ListError extends Error {
  readonly answer: LinkAnswer;

  constructor(message: string, answer: LinkAnswer) {
    super(message);
    this.answer = answer;
  }
}

const METHOD_NOT_FOUND = -32601;

type Ask = (request: LinkRequest) => Promise<LinkAnswer>;

/** `timeoutMs` is for all pages together. */
export const listAllTools = async (
  ask: Ask,
  timeoutMs: number,
  nowMs: () => number,
): Promise<readonly DeclaredTool[]> => {
  const until = nowMs() + timeoutMs;
  const tools: DeclaredTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < LIMITS.cataloguePages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = await ask({ method: 'tools/list', params, timeoutMs: Math.max(1, until - nowMs()) });
    const read = readPage(answer);
    for (const tool of read.tools) tools.push(tool);
    // A server that gives the same cursor again would be asked for ever.
    if (read.next === undefined || read.next === cursor) return tools;
    cursor = read.next;
  }
  return tools;
};

interface Page {
  readonly tools: readonly DeclaredTool[];
  readonly next: string | undefined;
}

const readPage = (answer: LinkAnswer): Page => {
  const { end } = answer;
  if (end.how !== 'response') throw new ListError(`tools/list ended with ${end.how}`, answer);
  if ('error' in end) {
    if (end.error.code === METHOD_NOT_FOUND) return { tools: [], next: undefined };
    throw new ListError(`tools/list was refused: ${end.error.message}`, answer);
  }
  const { tools, nextCursor } = end.result;
  if (!Array.isArray(tools)) throw new ListError('tools/list has no list of tools', answer);
  return { tools: tools.filter(isTool), next: typeof nextCursor === 'string' ? nextCursor : undefined };
};

const isTool = (value: unknown): value is DeclaredTool =>
  typeof value === 'object' && value !== null && typeof (value as { name?: unknown }).name === 'string';
