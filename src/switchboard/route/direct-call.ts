// A call of one tool of one server that the caller named: sent there or refused, and nowhere else.
import type { NativeResult, ProxyCall } from '../../call/context.js';
import type { RouteNote } from '../../proof/records.js';
import { linksIn } from '../owners.js';
import type { Alternative, ToolPlace } from '../refusal.js';
import type { CallOptions } from '../server/backend.js';
import type { TriedReply } from '../server/tries.js';
import type { LiveProvider, LiveServer, Seen } from './live-provider.js';
import { attemptsAt, routeNote } from './note.js';
import { candidatesOf } from './route.js';

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
  readonly alternatives: () => readonly Alternative[];
  readonly seen: Seen;
  readonly nowMs: () => number;
}

/** What of a client's call reaches the server beside the arguments. */
export const alongWith = (
  { id, cancellation, onProgress, meta, peer, retry }: ProxyCall,
  alternatives?: () => readonly Alternative[],
): CallOptions => ({
  callId: id,
  cancellation,
  onProgress,
  peer,
  retry,
  extra: meta === undefined ? undefined : { _meta: meta },
  alternatives,
});

/** `ended` makes of the reply, and of the note for its record, what the caller wants. */
export const callDirectly = async <T>(
  asked: DirectCall,
  ended: (reply: TriedReply, note: RouteNote) => T,
): Promise<T> => {
  const { place, at, args, call, alternatives, seen, nowMs } = asked;
  const { server, tool } = place;
  const state = at.backend.state;
  const begun = nowMs();
  const answering = at.backend.call(tool, args, alongWith(call, alternatives));
  // It is on its way: what is only for the record is made meanwhile. Whether there is such a tool is the server's word: it may
  // know better than its last list.
  const candidates = candidatesOf([{ server, tool, state, obstacle: null }], begun);
  const reply = await answering;
  if (reply.kind === 'result') seen(server, linksIn(reply.result));
  return ended(reply, routeNote(null, candidates, attemptsAt(place, reply.tries)));
};
