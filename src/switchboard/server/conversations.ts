// Keeps the requests of clients that one server works on, and passes on the questions (elicitation, sampling, roots) that the server asks
// the clients meanwhile. How a question reaches a client depends on the protocols of both: relay/crossings.ts has the table.

import type { Answer, TriedAnswer } from '../../call/answer.js';
import type { Peer } from '../../call/peer.js';
import type { OnwardRequest } from '../../call/request.js';
import type { Cancellation } from '../../core/cancellation.js';
import { CORE_LIMITS } from '../../core/limits.js';
import { RPC } from '../../core/rpc-codes.js';
import { isObject, type JsonObject } from '../../proof/canonical-json.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { INVALID_STATE } from '../refusal.js';
import { CROSSINGS, mayAsk, QUESTIONS } from '../relay/crossings.js';
import { RpcFailure } from '../relay/request.js';
import { withTries } from './call.js';
import type { InputSeal } from './input-state.js';
import { failedBy, fulfil, type QuestionDeps, Questions, rpcError } from './questions.js';
import { type InputRequests, SuspendableCall } from './suspendable-call.js';
import type { BackendDeps } from './world.js';

type Done = (answer: TriedAnswer) => void;

/** Sends a request to the server, with `extra` added to its params. Calls `done` with the answer exactly once. */
type Send = (request: OnwardRequest, extra: JsonObject | undefined, done: Done) => void;

/** One request of a client: the first request of a call, or a later one that brings the client's answers to questions. */
export interface Round {
  readonly request: OnwardRequest;
  /** The server, tool and arguments of the request. A `requestState` is valid only for a request with the same server, tool and arguments. */
  readonly about: unknown;
  readonly send: Send;
}

export interface ConversationDeps extends Pick<BackendDeps, 'setTimer' | 'warn' | 'nowMs'>, QuestionDeps {
  readonly seal: InputSeal;
  /** The connected client, for questions that belong to no request. */
  readonly client: () => Peer | undefined;
  /** Whether a question of the server is attributed to the oldest call if several calls are in flight. */
  readonly isInteractive: () => boolean;
}

/** The input that a server of protocol 2026-07-28 asks for in its answer; undefined if it asks for none. */
const neededBy = (reply: Answer): { readonly requests: JsonObject; readonly state: string | null } | undefined => {
  if (reply.kind !== 'result' || reply.result.resultType !== 'input_required') return undefined;
  const { inputRequests, requestState } = reply.result;
  return {
    requests: isObject(inputRequests) ? inputRequests : {},
    state: typeof requestState === 'string' ? requestState : null,
  };
};

export class Conversations {
  readonly #deps: ConversationDeps;
  readonly #questions: Questions;
  /** The calls in flight by id, oldest first, including those that wait until their client has answered a question. */
  readonly #inFlight = new Map<
    string,
    Pick<OnwardRequest, 'peer' | 'cancellation'> & { readonly suspendable: SuspendableCall | undefined }
  >();
  readonly #waiting = new Map<string, { readonly suspendable: SuspendableCall; readonly timer: { cancel(): void } }>();

  constructor(deps: ConversationDeps) {
    this.#deps = deps;
    this.#questions = new Questions(deps);
  }

  /** The clients whose requests to this server are in flight. */
  get peers(): readonly Peer[] {
    return [...this.#inFlight.values()].flatMap(({ peer }) => peer ?? []);
  }

  /** How many questions of the server were passed to clients so far. */
  get asked(): number {
    return this.#questions.asked;
  }

  /** Runs a request, and calls `done` with the answer exactly once. */
  run(round: Round, done: Done): void {
    const { retry } = round.request;
    if (retry === undefined) {
      this.#begin(round, undefined, done);
      return;
    }
    const { inputResponses, requestState: state } = retry;
    const opened = state === undefined ? { inner: null } : this.#deps.seal.open(state, round.about);
    if (opened === undefined || 'approval' in opened) done(EXPIRED);
    else if ('suspended' in opened) this.#resume(round, opened.suspended, inputResponses).then(done);
    else this.#begin(round, { inputResponses, ...(opened.inner !== null && { requestState: opened.inner }) }, done);
  }

  #begin(round: Round, extra: JsonObject | undefined, done: Done): void {
    const { id, peer, cancellation, onProgress } = round.request;
    const suspendable = peer?.era === 'modern' && canBeAsked(peer) ? new SuspendableCall() : undefined;
    this.#inFlight.set(id, { peer, cancellation, suspendable });
    if (suspendable === undefined) {
      this.#rounds(round, extra, done);
      return;
    }
    const request = {
      ...round.request,
      cancellation: suspendable.cancellation,
      onProgress: onProgress && suspendable.progress,
    };
    suspendable.begin(new Promise((resolve) => this.#rounds({ ...round, request }, extra, resolve)));
    this.#listen(round, suspendable, this.#deps.nowMs()).then(done);
  }

  async #resume(round: Round, id: string, responses: JsonObject): Promise<TriedAnswer> {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return EXPIRED;
    this.#waiting.delete(id); // a requestState can be used once
    waiting.timer.cancel();
    waiting.suspendable.answer(responses);
    return this.#listen(round, waiting.suspendable, this.#deps.nowMs());
  }

  async #listen(round: Round, suspendable: SuspendableCall, begunMs: number): Promise<TriedAnswer> {
    const next = await suspendable.next(round.request);
    if ('kind' in next) return next as TriedAnswer;
    const reply = this.#suspend(round, suspendable, next as InputRequests);
    return withTries(reply, [{ how: 'input', sent: true, durationMs: this.#deps.nowMs() - begunMs }]);
  }

  #suspend({ request: { id }, about }: Round, suspendable: SuspendableCall, inputRequests: InputRequests): Answer {
    const timer = this.#deps.setTimer(CORE_LIMITS.proxiedCallMs, () => {
      this.#waiting.delete(id);
      suspendable.giveUp(new RpcFailure(RPC.internal, 'The client did not answer in time'));
      this.#deps.warn('a call was given up: its client did not answer the question of the server in time');
    });
    this.#waiting.set(id, { suspendable, timer });
    const requestState = this.#deps.seal.close({ suspended: id }, about);
    return { kind: 'input', result: { inputRequests, requestState } };
  }

  /** Sends the request, and sends it again for as long as the server asks for more input. */
  #rounds(round: Round, extra: JsonObject | undefined, done: Done): void {
    const ended = (reply: TriedAnswer): void => {
      this.#inFlight.delete(round.request.id);
      done(reply);
    };
    round.send(round.request, extra, (reply) => {
      if (neededBy(reply) === undefined) ended(reply);
      else this.#moreRounds(round, reply).then(ended);
    });
  }

  /** Asks the client and sends the request again, at most `inputRounds` times. `first`: the server's first answer that asks for input. */
  async #moreRounds({ request, about, send }: Round, first: TriedAnswer): Promise<TriedAnswer> {
    const { id, peer } = request;
    let reply = first;
    let { tries } = reply;
    for (let round = 1; ; round++) {
      const needed = neededBy(reply);
      if (needed === undefined) return tries === reply.tries ? reply : { ...reply, tries };
      if (peer === undefined)
        return rpcError(RPC.internal, 'The server needs input, and there is no client to ask', tries);
      const asked = Object.keys(needed.requests).length;
      if (!this.#questions.mayAsk(asked))
        return rpcError(RPC.internal, `The server asks ${asked} questions at once, which is too many`, tries);
      if (CROSSINGS[peer.era].modern.input === 'hand on') {
        const requestState = this.#deps.seal.close({ inner: needed.state }, about);
        const inputRequests = this.#named(needed.requests, id);
        return { kind: 'input', result: { inputRequests, requestState }, tries };
      }
      if (round > SWITCHBOARD_LIMITS.inputRounds)
        return rpcError(RPC.internal, `The server still needs input after ${round} rounds`, tries);
      const named = this.#named(needed.requests, id);
      let inputResponses: JsonObject;
      try {
        inputResponses = await this.#questions.during(fulfil(peer, named, request.cancellation));
      } catch (thrown) {
        return failedBy(thrown, tries);
      }
      const extra = { inputResponses, ...(needed.state !== null && { requestState: needed.state }) };
      const again = { ...request, id: `${id}#${round}` };
      reply = await new Promise((resolve) => send(again, extra, resolve));
      tries = [...tries, ...reply.tries];
    }
  }

  /** Adds the server's name to each question. A malformed question is not changed: it is refused later, by Colibri or by the client. */
  #named(requests: JsonObject, call: string): JsonObject {
    const named = Object.entries(requests).map(([key, request]) => {
      if (!isObject(request) || typeof request.method !== 'string') return [key, request];
      const params = isObject(request.params) ? request.params : {};
      return [key, { ...request, params: this.#questions.put(request.method, params, call) }];
    });
    return Object.fromEntries(named);
  }

  /** Answers a question of a server of protocol 2025-11-25 or older. A rejection with an integer `code` becomes a JSON-RPC error of that code. */
  async answer(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const all = [...this.#inFlight].map(([id, call]) => ({ ...call, id }));
    // A call that waits for its client has already asked a question, so this question probably belongs to another call.
    const heard = all.filter(({ suspendable }) => suspendable === undefined || suspendable.isHeard);
    const calls = heard.length > 0 ? heard : all;
    const call = calls.length === 1 || this.#deps.isInteractive() ? calls[0] : undefined;
    const peer = call?.peer ?? this.#deps.client();
    if (peer === undefined || !mayAsk(peer, method)) throw new RpcFailure(RPC.methodNotFound, 'Method not found');
    if (all.length === 0 && method !== 'roots/list')
      throw new RpcFailure(RPC.invalidRequest, 'A server may ask questions only while it works on a call');
    if (!this.#questions.mayAsk(1)) throw new RpcFailure(RPC.invalidRequest, 'Too many questions are open');
    const isRelayed = CROSSINGS[peer.era].legacy.input === 'relay';
    if (!isRelayed && call?.suspendable === undefined) return declined(method);
    const asked = this.#questions.put(method, params, call?.id ?? null);
    return this.#questions.during(
      isRelayed || call?.suspendable === undefined
        ? peer.ask(method, asked, orCancelled(signal, call?.cancellation))
        : call.suspendable.ask(method, asked, signal),
    );
  }

  /** Gives up all suspended calls, because Colibri ends. */
  close(): void {
    for (const { suspendable, timer } of this.#waiting.values()) {
      timer.cancel();
      suspendable.giveUp(new RpcFailure(RPC.internal, 'The server is being closed'));
    }
    this.#waiting.clear();
  }
}

/** A signal that is also aborted when the client cancels the call: the client will not answer then, so the server must not wait. */
const orCancelled = (signal: AbortSignal, cancellation: Cancellation | undefined): AbortSignal =>
  cancellation === undefined ? signal : AbortSignal.any([signal, cancellation.signal]);

const canBeAsked = (peer: Peer): boolean => Object.keys(QUESTIONS).some((method) => mayAsk(peer, method));

const EXPIRED: TriedAnswer = { ...INVALID_STATE, tries: [] };

/** The answer to a question if it is unknown which of several calls the question belongs to. */
const declined = (method: string): JsonObject => {
  if (method === 'elicitation/create') return { action: 'decline' };
  if (method === 'roots/list') return { roots: [] };
  throw new RpcFailure(RPC.internal, 'It is not clear which call this question belongs to');
};
