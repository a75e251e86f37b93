// The server's context: what the stages, the door and the tools share, and the seams an embedder can fill.
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
  /** Parsed arguments; as they came if the call was rejected. */
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

/** Observes every call. The ledger is written by the stages themselves, whatever sink is plugged in. */
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
    /** Its number in the ledger; absent where the call is not recorded. */
    readonly sequenceNo: number | undefined;
    /** The process that serves it, as the ledger knows it. */
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
  /** What follows from a write: runs in its transaction, after its outcome record. */
  follow(act: (tx: Tx) => Promise<void>): void;
  /** Has the ledger signed when there is time. */
  readonly signSoon: () => void;
  /** What may be done once a write is committed. Must not throw. */
  afterCommit(act: () => void): void;
  /** What goes along where the call is handed on to another server. */
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
  /** What a call does, as a function of its parsed arguments. Without it: `open`, run once outside any transaction. */
  readonly effect?: Effect | ((args: z.infer<z.ZodObject<I>>) => Effect);
  /** The modes that list the tool; all of them if left out. */
  readonly admittedIn?: readonly RuntimeMode[];
  readonly annotations?: ToolAnnotations;
  /** Arguments whose text the tool stores itself: left out of the call's payload. */
  readonly keepsTexts?: readonly string[];
  /** `_meta` of the listed tool. */
  readonly meta?: JsonObject;
  /** Gets what the handler needs from outside the store, before its transaction begins: `extra.prepared`. */
  readonly prepare?: (args: z.infer<z.ZodObject<I>>) => Promise<unknown>;
  /** Its write is on disk before it is answered, whatever the store's durability is. */
  readonly sync?: boolean;
  /** A reading tool that opens snapshots of its own. */
  readonly ownSnapshots?: boolean;
  /** Where a domain error stands: A as HANDLER_ERROR, B inside `data`. */
  readonly errorPattern?: 'A' | 'B';
  /** Asked for every list; left out of those for which it says no. */
  readonly isListed?: () => boolean;
  /** Answers without the store, and never waits for the ledger longer than CORE_LIMITS.vitalPatienceMs. */
  readonly vital?: boolean;
}

/** A registered tool, its argument types forgotten. */
export interface Tool {
  readonly name: string;
  readonly config: ColibriToolConfig;
  readonly effectOf: (args: unknown) => Effect;
  readonly prepare: ((args: unknown) => Promise<unknown>) | undefined;
  readonly handler: (args: unknown, extra: HandlerExtra) => unknown;
}

/** Arguments as they are to be sent, or what is wrong with them. */
export type CheckedArguments =
  | { readonly args: NativeResult }
  | { readonly problem: string; readonly details?: JsonObject };

/** A tool of another server, as the stages see it. */
export interface ProxiedTool {
  check(args: unknown): CheckedArguments | Promise<CheckedArguments>;
  /** Rejects only where we are to blame. */
  call(args: NativeResult, request: CallRequest): Promise<Answer & Partial<RoutedAnswer>>;
  /** It is no tool: errors of ours are JSON-RPC errors. */
  readonly isRpc?: true;
  /** How an error of ours looks on this tool. */
  refusal(error: { readonly code: string; readonly message: string; readonly details?: NativeResult }): NativeResult;
}

/** A call that Colibri makes itself, to see whether a server works. */
export interface OwnCheck {
  /** As the record names the tool. */
  readonly name: string;
  readonly args: NativeResult;
  readonly tool: ProxiedTool;
}

/** The tools of other servers: none while there is no switchboard file. Present only where the mode admits one. */
export interface ProxiedTools {
  /** There is a switchboard: the router tools are listed. */
  readonly isThere: boolean;
  /** What the router tools ask; nothing where there is no switchboard after all. */
  router(): Promise<Router | undefined>;
  /** As they are listed, behind our own. */
  listed(): Promise<readonly { readonly name: string; readonly [key: string]: unknown }[]>;
  /** At once where it can be told at once: every call of such a tool asks. */
  find(name: string): ProxiedTool | undefined | Promise<ProxiedTool | undefined>;
  names(): readonly string[];
  /** A client has opened the connection. */
  opened(peer: Peer): void;
  /** Calls `listener` whenever a list has changed. */
  onChange(listener: (what: Listing) => void): () => void;
  /** What other servers have besides tools, where that was to be foreseen at the start. */
  readonly relay: Relay | undefined;
}

/** Requests of clients that other servers answer besides calls of tools. */
export interface Relay {
  /** Those that are recorded as a call is: `prompts/get`, `resources/read`. */
  find(method: RelayedMethod, params: JsonObject): Promise<ProxiedTool>;
  /** All others. Rejects with an error that has an integer `code`. */
  request(method: RelayedMethod, params: JsonObject, call: RelayedCall): Promise<JsonObject>;
  /** The client's roots are other ones. */
  rootsChanged(): void;
  /** The resources that a client of the new era listens to now. */
  listens(uris: readonly string[]): void;
}

export interface RelayedCall {
  readonly peer: Peer;
  readonly signal: AbortSignal;
}

/** Calls that need the store wait here until phase 2 is through. Present only where startup.ts installed it. */
export interface Gate {
  /** Nobody has to wait. */
  readonly isOpen: boolean;
  /** Rejects with the reason and the remedy when phase 2 failed or took too long. */
  pass(call: Cancellation): Promise<void>;
}

export interface ColibriServerContext {
  readonly version: string;
  readonly mode: RuntimeMode;
  readonly auditSink: AuditSink;
  /** An embedder plugged in a sink: it is told of every call, and calls of one tool are not interleaved. */
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
  /** Tools by name; the chain is folded once per server. */
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
  /** Present where a ledger is meant to be: keeps what it has not taken yet. */
  backlog?: Backlog;
  /** Tools of other servers; set before `start` where there may be any. */
  switchboard?: ProxiedTools;
  /** Has a check pass the five stages; its tool is not called where it cannot be recorded. Set by `start`. */
  ownCheck?: (check: OwnCheck) => Promise<void>;
  /** The running connection, set by `start`. */
  connection?: ClientConnection;
}

export interface ClientConnection {
  readonly started: Promise<void>;
  /** Resolves when the transport has closed, whoever closed it. */
  readonly closed: Promise<void>;
  /** Another door to the same server, for whoever serves it by other means: the conformance run does so over HTTP. */
  door(request: { readonly era: Era }): Server;
}
