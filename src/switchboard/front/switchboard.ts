// The servers behind one Colibri process: started side by side, their tools listed from memory, changed when the switchboard file is saved.
// Only the first list of tools waits for servers, for a bounded time.

import type { ProxiedTool, ProxiedTools } from '../../call/context.js';
import type { Listing, Peer } from '../../call/peer.js';
import type { JsonObject } from '../../proof/json-object.js';
import type { SwitchboardConfig } from '../config/config.js';
import type { ServerChange } from '../config/diff.js';
import type { ToolPlace } from '../refusal.js';
import { SwitchboardRelay } from '../relay/relay.js';
import type { LinksSeen } from '../route/live-provider.js';
import { SwitchboardRouter } from '../route/router.js';
import { Routes } from '../route/routes.js';
import { Announcer } from './announcer.js';
import { FirstList, listableOnce } from './first-list.js';
import { ArgumentChecks } from './proxy-tools-check.js';
import type { Served } from './served.js';
import { Servers, type ServersDeps } from './servers.js';
import { type ListedProxied, ToolTable } from './table.js';

export interface SwitchboardDeps extends Omit<ServersDeps, 'onApplied' | 'onDirectory'> {
  /** Called with the new configuration and the changes of servers after a switchboard file was saved and applied. */
  readonly onConfig: (config: SwitchboardConfig, changes: readonly ServerChange[]) => void;
  readonly ownNames: () => readonly string[];
  readonly nowMs: () => number;
}

export class Switchboard implements ProxiedTools {
  readonly isThere = true;
  readonly routes: Routes;
  readonly relay: SwitchboardRelay;
  readonly #deps: SwitchboardDeps;
  readonly #checks: ArgumentChecks;
  readonly #announcer: Announcer;
  readonly #servers: Servers;
  readonly #tools: ToolTable;
  readonly #firstList: FirstList;
  readonly #router: SwitchboardRouter;
  #client: Peer | undefined;

  constructor(deps: SwitchboardDeps) {
    this.#deps = deps;
    const { nowMs, log } = deps;
    this.#checks = new ArgumentChecks((text) => log('warn', text));
    this.#announcer = new Announcer(nowMs);
    this.#servers = this.#makeServers();
    const servers = this.#servers;
    this.#firstList = new FirstList({ servers: () => servers.backends, applied: () => servers.applied });
    this.relay = this.#makeRelay();
    const parts = { checks: this.#checks, nowMs, seen: this.#seenLinks };
    this.routes = new Routes({ ...parts, log });
    this.#tools = new ToolTable({ ...parts, routes: this.routes, servers: () => servers.all });
    this.#router = this.#makeRouter();
  }

  readonly #seenLinks: LinksSeen = (server, uris) => this.relay.seen(server, uris);

  #makeServers(): Servers {
    return new Servers({
      ...this.#deps,
      onApplied: (config, changes) => {
        // A fast server was connected before it was in the list of servers, so `dialled` did not find the server.
        for (const server of this.#servers.relayed()) if (server.backend.link !== undefined) this.relay.dialled(server);
        this.#deps.onConfig(config, changes);
        this.refresh();
      },
      onDirectory: (what) => {
        this.relay.listed(what);
        // A client that never asked for a list is not told that the list has changed.
        if (this.relay.hasGiven(what)) this.#announcer.changed(what);
      },
    });
  }

  #makeRelay(): SwitchboardRelay {
    const servers = () => this.#servers.relayed();
    return new SwitchboardRelay({
      servers,
      client: () => this.#client,
      nowMs: this.#deps.nowMs,
      listable: listableOnce(servers, () => this.#firstList.over()),
    });
  }

  #makeRouter(): SwitchboardRouter {
    return new SwitchboardRouter({
      routes: this.routes,
      checks: this.#checks,
      nowMs: this.#deps.nowMs,
      seen: this.#seenLinks,
      server: (name) => this.#servers.all.get(name),
      serverNames: () => [...this.#servers.all.keys()],
      tool: (name) => this.#tools.serverTool(name),
      toolNames: () => this.#tools.serverToolNames(),
      settled: () => this.#firstList.over(),
    });
  }

  /** The errors of the switchboard file as it was last read; empty if the file has none. */
  get problems(): readonly string[] {
    return this.#servers.problems;
  }

  get servers(): readonly Served[] {
    return this.#servers.backends;
  }

  /** The connected client; undefined if none is connected yet. */
  get client(): Peer | undefined {
    return this.#client;
  }

  /** The public name of a server's tool; undefined if the tool is not listed. */
  nameOf(place: ToolPlace): string | undefined {
    return this.#tools.nameOf(place);
  }

  notesOf(server: string): readonly string[] {
    return this.#tools.notesOf(server);
  }

  /** Reads the switchboard file and applies its changes after those of earlier calls. Resolves when they are applied. */
  apply(): Promise<void> {
    return this.#servers.apply();
  }

  /** Tells the relay that a server is connected. */
  dialled(name: string): void {
    this.#servers.with(name, (server) => this.relay.dialled(server));
  }

  listChanged(name: string, what: Listing): void {
    this.#servers.with(name, (server) => this.relay.changed(server, what));
  }

  notified(name: string, method: string, params: JsonObject): void {
    this.#servers.with(name, (server) => this.relay.notified(server, method, params));
  }

  /** Answers a request that a server sends to the client. */
  async answer(name: string, method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const server = this.#servers.all.get(name);
    if (server === undefined) throw new Error(`no server ${name}`);
    return server.backend.answer(method, params, signal);
  }

  /** Updates routes and tools and tells clients. To be called when a server's tool list or health state, or the switchboard file has changed. */
  refresh(): void {
    if (this.#servers.isClosed) return;
    const { config, all } = this.#servers;
    const own = this.#deps.ownNames();
    this.routes.look({ config, servers: all, own });
    this.#tools.make(own);
    this.#announcer.look(this.#tools.listed());
    this.#firstList.look();
  }

  async listed(): Promise<readonly ListedProxied[]> {
    await this.#firstList.over();
    return this.current();
  }

  /** The tools to list now. From this call on the client is told when the list changes. */
  current(): readonly ListedProxied[] {
    const list = this.#tools.listed();
    this.#announcer.answered(list);
    return list;
  }

  /** Remembers that a client got an empty list of tools before the switchboard was loaded. */
  answeredNothing(): void {
    this.#announcer.answered([]);
  }

  find(name: string): ProxiedTool | Promise<ProxiedTool | undefined> {
    return this.#tools.get(name) ?? this.#findLater(name);
  }

  async #findLater(name: string): Promise<ProxiedTool | undefined> {
    await this.#firstList.over();
    return this.#tools.get(name) ?? this.#tools.gone(name);
  }

  async router(): Promise<SwitchboardRouter> {
    return this.#router;
  }

  names(): readonly string[] {
    return this.#tools.names();
  }

  opened(peer: Peer): void {
    this.#client = peer;
  }

  onChange(listener: (what: Listing) => void): () => void {
    return this.#announcer.listen(listener);
  }

  /** Ends every server. Resolves when the servers' processes are gone, or after a bounded time. */
  async close(): Promise<void> {
    this.#announcer.stop();
    await this.#servers.close();
  }
}
