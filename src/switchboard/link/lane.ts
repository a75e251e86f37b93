// Our own requests on a connection that the SDK negotiated: frames with string ids of ours, answers taken before the SDK
// sees them. Nothing is stripped from results, what was sent is known exactly, no progress is lost, and why a request
// ended is decided by our own signals, never by an error's text.
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
   * The carrier knows that no answer will come. `sent`: whether the server may have read the request. False: nobody waits,
   * for instance because the answer has come.
   */
  failed(end: LinkEnd, sent: boolean): boolean;
  /** Others are in flight: what is sent in this turn may leave together. */
  readonly hasCompany: boolean;
  /** Ends whatever still carries it: the answer has come, the rest of it is of no use. */
  cut(): void;
}

/** How frames get to the server. */
export interface Carrier {
  /** Throws if nothing was handed over. */
  post(frame: JSONRPCRequest, posted: Posted): void;
  /** Tells the server that nobody waits for this request. Never throws. */
  cancel(frame: JSONRPCNotification): void;
  /** Never throws. */
  notify(frame: JSONRPCNotification): void;
  /** The answer has come; what carries it may still be open. */
  answered?(posted: Posted): void;
}

export interface LaneSettings {
  readonly carrier: Carrier;
  /** What every message of ours carries in `_meta`. */
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

/** Why a frame was not handed over. One that no text can be written of is its caller's fault, and no loss of the connection. */
export const notHandedOver = (thrown: unknown): LinkEnd => (thrown instanceof RangeError ? UNWRITABLE : LOST);

const notSent = (end: LinkEnd): LinkAnswer => ({ end, sent: false, frames: 0, elapsedMs: 0 });

export class Lane {
  readonly settings: LaneSettings;
  /** Messages of any kind that came, but for answers to checks. */
  frames = 0;
  readonly #inFlight = new Map<string, InFlight>();
  readonly #watchers = new Set<() => void>();
  #lastId = 0;
  #held = 0;
  #closed = false;

  constructor(settings: LaneSettings) {
    this.settings = settings;
  }

  /** To be shown every message of the connection. True: it was for us. */
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
    // Nobody could hand it on. A request is answered, with an error.
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

  /** While the server waits for a person its own requests do not run out of time. Returns how to let go. */
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

  /** Nothing will come any more. */
  close(): void {
    this.#closed = true;
    for (const request of [...this.#inFlight.values()]) request.end(LOST);
  }

  /** From here on nothing new is sent. Resolves when what is in flight has ended, or after that long. */
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
  /** Made only for a carrier that asks for it. */
  #over: AbortController | undefined;
  readonly #sentAt: number;
  readonly #framesBefore: number;
  #timer: AwakeTimer | undefined;
  #unlisten: (() => void) | undefined;
  #ended = false;
  /** It ended without an answer. */
  #isLeft = false;

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
    // The server works by now: what is only for the case that it does not answer need not keep it waiting.
    this.#unlisten = cancellation?.listen(this.#onAbort);
    this.wait();
  }

  get signal(): AbortSignal {
    if (this.#over === undefined) {
      this.#over = new AbortController();
      if (this.#isLeft) this.#over.abort();
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
    // An answered request leaves its stream to the server: to cut it would cost the connection under it.
    this.#isLeft = end.how !== 'response';
    if (this.#isLeft) this.#over?.abort();
    else this.#lane.settings.carrier.answered?.(this);
    return true;
  }

  cut(): void {
    this.#over?.abort();
  }

  /** The time begins anew, but not beyond the cap. */
  wait(): void {
    this.#timer?.cancel();
    const left = this.#sentAt + CORE_LIMITS.proxiedCallMs - this.#lane.settings.nowMs();
    const timeoutMs = Math.max(0, this.#lane.isHeld ? left : Math.min(this.#request.timeoutMs, left));
    this.#timer = awakeTimer(timeoutMs, () => this.#giveUp('timeout'));
  }

  readonly #onAbort = (): void => this.#giveUp('cancelled');

  /** The server is told before anybody else: it may be in the middle of something that costs. */
  #giveUp(how: 'timeout' | 'cancelled'): void {
    const { carrier, envelope } = this.#lane.settings;
    const reason = how === 'timeout' ? 'timed out' : 'cancelled by the client';
    const params = { requestId: this.#id, reason, ...(Object.keys(envelope).length > 0 && { _meta: envelope }) };
    carrier.cancel({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    this.end({ how });
  }
}
