// Answers requests for prompts and resources of other servers. Colibri's own skills are resources too and are listed first.
import { ProtocolError, ProtocolErrorCode, type Server, type ServerCapabilities } from '@modelcontextprotocol/server';
import { type Peer, RELAYED, type RelayedMethod } from '../call/peer.js';
import type { CallRequest } from '../call/request.js';
import type { Reply } from '../middleware/envelope.js';
import type { JsonObject } from '../proof/canonical-json.js';
import { WIRE_LIMITS } from './limits.js';
import { type HostedSkills, isSkillUri, readSkillFile, SKILL_TEMPLATES, skillResources } from './skills.js';

/** How requests of the client reach the other servers. */
export interface RelayHandlers {
  /** Sends a request that is recorded like a call. */
  call(method: RelayedMethod, request: CallRequest): Promise<Reply>;
  request(method: RelayedMethod, params: JsonObject, peer: Peer, signal: AbortSignal): Promise<JsonObject>;
  rootsChanged(): void;
}

export const RELAYED_CAPABILITIES: ServerCapabilities = {
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
};

const METHODS: ReadonlySet<string> = new Set(RELAYED);

export const isRelayed = (method: string): method is RelayedMethod => METHODS.has(method);

/** Prepares the SDK server. Removes the SDK's own handler for log levels, which would answer by itself and filter messages. */
export const serveRelayed = (server: Server, relay: RelayHandlers): void => {
  server.removeRequestHandler('logging/setLevel');
  server.setNotificationHandler('notifications/roots/list_changed', () => relay.rootsChanged());
};

export interface RelayedRequest {
  readonly method: RelayedMethod;
  readonly params: JsonObject;
  readonly peer: Peer;
  readonly signal: AbortSignal;
  /** Turns a request into a call, for the methods that are recorded like calls. */
  readonly asCall: () => CallRequest;
}

type Answer = { readonly reply: Reply } | { readonly result: JsonObject };

export const answerRelayed = async (
  relay: RelayHandlers,
  skills: HostedSkills | undefined,
  { method, params, peer, signal, asCall }: RelayedRequest,
): Promise<Answer> => {
  const ask = (): Promise<JsonObject> => relay.request(method, params, peer, signal);
  switch (method) {
    case 'prompts/get':
      return { reply: await relay.call(method, asCall()) };
    case 'resources/read':
      if (skills !== undefined && isSkillUri(params.uri)) return { result: await readSkillFile(skills, params.uri) };
      return { reply: await relay.call(method, asCall()) };
    case 'resources/list': {
      const own = skills === undefined ? [] : await skillResources(skills);
      return { result: pageFrom('resources', [...own, ...entries(await ask(), 'resources')], params.cursor) };
    }
    case 'resources/templates/list': {
      const own = skills === undefined ? [] : SKILL_TEMPLATES;
      const all = [...own, ...entries(await ask(), 'resourceTemplates')];
      return { result: pageFrom('resourceTemplates', all, params.cursor) };
    }
    case 'prompts/list':
      return { result: pageFrom('prompts', entries(await ask(), 'prompts'), params.cursor) };
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return { result: isSkillUri(params.uri) ? {} : await ask() };
    case 'completion/complete':
    case 'logging/setLevel':
      return { result: await ask() };
  }
};

const entries = (result: JsonObject, key: string): readonly unknown[] =>
  Array.isArray(result[key]) ? result[key] : [];

/** One page of a list: as many entries from the cursor on as fit. If the list changes meanwhile, clients get `list_changed`. */
const pageFrom = (key: string, all: readonly unknown[], cursor: unknown): JsonObject => {
  const from = cursor === undefined ? 0 : placeOf(cursor);
  let bytes = 0;
  let to = from;
  while (to < all.length) {
    bytes += Buffer.byteLength(JSON.stringify(all[to]));
    if (to > from && bytes > WIRE_LIMITS.skillPageBytes) break;
    to++;
  }
  const next = to < all.length && { nextCursor: Buffer.from(`at:${to}`).toString('base64url') };
  return { [key]: all.slice(from, to), ...next };
};

const placeOf = (cursor: unknown): number => {
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : '';
  const place = /^at:(\d{1,9})$/.exec(text)?.[1];
  if (place === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid cursor');
  return Number(place);
};
