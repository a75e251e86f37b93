// Calls one tool of one server that the caller named. The call goes to that server or is refused; there is no fallback.
import type { NativeResult, RoutedAnswer } from '../../call/answer.js';
import type { CallRequest } from '../../call/request.js';
import { linksIn } from '../owners.js';
import type { Alternative, ToolPlace } from '../refusal.js';
import type { LinksSeen, LiveProvider, LiveServer } from './live-provider.js';
import { attemptsAt, routeNote } from './note.js';
import { candidatesOf } from './route.js';

/** The named tool as a provider without a mapping. */
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
  readonly request: CallRequest;
  /** Other tools that could serve the call, for the text of a refusal. */
  readonly alternatives: () => readonly Alternative[];
  readonly seen: LinksSeen;
  readonly nowMs: () => number;
}

export const callDirectly = async (asked: DirectCall): Promise<RoutedAnswer> => {
  const { place, at, args, request, alternatives, seen, nowMs } = asked;
  const { server, tool } = place;
  const state = at.backend.state;
  const begun = nowMs();
  const answering = at.backend.call(tool, args, request, { alternatives });
  // Made for the record while the call is in flight. No obstacle, even if the tool is not in the last list: the server decides.
  const candidates = candidatesOf([{ server, tool, state, obstacle: null }], begun);
  const { tries, ...answer } = await answering;
  if (answer.kind === 'result') seen(server, linksIn(answer.result));
  return { ...answer, route: routeNote(null, candidates, attemptsAt(place, tries)) };
};
