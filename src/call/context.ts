// The context of a serving process: what its transport, the stages of a call and the tools share, and the parts that an embedder can
// replace. Types only. server.ts re-exports the public types.

import type { Server, Transport } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { Cancellation } from '../core/cancellation.js';
import type { Clock } from '../core/clock.js';
import type { Patience } from '../core/patience.js';
import type { Soon } from '../core/soon.js';
import type { Backlog } from '../ledger/calls/backlog.js';
import type { CallLedger } from '../ledger/calls/call-ledger.js';
import type { Evidence } from '../ledger/evidence.js';
import type { Signer } from '../ledger/signer.js';
import type { Tickets } from '../middleware/tool-lock.js';
import type { RuntimeMode } from '../modes.js';
import type { JsonObject } from '../proof/canonical-json.js';
import type { ClientIdentity, Effect, OutcomeNotes } from '../proof/records.js';
import type { Store, Tx } from '../store/store.js';
import type { Answer, NativeResult, RoutedAnswer } from './answer.js';
import type { Era, Listing, Peer, RelayedMethod } from './peer.js';
import type { CallRequest } from './request.js';
import type { Router } from './routing.js';
import type { RunningCalls } from './running-calls.js';

export interface ToolEnterEvent {
  readonly tool: string;
  /** The parsed arguments of the call; unparsed if the call was rejected. */
  readonly args: unknown;
  /** The time at which the call began, in milliseconds of the monotonic clock (`nowMs()`). */
  readonly timestamp: number;
  readonly correlationId: string;
}

export interface ToolExitEvent {
  readonly tool: string;
  readonly correlationId: string;
  readonly durationMs: number;
  /** The envelope (`{ok: true, data}`) of a call that succeeded. */
  readonly result?: unknown;
  readonly error?: Error;
}

/** An embedder's observer, which is told of every call. The ledger is written with or without it. */
export interface AuditSink {
  enter(event: ToolEnterEvent): Promise<void> | void;
  exit(event: ToolExitEvent): Promise<void> | void;
}

/** What the handler of a tool gets besides the call's arguments. */
export interface HandlerExtra {
  /** Writing tools: the transaction that also holds the call's outcome record. Reading tools: one snapshot. Absent without a store. */
  readonly tx: Tx | undefined;
  /** An AbortSignal that is aborted when the client cancels the call. */
  readonly signal: AbortSignal;
  readonly call: {
    readonly id: string;
    readonly client: ClientIdentity | null;
    /** Writing tools: the call's number in the ledger; absent if the call is not recorded. */
    readonly sequenceNo: number | undefined;
    /** The id of this Colibri process in the ledger. */
    readonly instance: string | undefined;
  };
  /** What the tool's `prepare` returned. */
  readonly prepared: unknown;
  /** Returns the wall-clock time in ISO 8601, UTC. */
  readonly now: Clock;
  /** A writing tool reports here which rows it changed; the call's outcome record names these rows. Absent without a ledger. */
  readonly evidence: Evidence | undefined;
  /** Adds members to the call's outcome record. */
  note(notes: OutcomeNotes): void;
  /** Runs `act` in the transaction of a writing tool, after the call's outcome record was written. */
  follow(act: (tx: Tx) => Promise<void>): void;
  /** Asks for the ledger to be signed soon, in the background. */
  readonly signSoon: () => void;
  /** Runs `act` once the transaction of a writing tool is committed. `act` must not throw. */
  afterCommit(act: () => void): void;
  /** The client's request, for a handler that passes the call on to another server. */
  readonly onward: CallRequest;
}

export interface ToolAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface ColibriToolConfig<I extends z.ZodRawShape = z.ZodRawShape, O extends z.ZodRawShape = z.ZodRawShape> {
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: z.ZodObject<I>;
  /** The schema that `data` must fit; checked before the outcome is recorded. */
  readonly outputSchema?: z.ZodObject<O>;
  /**
   * The effect of a call, such as `read`; may depend on the parsed arguments. Default: `open`, a call that runs once, outside any
   * transaction.
   */
  readonly effect?: Effect | ((args: z.infer<z.ZodObject<I>>) => Effect);
  /** The modes in which the tool is listed; all modes if left out. */
  readonly admittedIn?: readonly RuntimeMode[];
  readonly annotations?: ToolAnnotations;
  /** Names of arguments whose text the tool stores itself; their text is left out of the recorded arguments. */
  readonly keepsTexts?: readonly string[];
  /** `_meta` of the listed tool. */
  readonly meta?: JsonObject;
  /** Runs before the transaction and gets what the handler needs from outside the store. The handler gets the result as `extra.prepared`. */
  readonly prepare?: (args: z.infer<z.ZodObject<I>>) => Promise<unknown>;
  /** If true, a write of this tool is synced to disk before it is answered, whatever the store's durability setting is. */
  readonly sync?: boolean;
  /** If true, this writing tool appends records of its own to the ledger; they come between the call's intent and its outcome. */
  readonly appends?: boolean;
  /** If true, this reading tool opens its own snapshots of the store and gets none in `extra.tx`. */
  readonly ownSnapshots?: boolean;
  /** Where the tool's domain errors appear: A: as a HANDLER_ERROR, B: inside `data`. */
  readonly errorPattern?: 'A' | 'B';
  /** Called for every `tools/list`; returns false to leave the tool out. */
  readonly isListed?: () => boolean;
  /** If true, the tool answers without the store and waits for the ledger at most CORE_LIMITS.vitalPatienceMs. */
  readonly vital?: boolean;
}

/** A registered tool. The type says nothing about its arguments, so that all tools have the same type. */
export interface Tool {
  readonly name: string;
  readonly config: ColibriToolConfig;
  /** Reads arguments that the input schema rejects as they were meant; returns the same value if it knows no other reading. */
  readonly read: (args: unknown) => unknown;
  readonly effectOf: (args: unknown) => Effect;
  readonly prepare: ((args: unknown) => Promise<unknown>) | undefined;
  /** For a tool that calls another server's tool: the definition of that tool. Called before the call's intent is recorded. */
  readonly inForce?: ((args: unknown) => Soon<DefinitionInForce | undefined>) | undefined;
  readonly handler: (args: unknown, extra: HandlerExtra) => unknown;
}

/** The arguments to send to another server's tool, or what is wrong with them. */
export type CheckedArguments =
  | { readonly args: NativeResult }
  | { readonly problem: string; readonly details?: JsonObject };

/** The definition of a tool that a call is made with: what the client was shown of the tool. */
export interface DefinitionInForce {
  /** The SHA-256 of the definition (switchboard/definition.ts). */
  readonly digest: string;
  /** True if the tool was never listed to this client: then it is the current definition. */
  readonly unlisted?: true;
}

/** A tool of another server, in the form that the five stages of a call use. */
export interface ProxiedTool {
  check(args: unknown): CheckedArguments | Promise<CheckedArguments>;
  /** The definition that the client was shown. Absent for requests that are no calls of a tool. */
  inForce?(): DefinitionInForce | undefined;
  /** Calls the tool. The promise rejects only if Colibri itself is at fault. */
  call(args: NativeResult, request: CallRequest): Promise<Answer & Partial<RoutedAnswer>>;
  /** True for a request other than `tools/call`: errors of Colibri are then answered as JSON-RPC errors. */
  readonly isRpc?: true;
  refusal(error: { readonly code: string; readonly message: string; readonly details?: NativeResult }): NativeResult;
}

/** A call that Colibri makes itself, to check whether a server works. */
export interface OwnCheck {
  /** The tool's name in the records of the health check. */
  readonly name: string;
  readonly args: NativeResult;
  readonly tool: ProxiedTool;
}

/** Who asks for a list. */
export interface ListAsker {
  /** Whether the client asks for the list again when it is told that the list has changed. If not, the list must come quickly. */
  readonly follows: boolean;
}

/** The tools of other servers; none without a switchboard file. Absent in modes that do not admit a switchboard. */
export interface DownServer {
  readonly server: string;
  readonly state: string;
  readonly reason: string;
  /** Why, for people. */
  readonly text: string;
}

export interface ProxiedTools {
  /** True if there is a switchboard; only then Colibri's router tools (`router_score` and others) are listed. */
  readonly isThere: boolean;
  /** What the router tools use to reach the switchboard; undefined if the process has no switchboard. */
  router(): Promise<Router | undefined>;
  /** The definitions of other servers' tools, which `tools/list` shows after Colibri's own tools. */
  listed(asker?: ListAsker): Promise<readonly { readonly name: string; readonly [key: string]: unknown }[]>;
  /**
   * Finds a tool by its public name. Returns a promise only if it has to wait: a promise would slow every call of another server's tool.
   */
  find(name: string): ProxiedTool | undefined | Promise<ProxiedTool | undefined>;
  names(): readonly string[];
  /** If a public name that there is not begins with a server's name: that server and why it gets no calls now; undefined if it does. */
  downServer?(name: string): DownServer | undefined;
  /** Removes the values that are secret in the servers' configurations from a text. */
  hide?(text: string): string;
  /** Reports that a client has opened the connection. */
  opened(peer: Peer): void;
  /** Calls `listener` whenever a list of tools, prompts or resources has changed; returns a function that removes the listener. */
  onChange(listener: (what: Listing) => void): () => void;
  /**
   * Serves prompts, resources and everything else that servers offer besides tools; undefined if there was no switchboard file at the
   * start.
   */
  readonly relay: Relay | undefined;
}

/** Passes clients' requests on to other servers, except calls of tools, which have a way of their own. */
export interface Relay {
  /** Wraps a request (`prompts/get`, `resources/read`) as a tool, so that it passes the five stages and is recorded like a call. */
  find(method: RelayedMethod, params: JsonObject): Promise<ProxiedTool>;
  /** Answers requests that are not recorded as calls, such as lists. The promise rejects with an error that has an integer `code`. */
  request(method: RelayedMethod, params: JsonObject, call: RelayedCall): Promise<JsonObject>;
  rootsChanged(): void;
  /** Reports which resources a client of protocol 2026-07-28 is subscribed to now. */
  listens(uris: readonly string[]): void;
}

export interface RelayedCall {
  readonly peer: Peer;
  readonly signal: AbortSignal;
}

/** Holds calls that need the store until startup phase 2 has opened it. Present only if startup.ts installed it. */
export interface Gate {
  /** True if calls do not have to wait for the store. */
  readonly isOpen: boolean;
  /** Resolves when the store is open or the call is cancelled. Rejects, with reason and remedy, if opening the store failed or took too long. */
  pass(call: Cancellation): Promise<void>;
}

export interface ColibriServerContext {
  readonly version: string;
  readonly mode: RuntimeMode;
  readonly auditSink: AuditSink;
  /** True if an embedder provided a sink. The sink is told of every call, and calls of one tool then run one after the other. */
  readonly hasSink: boolean;
  readonly transport: Transport;
  /** The monotonic clock in milliseconds, for durations. */
  readonly nowMs: () => number;
  /** The wall clock, for times in records. */
  readonly now: Clock;
  readonly bootStartMs: number;
  readonly logger: (...args: unknown[]) => void;
  /** For what a person must know of: `colibri doctor` shows it for a day. */
  readonly logError: (...args: unknown[]) => void;
  readonly installGlobalHandlers: boolean;
  readonly startupTimeoutMs: number;
  readonly fastLane: boolean;
  /** Colibri's own and an embedder's tools by name. */
  readonly tools: Map<string, Tool>;
  /** Names of tools that exist but are not admitted in this mode. */
  readonly notAdmitted: Set<string>;
  readonly tickets: Tickets;
  /** How long calls of vital tools, which answer without the store, wait for the ledger. */
  readonly patience: Patience;
  readonly running: RunningCalls;

  db?: Store;
  phase?: 'phase1' | 'phase2';
  gate?: Gate;
  /** The ledger; undefined while it is closed. */
  ledger?: CallLedger;
  /** Signs the ledger; set while the ledger is open. */
  signer?: Signer;
  /** Keeps outcomes that the ledger could not take yet. Present if the mode has a ledger. */
  backlog?: Backlog;
  /** The tools of other servers; set before `start` if there may be any. */
  switchboard?: ProxiedTools;
  /** Runs a health check through the five stages. Its tool is called only if the check's intent could be recorded. Set by `start`. */
  ownCheck?: (check: OwnCheck) => Promise<void>;
  /** The connection to the client; set by `start`. */
  connection?: ClientConnection;
}

export interface ClientConnection {
  readonly started: Promise<void>;
  /** Resolves when the transport has closed, whether the client or Colibri closed it. */
  readonly closed: Promise<void>;
  /** Makes another SDK server in the same process, for a transport other than stdio: the conformance run uses it over HTTP. */
  door(request: { readonly era: Era }): Server;
}
