// Sends Colibri's requests over a connection that the SDK negotiated, and takes the responses before the SDK sees them. So no member of a
// result is lost, no progress is lost, and it is known exactly what was sent and why a request ended.
import type { JSONRPCMessage, JSONRPCRequest, JSONRPCResponse } from '@modelcontextprotocol/client';
import type { Listing } from '../../call/peer.js';
import { type AwakeTimer, awakeTimer, within } from '../../core/clock.js';
import { CORE_LIMITS } from '../../core/limits.js';
import { RPC } from '../../core/rpc-codes.js';
import { isDeeperThan, isObject, type JsonObject } from '../../proof/canonical-json.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import type { Carrier, LinkAnswer, LinkEnd, LinkEvents, LinkRequest, Posted } from './link.js';
import { envelopeFor, withMeta } from './meta.js';

export interface LaneSettings {
  readonly carrier: Carrier;
  /** The members of `_meta` in every message that Colibri sends over this connection. */
  readonly envelope: JsonObject;
  readonly nowMs: () => number;
  readonly events: Pick<LinkEvents, 'listChanged' | 'notified'>;
}

const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/;
const NOTIFIED = new Set(['notifications/message', 'notifications/resources/updated']);
const LOST: LinkEnd = { how: 'lost' };

const asError = (code: number, message: string): LinkEnd => ({ how: 'response', error: { code, message } });

const UNWRITABLE = asError(RPC.invalidParams, 'The request is nested too deeply to be sent');
const NO_RESULT = asError(RPC.internal, 'The server answered with a result that is not an object');
const TOO_DEEP = asError(
  RPC.internal,
  `The server's answer was nested deeper than ${SWITCHBOARD_LIMITS.answerDepth} levels and was dropped. The call may have done its work`,
);

export const isTooDeep = (value: unknown): boolean => isDeeperThan(value, SWITCHBOARD_LIMITS.answerDepth);

/** How a request ended that got a response. A response that cannot be passed on becomes an error here, so that the record shows it, too. */
const responseOf = (message: JSONRPCResponse): LinkEnd => {
  if (isTooDeep(message)) return TOO_DEEP;
  if ('error' in message) return { how: 'response', error: message.error };
  // In MCP, unlike in JSON-RPC, a result is always an object.
  return isObject(message.result) ? { how: 'response', result: message.result } : NO_RESULT;
};

/** How a request ended that could not be sent. If it is nested too deeply, that is the caller's fault; any other error is a lost connection. */
export const notHandedOver = (thrown: unknown): LinkEnd => (thrown instanceof RangeError ? UNWRITABLE : LOST);

const notSent = (end: LinkEnd): LinkAnswer => ({ end, sent: false, frames: 0, elapsedMs: 0 });

export class Lane {
  readonly settings: LaneSettings;
  /** How many messages of any kind the server has sent; responses to health checks are not counted. */
  frames = 0;
  readonly #inFlight = new Map<string, InFlight>();
  /** Called when no request is in flight any more. */
  #onEmpty = (): void => {};
  #lastId = 0;
  #held = 0;
  #closed = false;

  constructor(settings: LaneSettings) {
    this.settings = settings;
  }

  /** Must get every message of the connection before the SDK. Returns true if the message belongs to Colibri's request; the SDK must not see it. */
  readonly take = (message: JSONRPCMessage): boolean => {
    const id = 'method' in message ? undefined : message.id;
    const request = typeof id === 'string' ? this.#inFlight.get(id) : undefined;
    if (request?.isCheck !== true) this.frames++;
    if ('method' in message) return this.#takeNotification(message);
    request?.end(responseOf(message));
    return request !== undefined;
  };

  #takeNotification(message: { readonly method: string; readonly params?: JsonObject | undefined }): boolean {
    const { method, params } = message;
    // If the parameters of a server's message are nested too deeply, the message is not relayed: a notification is dropped, and a request is
    // answered with an error (dial-try.ts).
    if (isTooDeep(params)) return !('id' in message);
    const list = LIST_CHANGED.exec(method)?.[1];
    if (list !== undefined) this.settings.events.listChanged(list as Listing);
    if (NOTIFIED.has(method)) this.settings.events.notified(method, params ?? {});
    if (method !== 'notifications/progress') return false;
    const { progressToken, _meta: _hop, ...progress } = params ?? {};
    const request = typeof progressToken === 'string' ? this.#inFlight.get(progressToken) : undefined;
    request?.progress(progress);
    return request !== undefined;
  }

  /** Sends a request and resolves with its end. The promise never rejects. */
  readonly request = (request: LinkRequest): Promise<LinkAnswer> => {
    if (this.#closed) return Promise.resolve(notSent(LOST));
    if (request.cancellation?.aborted) return Promise.resolve(notSent({ how: 'cancelled' }));
    const id = `c${++this.#lastId}`;
    return new Promise((resolve) => {
      const inFlight = new InFlight(this, id, request, (answer) => {
        this.#inFlight.delete(id);
        resolve(answer);
        if (this.#inFlight.size === 0) this.#onEmpty();
      });
      this.#inFlight.set(id, inFlight);
      inFlight.begin();
    });
  };

  /** Suspends the timeouts of all requests while the server waits for a person, but not without end. Returns the function that resumes them. */
  hold(): () => void {
    this.#held++;
    for (const request of this.#inFlight.values()) request.wait();
    return () => {
      this.#held--;
      for (const request of this.#inFlight.values()) request.wait();
    };
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  get isHeld(): boolean {
    return this.#held > 0;
  }

  /** Ends all requests in flight, because no response will come any more. */
  close(): void {
    this.#closed = true;
    for (const request of [...this.#inFlight.values()]) request.end(LOST);
  }

  /** Sends no new requests from here on. Resolves when all requests in flight have ended, or after `patienceMs`. */
  async drain(patienceMs: number): Promise<void> {
    this.#closed = true;
    if (this.#inFlight.size === 0) return;
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    await within(empty, patienceMs);
  }
}

class InFlight implements Posted {
  readonly #lane: Lane;
  readonly #id: string;
  readonly #request: LinkRequest;
  readonly #done: (answer: LinkAnswer) => void;
  /** The controller of `signal`, made only if the carrier (the pipe or HTTP) asks for the signal. */
  #over: AbortController | undefined;
  readonly #sentAt: number;
  readonly #framesBefore: number;
  #timer: AwakeTimer | undefined;
  #unlisten: (() => void) | undefined;
  #ended = false;
  /** True if the request ended without a response. */
  #isAbandoned = false;

  constructor(lane: Lane, id: string, request: LinkRequest, done: (answer: LinkAnswer) => void) {
    this.#lane = lane;
    this.#id = id;
    this.#request = request;
    this.#done = done;
    this.#sentAt = lane.settings.nowMs();
    this.#framesBefore = lane.frames;
  }

  get isCheck(): boolean {
    return this.#request.isCheck === true;
  }

  begin(): void {
    const { carrier, envelope } = this.#lane.settings;
    const { method, params, onProgress, cancellation } = this.#request;
    const ours = envelopeFor(envelope, this.#request.client);
    const onWire = withMeta(params, onProgress === undefined ? ours : { ...ours, progressToken: this.#id });
    const id = this.#id;
    const frame: JSONRPCRequest = onWire
      ? { jsonrpc: '2.0', id, method, params: onWire }
      : { jsonrpc: '2.0', id, method };
    try {
      carrier.post(frame, this);
    } catch (thrown) {
      this.end(notHandedOver(thrown), false);
    }
    if (this.#ended) return;
    // The listener and the timer are set after sending, so that they do not delay the request: only a late answer or a cancellation needs them.
    this.#unlisten = cancellation?.listen(this.#onAbort);
    this.wait();
  }

  get signal(): AbortSignal {
    if (this.#over === undefined) {
      this.#over = new AbortController();
      if (this.#isAbandoned) this.#over.abort();
    }
    return this.#over.signal;
  }

  get hasCompany(): boolean {
    return this.#lane.inFlight > 1;
  }

  progress(params: JsonObject): void {
    this.wait();
    this.#request.onProgress?.(params);
  }

  /** Ends the request; returns false if the request had ended before. */
  end(end: LinkEnd, sent = true): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#timer?.cancel();
    this.#unlisten?.();
    const { nowMs } = this.#lane.settings;
    const frames = this.#lane.frames - this.#framesBefore;
    this.#done({ end, sent, frames, elapsedMs: nowMs() - this.#sentAt });
    // After a response the server itself ends the HTTP stream. If the stream were aborted here, its connection could not be used again.
    this.#isAbandoned = end.how !== 'response';
    if (this.#isAbandoned) this.#over?.abort();
    else this.#lane.settings.carrier.answered?.(this);
    return true;
  }

  cut(): void {
    this.#over?.abort();
  }

  /** Restarts the request's timeout; the request ends at the latest `proxiedCallMs` after it was sent. */
  wait(): void {
    this.#timer?.cancel();
    const left = this.#sentAt + CORE_LIMITS.proxiedCallMs - this.#lane.settings.nowMs();
    const timeoutMs = Math.max(0, this.#lane.isHeld ? left : Math.min(this.#request.timeoutMs, left));
    this.#timer = awakeTimer(timeoutMs, () => this.#giveUp('timeout'));
  }

  readonly #onAbort = (): void => this.#giveUp('cancelled');

  /** Cancels the request. The server is told before the caller is answered, because the server may be doing costly work. */
  #giveUp(how: 'timeout' | 'cancelled'): void {
    const { carrier, envelope } = this.#lane.settings;
    const reason = how === 'timeout' ? 'timed out' : 'cancelled by the client';
    const params = { requestId: this.#id, reason, ...(Object.keys(envelope).length > 0 && { _meta: envelope }) };
    carrier.notify({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    this.end({ how });
  }
}
