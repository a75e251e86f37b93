// The switchboard before it is loaded: the door may open, list and call at once, and waits here as long as it may. Loads
// nothing by itself, so that a start is no slower for it.
import { type Config, type LogLevel, readEnv } from '../config.js';
import type { ColibriServerContext, ProxiedTool, ProxiedTools, Relay } from '../context.js';
import { LIMITS } from '../limits.js';
import { MODES } from '../modes.js';
import type { Listing, Members, Peer, RelayedMethod } from '../peer.js';
import { within } from '../within.js';
import { DEEPEST, findSwitchboard } from './place.js';
import type { Books } from './records-writer.js';
import type { RunningSwitchboard } from './switchboard-open.js';

export interface HandleOptions {
  readonly load: () => Promise<RunningSwitchboard>;
  readonly onError: (thrown: unknown) => void;
}

const EMPTY: Partial<Record<RelayedMethod, Members>> = {
  'prompts/list': { prompts: [] },
  'resources/list': { resources: [] },
  'resources/templates/list': { resourceTemplates: [] },
};

const NO_SUCH: ProxiedTool = {
  isRpc: true,
  check: (args) => ({ args: args as Members }),
  call: async () => ({ kind: 'error', error: { code: -32_602, message: 'There is no such prompt or resource' } }),
  refusal: () => ({}),
};

/** Asked of nobody. */
const NOTHING: Relay = {
  find: async () => NO_SUCH,
  request: async (method) => EMPTY[method] ?? {},
  rootsChanged: () => {},
  listens: () => {},
};

export class SwitchboardHandle implements ProxiedTools {
  readonly #options: HandleOptions;
  readonly #listeners = new Set<(what: Listing) => void>();
  readonly #began: Promise<RunningSwitchboard | undefined>;
  #begun: (running: RunningSwitchboard | undefined) => void = () => {};
  #running: RunningSwitchboard | undefined;
  #loading: Promise<RunningSwitchboard> | undefined;
  #books: Books | undefined;
  readonly #opening: Promise<void>;
  #opened = (): void => {};
  #client: Peer | undefined;
  #toldNothing = false;
  #closed = false;

  readonly relay: Relay = {
    find: async (method, params) => (await this.#relay()).find(method, params),
    request: async (method, params, call) => (await this.#relay()).request(method, params, call),
    rootsChanged: () => this.#running?.tools.relay.rootsChanged(),
    listens: (uris) => void this.#relay().then((relay) => relay.listens(uris), this.#options.onError),
  };

  constructor(options: HandleOptions) {
    this.#options = options;
    this.#began = new Promise((resolve) => {
      this.#begun = resolve;
    });
    this.#opening = new Promise((resolve) => {
      this.#opened = resolve;
    });
  }

  opened(peer: Peer): void {
    this.#client = peer;
    this.#running?.tools.opened(peer);
    this.#opened();
  }

  /** Where there is none yet, or none at all, nothing is there to be relayed. */
  async #relay(): Promise<Relay> {
    const running = this.#running ?? (await within(this.#began, LIMITS.firstListMs));
    return running?.tools.relay ?? NOTHING;
  }

  /** Starts the servers once a client is there, or after a moment. `settled`: the store is open, or is not to be had. */
  async begin(settled: Promise<unknown>): Promise<void> {
    try {
      await Promise.all([within(this.#opening, LIMITS.openingWaitMs), within(settled, LIMITS.firstListMs)]);
      if (this.#closed) return;
      const running = await this.#load();
      if (this.#books !== undefined) await running.attach(this.#books);
      if (this.#closed) return;
      if (this.#toldNothing) running.tools.answeredNothing();
      if (this.#client !== undefined) running.tools.opened(this.#client);
      running.tools.onChange((what) => {
        for (const listener of this.#listeners) listener(what);
      });
      const applied = running.begin();
      this.#running = running;
      this.#begun(running);
      await applied;
    } catch (thrown) {
      this.#options.onError(thrown);
      this.#begun(undefined);
    }
  }

  #load(): Promise<RunningSwitchboard> {
    this.#loading ??= this.#options.load();
    return this.#loading;
  }

  /** The ledger is open. It may be long after the servers were started. */
  attach(books: Books): void {
    this.#books = books;
    if (this.#running !== undefined) this.#running.attach(books).catch(this.#options.onError);
  }

  async listed(): Promise<readonly { readonly name: string }[]> {
    const list = await within(
      this.#began.then((running) => running?.tools.listed()),
      LIMITS.firstListMs,
    );
    this.#toldNothing = list === undefined && this.#running === undefined;
    return list ?? this.#running?.tools.current() ?? [];
  }

  async find(name: string): Promise<ProxiedTool | undefined> {
    const running = this.#running ?? (await within(this.#began, LIMITS.firstListMs));
    return running?.tools.find(name);
  }

  names(): readonly string[] {
    return this.#running?.tools.names() ?? [];
  }

  onChange(listener: (what: Listing) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Ends all servers and writes the last records. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#begun(undefined);
    const running = await this.#loading?.catch(() => undefined);
    await running?.close();
  }
}

export interface SwitchboardQuestion {
  readonly config: Config;
  readonly projectDir: string | undefined;
  readonly log: (level: LogLevel, ...parts: readonly unknown[]) => void;
  /** Asked when the switchboard is loaded. */
  readonly server: () => Pick<ColibriServerContext, 'version' | 'now' | 'tools' | 'notAdmitted'>;
}

/** The switchboard of a process, where a file asks for one and the mode admits it. */
export const switchboardFor = ({ config, projectDir, log, server }: SwitchboardQuestion) => {
  if (!MODES[config.mode].ledger || config.depth >= DEEPEST) return undefined;
  const { switchboard: named, directories } = config;
  const place = findSwitchboard({ named, projectDir, configDir: directories.config });
  if (place === undefined) return undefined;
  return new SwitchboardHandle({
    load: async () => {
      const { openSwitchboard } = await import('./switchboard-open.js');
      const { version, now, tools, notAdmitted } = server();
      log('info', `switchboard: ${place.file} (${place.origin})`);
      return openSwitchboard({
        place,
        env: readEnv(),
        stateDir: directories.state,
        version,
        now,
        log: (level, text) => log(level, 'switchboard:', text),
        ownNames: () => [...tools.keys(), ...notAdmitted],
      });
    },
    onError: (thrown) => log('error', 'switchboard:', thrown),
  });
};
