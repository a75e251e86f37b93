// Sends our own requests over a connection that the SDK negotiated, and takes their responses before the SDK sees them. So nothing is
// stripped from results, it is known exactly what was sent, no progress is lost, and our own signals say why a request ended, never an
// error's text.
import type { JSONRPCMessage, JSONRPCNotification, JSONRPCRequest } from '@modelcontextprotocol/client';
import type { Listing } from '../../call/peer.js';
import { type AwakeTimer, awakeTimer } from '../../core/clock.js';
import { CORE_LIMITS } from '../../core/limits.js';
import { RPC } from '../../core/rpc-codes.js';
import type { JsonObject } from '../../proof/json-object.js';
import { isTooDeep, responseOf } from './answers.js';
import type { LinkAnswer, LinkEnd, LinkRequest } from './link.js';
import { envelopeFor, withMeta } from './meta.js';

export interface Posted {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /**
   * The carrier knows that no response will come. `sent`: whether the server may have read the request. Returns false if nobody waits
   * any more, for instance because the response has come.
   */
  failed(end: LinkEnd, sent: boolean): boolean;
  /** Other requests are in flight: what is sent in this turn may be written together. */
  readonly hasCompany: boolean;
  /** Ends the stream that carried the response: the rest of it is of no use. */
  cut(): void;
}

/** How messages get to the server. */
export interface Carrier {
  /** Throws if nothing was sent. */
  post(frame: JSONRPCRequest, posted: Posted): void;
  /** Tells the server that nobody waits for a request any more. Never throws. */
  cancel(frame: JSONRPCNotification): void;
  /** Never throws. */
  notify(frame: JSONRPCNotification): void;
  /** The response has come; the stream that carried it may still be open. */
  answered?(posted: Posted): void;
}

export interface LaneSettings {
  readonly carrier: Carrier;
  /** What `_meta` of every message of ours holds. */
  readonly envelope: JsonObject;
  readonly nowMs: () => number;
  readonly onListChanged: (what: Listing) => void;
  readonly onNotified: (method: string, params: JsonObject) => void;
}

const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/;
const NOTIFIED = new Set(['notifications/message', 'notifications/resources/updated']);
const LOST: LinkEnd = { how: 'lost' };
const UNWRITABLE: LinkEnd = {
  how: 'response',
  error: { code: RPC.invalidParams, message: 'The request is nested too deeply to be sent' },
};

/** Why a message was not sent. If it is nested too deeply to be written, that is its caller's fault, not a loss of the connection. */
export const notHandedOver = (thrown: unknown): LinkEnd => (thrown instanceof RangeError ? UNWRITABLE : LOST);

const notSent = (end: LinkEnd): LinkAnswer => ({ end, sent: false, frames: 0, elapsedMs: 0 });

export class Lane {
  readonly settings: LaneSettings;
  /** Messages of any kind that came, except responses to checks. */
  frames = 0;
  readonly #inFlight = new Map<string, InFlight>();
  readonly #watchers = new Set<() => void>();
  #lastId = 0;
  #held = 0;
  #closed = false;

  constructor(settings: LaneSettings) {
    this.settings = settings;
  }

  /** Must see every message of the connection first. True: it belonged to a request of ours, so the SDK must not see it. */
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
    // Too deep to be passed on: a notification is dropped; a request goes to the SDK's client, which answers with an error.
    if (isTooDeep(params)) return !('id' in message);
    const list = LIST_CHANGED.exec(method)?.[1];
    if (list !== undefined) this.settings.onListChanged(list as Listing);
    if (NOTIFIED.has(method)) this.settings.onNotified(method, params ?? {});
    if (method !== 'notifications/progress') return false;
    const { progressToken, _meta: _hop, ...progress } = params ?? {};
    const request = typeof progressToken === 'string' ? this.#inFlight.get(progressToken) : undefined;
    request?.progress(progress);
    return request !== undefined;
  }

  /** Never rejects. */
  request(request: LinkRequest): Promise<LinkAnswer> {
    if (this.#closed) return Promise.resolve(notSent(LOST));
    if (request.cancellation?.aborted) return Promise.resolve(notSent({ how: 'cancelled' }));
    const id = `c${++this.#lastId}`;
    return new Promise((resolve) => {
      const inFlight = new InFlight(this, id, request, (answer) => {
        this.#inFlight.delete(id);
        resolve(answer);
        for (const look of this.#watchers) look();
      });
      this.#inFlight.set(id, inFlight);
      inFlight.begin();
    });
  }

  /** While the server waits for a person, our requests to it do not time out. Returns how to end that. */
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

  /** No response will come any more: ends all requests in flight. */
  close(): void {
    this.#closed = true;
    for (const request of [...this.#inFlight.values()]) request.end(LOST);
  }

  /** From here on nothing new is sent. Resolves when all requests in flight have ended, or after `patienceMs`. */
  async drain(patienceMs: number): Promise<void> {
    this.#closed = true;
    if (this.#inFlight.size === 0) return;
    await new Promise<void>((resolve) => {
      const stop = (): void => {
        clearTimeout(timer);
        this.#watchers.delete(look);
        resolve();
      };
      const look = (): void => {
        if (this.#inFlight.size === 0) stop();
      };
      const timer = setTimeout(stop, patienceMs);
      this.#watchers.add(look);
    });
  }
}

class InFlight implements Posted {
  readonly #lane: Lane;
  readonly #id: string;
  readonly #request: LinkRequest;
  readonly #done: (answer: LinkAnswer) => void;
  /** Made only if the carrier asks for the signal. */
  #over: AbortController | undefined;
  readonly #sentAt: number;
  readonly #framesBefore: number;
  #timer: AwakeTimer | undefined;
  #unlisten: (() => void) | undefined;
  #ended = false;
  /** It ended without a response. */
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
    // Done after sending: what is needed only if the server does not answer must not delay the request.
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

  failed(end: LinkEnd, sent: boolean): boolean {
    return this.end(end, sent);
  }

  progress(params: JsonObject): void {
    this.wait();
    this.#request.onProgress?.(params);
  }

  /** False: it had ended before. */
  end(end: LinkEnd, sent = true): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    this.#timer?.cancel();
    this.#unlisten?.();
    const { nowMs } = this.#lane.settings;
    const frames = this.#lane.frames - this.#framesBefore;
    this.#done({ end, sent, frames, elapsedMs: nowMs() - this.#sentAt });
    // After a response the server ends the stream: if we aborted it, the connection below would be lost.
    this.#isAbandoned = end.how !== 'response';
    if (this.#isAbandoned) this.#over?.abort();
    else this.#lane.settings.carrier.answered?.(this);
    return true;
  }

  cut(): void {
    this.#over?.abort();
  }

  /** Restarts the timeout, but not beyond the cap. */
  wait(): void {
    this.#timer?.cancel();
    const left = this.#sentAt + CORE_LIMITS.proxiedCallMs - this.#lane.settings.nowMs();
    const timeoutMs = Math.max(0, this.#lane.isHeld ? left : Math.min(this.#request.timeoutMs, left));
    this.#timer = awakeTimer(timeoutMs, () => this.#giveUp('timeout'));
  }

  readonly #onAbort = (): void => this.#giveUp('cancelled');

  /** Tells the server before anybody else, because it may be in the middle of costly work. */
  #giveUp(how: 'timeout' | 'cancelled'): void {
    const { carrier, envelope } = this.#lane.settings;
    const reason = how === 'timeout' ? 'timed out' : 'cancelled by the client';
    const params = { requestId: this.#id, reason, ...(Object.keys(envelope).length > 0 && { _meta: envelope }) };
    carrier.cancel({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    this.end({ how });
  }
}
