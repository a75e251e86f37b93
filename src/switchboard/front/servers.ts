// Starts, changes and ends servers when the switchboard file changes. Changes are applied one after the other. If the file has errors, no
// server is changed.
import type { LogLevel } from '../../config.js';
import type { ServerConfig, SwitchboardConfig } from '../config/config.js';
import type { Consent } from '../config/consent.js';
import { diffConfigs, type ServerChange } from '../config/diff.js';
import { problemText } from '../config/problem.js';
import type { Served } from '../server/backend.js';
import { Directory, type DirectoryDeps } from '../server/directory.js';
import type { BackendConfig, BackendDeps, Renewal } from '../server/world.js';

export interface ServersDeps {
  readonly read: () => SwitchboardConfig;
  /** Returns which servers may be connected to, according to the user's approvals. */
  readonly consent: () => Consent;
  readonly makeBackend: (server: BackendConfig, remembered: Remembered) => Served;
  readonly renewal: (server: ServerConfig, remembered: Remembered) => Renewal;
  readonly remembered: (server: ServerConfig) => Promise<Remembered>;
  readonly log: (level: LogLevel, text: string) => void;
  /** Called when a new version of the switchboard file was applied, with the changes of servers. */
  readonly onApplied: (config: SwitchboardConfig, changes: readonly ServerChange[]) => void;
  /** Called when the prompts or resources of a server have changed. */
  readonly onDirectory: DirectoryDeps['onChange'];
}

type Remembered = BackendDeps['remembered'];

interface Server {
  config: BackendConfig;
  readonly backend: Served;
  readonly directory: Directory;
}

const NO_SERVERS: SwitchboardConfig = { file: '', servers: [], routes: [], warnings: [], errors: [] };

export class Servers {
  readonly #deps: ServersDeps;
  #all = new Map<string, Server>();
  /** The configuration that was applied last, or is being applied. */
  config = NO_SERVERS;
  /** The errors of the switchboard file as it was last read; empty if the file has none. */
  problems: readonly string[] = [];
  /** Resolves when every change so far has been applied, and never rejects. */
  applied: Promise<void> = Promise.resolve();
  isClosed = false;

  constructor(deps: ServersDeps) {
    this.#deps = deps;
  }

  /** The running servers by name, in the order of the switchboard file. */
  get all(): ReadonlyMap<string, Readonly<Server>> {
    return this.#all;
  }

  get backends(): readonly Served[] {
    return [...this.#all.values()].map(({ backend }) => backend);
  }

  /** Waits until earlier calls of `apply` are done, then reads the switchboard file and applies its changes. Resolves when they are applied. */
  apply(): Promise<void> {
    const applied = this.applied.then(() => (this.isClosed ? undefined : this.#apply(this.#deps.read())));
    // If applying one change of the switchboard file fails, the next change must still be applied.
    this.applied = applied.catch(() => {});
    return applied;
  }

  async #apply(next: SwitchboardConfig): Promise<void> {
    for (const warning of next.warnings) this.#deps.log('warn', problemText(warning));
    this.problems = [...next.errors, ...(next.broken ?? [])].map(problemText);
    for (const problem of this.problems) this.#deps.log('error', `${problem}; the servers stay as they are`);
    if (next.errors.length > 0) return;
    const consent = this.#deps.consent();
    const changes = diffConfigs(this.config, next);
    this.config = next;
    const servers = new Map<string, Server>();
    for (const change of changes) {
      if (change.after === undefined) void this.#all.get(change.name)?.backend.remove();
      else
        servers.set(change.name, await this.#server(change, { ...change.after, hold: consent.holdOf(change.after) }));
    }
    this.#all = servers;
    this.#deps.onApplied(next, changes);
  }

  async #server({ change }: ServerChange, config: BackendConfig): Promise<Server> {
    const running = this.#all.get(config.name);
    if (running === undefined) {
      const how = 'comes with this project and was not started; to start it: colibri switchboard approve';
      if (config.hold === 'not_approved') this.#deps.log('warn', `${config.name} ${how}`);
      return this.#newServer(config, await this.#deps.remembered(config));
    }
    if (change === 'same' && running.config.hold === config.hold) return running;
    running.config = config;
    const renewal = change === 'connection' ? this.#deps.renewal(config, await this.#deps.remembered(config)) : {};
    running.backend.reconfigure(config, renewal);
    return running;
  }

  #newServer(config: BackendConfig, remembered: Remembered): Server {
    const backend = this.#deps.makeBackend(config, remembered);
    const directory = new Directory({
      link: () => backend.link,
      onChange: this.#deps.onDirectory,
      warn: (text) => this.#deps.log('warn', `${config.name}: ${text}`),
    });
    return { config, backend, directory };
  }

  /** Ends every server. Resolves when the servers' processes are gone, or after a bounded time. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.applied;
    await Promise.all(this.backends.map((backend) => backend.close()));
  }
}
