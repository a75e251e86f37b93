// Sends Colibri's requests over a connection that the SDK negotiated, and takes the responses before the SDK sees them. So no member of a
// result is lost, no progress is lost, and it is known exactly what was sent and why a request ended.
import type { JSONRPCMessage, JSONRPCResponse } from '@modelcontextprotocol/client';
import type { LastWords } from '../../call/answer.js';
import type { Listing } from '../../call/peer.js';
import { within } from '../../core/clock.js';
import { RPC } from '../../core/rpc-codes.js';
import { isDeeperThan, isObject, type JsonObject } from '../../proof/canonical-json.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { Alarm } from './alarm.js';
import type { TakeLarge } from './answer-scan.js';
import type { Carrier, LinkAnswer, LinkEnd, LinkEvents, LinkRequest } from './link.js';
import { LOST, SentRequest } from './sent-request.js';

export interface LaneSettings {
  readonly carrier: Carrier;
  /** The members of `_meta` in every message that Colibri sends over this connection. */
  readonly envelope: JsonObject;
  readonly nowMs: () => number;
  readonly events: Pick<LinkEvents, 'listChanged' | 'notified'>;
}

const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/;
const NOTIFIED = new Set(['notifications/message', 'notifications/resources/updated']);

const asError = (code: number, message: string): LinkEnd => ({ how: 'response', error: { code, message } });

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

const notSent = (end: LinkEnd): LinkAnswer => ({ end, sent: false, frames: 0, elapsedMs: 0 });

export class Lane {
  readonly settings: LaneSettings;
  readonly alarm: Alarm;
  /** How many messages of any kind the server has sent; responses to health checks are not counted. */
  frames = 0;
  readonly #inFlight = new Map<string, SentRequest>();
  /** Called when no request is in flight any more. */
  #onEmpty = (): void => {};
  #lastId = 0;
  #held = 0;
  #closed = false;

  constructor(settings: LaneSettings) {
    this.settings = settings;
    this.alarm = new Alarm(settings.nowMs, this.#onAlarm);
  }

  /** Must get every message of the connection before the SDK. Returns true if the message belongs to Colibri's request; the SDK must not see it. */
  readonly take = (message: JSONRPCMessage): boolean => {
    const id = 'method' in message ? undefined : message.id;
    const request = typeof id === 'string' ? this.#inFlight.get(id) : undefined;
    if (request?.isCheck !== true) this.frames++;
    if ('method' in message) return this.#takeNotification(message);
    request?.answer(request.large === undefined ? responseOf(message) : { how: 'response', large: request.large });
    return request !== undefined;
  };

  /** Keeps a large result until the message that stands for it is taken. */
  readonly keepLarge: TakeLarge = ({ id, large }) => {
    const request = this.#inFlight.get(id);
    if (request?.takesLarge !== true) return false;
    request.large = large;
    return true;
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

  /** Sends a request. Calls `done` with its end exactly once, and not before this method returns. */
  readonly send = (request: LinkRequest, done: (answer: LinkAnswer) => void): void => {
    if (this.#closed || request.cancellation?.aborted) {
      const answer = notSent(this.#closed ? LOST : { how: 'cancelled' });
      queueMicrotask(() => done(answer));
      return;
    }
    const inFlight = new SentRequest(this, `c${++this.#lastId}`, request, done);
    this.#inFlight.set(inFlight.id, inFlight);
    inFlight.begin();
  };

  /** Sends a request and resolves with its end. The promise never rejects. */
  readonly request = (request: LinkRequest): Promise<LinkAnswer> =>
    new Promise((resolve) => this.send(request, resolve));

  /** Forgets a request that has ended. */
  forget(id: string): void {
    this.#inFlight.delete(id);
    if (this.#inFlight.size > 0) return;
    this.alarm.stop();
    this.#onEmpty();
  }

  /** Ends the requests whose time is over. */
  readonly #onAlarm = (now: number): void => {
    for (const request of [...this.#inFlight.values()]) {
      if (request.deadline <= now) request.timeOut();
      else this.alarm.watch(request.deadline);
    }
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

  /** Ends all requests in flight, because no response will come any more. `last`: how the connection was lost. */
  close(last?: LastWords): void {
    this.#closed = true;
    const end = last === undefined ? LOST : { ...LOST, last };
    for (const request of [...this.#inFlight.values()]) request.end(end);
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
