// One downstream server as the rest of the process sees it. Nothing here waits for a sick server, and nothing of one
// backend reaches another.

import type { TriedAnswer } from '../../call/answer.js';
import type { Peer } from '../../call/peer.js';
import type { OnwardRequest } from '../../call/request.js';
import type { JsonObject } from '../../proof/json-object.js';
import { type BoardRow, boardRow } from '../board.js';
import { mayList, type Permission } from '../health/permits.js';
import type { HealthState } from '../health/state.js';
import type { Link } from '../link/link.js';
import type { Alternative } from '../refusal.js';
import { isOffered } from '../tool-filter.js';
import { type CallWorld, runCall, type ServerRequest } from './call.js';
import { Conversations } from './conversations.js';
import { ServerLife } from './life.js';
import { notOffered, withTries } from './reply.js';
import { CallStats } from './stats.js';
import type { SafeTool, Safety } from './stored-catalogue.js';
import type { BackendConfig, BackendDeps, Renewal } from './world.js';

/** What a server's refusal may say, and whether the call is to be sent here again. */
export interface Elsewhere {
  /** Other tools that may do. */
  readonly alternatives?: () => readonly Alternative[];
  /** Whether another server would have it now: where that is safe, it is not sent here again. */
  readonly elsewhere?: () => boolean;
}

type Wanted = Pick<ServerRequest, 'method' | 'safety'> & { readonly params: JsonObject };

const none = (): readonly Alternative[] => [];
const never = (): boolean => false;
const READ_ONLY: Safety = { readOnly: true, idempotent: true };

export class Backend {
  readonly #deps: BackendDeps;
  readonly #life: ServerLife;
  readonly #stats = new CallStats();
  readonly #world: CallWorld;
  readonly #talks: Conversations;

  /** Dials at once, unless a person must act first. */
  constructor(config: BackendConfig, deps: BackendDeps) {
    this.#deps = { ...deps, warn: (message) => deps.warn(`${config.name}: ${message}`) };
    this.#life = new ServerLife(config, this.#deps);
    const { queue, driver } = this.#life;
    const { nowMs, wallMs, warn } = this.#deps;
    this.#world = { nowMs, wallMs, warn, queue, stats: this.#stats, give: (event) => void driver.give(event) };
    this.#talks = new Conversations({
      ...this.#deps,
      server: config.name,
      onAsked: (question) => this.#deps.onAsked?.(question),
      isInteractive: () => this.#life.config.interactive,
    });
  }

  get name(): string {
    return this.#life.config.name;
  }

  get state(): HealthState | null {
    return this.#life.state;
  }

  /** The connection that calls go to, for what is no call: instructions, process, stderr. */
  get link(): Link | undefined {
    return this.#life.link;
  }

  /** Null before its catalogue was ever read. */
  get catalogueDigest(): string | null {
    return this.#life.catalogue.digest;
  }

  /** From memory, whatever the server does. */
  tools(): readonly SafeTool[] {
    return this.#life.listing.tools;
  }

  /** May its tools be listed now? */
  mayList(): Permission {
    return mayList(this.state, this.#life.config.whenUnavailable === 'hide', this.#deps.nowMs());
  }

  /** Never rejects, and always ends: the timeout is the connection's, the wait for a turn is bounded by the queue. */
  call(tool: string, args: unknown, request: OnwardRequest, others?: Elsewhere): Promise<TriedAnswer> {
    const { config, catalogue } = this.#life;
    if (!isOffered(config.tools, tool)) {
      const refusal = notOffered({ server: config.name, tool });
      return Promise.resolve(withTries(refusal, [{ how: 'refused', sent: false, durationMs: 0 }]));
    }
    const params = args === undefined ? { name: tool } : { name: tool, arguments: args };
    const safety = (): Safety => catalogue.safetyOf(tool, this.#life.config);
    return this.#run(tool, { method: 'tools/call', params, safety }, request, others);
  }

  /** A request that changes nothing (`prompts/get`, `resources/read`), under the rules of calls. */
  ask(method: string, params: JsonObject, request: OnwardRequest): Promise<TriedAnswer> {
    return this.#run(method, { method, params, safety: () => READ_ONLY }, request);
  }

  #run(tool: string, wanted: Wanted, request: OnwardRequest, others: Elsewhere = {}): Promise<TriedAnswer> {
    const { method, params, safety } = wanted;
    const { alternatives = none, elsewhere = never } = others;
    const place = { server: this.name, tool };
    const client = request.peer && this.#deps.heard(request.peer);
    const { timeoutMs } = this.#life.config;
    const send = ({ id, cancellation, onProgress, meta }: OnwardRequest, extra?: JsonObject): Promise<TriedAnswer> => {
      const isPlain = meta === undefined && extra === undefined;
      const onWire = isPlain ? params : { ...(meta !== undefined && { _meta: meta }), ...extra, ...params };
      const about = { call: id, method, params: onWire, timeoutMs, cancellation, onProgress, client };
      return runCall({ ...about, safety, place, alternatives, elsewhere }, this.#world);
    };
    return this.#talks.run(request, [place.server, method, params], send);
  }

  /** The server asks the client something. A rejection with an integer `code` becomes that JSON-RPC error. */
  answer(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    return this.#talks.answer(method, params, signal);
  }

  /** Clients whose requests are in flight. */
  get peers(): readonly Peer[] {
    return this.#talks.peers;
  }

  /**
   * Applies a saved file. With other connection keys comes the way to dial them and what is remembered of them; an approval
   * given or taken is such a change too.
   */
  reconfigure(config: BackendConfig, renewal: Renewal = {}): void {
    this.#life.reconfigure(config, renewal);
  }

  /** Gone from the configuration. Calls in flight may end first. */
  remove(): Promise<void> {
    return this.#life.remove();
  }

  /** The process ends. Nothing is recorded: the server is as it was. */
  close(): Promise<void> {
    this.#talks.close();
    return this.#life.close();
  }

  snapshot(): BoardRow {
    const { queue, lines, listing } = this.#life;
    return boardRow({
      server: this.name,
      state: this.state,
      stats: this.#stats,
      waiting: queue.waiting,
      inFlight: queue.inFlight(),
      noise: lines.noise,
      tools: listing.tools.length,
      notes: listing.notes,
      nowMs: this.#deps.nowMs(),
      wallMs: this.#deps.wallMs(),
    });
  }
}

export const createBackend = (config: BackendConfig, deps: BackendDeps): Backend => new Backend(config, deps);
