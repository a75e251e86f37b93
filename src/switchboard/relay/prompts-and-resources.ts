// Merges the prompts and resources of all servers into one list, and finds the server of a prompt or resource. The servers' lists are kept in
// memory (server/directory.ts). A prompt or resource that no list has may belong to a server whose lists are not known yet: the refusal
// then names that server and its state.
import { CORE_LIMITS } from '../../core/limits.js';
import { RPC } from '../../core/rpc-codes.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import { mayRoute } from '../health/permits.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { publicNames } from '../names.js';
import { fittedBetween, shortened } from '../refusal.js';
import { hasInOrder } from '../tool-filter.js';
import { type RelayedServer, type RelayTarget, RpcFailure, textMember } from './request.js';

export class PromptsAndResources {
  /** The servers in the order of the switchboard file. */
  readonly #servers: () => readonly RelayedServer[];
  readonly #nowMs: () => number;
  /** For each resource URI that a server's result has linked to, the name of that server; the oldest link comes first. */
  readonly #seen = new Map<string, string>();

  /** `nowMs`: the monotonic clock. */
  constructor(servers: () => readonly RelayedServer[], nowMs: () => number) {
    this.#servers = servers;
    this.#nowMs = nowMs;
  }

  /** All prompts under their public names, which are made by the same rules as public names of tools. */
  prompts(): readonly JsonObject[] {
    const all = new Map(this.#servers().map(({ config, directory }) => [config.name, directory.entries.prompts]));
    return this.#promptNames().list.flatMap(({ name, server, tool }) => {
      const prompt = all.get(server)?.find((one) => one.name === tool);
      return prompt === undefined ? [] : [{ ...prompt, name }];
    });
  }

  #promptNames() {
    const named = this.#servers().map(({ config: { name, prefix }, directory }) => {
      return { name, prefix, tools: directory.entries.prompts.map((prompt) => String(prompt.name)) };
    });
    return publicNames(named, []);
  }

  resources(): readonly JsonObject[] {
    return this.#all('resources', 'uri');
  }

  templates(): readonly JsonObject[] {
    return this.#all('resourceTemplates', 'uriTemplate');
  }

  /** The entries of one list of all servers. A URI that two servers list is listed once, for the first server in the switchboard file. */
  #all(list: 'resources' | 'resourceTemplates', key: string): readonly JsonObject[] {
    const entries = this.#servers().flatMap(({ directory }) => directory.entries[list]);
    return [...new Map(entries.toReversed().map((entry) => [entry[key], entry])).values()].reverse();
  }

  hasPrompt(name: string): boolean {
    return this.#promptNames().byName.has(name);
  }

  /** Finds the server of a prompt by its public name; in the returned params the prompt has the name that its server gives it. */
  prompt(params: JsonObject, name: string): RelayTarget {
    const what = `The prompt ${name}`;
    const found = this.#promptNames().byName.get(name);
    const server = this.#servers().find(({ config }) => config.name === found?.server);
    if (found !== undefined && server !== undefined) return { server, params: { ...params, name: found.tool }, what };
    const none = new RpcFailure(RPC.invalidParams, `There is no prompt ${name}`);
    throw this.#isOfKnown(name) ? none : (this.#notKnown(what) ?? none);
  }

  /** Whether a prompt's public name begins with the name of a server whose lists are known. Then no other server can have the prompt. */
  #isOfKnown(name: string): boolean {
    return this.#servers().some(
      ({ config, directory }) => directory.isKnown && config.prefix && name.startsWith(`${config.name}__`),
    );
  }

  resource(params: JsonObject): RelayTarget {
    const uri = textMember(params, 'uri');
    const what = `The resource ${uri}`;
    const server = this.knownOwnerOf(uri);
    if (server !== undefined) return { server, params, what };
    // A server that is starting may own the resource. Another server is asked only if there is no such server: its answer would mislead.
    const starting = this.#notKnown(what, isComing);
    if (starting !== undefined) throw starting;
    const guess = this.#guessOwner();
    if (guess !== undefined) return { server: guess, params, what };
    throw this.#notKnown(what) ?? new RpcFailure(RPC.notFound, `There is no resource ${uri}`, { uri });
  }

  /** The servers whose lists have never been read. They may have what no list has. */
  unknownServers(): readonly RelayedServer[] {
    return this.#servers().filter(({ directory }) => !directory.isKnown);
  }

  /** The error for a prompt or resource that no list has, while the lists of a server are not known; undefined if all lists are known. */
  #notKnown(what: string, which: (server: RelayedServer) => boolean = () => true): RpcFailure | undefined {
    const server = this.unknownServers().find(which);
    if (server === undefined) return undefined;
    const { config, backend } = server;
    const permission = mayRoute(backend.state, this.#nowMs());
    const state = backend.state?.state ?? null;
    const { text, retryAfterMs } = permission.may
      ? { text: 'it is being asked for its lists', retryAfterMs: 0 }
      : permission;
    const head = `${what} is not known, and neither are the lists of ${config.name}, which is ${state ?? 'not running'}: `;
    const tail = retryAfterMs === null ? '.' : `. Try again in ${Math.max(1, Math.ceil(retryAfterMs / 1_000))} s.`;
    const details = {
      server: config.name.toWellFormed(),
      state,
      retry_after_ms: retryAfterMs && Math.ceil(retryAfterMs),
    };
    const message = shortened(`${head}${fittedBetween(head, text, tail)}${tail}`, CORE_LIMITS.messageChars);
    return new RpcFailure(RPC.internal, message, { code: 'TOOL_UNAVAILABLE', ...details });
  }

  /**
   * The server that a resource URI belongs to: one that lists the URI, else one with a template for it, else the one that linked to it in a
   * result. If links counted first, a server could take over a resource by linking to it.
   */
  knownOwnerOf(uri: string): RelayedServer | undefined {
    const servers = this.#servers();
    const linked = this.#seen.get(uri);
    return (
      servers.find(({ directory }) => directory.entries.resources.some((resource) => resource.uri === uri)) ??
      servers.find(({ directory }) => directory.entries.resourceTemplates.some((one) => fits(one.uriTemplate, uri))) ??
      servers.find(({ config }) => config.name === linked)
    );
  }

  /** The server that a resource URI belongs to or, if that is not known, the first server with resources. */
  ownerOf(uri: string): RelayedServer | undefined {
    return this.knownOwnerOf(uri) ?? this.#guessOwner();
  }

  #guessOwner(): RelayedServer | undefined {
    return this.#servers().find(({ backend }) => backend.link?.capabilities.resources !== undefined);
  }

  /** Remembers that a result of a server linked to these URIs. A URI belongs to the first server that linked to it, until that server is removed. */
  seen(server: string, uris: readonly string[]): void {
    const others = new Set(this.#servers().map(({ config }) => config.name));
    others.delete(server);
    for (const uri of uris) {
      if (others.has(this.#seen.get(uri) ?? '')) continue;
      this.#seen.delete(uri);
      this.#seen.set(uri, server);
    }
    this.#forgetOldest(server);
  }

  /** Forgets the oldest links of a server that has too many links. Links of other servers are kept: one server must not displace them. */
  #forgetOldest(server: string): void {
    const own = [...this.#seen].filter(([, owner]) => owner === server);
    for (const [uri] of own.slice(0, Math.max(0, own.length - SWITCHBOARD_LIMITS.linkedResources)))
      this.#seen.delete(uri);
  }
}

/** Whether the lists of a server will probably be known soon: it is starting, or it is connected and its lists are being read. */
export const isComing = ({ backend: { state } }: RelayedServer): boolean =>
  state !== null && state.state !== 'UNHEALTHY' && state.state !== 'QUARANTINE';

/** Whether a URI may fit a URI template. Any text fits an expression in braces; only the server knows whether the resource exists. */
export const fits = (template: unknown, uri: string): boolean =>
  typeof template === 'string' && hasInOrder(template.split(/\{[^{}]*\}/), uri);
