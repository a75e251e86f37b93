// Calls one tool of one server that the caller named. The call goes to that server or is refused; there is no fallback.
import type { NativeResult, RoutedAnswer } from '../../call/answer.js';
import type { ProxiedTool } from '../../call/context.js';
import type { CallRequest } from '../../call/request.js';
import type { JsonObject } from '../../proof/json-object.js';
import type { PublicTool } from '../front/table.js';
import { type Alternative, refusingAs, type ToolPlace } from '../refusal.js';
import type { LiveProvider, LiveServer, RouteWorld } from './live-provider.js';
import { withNote } from './route.js';

/** The named tool as a provider of a route without a mapping. */
export const onlyProvider = ({ server, tool }: ToolPlace, at: LiveServer): LiveProvider => ({
  server,
  tool,
  arguments: null,
  fallbackOnError: false,
  at,
});

/** The URIs of resources that a tool's result links to or contains. */
export const linksIn = (result: JsonObject): readonly string[] =>
  (Array.isArray(result.content) ? result.content : []).flatMap((block: unknown) => {
    const { type, uri, resource } = (block ?? {}) as { type?: unknown; uri?: unknown; resource?: { uri?: unknown } };
    const found = type === 'resource_link' ? uri : type === 'resource' ? resource?.uri : undefined;
    return typeof found === 'string' ? [found] : [];
  });

/** Calls `seen` with the URIs of resources that a tool's result links to, if there are any. */
export const tellLinks = (seen: RouteWorld['seen'], server: string, result: JsonObject): void => {
  const uris = linksIn(result);
  if (uris.length > 0) seen(server, uris);
};

export interface DirectCall extends Omit<RouteWorld, 'checks'> {
  readonly place: ToolPlace;
  readonly at: LiveServer;
  readonly args: NativeResult;
  readonly request: CallRequest;
  /** Returns other tools that could serve the call, for the text of a refusal. */
  readonly alternatives: () => readonly Alternative[];
}

export const callDirectly = async (asked: DirectCall): Promise<RoutedAnswer> => {
  const { place, at, args, request, alternatives, seen, nowMs } = asked;
  const { state } = at.backend;
  const answering = at.backend.call(place.tool, args, request, { alternatives });
  const answer = await withNote(place, { state, nowMs: nowMs() }, answering);
  if (answer.kind === 'result') tellLinks(seen, place.server, answer.result);
  return answer;
};

// One tool of one server, as the five stages use it: checks the arguments, calls the tool or refuses the call.

export interface ToolParts extends RouteWorld, Pick<DirectCall, 'at' | 'alternatives'> {
  readonly tool: PublicTool;
}

export const proxiedTool = ({ tool, at, checks, ...rest }: ToolParts): ProxiedTool => ({
  check: (args) => checks.check(args, { schema: tool.inputSchema, validate: at.config.validate }),
  call: (args, request) => callDirectly({ place: tool, at, args, request, ...rest }),
  refusal: refusingAs({ server: tool.server.toWellFormed(), tool: tool.tool.toWellFormed() }),
});
