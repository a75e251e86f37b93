// Gives clients what servers offer besides tools: prompts, resources, completions, subscriptions, log messages. Requests for lists are
// answered from memory; a request for one prompt or resource goes to its server, under the same rules as a tool call.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ProxiedTool, Relay, RelayedCall } from '../../call/context.js';
import type { Listing, Peer, RelayedMethod } from '../../call/peer.js';
import { cancelledBy } from '../../core/cancellation.js';
import { RPC } from '../../core/rpc-codes.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { Link } from '../link/link.js';
import { askable } from './crossings.js';
import { isLevel, RelayLogs } from './logs.js';
import { isComing, PromptsAndResources } from './prompts-and-resources.js';
import { type RelayedServer, type RelayTarget, RpcFailure, relayedTool, resultOf, textMember } from './request.js';

export interface RelayDeps {
  /** The servers in the order of the switchboard file. */
  readonly servers: () => readonly RelayedServer[];
  /** Resolves when every server has listed its prompts and resources once, at the latest after a bounded time. */
  readonly listable: () => Promise<unknown>;
  readonly client: () => Peer | undefined;
  /** The monotonic clock in milliseconds. */
  readonly nowMs: () => number;
}

export class SwitchboardRelay implements Relay {
  readonly #deps: RelayDeps;
  readonly #logs = new RelayLogs();
  readonly #offered: PromptsAndResources;
  /** The resource URIs that a client of protocol 2025-11-25 or older has subscribed to, with one request for each. */
  readonly #subscribed = new Set<string>();
  /** The resource URIs that a client of protocol 2026-07-28 has subscribed to, with one request for all. */
  #listened: readonly string[] = [];
  /** The kinds of lists (such as prompts) that a client has asked for at least once. */
  readonly given = new Set<Listing>();

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#offered = new PromptsAndResources(deps.servers, deps.nowMs);
  }

  async find(method: RelayedMethod, params: JsonObject): Promise<ProxiedTool> {
    const { name, uri } = params;
    if (method === 'prompts/get' && typeof name === 'string') await this.#until(() => this.#offered.hasPrompt(name));
    else if (typeof uri === 'string') await this.#until(() => this.#offered.knownOwnerOf(uri) !== undefined);
    const target = (): RelayTarget =>
      method === 'prompts/get'
        ? this.#offered.prompt(params, textMember(params, 'name'))
        : this.#offered.resource(params);
    return relayedTool(method, target, this.#deps.nowMs);
  }

  /**
   * Waits until a prompt or resource is known, or until no server is left whose lists will probably be known soon; at most `dialWaitMs`. So
   * a request for something of a server that is starting waits like a call of its tool.
   */
  async #until(isKnown: () => boolean): Promise<void> {
    if (isKnown()) return;
    const begun = this.#deps.nowMs();
    await this.#deps.listable();
    while (!isKnown() && this.#offered.unknownServers().some(isComing)) {
      if (this.#deps.nowMs() - begun >= SWITCHBOARD_LIMITS.dialWaitMs) return;
      await sleep(SWITCHBOARD_LIMITS.listLookMs);
    }
  }

  async request(method: RelayedMethod, params: JsonObject, call: RelayedCall): Promise<JsonObject> {
    await this.#deps.listable();
    switch (method) {
      case 'prompts/list':
        this.given.add('prompts');
        return { prompts: this.#offered.prompts() };
      case 'resources/list':
        this.given.add('resources');
        return { resources: this.#offered.resources() };
      case 'resources/templates/list':
        this.given.add('resources');
        return { resourceTemplates: this.#offered.templates() };
      case 'resources/subscribe':
        this.#subscribed.add(textMember(params, 'uri'));
        return this.#watch();
      case 'resources/unsubscribe':
        this.#subscribed.delete(textMember(params, 'uri'));
        return this.#watch();
      case 'logging/setLevel':
        return this.#setLevel(params);
      case 'completion/complete':
        return this.#complete(params, call);
      case 'prompts/get':
      case 'resources/read':
        throw new Error(`${method} names one prompt or resource, so its server must answer it, not the relay itself`);
    }
  }

  /** Remembers that a result of a server linked to these resource URIs. */
  seen(server: string, uris: readonly string[]): void {
    this.#offered.seen(server, uris);
  }

  async #complete(params: JsonObject, { peer, signal }: RelayedCall): Promise<JsonObject> {
    const ref = (params.ref ?? {}) as { readonly type?: unknown; readonly name?: unknown; readonly uri?: unknown };
    const { type, name, uri } = ref;
    if (typeof name === 'string') await this.#until(() => this.#offered.hasPrompt(name));
    else if (typeof uri === 'string') await this.#until(() => this.#offered.knownOwnerOf(uri) !== undefined);
    const target =
      type === 'ref/prompt'
        ? this.#completePrompt(params, ref, textMember(ref, 'name'))
        : { ...this.#offered.resource({ uri: textMember(ref, 'uri') }), params };
    const { _meta: _ours, ...asked } = target.params;
    const request = { id: randomUUID(), cancellation: cancelledBy(signal), peer };
    const reply = await target.server.backend.ask('completion/complete', asked, request, target.what);
    return resultOf(reply);
  }

  #completePrompt(params: JsonObject, ref: JsonObject, name: string): RelayTarget {
    const { server, params: named, what } = this.#offered.prompt({}, name);
    return { server, params: { ...params, ref: { ...ref, name: named.name } }, what };
  }

  #setLevel(params: JsonObject): JsonObject {
    if (!isLevel(params.level)) throw new RpcFailure(RPC.invalidParams, 'level must be one of the log levels');
    this.#logs.set(params.level, this.#links());
    return {};
  }

  #links(): readonly Link[] {
    return this.#deps.servers().flatMap(({ backend }) => backend.link ?? []);
  }

  /** What a server is told about the client of a call: the client's capabilities and log level. */
  heard(peer: Peer): { readonly capabilities: JsonObject; readonly logLevel: string | undefined } {
    if (peer.logLevel !== undefined) this.#logs.want(peer.logLevel, this.#links());
    return { capabilities: askable(peer), logLevel: peer.logLevel ?? this.#logs.level };
  }

  rootsChanged(): void {
    for (const link of this.#links()) link.notify('notifications/roots/list_changed');
  }

  listens(uris: readonly string[]): void {
    this.#listened = uris;
    this.#watch();
  }

  /** Tells each server which of its resources the client has subscribed to. Returns the empty response to the client's request. */
  #watch(): JsonObject {
    const wanted = [...new Set([...this.#subscribed, ...this.#listened])];
    for (const server of this.#deps.servers()) {
      server.backend.link?.watch(wanted.filter((uri) => this.#offered.ownerOf(uri) === server));
    }
    return {};
  }

  /** Tells servers again which resources to watch. Needed for a new connection, which watches nothing yet, and after resources changed. */
  #watchAgain(): void {
    if (this.#subscribed.size + this.#listened.length > 0) this.#watch();
  }

  #isWatched(uri: unknown): boolean {
    return typeof uri === 'string' && (this.#subscribed.has(uri) || this.#listened.includes(uri));
  }

  /** Prepares a new connection to a server: reads the server's lists, sets its log level, and subscribes to the watched resources. */
  dialled(server: RelayedServer | undefined): void {
    server?.directory.read('all');
    const link = server?.backend.link;
    if (link === undefined) return;
    this.#logs.greet(link);
    this.#watchAgain();
  }

  /** Must be called when a server's prompts or resources have changed: a watched resource may belong to another server now. */
  listed(what: Listing): void {
    if (what === 'resources') this.#watchAgain();
  }

  /** Must be called when a server has sent a notification that one of its lists has changed. */
  changed(server: RelayedServer | undefined, what: Listing): void {
    if (what !== 'tools') server?.directory.read(what);
  }

  notified(server: RelayedServer | undefined, method: string, params: JsonObject): void {
    const client = this.#deps.client();
    if (client === undefined || server === undefined) return;
    if (method === 'notifications/message')
      this.#logs.receiver(params, client, server.backend)?.notify(method, withoutMeta(params));
    else if (this.#isWatched(params.uri)) client.notify(method, withoutMeta(params));
  }
}

/** The params of a notification without `_meta`, which belongs to the connection between the server and Colibri. */
const withoutMeta = ({ _meta: _hop, ...params }: JsonObject): JsonObject => params;
