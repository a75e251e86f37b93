// Takes the place of the switchboard until the switchboard's code is loaded: a client may connect, list and call at once, and its requests
// wait here for a bounded time. The code is loaded only if there is a switchboard file, so a process without one starts faster.
import type { DownServer, ListAsker, ProxiedTool, ProxiedTools, Relay } from '../../call/context.js';
import type { Listing, Peer, RelayedMethod } from '../../call/peer.js';
import type { Router } from '../../call/routing.js';
import { within } from '../../core/clock.js';
import { RPC } from '../../core/rpc-codes.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import { watchFiles } from '../config/watch-files.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { Books } from '../records/writer.js';
import type { RunningSwitchboard } from './open.js';

export interface HandleOptions {
  /** The paths at which a switchboard file can appear. */
  readonly files: readonly string[];
  /** Whether a switchboard file is in use now. */
  readonly hasFile: () => boolean;
  /** Ends servers that dead Colibri processes left behind. */
  readonly sweep: () => Promise<void>;
  readonly load: () => Promise<RunningSwitchboard>;
  readonly onError: (thrown: unknown) => void;
}

const EMPTY: Partial<Record<RelayedMethod, JsonObject>> = {
  'prompts/list': { prompts: [] },
  'resources/list': { resources: [] },
  'resources/templates/list': { resourceTemplates: [] },
};

/** Answers requests for one prompt or resource while it is not known which servers there are. */
const NOT_READY: ProxiedTool = {
  isRpc: true,
  check: (args) => ({ args: args as JsonObject }),
  call: async () => ({
    kind: 'error',
    error: {
      code: RPC.internal,
      message:
        'The MCP servers behind Colibri are being started (STARTING), so their prompts and resources are not known yet.',
      data: { code: 'TOOL_UNAVAILABLE', state: 'STARTING', retry_after_ms: SWITCHBOARD_LIMITS.dialWaitMs },
    },
  }),
  refusal: () => ({}),
};

/** Answers requests for prompts and resources while there are no servers. */
const EMPTY_RELAY: Relay = {
  find: async () => NOT_READY,
  request: async (method) => EMPTY[method] ?? {},
  rootsChanged: () => {},
  listens: () => {},
};

export class SwitchboardHandle implements ProxiedTools {
  readonly #options: HandleOptions;
  readonly #listeners = new Set<(what: Listing) => void>();
  readonly #began: Promise<RunningSwitchboard | undefined>;
  #begun: (running: RunningSwitchboard | undefined) => void = () => {};
  /** True if there is, or ever was, a switchboard file. If false, requests are answered at once, because no server is being started. */
  #hasFile: boolean;
  #stopWaiting = (): void => {};
  #running: RunningSwitchboard | undefined;
  /** The tools of servers, and routes, by their public names. The running switchboard keeps this map up to date. */
  #callable: ReadonlyMap<string, ProxiedTool> = new Map();
  #loading: Promise<RunningSwitchboard> | undefined;
  #books: Books | undefined;
  readonly #opening: Promise<void>;
  #opened = (): void => {};
  #client: Peer | undefined;
  #toldNothing = false;
  #closed = false;

  /** The relay of prompts and resources; undefined if there was no switchboard file at the start, when MCP capabilities are declared. */
  readonly relay: Relay | undefined;

  constructor(options: HandleOptions) {
    this.#options = options;
    this.#hasFile = options.hasFile();
    this.relay = this.#hasFile ? this.#makeRelay() : undefined;
    this.#began = new Promise((resolve) => {
      this.#begun = resolve;
    });
    this.#opening = new Promise((resolve) => {
      this.#opened = resolve;
    });
  }

  opened(peer: Peer): void {
    this.#client = peer;
    if (this.#running !== undefined) this.#running.tools.client = peer;
    this.#opened();
  }

  #makeRelay(): Relay {
    const loaded = async (): Promise<Relay> => (await this.#soon())?.tools.relay ?? EMPTY_RELAY;
    return {
      find: async (method, params) => (await loaded()).find(method, params),
      request: async (method, params, call) => (await loaded()).request(method, params, call),
      rootsChanged: () => this.#running?.tools.relay.rootsChanged(),
      listens: (uris) => void loaded().then((relay) => relay.listens(uris), this.#options.onError),
    };
  }

  /** Resolves with the switchboard once it runs; with undefined if that takes longer than `firstListMs`. */
  async #soon(): Promise<RunningSwitchboard | undefined> {
    return this.#running ?? (await within(this.#began, SWITCHBOARD_LIMITS.firstListMs));
  }

  /**
   * Starts the servers once a client is connected, or after a short wait; without a switchboard file, once such a file appears.
   * `settled` resolves when the store is open or could not be opened.
   */
  async begin(settled: Promise<unknown>): Promise<void> {
    try {
      await Promise.all([
        within(this.#opening, SWITCHBOARD_LIMITS.openingWaitMs),
        within(settled, SWITCHBOARD_LIMITS.firstListMs),
      ]);
      // Servers that a dead process left behind are ended before any server is started: two processes of one server might write the same file.
      if (!this.#closed) await this.#options.sweep().catch(this.#options.onError);
      await this.#fileThere();
      if (!this.#closed) await this.#start();
    } catch (thrown) {
      this.#options.onError(thrown);
      this.#begun(undefined);
    }
  }

  /** Resolves when there is a switchboard file, or when this handle is closed. */
  #fileThere(): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        this.#hasFile ||= this.#options.hasFile();
        if (!this.#hasFile && !this.#closed) return;
        this.#stopWaiting();
        resolve();
      };
      const stop = this.#hasFile ? () => {} : watchFiles(this.#options.files, look);
      this.#stopWaiting = () => {
        stop();
        resolve();
      };
      look();
    });
  }

  async #start(): Promise<void> {
    const running = await this.#load();
    if (this.#books !== undefined) await running.attach(this.#books);
    if (this.#closed) return;
    const { tools } = running;
    // A client was given an empty list of tools before the switchboard was loaded, so it must be told of the first tools.
    if (this.#toldNothing) tools.announcer.answered([]);
    tools.client = this.#client;
    tools.announcer.listen((what) => this.#tell(what));
    const applied = running.begin();
    this.#running = running;
    this.#callable = tools.table.callable;
    this.#begun(running);
    // With a running switchboard, Colibri's own router tools are listed, so the list of tools has changed.
    if (this.#toldNothing) this.#tell('tools');
    await applied;
  }

  #tell(what: Listing): void {
    for (const listener of this.#listeners) listener(what);
  }

  #load(): Promise<RunningSwitchboard> {
    this.#loading ??= this.#options.load();
    return this.#loading;
  }

  /** Called when the ledger (the log of records) is open. The servers may have been started long before. */
  attach(books: Books): void {
    this.#books = books;
    if (this.#running !== undefined) this.#running.attach(books).catch(this.#options.onError);
  }

  async listed({ follows }: ListAsker = { follows: true }): Promise<readonly { readonly name: string }[]> {
    if (!this.#hasFile) {
      this.#toldNothing = true;
      return [];
    }
    const { firstListMs, quickListMs, storedListMs } = SWITCHBOARD_LIMITS;
    const patienceMs = follows ? firstListMs : quickListMs;
    const list = await within(
      this.#began.then(async (running) => {
        const list = await running?.tools.listed(patienceMs);
        await running?.ready;
        return list;
      }),
      follows ? firstListMs : storedListMs + quickListMs,
    );
    this.#toldNothing = list === undefined && this.#running === undefined;
    return list ?? this.#running?.tools.current() ?? [];
  }

  find(name: string): ProxiedTool | undefined | Promise<ProxiedTool | undefined> {
    if (!this.#hasFile) return undefined;
    return this.#callable.get(name) ?? this.#soon().then((running) => running?.tools.find(name));
  }

  /** Whether there is a switchboard file now; it may have been removed since the process started. */
  get isThere(): boolean {
    return this.#hasFile && (this.#running?.isThere ?? true);
  }

  async router(): Promise<Router | undefined> {
    return this.isThere ? (await this.#soon())?.tools.router : undefined;
  }

  names(): readonly string[] {
    return [...this.#callable.keys()];
  }

  downServer(name: string): DownServer | undefined {
    return this.#running?.tools.downServer(name);
  }

  hide(text: string): string {
    return this.#running?.hide(text) ?? text;
  }

  onChange(listener: (what: Listing) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends all servers and writes the last records to the ledger. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#stopWaiting();
    this.#begun(undefined);
    const running = await this.#loading?.catch(() => undefined);
    await running?.close();
  }
}
