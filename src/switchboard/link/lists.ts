// Reads the lists of a server (tools, prompts, resources), all pages, as the server declares them. The SDK's functions for
// lists are not used: they answer from a cache, drop members that the SDK does not know, and refuse the whole list for one bad schema.

import { RPC } from '../../core/rpc-codes.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import { withoutOurMeta } from '../../proof/result-text.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { Lane } from './lane.js';
import type { LinkAnswer, OtherList } from './link.js';

/** The error when a server's list could not be read; `answer` says how the request for the list ended. */
export class ListError extends Error {
  readonly answer: LinkAnswer;
  /** The server's own error message. */
  readonly said: string | undefined;

  constructor(message: string, answer: LinkAnswer, said?: string) {
    super(message);
    this.answer = answer;
    this.said = said;
  }
}

/** The lists of a server, by the member of the result that holds the list: the method to request it, and the member that each entry must have. */
const LISTS: Readonly<Record<'tools' | OtherList, { readonly method: string; readonly key: string }>> = {
  tools: { method: 'tools/list', key: 'name' },
  prompts: { method: 'prompts/list', key: 'name' },
  resources: { method: 'resources/list', key: 'uri' },
  resourceTemplates: { method: 'resources/templates/list', key: 'uriTemplate' },
};

/** Reads all pages of a list. `timeoutMs` is the time for all pages together. */
export const listAll = async <T extends JsonObject>(
  what: keyof typeof LISTS,
  { request, settings: { nowMs } }: Lane,
  timeoutMs: number,
): Promise<readonly T[]> => {
  const { method } = LISTS[what];
  const until = nowMs() + timeoutMs;
  const all: T[] = [];
  let chars = 0;
  let cursor: string | undefined;
  for (let page = 0; page < SWITCHBOARD_LIMITS.cataloguePages; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const read = readPage(what, await request({ method, params, timeoutMs: Math.max(1, until - nowMs()) }));
    for (const entry of read.entries) {
      chars += JSON.stringify(entry).length;
      if (all.length >= SWITCHBOARD_LIMITS.listedEntries || chars > SWITCHBOARD_LIMITS.listedChars) return all;
      all.push((what === 'tools' ? entry : withoutOurMeta(entry)) as T);
    }
    // A server that repeats a cursor would send the same page again and again.
    if (read.next === undefined || read.next === cursor) return all;
    cursor = read.next;
  }
  return all;
};

const readPage = (what: keyof typeof LISTS, answer: LinkAnswer) => {
  const { method, key } = LISTS[what];
  const { end } = answer;
  if (end.how !== 'response') throw new ListError(`${method} ended with ${end.how}`, answer);
  if ('error' in end) {
    if (end.error.code === RPC.methodNotFound) return { entries: [], next: undefined };
    throw new ListError(`${method} was refused`, answer, end.error.message);
  }
  const { [what]: list, nextCursor } = 'large' in end ? end.large.whole() : end.result;
  if (!Array.isArray(list)) throw new ListError(`the answer to ${method} has no list of ${what}`, answer);
  const entries = list.filter((entry): entry is JsonObject => isObject(entry) && typeof entry[key] === 'string');
  return { entries, next: typeof nextCursor === 'string' ? nextCursor : undefined };
};
