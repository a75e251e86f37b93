// All servers of one switchboard file: started side by side, listed from memory, changed when the file is saved. Nobody waits
// for a server but the first list, and that one not for long.

import type { LogLevel } from '../config.js';
import type { ProxiedTool, ProxiedTools } from '../context.js';
import { LIMITS } from '../limits.js';
import type { Listing, Members, Peer } from '../peer.js';
import { within } from '../within.js';
import type { Backend } from './backend.js';
import type { BackendConfig, Remembered, Renewal } from './backend-world.js';
import type { ServerConfig, SwitchboardConfig } from './config.js';
import { diffConfigs, type ServerChange } from './config-diff.js';
import { problemText } from './config-problem.js';
import type { Consent } from './consent.js';
import { Directory } from './directory.js';
import { NO_TOOLS, type PublicTool, type PublicTools, publicTools } from './proxy-tools.js';
import { ArgumentChecks } from './proxy-tools-check.js';
import { listableOnce, SwitchboardRelay } from './relay.js';
import type { RelayedServer } from './relay-request.js';
import { SwitchboardRouter } from './router.js';
import { Routes } from './routes.js';
import { Announcer } from './switchboard-announcer.js';
import { proxiedTool } from './switchboard-tool.js';

/** The part of a backend that is asked for here. */
export type Served = Pick<
  Backend,
  | 'name'
  | 'state'
  | 'link'
  | 'peers'
  | 'catalogueDigest'
  | 'tools'
  | 'mayList'
  | 'call'
  | 'ask'
  | 'answer'
  | 'reconfigure'
  | 'remove'
  | 'close'
  | 'snapshot'
>;

export interface SwitchboardDeps {
  /** The file as it is now. */
  readonly read: () => SwitchboardConfig;
  /** What the user has agreed to by now. */
  readonly consent: () => Consent;
  readonly makeBackend: (server: BackendConfig, remembered: Remembered | undefined) => Served;
  readonly renewal: (server: ServerConfig, remembered: Remembered | undefined) => Renewal;
  readonly remembered: (server: ServerConfig) => Promise<Remembered | undefined>;
  /** Told of what a saved file changed. */
  readonly onConfig: (config: SwitchboardConfig, changes: readonly ServerChange[]) => void;
  readonly ownNames: () => readonly string[];
  readonly nowMs: () => number;
  readonly log: (level: LogLevel, text: string) => void;
}

interface Server extends Pick<RelayedServer, 'directory'> {
  config: BackendConfig;
  readonly backend: Served;
}

const NOTHING: SwitchboardConfig = { file: '', servers: [], routes: [], warnings: [], errors: [] };

const relayed = ({ config, backend, directory }: Server): RelayedServer => ({
  name: config.name,
  prefix: config.prefix,
  backend,
  directory,
});

export class Switchboard implements ProxiedTools {
  readonly #deps: SwitchboardDeps;
  readonly #checks: ArgumentChecks;
  readonly #announcer: Announcer;
  readonly isThere = true;
  readonly routes: Routes;
  readonly #router: SwitchboardRouter;
  /** In the order of the file. */
  #servers = new Map<string, Server>();
  #config = NOTHING;
  #tools: PublicTools = NO_TOOLS;
  #proxied = new Map<string, ProxiedTool>();
  readonly #gone = new Map<string, ProxiedTool>();
  /** The last problems of the file; empty when it was applied. */
  #problems: readonly string[] = [];
  #applying: Promise<void> = Promise.resolve();
  #firstList: Promise<unknown> | undefined;
  readonly #waiting = new Set<() => void>();
  #client: Peer | undefined;
  #closed = false;
  readonly relay: SwitchboardRelay;

  constructor(deps: SwitchboardDeps) {
    this.#deps = deps;
    const servers = (): readonly RelayedServer[] => this.#relayed();
    this.relay = new SwitchboardRelay({
      servers,
      client: () => this.#client,
      nowMs: deps.nowMs,
      listable: listableOnce(servers, () => this.#firstWait()),
    });
    this.#checks = new ArgumentChecks((text) => deps.log('warn', text));
    this.#announcer = new Announcer(deps.nowMs);
    const { nowMs, log } = deps;
    this.routes = new Routes({ checks: this.#checks, nowMs, log, seen: this.#seenLinks });
    this.#router = this.#makeRouter();
  }

  readonly #seenLinks = (server: string, uris: readonly string[]): void => this.relay.seen(server, uris);

  #makeRouter(): SwitchboardRouter {
    return new SwitchboardRouter({
      routes: this.routes,
      checks: this.#checks,
      nowMs: this.#deps.nowMs,
      seen: this.#seenLinks,
      server: (name) => this.#servers.get(name),
      serverNames: () => [...this.#servers.keys()],
      tool: (name) => this.#tools.byName.get(name),
      toolNames: () => [...this.#tools.byName.keys()],
      settled: () => this.#firstWait(),
    });
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  get servers(): readonly Served[] {
    return [...this.#servers.values()].map(({ backend }) => backend);
  }

  #relayed(): readonly RelayedServer[] {
    return [...this.#servers.values()].map(relayed);
  }

  /** The client of the connection. */
  get client(): Peer | undefined {
    return this.#client;
  }

  notesOf(server: string): readonly string[] {
    return this.#tools.notes.get(server) ?? [];
  }

  /** Reads the file and applies what has changed. One at a time; resolves when this one is through. */
  apply(): Promise<void> {
    const applied = this.#applying.then(() => (this.#closed ? undefined : this.#apply(this.#deps.read())));
    // One that fails must not keep the next from being applied.
    this.#applying = applied.catch(() => {});
    return applied;
  }

  async #apply(next: SwitchboardConfig): Promise<void> {
    for (const warning of next.warnings) this.#deps.log('warn', problemText(warning));
    this.#problems = next.errors.map(problemText);
    for (const problem of this.#problems) this.#deps.log('error', `${problem}; the servers stay as they are`);
    if (next.errors.length > 0) return;
    const consent = this.#deps.consent();
    const changes = diffConfigs(this.#config, next);
    this.#config = next;
    const servers = new Map<string, Server>();
    for (const change of changes) {
      if (change.after === undefined) this.#remove(change.name);
      else
        servers.set(change.name, await this.#server(change, { ...change.after, hold: consent.holdOf(change.after) }));
    }
    this.#servers = servers;
    // One that was quick has its connection already.
    for (const server of this.#relayed()) if (server.backend.link !== undefined) this.relay.dialled(server);
    this.#deps.onConfig(next, changes);
    this.refresh();
  }

  async #server({ change }: ServerChange, config: BackendConfig): Promise<Server> {
    const running = this.#servers.get(config.name);
    if (running === undefined) {
      if (config.hold === 'not_approved') this.#tellHow(config.name);
      return this.#newServer(config, await this.#deps.remembered(config));
    }
    if (change === 'same' && running.config.hold === config.hold) return running;
    running.config = config;
    const renewal = change === 'connection' ? this.#deps.renewal(config, await this.#deps.remembered(config)) : {};
    running.backend.reconfigure(config, renewal);
    return running;
  }

  #newServer(config: BackendConfig, remembered: Remembered | undefined): Server {
    const backend = this.#deps.makeBackend(config, remembered);
    const directory = new Directory({
      link: () => backend.link,
      // Who has not asked for a list does not want to know that it has changed.
      onChange: (what) => {
        if (this.relay.hasGiven(what)) this.#announcer.changed(what);
      },
      warn: (text) => this.#deps.log('warn', `${config.name}: ${text}`),
    });
    return { config, backend, directory };
  }

  /** What a server has to say besides its answers. */
  dialled(name: string): void {
    this.#with(name, (server) => this.relay.dialled(server));
  }

  listChanged(name: string, what: Listing): void {
    this.#with(name, (server) => this.relay.changed(server, what));
  }

  notified(name: string, method: string, params: Members): void {
    this.#with(name, (server) => this.relay.notified(server, method, params));
  }

  /** A server asks the client something. */
  async answer(name: string, method: string, params: Members, signal: AbortSignal): Promise<Members> {
    const server = this.#servers.get(name);
    if (server === undefined) throw new Error(`no server ${name}`);
    return server.backend.answer(method, params, signal);
  }

  #with(name: string, act: (server: RelayedServer) => void): void {
    const server = this.#servers.get(name);
    if (server !== undefined) act(relayed(server));
  }

  #tellHow(server: string): void {
    this.#deps.log(
      'warn',
      `${server} comes with this project and was not started; to start it: colibri switchboard approve`,
    );
  }

  #remove(name: string): void {
    void this.#servers.get(name)?.backend.remove();
  }

  /** Looks at all servers again: a catalogue, a state or the file has changed. */
  refresh(): void {
    if (this.#closed) return;
    const servers = [...this.#servers.values()];
    const own = this.#deps.ownNames();
    this.routes.look({ config: this.#config, servers: this.#servers, own });
    this.#tools = publicTools(
      servers.map(({ config, backend }) => ({ name: config.name, prefix: config.prefix, tools: backend.tools() })),
      [...own, ...this.routes.all.map(({ name }) => name)],
    );
    const tools = this.#tools.list.map((tool) => [tool.name, this.#proxiedTool(tool)] as const);
    this.#replaceTools(new Map([...this.routes.tools(), ...tools]));
    this.#announcer.look(this.#listedNow());
    if (!this.#hasUnseen()) for (const wake of this.#waiting) wake();
  }

  /** Names that were there stay known for a while: who calls them is told by their server why it cannot be. */
  #replaceTools(tools: Map<string, ProxiedTool>): void {
    for (const [name, tool] of this.#proxied) if (!tools.has(name)) this.#gone.set(name, tool);
    for (const name of this.#gone.keys()) {
      if (this.#gone.size <= LIMITS.toolsPerServer && !tools.has(name)) continue;
      this.#gone.delete(name);
    }
    this.#proxied = tools;
  }

  #proxiedTool(tool: PublicTool): ProxiedTool {
    const server = this.#servers.get(tool.server);
    if (server === undefined) throw new Error(`no server ${tool.server}`);
    return proxiedTool({
      tool,
      at: server,
      checks: this.#checks,
      nowMs: this.#deps.nowMs,
      alternatives: () => this.routes.alternativesTo(tool),
      seen: this.#seenLinks,
    });
  }

  #listedNow(): readonly PublicTool['listed'][] {
    const hidden = new Set(this.servers.filter((backend) => !backend.mayList().may).map(({ name }) => name));
    const tools = this.#tools.list.filter(({ server }) => !hidden.has(server));
    return [...this.routes.listed((server) => hidden.has(server)), ...tools.map(({ listed }) => listed)];
  }

  /** Servers that nobody remembers and that may still say what they have. */
  #hasUnseen(): boolean {
    return this.servers.some(({ catalogueDigest, state }) => catalogueDigest === null && state?.state === 'STARTING');
  }

  #seen(): Promise<void> {
    if (!this.#hasUnseen()) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        resolve();
      };
      this.#waiting.add(wake);
    });
  }

  /** Once, and not for long: a server that never answers must not keep the others from being listed. */
  #firstWait(): Promise<unknown> {
    this.#firstList ??= within(
      this.#applying.then(() => this.#seen()),
      LIMITS.firstListMs,
    );
    return this.#firstList;
  }

  async listed(): Promise<readonly PublicTool['listed'][]> {
    await this.#firstWait();
    return this.current();
  }

  /** What there is to list now. Whoever asks is told when it has changed. */
  current(): readonly PublicTool['listed'][] {
    const list = this.#listedNow();
    this.#announcer.answered(list);
    return list;
  }

  /** A client was told, before we were there, that there is nothing. */
  answeredNothing(): void {
    this.#announcer.answered([]);
  }

  find(name: string): ProxiedTool | Promise<ProxiedTool | undefined> {
    return this.#proxied.get(name) ?? this.#findLater(name);
  }

  async #findLater(name: string): Promise<ProxiedTool | undefined> {
    await this.#firstWait();
    return this.#proxied.get(name) ?? this.#gone.get(name);
  }

  async router(): Promise<SwitchboardRouter> {
    return this.#router;
  }

  names(): readonly string[] {
    return [...this.#proxied.keys()];
  }

  opened(peer: Peer): void {
    this.#client = peer;
  }

  onChange(listener: (what: Listing) => void): () => void {
    return this.#announcer.listen(listener);
  }

  /** Ends every server. Resolves when nothing of them is left, or after a while. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#announcer.stop();
    await this.#applying;
    await Promise.all(this.servers.map((backend) => backend.close()));
  }
}
