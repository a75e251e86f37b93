// One request that was sent over a connection, until it has ended: by its response, its timeout, a cancellation or the end of the connection.
import type { JSONRPCRequest } from '@modelcontextprotocol/client';
import type { LargeResult } from '../../call/answer.js';
import { CORE_LIMITS } from '../../core/limits.js';
import { RPC } from '../../core/rpc-codes.js';
import type { JsonObject } from '../../proof/canonical-json.js';
import type { Lane } from './lane.js';
import type { LinkAnswer, LinkEnd, LinkRequest, Posted } from './link.js';
import { envelopeFor, withMeta } from './meta.js';

export const LOST = { how: 'lost' } as const satisfies LinkEnd;

const UNWRITABLE: LinkEnd = {
  how: 'response',
  error: { code: RPC.invalidParams, message: 'The request is nested too deeply to be sent' },
};

/** How a request ended that could not be sent. If it is nested too deeply, that is the caller's fault; any other error is a lost connection. */
export const notHandedOver = (thrown: unknown): LinkEnd => (thrown instanceof RangeError ? UNWRITABLE : LOST);

export class SentRequest implements Posted {
  readonly #lane: Lane;
  readonly id: string;
  readonly #request: LinkRequest;
  readonly #done: (answer: LinkAnswer) => void;
  /** The controller of `signal`, made only if the carrier (the pipe or HTTP) asks for the signal. */
  #over: AbortController | undefined;
  readonly #sentAt: number;
  readonly #framesBefore: number;
  /** When the request times out. */
  deadline = Number.POSITIVE_INFINITY;
  #unlisten: (() => void) | undefined;
  #ended = false;
  /** True if the request ended without a response. */
  #isAbandoned = false;
  /** The result, if it came as bytes that are not parsed. */
  large: LargeResult | undefined;

  constructor(lane: Lane, id: string, request: LinkRequest, done: (answer: LinkAnswer) => void) {
    this.#lane = lane;
    this.id = id;
    this.#request = request;
    this.#done = done;
    this.#sentAt = lane.settings.nowMs();
    this.#framesBefore = lane.frames;
  }

  get isCheck(): boolean {
    return this.#request.isCheck === true;
  }

  get takesLarge(): boolean {
    return this.#request.takesLarge === true;
  }

  begin(): void {
    const { carrier, envelope } = this.#lane.settings;
    const { method, params, onProgress, cancellation } = this.#request;
    const ours = envelopeFor(envelope, this.#request.client);
    const onWire = withMeta(params, onProgress === undefined ? ours : { ...ours, progressToken: this.id });
    const id = this.id;
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

  /** Ends the request with its response, and reports it at once. */
  answer(end: LinkEnd): void {
    const answer = this.#end(end, true);
    if (answer !== undefined) this.#done(answer);
  }

  /** Ends the request without a response from the server. Reports it later: a caller may still be about to send. Returns false if it had ended before. */
  end(end: LinkEnd, sent = true): boolean {
    const answer = this.#end(end, sent);
    if (answer !== undefined) queueMicrotask(() => this.#done(answer));
    return answer !== undefined;
  }

  #end(end: LinkEnd, sent: boolean): LinkAnswer | undefined {
    if (this.#ended) return undefined;
    this.#ended = true;
    this.#unlisten?.();
    const { nowMs, carrier } = this.#lane.settings;
    const frames = this.#lane.frames - this.#framesBefore;
    // After a response the server itself ends the HTTP stream. If the stream were aborted here, its connection could not be used again.
    this.#isAbandoned = end.how !== 'response';
    if (this.#isAbandoned) this.#over?.abort();
    else carrier.answered?.(this);
    this.#lane.forget(this.id);
    return { end, sent, frames, elapsedMs: nowMs() - this.#sentAt };
  }

  cut(): void {
    this.#over?.abort();
  }

  /** Restarts the request's timeout; the request ends at the latest `proxiedCallMs` after it was sent. */
  wait(): void {
    const now = this.#lane.settings.nowMs();
    const latest = this.#sentAt + CORE_LIMITS.proxiedCallMs;
    this.deadline = this.#lane.isHeld ? latest : Math.min(now + this.#request.timeoutMs, latest);
    this.#lane.alarm.watch(this.deadline);
  }

  timeOut(): void {
    this.#giveUp('timeout');
  }

  readonly #onAbort = (): void => this.#giveUp('cancelled');

  /** Cancels the request. The server is told before the caller is answered, because the server may be doing costly work. */
  #giveUp(how: 'timeout' | 'cancelled'): void {
    const { carrier, envelope } = this.#lane.settings;
    const reason = how === 'timeout' ? 'timed out' : 'cancelled by the client';
    const params = { requestId: this.id, reason, ...(Object.keys(envelope).length > 0 && { _meta: envelope }) };
    carrier.notify({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
    this.end({ how });
  }
}
