// The context of a serving process: what the wire, the stages and the tools share, and the parts that an embedder can replace.
// Types only. server.ts re-exports the public ones.

import type { Server, Transport } from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { Cancellation } from '../core/cancellation.js';
import type { Clock } from '../core/clock.js';
import type { Patience } from '../core/patience.js';
import type { Backlog } from '../ledger/backlog.js';
import type { CallLedger } from '../ledger/call-ledger.js';
import type { Evidence } from '../ledger/evidence.js';
import type { Signer } from '../ledger/signer.js';
import type { Tickets } from '../middleware/tool-lock.js';
import type { RuntimeMode } from '../modes.js';
import type { JsonObject } from '../proof/json-object.js';
import type { ClientIdentity, Effect, OutcomeNotes } from '../proof/records.js';
import type { Store, Tx } from '../store/store.js';
import type { Answer, NativeResult, RoutedAnswer } from './answer.js';
import type { Era, Listing, Peer, RelayedMethod } from './peer.js';
import type { CallRequest } from './request.js';
import type { Router } from './routing.js';

export interface ToolEnterEvent {
  readonly tool: string;
  /** The parsed arguments; unparsed if the call was rejected. */
  readonly args: unknown;
  /** `nowMs()` when the call entered: monotonic. */
  readonly timestamp: number;
  readonly correlationId: string;
}

export interface ToolExitEvent {
  readonly tool: string;
  readonly correlationId: string;
  readonly durationMs: number;
  /** The success envelope. */
  readonly result?: unknown;
  readonly error?: Error;
}

/** Observes every call. The stages write the ledger themselves, with any sink or none. */
export interface AuditSink {
  enter(event: ToolEnterEvent): Promise<void> | void;
  exit(event: ToolExitEvent): Promise<void> | void;
}

/** What a handler gets besides its arguments. */
export interface HandlerExtra {
  /** The transaction that also holds the outcome record (`write`), or one snapshot (`read`). Absent without a store. */
  readonly tx: Tx | undefined;
  /** Aborted when the client cancels. */
  readonly signal: AbortSignal;
  readonly call: {
    readonly id: string;
    readonly client: ClientIdentity | null;
    /** Its number in the ledger; absent if the call is not recorded. */
    readonly sequenceNo: number | undefined;
    /** The id of this process in the ledger. */
    readonly instance: string | undefined;
  };
  /** What the tool's `prepare` returned. */
  readonly prepared: unknown;
  /** Wall time, ISO 8601 UTC. */
  readonly now: Clock;
  /** What a writing tool changes, for its outcome record. Absent without a ledger. */
  readonly evidence: Evidence | undefined;
  /** Adds to the outcome record. */
  note(notes: OutcomeNotes): void;
  /** Runs `act` in the transaction of the write, after its outcome record. */
  follow(act: (tx: Tx) => Promise<void>): void;
  /** Asks for the ledger to be signed soon, in the background. */
  readonly signSoon: () => void;
  /** Runs `act` once the write is committed. It must not throw. */
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
  /** The shape of `data`; checked before the outcome is recorded. */
  readonly outputSchema?: z.ZodObject<O>;
  /** What a call does, possibly depending on its parsed arguments. Default: `open`, run once outside any transaction. */
  readonly effect?: Effect | ((args: z.infer<z.ZodObject<I>>) => Effect);
  /** The modes that list the tool; all of them if left out. */
  readonly admittedIn?: readonly RuntimeMode[];
  readonly annotations?: ToolAnnotations;
  /** Arguments whose text the tool stores itself; they are left out of the recorded arguments. */
  readonly keepsTexts?: readonly string[];
  /** `_meta` of the listed tool. */
  readonly meta?: JsonObject;
  /** Runs before the transaction and gets what the handler needs from outside the store; the result is `extra.prepared`. */
  readonly prepare?: (args: z.infer<z.ZodObject<I>>) => Promise<unknown>;
  /** The write is synced to disk before it is answered, whatever the store's durability setting is. */
  readonly sync?: boolean;
  /** A reading tool that opens snapshots of its own. */
  readonly ownSnapshots?: boolean;
  /** Where a domain error appears: A as HANDLER_ERROR, B inside `data`. */
  readonly errorPattern?: 'A' | 'B';
  /** Called for every `tools/list`: false leaves the tool out. */
  readonly isListed?: () => boolean;
  /** Answers without the store, and never waits for the ledger longer than CORE_LIMITS.vitalPatienceMs. */
  readonly vital?: boolean;
}

/** A registered tool, without its argument types. */
export interface Tool {
  readonly name: string;
  readonly config: ColibriToolConfig;
  readonly effectOf: (args: unknown) => Effect;
  readonly prepare: ((args: unknown) => Promise<unknown>) | undefined;
  readonly handler: (args: unknown, extra: HandlerExtra) => unknown;
}

/** The arguments to send, or what is wrong with them. */
export type CheckedArguments =
  | { readonly args: NativeResult }
  | { readonly problem: string; readonly details?: JsonObject };

/** A tool of another server, as the stages use it. */
export interface ProxiedTool {
  check(args: unknown): CheckedArguments | Promise<CheckedArguments>;
  /** Rejects only if the fault is ours. */
  call(args: NativeResult, request: CallRequest): Promise<Answer & Partial<RoutedAnswer>>;
  /** It is not a tool but another request: errors of ours become JSON-RPC errors. */
  readonly isRpc?: true;
  /** Makes an error of ours into a result of this tool. */
  refusal(error: { readonly code: string; readonly message: string; readonly details?: NativeResult }): NativeResult;
}

/** A call that Colibri makes itself, to check whether a server works. */
export interface OwnCheck {
  /** The tool's name in the record. */
  readonly name: string;
  readonly args: NativeResult;
  readonly tool: ProxiedTool;
}

/** The tools of other servers; none without a switchboard file. Present only if the mode admits a switchboard. */
export interface ProxiedTools {
  /** Whether there is a switchboard, so that the router tools are listed. */
  readonly isThere: boolean;
  /** What the router tools use; undefined if there is no switchboard after all. */
  router(): Promise<Router | undefined>;
  /** The definitions that `tools/list` shows after our own. */
  listed(): Promise<readonly { readonly name: string; readonly [key: string]: unknown }[]>;
  /** Synchronous if possible, because every call of a proxied tool needs it. */
  find(name: string): ProxiedTool | undefined | Promise<ProxiedTool | undefined>;
  names(): readonly string[];
  /** A client has opened the connection. */
  opened(peer: Peer): void;
  /** Calls `listener` whenever a list has changed. */
  onChange(listener: (what: Listing) => void): () => void;
  /** What other servers offer besides tools; undefined if there was no switchboard file at the start. */
  readonly relay: Relay | undefined;
}

/** Serves requests of clients that other servers answer, except calls of tools. */
export interface Relay {
  /** For the requests that are recorded like calls: `prompts/get`, `resources/read`. */
  find(method: RelayedMethod, params: JsonObject): Promise<ProxiedTool>;
  /** For all other requests. Rejects with an error that has an integer `code`. */
  request(method: RelayedMethod, params: JsonObject, call: RelayedCall): Promise<JsonObject>;
  /** The client's roots have changed. */
  rootsChanged(): void;
  /** The resources that a client of protocol 2026-07-28 is subscribed to now. */
  listens(uris: readonly string[]): void;
}

export interface RelayedCall {
  readonly peer: Peer;
  readonly signal: AbortSignal;
}

/** Calls that need the store wait here until phase 2 has opened it. Present only if startup.ts installed it. */
export interface Gate {
  /** True if calls need not wait. */
  readonly isOpen: boolean;
  /** Rejects with the reason and the remedy if phase 2 failed or took too long. */
  pass(call: Cancellation): Promise<void>;
}

export interface ColibriServerContext {
  readonly version: string;
  readonly mode: RuntimeMode;
  readonly auditSink: AuditSink;
  /** An embedder provided a sink: it is told of every call, and calls of one tool are not interleaved. */
  readonly hasSink: boolean;
  readonly transport: Transport;
  /** Monotonic, for durations. */
  readonly nowMs: () => number;
  /** Wall time, for records. */
  readonly now: Clock;
  readonly bootStartMs: number;
  readonly logger: (...args: unknown[]) => void;
  readonly installGlobalHandlers: boolean;
  readonly startupTimeoutMs: number;
  readonly fastLane: boolean;
  /** Tools by name. */
  readonly tools: Map<string, Tool>;
  /** Names that exist but are not admitted in this mode. */
  readonly notAdmitted: Set<string>;
  readonly tickets: Tickets;
  /** How long vital calls wait for the ledger. */
  readonly patience: Patience;
  /** Calls between stage 1 and their reply. */
  readonly inFlight: Set<Promise<unknown>>;

  db?: Store;
  phase?: 'phase1' | 'phase2';
  gate?: Gate;
  /** Set while the ledger is open. */
  ledger?: CallLedger;
  /** Signs the ledger; set while it is open. */
  signer?: Signer;
  /** Present if the mode has a ledger: keeps outcomes that the ledger has not taken yet. */
  backlog?: Backlog;
  /** Tools of other servers; set before `start` if there may be any. */
  switchboard?: ProxiedTools;
  /** Runs a check through the five stages. Its tool is not called if the check cannot be recorded. Set by `start`. */
  ownCheck?: (check: OwnCheck) => Promise<void>;
  /** The running connection, set by `start`. */
  connection?: ClientConnection;
}

export interface ClientConnection {
  readonly started: Promise<void>;
  /** Resolves when the transport has closed, on either side. */
  readonly closed: Promise<void>;
  /** Makes another SDK server for the same process, for other transports: the conformance run uses it over HTTP. */
  door(request: { readonly era: Era }): Server;
}
