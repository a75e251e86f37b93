// The servers behind one Colibri process. They are started at the same time, and changed when the switchboard file is saved. Their tools are
// listed from memory: only the first list waits for servers, for a bounded time.
import type { DownServer, ProxiedTool } from '../../call/context.js';
import type { Peer } from '../../call/peer.js';
import { within } from '../../core/clock.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import type { SwitchboardConfig } from '../config/config.js';
import type { ServerChange } from '../config/diff.js';
import type { DefinitionText } from '../definition.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { SwitchboardRelay } from '../relay/relay.js';
import { ArgumentChecks } from '../route/direct-call.js';
import { SwitchboardRouter } from '../route/router.js';
import { Routes } from '../route/routes.js';
import { Announcer } from './announcer.js';
import { DefinitionsInForce } from './in-force.js';
import { Servers, type ServersDeps } from './servers.js';
import { type ListedProxied, ToolTable } from './table.js';

export interface SwitchboardDeps extends Omit<ServersDeps, 'onApplied' | 'onDirectory'> {
  /** Called with the new configuration and the changes of servers after a switchboard file was saved and applied. */
  readonly onConfig: (config: SwitchboardConfig, changes: readonly ServerChange[]) => void;
  readonly ownNames: () => readonly string[];
  /** Stores the definition of a tool that a call is made with. */
  readonly keepDefinition: (definition: DefinitionText) => void;
  readonly nowMs: () => number;
}

export class Switchboard {
  readonly servers: Servers;
  readonly routes: Routes;
  readonly table: ToolTable;
  readonly relay: SwitchboardRelay;
  readonly router: SwitchboardRouter;
  readonly announcer: Announcer;
  /** The connected client; undefined if none is connected yet. */
  client: Peer | undefined;
  readonly #deps: SwitchboardDeps;
  readonly #firstList: FirstList;
  readonly #inForce: DefinitionsInForce;

  constructor(deps: SwitchboardDeps) {
    this.#deps = deps;
    const { nowMs, log } = deps;
    this.announcer = new Announcer(nowMs);
    this.#inForce = new DefinitionsInForce(deps.keepDefinition);
    this.servers = this.#makeServers();
    const firstList = new FirstList(this.servers);
    this.#firstList = firstList;
    const servers = (): Servers['all'] => this.servers.all;
    this.relay = new SwitchboardRelay({
      servers: () => [...servers().values()],
      client: () => this.client,
      nowMs,
      listable: () => firstList.listable(),
    });
    const parts = {
      checks: new ArgumentChecks((text) => log('warn', text)),
      nowMs,
      seen: (server: string, uris: readonly string[]) => this.relay.seen(server, uris),
      inForce: (name: string, current: JsonObject) => this.#inForce.of(name, current),
    };
    this.routes = new Routes({ ...parts, log });
    this.table = new ToolTable({ ...parts, routes: this.routes, servers });
    const settled = (): Promise<unknown> => firstList.over();
    this.router = new SwitchboardRouter({ ...parts, routes: this.routes, servers, table: this.table, settled });
  }

  #makeServers(): Servers {
    return new Servers({
      ...this.#deps,
      onApplied: (config, changes) => {
        // A fast server may be connected before it is in the list of servers; `onDialled` did not find it, so it is reported here.
        for (const server of this.servers.all.values())
          if (server.backend.link !== undefined) this.relay.dialled(server);
        this.#deps.onConfig(config, changes);
        this.refresh();
      },
      onDirectory: (what) => {
        this.relay.listed(what);
        // A client that never asked for a list is not told that the list has changed.
        if (this.relay.given.has(what)) this.announcer.changed(what);
      },
    });
  }

  /** Updates routes and tools and tells clients. To be called when a server's tool list or health state, or the switchboard file has changed. */
  refresh(): void {
    if (this.servers.isClosed) return;
    const { config, all } = this.servers;
    const own = this.#deps.ownNames();
    this.routes.look({ config, servers: all, own });
    this.table.make(own);
    this.announcer.look(this.table.listed());
    this.#firstList.look();
  }

  /** The tools to list. Waits for the tool lists in the store, then at most `patienceMs` for servers whose tools are not known. */
  async listed(patienceMs: number): Promise<readonly ListedProxied[]> {
    await this.servers.applied;
    await within(this.#firstList.over(), patienceMs);
    return this.current();
  }

  /** The tools to list now. After this call the client is told when the list has changed. */
  current(): readonly ListedProxied[] {
    const list = this.table.listed();
    this.announcer.answered(list);
    this.#inForce.answered(list);
    return list;
  }

  /** The tool of this public name. Waits for the first list if the name is unknown, and also finds tools that were removed recently. */
  async find(name: string): Promise<ProxiedTool | undefined> {
    if (!this.table.callable.has(name)) await this.#firstList.over();
    return this.table.callable.get(name) ?? this.table.gone.get(name);
  }

  /** The server whose name a public name begins with, if it gets no calls now: what tools it has may not be known. */
  downServer(name: string): DownServer | undefined {
    const rows = this.servers.backends.map((backend) => backend.snapshot());
    const ours = rows.filter(({ server }) => name.startsWith(`${server}__`));
    const [row] = ours.sort((a, b) => b.server.length - a.server.length);
    if (row === undefined || row.state === null || row.reason === null || row.state === 'HEALTHY') return undefined;
    return { server: row.server, state: row.state, reason: row.reason.code, text: row.reason.text };
  }

  /** Whether the list that the client got says of a tool that a person must be asked before it is called. */
  isFlagged(name: string): boolean {
    return this.#inForce.isFlagged(name);
  }

  /** Ends every server. Resolves when the servers' processes are gone, or after a bounded time. */
  async close(): Promise<void> {
    this.announcer.stop();
    await this.servers.close();
  }
}

// Delays the first list of tools, once and briefly, until the servers that are starting have sent their tools. A server that never answers
// must not keep the tools of other servers from being listed.

class FirstList {
  readonly #servers: Servers;
  #over: Promise<unknown> | undefined;
  #listable: Promise<unknown> | undefined;
  #wake = (): void => {};

  constructor(servers: Servers) {
    this.#servers = servers;
  }

  /** Resolves when every server has sent its tools or failed, at the latest after `firstListMs`. */
  over(): Promise<unknown> {
    this.#over ??= within(
      this.#servers.applied.then(() => this.#seen()),
      SWITCHBOARD_LIMITS.firstListMs,
    );
    return this.#over;
  }

  #seen(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      this.look();
    });
  }

  /** Resolves when the starting servers have sent their tools, prompts and resources; at the latest after `firstListMs`. */
  listable(): Promise<unknown> {
    this.#listable ??= within(
      this.over().then(() => Promise.all([...this.#servers.all.values()].map(({ directory }) => directory.settled))),
      SWITCHBOARD_LIMITS.firstListMs,
    );
    return this.#listable;
  }

  /**
   * Ends the wait for the first list of tools if no server is awaited any more. To be called when a server's tool list or state, or the
   * switchboard file has changed.
   */
  look(): void {
    if (!this.#hasUnseen()) this.#wake();
  }

  /** Whether a server whose tool list is not known from an earlier run is still starting. */
  #hasUnseen(): boolean {
    return this.#servers.backends.some(
      ({ catalogueDigest, state }) => catalogueDigest === null && state?.state === 'STARTING',
    );
  }
}
