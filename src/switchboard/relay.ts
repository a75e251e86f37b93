// What servers have besides tools, for clients: prompts and resources under one roof, completions, subscriptions, log messages.
// Lists come from memory (directory.ts); only what is asked of one server goes to that server, under the rules of calls.

import { randomUUID } from 'node:crypto';
import { cancelledBy } from '../cancellation.js';
import type { ProxiedTool, Relay, RelayedCall } from '../context.js';
import { LIMITS } from '../limits.js';
import type { Listing, Members, Peer, RelayedMethod } from '../peer.js';
import { within } from '../within.js';
import { askable } from './crossings.js';
import type { Link } from './link.js';
import { isLevel } from './log-levels.js';
import { publicNames } from './names.js';
import { type Holder, ownerOf } from './owners.js';
import { RelayLogs } from './relay-logs.js';
import { type RelayedServer, RPC, RpcFailure, relayedTool, resultOf, type Target, text } from './relay-request.js';

export interface RelayDeps {
  /** In the order of the file. */
  readonly servers: () => readonly RelayedServer[];
  /** Resolves when every server had its chance to list, once. */
  readonly listable: () => Promise<unknown>;
  readonly client: () => Peer | undefined;
  /** Monotonic. */
  readonly nowMs: () => number;
}

export class SwitchboardRelay implements Relay {
  readonly #deps: RelayDeps;
  readonly #logs = new RelayLogs();
  /** Owners of resources that results have linked to; the oldest go first. */
  readonly #seen = new Map<string, string>();
  /** Resources that the client wants to hear of: subscribed to one by one, and listened to. */
  readonly #subscribed = new Set<string>();
  #listened: readonly string[] = [];
  /** Lists that a client has asked for. */
  readonly #given = new Set<Listing>();

  /** By what a client says that it can: that is the same object for all its calls. */
  readonly #askable = new WeakMap<Members, Members>();

  constructor(deps: RelayDeps) {
    this.#deps = deps;
  }

  async find(method: RelayedMethod, params: Members): Promise<ProxiedTool> {
    await this.#deps.listable();
    const target = (): Target =>
      method === 'prompts/get' ? this.#prompt(params, text(params, 'name')) : this.#resource(params);
    return relayedTool(method, target, this.#deps.nowMs);
  }

  async request(method: RelayedMethod, params: Members, call: RelayedCall): Promise<Members> {
    await this.#deps.listable();
    switch (method) {
      case 'prompts/list':
        this.#given.add('prompts');
        return { prompts: this.prompts() };
      case 'resources/list':
        this.#given.add('resources');
        return { resources: this.#all('resources', 'uri') };
      case 'resources/templates/list':
        this.#given.add('resources');
        return { resourceTemplates: this.#all('resourceTemplates', 'uriTemplate') };
      case 'resources/subscribe':
        this.#subscribed.add(text(params, 'uri'));
        this.#watch();
        return {};
      case 'resources/unsubscribe':
        this.#subscribed.delete(text(params, 'uri'));
        this.#watch();
        return {};
      case 'logging/setLevel':
        return this.#setLevel(params);
      case 'completion/complete':
        return this.#complete(params, call);
      case 'prompts/get':
      case 'resources/read':
        throw new Error(`${method} is asked for by find`);
    }
  }

  hasGiven(what: Listing): boolean {
    return this.#given.has(what);
  }

  /** Under their public names, by the rules of tools. */
  prompts(): readonly Members[] {
    const all = new Map(this.#deps.servers().map(({ name, directory }) => [name, directory.entries.prompts]));
    return this.#promptNames().list.flatMap(({ name, server, tool }) => {
      const prompt = all.get(server)?.find((one) => one.name === tool);
      return prompt === undefined ? [] : [{ ...prompt, name }];
    });
  }

  #promptNames() {
    const named = this.#deps.servers().map(({ name, prefix, directory }) => {
      return { name, prefix, tools: directory.entries.prompts.map((prompt) => String(prompt.name)) };
    });
    return publicNames(named, []);
  }

  /** The same URI twice is listed once: the first server in the file has it. */
  #all(list: 'resources' | 'resourceTemplates', key: string): readonly Members[] {
    const entries = this.#deps.servers().flatMap(({ directory }) => directory.entries[list]);
    return [...new Map(entries.toReversed().map((entry) => [entry[key], entry])).values()].reverse();
  }

  #prompt(params: Members, name: string): Target {
    const found = this.#promptNames().byName.get(name);
    const server = this.#deps.servers().find((one) => one.name === found?.server);
    if (found === undefined || server === undefined)
      throw new RpcFailure(RPC.invalidParams, `There is no prompt ${name}`);
    return { server, params: { ...params, name: found.tool } };
  }

  #resource(params: Members): Target {
    const uri = text(params, 'uri');
    const server = this.#ownerOf(uri);
    if (server === undefined) throw new RpcFailure(RPC.notFound, `There is no resource ${uri}`, { uri });
    return { server, params };
  }

  #ownerOf(uri: string): RelayedServer | undefined {
    const servers = this.#deps.servers();
    const holders = servers.map(({ name, backend, directory }): Holder => {
      const { resources, resourceTemplates } = directory.entries;
      const hasResources = backend.link?.capabilities.resources !== undefined;
      return { server: name, resources, resourceTemplates, hasResources };
    });
    const owner = ownerOf(uri, holders, (one) => this.#seen.get(one));
    return servers.find(({ name }) => name === owner);
  }

  /** A result of a server linked to these. */
  seen(server: string, uris: readonly string[]): void {
    for (const uri of uris) {
      this.#seen.delete(uri);
      this.#seen.set(uri, server);
    }
    for (const uri of this.#seen.keys()) {
      if (this.#seen.size <= LIMITS.linkedResources) break;
      this.#seen.delete(uri);
    }
  }

  async #complete(params: Members, { peer, signal }: RelayedCall): Promise<Members> {
    const ref = (params.ref ?? {}) as { readonly type?: unknown; readonly name?: unknown; readonly uri?: unknown };
    const target =
      ref.type === 'ref/prompt'
        ? this.#completePrompt(params, ref, text(ref, 'name'))
        : { server: this.#resource({ uri: text(ref, 'uri') }).server, params };
    const { _meta: _ours, ...asked } = target.params;
    const reply = await target.server.backend.ask('completion/complete', asked, {
      callId: randomUUID(),
      cancellation: cancelledBy(signal),
      peer,
    });
    return resultOf(reply);
  }

  #completePrompt(params: Members, ref: Members, name: string): Target {
    const { server, params: named } = this.#prompt({}, name);
    return { server, params: { ...params, ref: { ...ref, name: named.name } } };
  }

  #setLevel(params: Members): Members {
    if (!isLevel(params.level)) throw new RpcFailure(RPC.invalidParams, 'level must be one of the log levels');
    this.#logs.set(params.level, this.#links());
    return {};
  }

  #links(): readonly Link[] {
    return this.#deps.servers().flatMap(({ backend }) => backend.link ?? []);
  }

  /** A call goes out for this client: what it wants to hear, the servers must say. */
  heard(peer: Peer): { readonly capabilities: Members; readonly logLevel: string | undefined } {
    if (peer.logLevel !== undefined) this.#logs.want(peer.logLevel, this.#links());
    return { capabilities: this.#askableOf(peer), logLevel: peer.logLevel ?? this.#logs.level };
  }

  #askableOf(peer: Peer): Members {
    const { capabilities } = peer;
    const known = this.#askable.get(capabilities);
    if (known !== undefined) return known;
    const found = askable(peer);
    this.#askable.set(capabilities, found);
    return found;
  }

  rootsChanged(): void {
    for (const link of this.#links()) link.notify('notifications/roots/list_changed');
  }

  listens(uris: readonly string[]): void {
    this.#listened = uris;
    this.#watch();
  }

  /** Every server watches what is its own. */
  #watch(): void {
    const wanted = [...new Set([...this.#subscribed, ...this.#listened])];
    for (const { name, backend } of this.#deps.servers())
      backend.link?.watch(wanted.filter((uri) => this.#ownerOf(uri)?.name === name));
  }

  /** A server has a new connection. */
  dialled(server: RelayedServer): void {
    server.directory.read('all');
    const { link } = server.backend;
    if (link === undefined) return;
    this.#logs.greet(link);
    if (this.#subscribed.size + this.#listened.length > 0) this.#watch();
  }

  /** Which list of the server's clients are told of. */
  changed(server: RelayedServer, what: Listing): void {
    if (what !== 'tools') server.directory.read(what);
  }

  notified({ backend }: RelayedServer, method: string, params: Members): void {
    const client = this.#deps.client();
    if (client === undefined) return;
    if (method === 'notifications/message')
      this.#logs.receiver(params, client, backend)?.notify(method, withoutMeta(params));
    else if (this.#isWatched(params.uri)) client.notify(method, withoutMeta(params));
  }

  #isWatched(uri: unknown): boolean {
    return typeof uri === 'string' && (this.#subscribed.has(uri) || this.#listened.includes(uri));
  }
}

/** `_meta` of a notification says which subscription it belongs to, on its own hop. */
const withoutMeta = ({ _meta: _hop, ...params }: Members): Members => params;

/** The first list waits for servers that nobody has heard of, once and not for long. */
export const listableOnce = (
  servers: () => readonly RelayedServer[],
  began: () => Promise<unknown>,
): (() => Promise<unknown>) => {
  let first: Promise<unknown> | undefined;
  const settled = async (): Promise<void> => {
    await began();
    await Promise.all(servers().map(({ directory }) => directory.settled));
  };
  return () => {
    first ??= within(settled(), LIMITS.firstListMs);
    return first;
  };
};
