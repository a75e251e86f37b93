// A call of one tool of one server that the caller named: sent there or refused, and nowhere else.
import type { NativeResult, ProxyCall } from '../context.js';
import type { RouteNote } from '../ledger/records.js';
import type { TriedReply } from './backend-tries.js';
import { type LiveProvider, type LiveServer, viewOf } from './live-provider.js';
import type { ToolPlace } from './refusal.js';
import { candidatesOf } from './route.js';
import { attemptsAt, routeNote } from './route-note.js';

/** What there is to call, taken as it comes. */
export const onlyProvider = ({ server, tool }: ToolPlace, at: LiveServer): LiveProvider => ({
  server,
  tool,
  arguments: null,
  fallbackOnError: false,
  at,
});

export interface DirectCall {
  readonly place: ToolPlace;
  readonly at: LiveServer;
  readonly args: NativeResult;
  readonly call: ProxyCall;
  /** Other tools that may do, for a refusal. */
  readonly alternatives: () => readonly ToolPlace[];
}

export const callDirectly = async (
  { place, at, args, call, alternatives }: DirectCall,
  nowMs: () => number,
): Promise<{ readonly reply: TriedReply; readonly note: RouteNote }> => {
  const candidates = candidatesOf([viewOf(onlyProvider(place, at))], nowMs());
  const { id, signal, onProgress, meta, peer, retry } = call;
  const reply = await at.backend.call(place.tool, args, {
    callId: id,
    signal,
    alternatives,
    ...(onProgress !== undefined && { onProgress }),
    ...(peer !== undefined && { peer }),
    ...(retry !== undefined && { retry }),
    ...(meta !== undefined && { extra: { _meta: meta } }),
  });
  return { reply, note: routeNote(null, candidates, attemptsAt(place, reply.tries)) };
};
