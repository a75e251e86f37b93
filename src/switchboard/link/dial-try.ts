// What attempts to connect to a server over stdio and over HTTP have in common: their time limit, the SDK's client, and the making of the
// link. The SDK's client negotiates the protocol version, subscribes to changes, and answers the server's requests; calls and requests for
// lists do not go through it (lane.ts).
import { Client, type ClientCapabilities, type JsonSchemaValidator, ProtocolError } from '@modelcontextprotocol/client';
import { type AwakeTimer, awakeTimer } from '../../core/clock.js';
import { CORE_LIMITS } from '../../core/limits.js';
import { RPC } from '../../core/rpc-codes.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import { redactText } from '../../redact/redact.js';
import type { Environment } from '../config/variables.js';
import type { DialFault } from '../health/state.js';
import type { ServerLog } from '../logs/server-log.js';
import { type EraMemory, type EraOpening, type EraPlan, negotiationOf } from './era.js';
import { isTooDeep, Lane } from './lane.js';
import type { Carrier, DialEnd, DialRequest } from './link.js';
import { type LinkClient, modernEnvelope, withoutHopMeta } from './meta.js';
import { type LinkLine, OpenLink } from './open.js';
import type { Watchdog } from './watchdog.js';

/** Answers a server's request to the client. A rejection with an integer `code` becomes a JSON-RPC error with that code. */
export type AnswerServer = (method: string, params: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

export interface DialDeps {
  /** The environment variables of the Colibri process. Servers inherit a part of them. */
  readonly env: Environment;
  readonly watchdog: Watchdog;
  readonly eras: EraMemory;
  /** The client name and version that Colibri sends to servers. */
  readonly identity: LinkClient;
  /** The connected client's current MCP capabilities. Servers of protocol 2025-11-25 and older may choose by them which tools they list. */
  readonly capabilities: () => ClientCapabilities;
  /** Answers `roots/list`, `sampling/createMessage` and `elicitation/create` of servers; if absent, these requests are declined. */
  readonly onServerRequest?: AnswerServer;
  /** The server's log, for what its process writes to stderr; if absent, only the last part is kept, in memory. */
  readonly serverLog?: Pick<ServerLog, 'process'> | undefined;
  /** The time of the monotonic clock, in milliseconds. */
  readonly nowMs: () => number;
  /** The wall-clock time in milliseconds. It dates what is stored about servers' protocol versions, because that outlives the process. */
  readonly epochMs: () => number;
}

export interface DialTry {
  readonly deps: DialDeps;
  readonly request: DialRequest;
  readonly time: DialTime;
  readonly plan: EraPlan;
}

export interface TryEnd extends Omit<EraOpening, 'fault'> {
  readonly end: DialEnd;
}

/** The time limit of a dial (an attempt to connect). The time is over at the timeout, or earlier if the health machine gives the dial up. */
export class DialTime {
  readonly #over = new AbortController();
  readonly #request: DialRequest;
  readonly #nowMs: () => number;
  readonly #until: number;
  readonly #timer: AwakeTimer;

  constructor(request: DialRequest, nowMs: () => number) {
    this.#request = request;
    this.#nowMs = nowMs;
    this.#until = nowMs() + request.startTimeoutMs;
    this.#timer = awakeTimer(request.startTimeoutMs, this.#end);
    request.signal.addEventListener('abort', this.#end, { once: true });
    if (request.signal.aborted) this.#end();
  }

  get isOver(): boolean {
    return this.#over.signal.aborted;
  }

  /** The milliseconds that are left for the attempt to connect, at least 1: a timeout of 0 means "now" to some functions and "never" to others. */
  get leftMs(): number {
    return Math.max(1, this.#until - this.#nowMs());
  }

  get text(): string {
    const { signal, startTimeoutMs } = this.#request;
    return signal.aborted ? 'the dial was given up' : `no connection within ${startTimeoutMs} ms`;
  }

  /** Waits for `work`. If the time of the dial (attempt to connect) is over first, calls `end`, which must make `work` resolve or reject. */
  spend<T>(work: Promise<T>, end: () => void): Promise<T> {
    const { signal } = this.#over;
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    return work.finally(() => signal.removeEventListener('abort', end));
  }

  /** Ends the time limit of a dial (an attempt to connect): removes its timer and its listener. */
  stop(): void {
    this.#timer.cancel();
    this.#request.signal.removeEventListener('abort', this.#end);
  }

  readonly #end = (): void => this.#over.abort();
}

const ASKABLE: ReadonlySet<string> = new Set(['roots/list', 'sampling/createMessage', 'elicitation/create']);

/** A JSON Schema validator that accepts everything. Without it, the SDK would load and build its own validator for every connection. */
const NO_VALIDATOR = {
  getValidator:
    <T>(): JsonSchemaValidator<T> =>
    (data) => ({ valid: true, data: data as T, errorMessage: undefined }),
};

export const newClient = ({ deps, plan, request }: DialTry): Client => {
  const client = new Client(deps.identity, {
    capabilities: deps.capabilities(),
    versionNegotiation: negotiationOf(plan, request.startTimeoutMs),
    inputRequired: { autoFulfill: false },
    jsonSchemaValidator: NO_VALIDATOR,
  });
  answerServer(client, deps, () => () => {});
  return client;
};

/**
 * Answers the server's requests. `hold` is called when a request begins; the function that `hold` returned is called when it ends. The SDK's
 * setRequestHandler is not used, because it removes members that the SDK does not know from requests and responses.
 */
const answerServer = (client: Client, deps: DialDeps, hold: () => () => void): void => {
  client.fallbackRequestHandler = async (request, ctx) => {
    const letGo = hold();
    return answer(deps.onServerRequest, request.method, request.params ?? {}, ctx.mcpReq.signal).finally(letGo);
  };
};

const answer = async (
  ask: AnswerServer | undefined,
  method: string,
  params: JsonObject,
  signal: AbortSignal,
): Promise<Record<string, unknown>> => {
  if (isTooDeep(params)) throw new ProtocolError(RPC.invalidParams, 'The request is nested too deeply');
  if (ASKABLE.has(method)) {
    if (ask !== undefined) return { ...(await ask(method, withoutHopMeta(params), signal)) };
    if (method === 'roots/list') return { roots: [] };
  }
  throw new ProtocolError(RPC.methodNotFound, 'Method not found');
};

/** Makes the link (the open connection) after the handshake; the server's tool list is still to be read. */
export const newLink = (
  { deps, request }: DialTry,
  client: Client,
  carrier: Carrier,
  line: LinkLine,
): { readonly lane: Lane; readonly link: OpenLink } => {
  const { dial, events } = request;
  const { identity, capabilities, nowMs } = deps;
  const version = client.getNegotiatedProtocolVersion() ?? '';
  const envelope = client.getProtocolEra() === 'modern' ? modernEnvelope(version, identity, capabilities()) : {};
  const lane = new Lane({ carrier, envelope, nowMs, events });
  answerServer(client, deps, () => lane.hold());
  return { lane, link: new OpenLink({ dial, client, lane, line, events }) };
};

export const failedDial = (fault: DialFault, text: string, said?: string): DialEnd => ({
  fault,
  // Secrets are removed before a text about the failure is cut: half a secret is not recognised.
  text: redactText(text).slice(0, CORE_LIMITS.messageChars),
  said: said === undefined ? undefined : redactText(said).slice(0, CORE_LIMITS.messageChars),
});
