// Represents one of the other servers to the rest of the process: its tools, its state, calls to it. No method waits for a server that is
// down, and the servers share no state, so a failing server cannot harm another.

import type { Refused, TriedAnswer } from '../../call/answer.js';
import type { Peer } from '../../call/peer.js';
import type { OnwardRequest } from '../../call/request.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import { needsApproval } from '../approval/need.js';
import type { BoardRow } from '../board.js';
import type { PersonsWish } from '../health/event.js';
import { mayList, type Permission } from '../health/permits.js';
import { type HealthState, nextWake } from '../health/state.js';
import type { Link } from '../link/link.js';
import { type Alternative, approvalRequiredSince, toolChanged } from '../refusal.js';
import type { ToolChanged } from '../tool-change.js';
import { isOffered } from '../tool-filter.js';
import { Continuations, callWithApproval } from './approved-call.js';
import { type CallWorld, runCall, type ServerRequest, withTries } from './call.js';
import { CallStats } from './call-stats.js';
import { Conversations, type Round } from './conversations.js';
import { ServerLife } from './life.js';
import { notOffered } from './reply.js';
import type { SafeTool, Safety } from './stored-catalogue.js';
import type { BackendConfig, BackendDeps, Renewal } from './world.js';

/** What the caller knows about other servers that could serve the call. It is used in refusals and to decide on a retry on this server. */
export interface OtherServers {
  /** Returns other tools that could serve the call. */
  readonly alternatives?: () => readonly Alternative[];
  /** Whether another server would take the call now. If so, and if it is safe to send the call there, it is not retried on this server. */
  readonly elsewhere?: () => boolean;
  /** Whether another server is HEALTHY and would take the call now. If given, a read-only call does not wait long for this server. */
  readonly isHealthyElsewhere?: (() => boolean) | undefined;
}

type Wanted = Pick<ServerRequest, 'method' | 'safety' | 'what' | 'mayNot' | 'beforeSending'> & {
  readonly params: JsonObject;
};

const none = (): readonly Alternative[] => [];
const never = (): boolean => false;
const READ_ONLY: Safety = { readOnly: true, idempotent: true };

export class Backend {
  readonly #deps: BackendDeps;
  readonly #life: ServerLife;
  readonly #stats = new CallStats();
  readonly #world: CallWorld;
  readonly #conversations: Conversations;
  readonly #continuations = new Continuations();

  /** Connects to the server at once, unless the user must approve the server or set a variable first. */
  constructor(config: BackendConfig, deps: BackendDeps) {
    this.#deps = { ...deps, warn: (message) => deps.warn(`${config.name}: ${message}`) };
    this.#life = new ServerLife(config, this.#deps);
    const { queue, driver } = this.#life;
    this.#world = { ...this.#deps, queue, driver, stats: this.#stats, asked: () => this.#conversations.asked };
    this.#conversations = new Conversations({
      ...this.#deps,
      server: config.name,
      isInteractive: () => this.#life.config.interactive,
    });
  }

  get name(): string {
    return this.#life.config.name;
  }

  get state(): HealthState | null {
    return this.#life.driver.state;
  }

  /** The current connection to the server; undefined if there is none. Calls do not use this getter: they get their connection from the queue. */
  get link(): Link | undefined {
    return this.#life.link;
  }

  /** The digest of the server's tool list; null until the list was read for the first time. */
  get catalogueDigest(): string | null {
    return this.#life.catalogue.digest;
  }

  /** The server's tools by name. They are kept in memory, so they are known even if the server is down. */
  tools(): ReadonlyMap<string, SafeTool> {
    return this.#life.listing.tools;
  }

  /** What changed of a tool since a person approved it, if its calls are refused for that; undefined if they are not. */
  heldChange(tool: string): ToolChanged | undefined {
    return this.#life.held.get(tool);
  }

  /** Looks again which tools wait for approval. */
  review(): void {
    this.#life.review();
  }

  /** Whether the server's tools may be listed now. */
  mayList(): Permission {
    return mayList(this.state, this.#life.config.whenUnavailable === 'hide', this.#deps.nowMs());
  }

  /** Calls a tool. The promise always resolves: the connection has a timeout, and the wait in the queue is bounded. */
  call(tool: string, args: unknown, request: OnwardRequest, others?: OtherServers): Promise<TriedAnswer> {
    const life = this.#life;
    // A call of a tool that is not in the server's tool list is sent if the configuration offers the tool: the tool may exist all the same,
    // and the server decides.
    if (!life.listing.tools.has(tool) && !isOffered(life.config.tools, tool)) {
      const refusal = notOffered({ server: this.name, tool });
      return Promise.resolve(withTries(refusal, [{ how: 'refused', sent: false, durationMs: 0 }]));
    }
    const refused = this.#refusalOf(tool);
    if (refused !== undefined)
      return Promise.resolve(withTries(refused, [{ how: 'refused', sent: false, durationMs: 0 }]));
    const params = args === undefined ? { name: tool } : { name: tool, arguments: args };
    const safety = (): Safety => life.listing.tools.get(tool) ?? life.catalogue.safetyOf(tool, life.config);
    const mayNot = () => this.#refusalOf(tool);
    const wanted: Wanted = { method: 'tools/call', params, safety, mayNot };
    if (!this.asks(tool)) {
      const mayNotNow = () => mayNot() ?? this.#askedSince(tool);
      return this.#run(tool, { ...wanted, mayNot: mayNotNow }, request, others);
    }
    const { name } = this;
    return callWithApproval(
      { place: { server: name, tool }, args, request, about: [name, 'tools/call', params], ask: life.config.ask },
      { approver: this.#deps.approver, seal: this.#deps.seal, continuations: this.#continuations },
      (onward, beforeSending) => this.#run(tool, { ...wanted, beforeSending }, onward, others),
    );
  }

  /** Whether a call of the tool needs the yes of a person. */
  asks(tool: string): boolean {
    const { config, catalogue } = this.#life;
    return needsApproval(tool, catalogue.declaration(tool), config);
  }

  #refusalOf(tool: string): Refused | undefined {
    const change = this.heldChange(tool);
    return (
      change && {
        kind: 'refused',
        code: 'TOOL_CHANGED',
        sent: false,
        refusal: toolChanged({ server: this.name, tool }, change),
      }
    );
  }

  /** Why a call that has no yes must not be sent now: its tool, or the file, may have changed while it waited. */
  #askedSince(tool: string): Refused | undefined {
    if (!this.asks(tool)) return undefined;
    const refusal = approvalRequiredSince({ server: this.name, tool });
    return { kind: 'refused', code: 'APPROVAL_REQUIRED', sent: false, refusal };
  }

  /** Sends a read-only request (`prompts/get`, `resources/read`) under the same rules as a tool call. `what`: what is asked for, in words. */
  ask(method: string, params: JsonObject, request: OnwardRequest, what?: string): Promise<TriedAnswer> {
    return this.#run(method, { method, params, safety: () => READ_ONLY, what }, request);
  }

  #run(tool: string, wanted: Wanted, request: OnwardRequest, others: OtherServers = {}): Promise<TriedAnswer> {
    const { method, params, safety, what, mayNot, beforeSending } = wanted;
    const place = { server: this.name, tool };
    const { peer } = request;
    const send: Round['send'] = ({ id, cancellation, onProgress, meta }, extra, done) => {
      const isPlain = meta === undefined && extra === undefined;
      const asked: ServerRequest = {
        call: id,
        method,
        params: isPlain ? params : { ...(meta !== undefined && { _meta: meta }), ...extra, ...params },
        timeoutMs: this.#life.config.timeoutMs,
        cancellation,
        onProgress,
        peer,
        takesLarge: true,
        safety,
        place,
        what,
        mayNot,
        beforeSending,
        alternatives: others.alternatives ?? none,
        elsewhere: others.elsewhere ?? never,
        isHealthyElsewhere: others.isHealthyElsewhere,
      };
      runCall(asked, this.#world, done);
    };
    const round = { request, about: [place.server, method, params], send };
    return new Promise((resolve) => this.#conversations.run(round, resolve));
  }

  /** Answers a question of the server to the client. A rejection with an integer `code` becomes that JSON-RPC error for the server. */
  answer(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    return this.#conversations.answer(method, params, signal);
  }

  /** The clients whose requests this server has not answered yet. */
  get peers(): readonly Peer[] {
    return this.#conversations.peers;
  }

  /** Does what a person asked for by a command. */
  obey(what: PersonsWish, by: string): void {
    this.#life.driver.give({ type: 'asked', what, by });
  }

  /** Applies a changed switchboard file to the server. `renewal`: how to connect from now on, if the server's connection has changed. */
  reconfigure(config: BackendConfig, renewal: Renewal = {}): void {
    this.#life.reconfigure(config, renewal);
  }

  /** Ends a server that was removed from the configuration. Calls in flight may still end. */
  remove(): Promise<void> {
    return this.#life.remove();
  }

  /** Ends the server because the Colibri process ends. No change of health is recorded, because the server's health has not changed. */
  close(): Promise<void> {
    this.#conversations.close();
    return this.#life.close();
  }

  snapshot(): BoardRow {
    const { queue, connections, listing, driver } = this.#life;
    const { state } = driver;
    const { calls, failures, unknown } = this.#stats;
    const behindMs = this.#deps.wallMs() - this.#deps.nowMs();
    const wallTime = (at: number | null): string | null => (at === null ? null : new Date(behindMs + at).toISOString());
    return {
      server: this.name,
      state: state?.state ?? null,
      since: state && wallTime(state.since),
      reason: state?.reason ?? null,
      next_at: state && wallTime(nextWake(state)),
      tools: listing.tools.size,
      calls,
      failures,
      unknown,
      waiting: queue.waiting,
      in_flight: queue.inFlight(),
      p50_ms: this.#stats.percentile(0.5),
      p99_ms: this.#stats.percentile(0.99),
      noise: connections.noise,
      notes: [...this.#stats.notes, ...listing.notes],
    };
  }
}

/** What the switchboard uses of a server, so that a test can use a fake instead. */
export type Served = Pick<Backend, keyof Backend>;
