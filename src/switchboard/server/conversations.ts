// The requests that one server works on for clients, and what it wants to know from them meanwhile (crossings.ts).

import type { Answer, TriedAnswer } from '../../call/answer.js';
import type { Peer } from '../../call/peer.js';
import type { OnwardRequest } from '../../call/request.js';
import type { Cancellation } from '../../core/cancellation.js';
import { CORE_LIMITS } from '../../core/limits.js';
import { RPC } from '../../core/rpc-codes.js';
import { isObject, type JsonObject } from '../../proof/json-object.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';
import { CROSSINGS, mayAsk, QUESTIONS } from '../relay/crossings.js';
import { fulfil, rpcError } from './fulfil.js';
import type { InputSeal } from './input-state.js';
import { type QuestionDeps, Questions } from './questions.js';
import { withTries } from './reply.js';
import { type InputRequests, Talk } from './talk.js';
import type { BackendDeps } from './world.js';

/** Sends it to the server, with further members of its params. Never rejects. */
type Send = (request: OnwardRequest, extra?: JsonObject) => Promise<TriedAnswer>;

/** One request of a client, or its next try. */
interface Round {
  readonly request: OnwardRequest;
  /** What is asked for: server, tool, arguments. A state is bound to it. */
  readonly about: unknown;
  readonly send: Send;
}

export interface ConversationDeps extends Pick<BackendDeps, 'setTimer' | 'warn' | 'nowMs'>, QuestionDeps {
  readonly seal: InputSeal;
  /** The client of the connection, for what belongs to no request of it. */
  readonly client: () => Peer | undefined;
  /** May a question be put to one of several calls in flight? */
  readonly isInteractive: () => boolean;
}

class Declined extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A server of the new era answers that it needs to know something first. */
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
  /** In the order of their beginning; those that wait for their client among them. */
  readonly #inFlight = new Map<
    string,
    Pick<OnwardRequest, 'peer' | 'cancellation'> & { readonly talk: Talk | undefined }
  >();
  readonly #waiting = new Map<string, { readonly talk: Talk; readonly timer: { cancel(): void } }>();

  constructor(deps: ConversationDeps) {
    this.#deps = deps;
    this.#questions = new Questions(deps);
  }

  /** Clients whose requests are in flight. */
  get peers(): readonly Peer[] {
    return [...this.#inFlight.values()].flatMap(({ peer }) => peer ?? []);
  }

  /** `about`: what is asked for: a state that the client brings back is bound to it. Never rejects. */
  run(request: OnwardRequest, about: unknown, send: Send): Promise<TriedAnswer> {
    const { retry } = request;
    const round = { request, about, send };
    if (retry === undefined) return this.#begin(round, undefined);
    const { inputResponses, requestState: state } = retry;
    if (state === undefined) return this.#begin(round, { inputResponses });
    const opened = this.#deps.seal.open(state, about);
    if (opened === undefined) return Promise.resolve(expired());
    if ('talk' in opened) return this.#resume(round, opened.talk, inputResponses);
    return this.#begin(round, { inputResponses, ...(opened.inner !== null && { requestState: opened.inner }) });
  }

  #begin(round: Round, extra: JsonObject | undefined): Promise<TriedAnswer> {
    const { id, peer, cancellation, onProgress } = round.request;
    const talk = peer?.era === 'modern' && canBeAsked(peer) ? new Talk() : undefined;
    this.#inFlight.set(id, { peer, cancellation, talk });
    if (talk === undefined) return this.#rounds(round, extra);
    const request = { ...round.request, cancellation: talk.cancellation, onProgress: onProgress && talk.progress };
    talk.begin(this.#rounds({ ...round, request }, extra));
    return this.#listen(round, talk, this.#deps.nowMs());
  }

  async #resume(round: Round, id: string, responses: JsonObject): Promise<TriedAnswer> {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return expired();
    this.#waiting.delete(id); // a state is good for one try
    waiting.timer.cancel();
    waiting.talk.answer(responses);
    return this.#listen(round, waiting.talk, this.#deps.nowMs());
  }

  async #listen(round: Round, talk: Talk, begunMs: number): Promise<TriedAnswer> {
    const next = await talk.next(round.request);
    if ('kind' in next) return next as TriedAnswer;
    const suspended = this.#suspend(round, talk, next as InputRequests);
    return withTries(suspended, [{ how: 'input', sent: true, durationMs: this.#deps.nowMs() - begunMs }]);
  }

  #suspend({ request: { id }, about }: Round, talk: Talk, inputRequests: InputRequests): Answer {
    const timer = this.#deps.setTimer(CORE_LIMITS.proxiedCallMs, () => {
      this.#waiting.delete(id);
      talk.giveUp(new Declined(RPC.internal, 'The client did not come back with an answer'));
      this.#deps.warn('a call was given up: its client did not come back with what the server had asked for');
    });
    this.#waiting.set(id, { talk, timer });
    const requestState = this.#deps.seal.close({ talk: id }, about);
    return { kind: 'input', result: { inputRequests, requestState } };
  }

  /** To the server, and again for as long as it needs to know more. */
  async #rounds(round: Round, extra: JsonObject | undefined): Promise<TriedAnswer> {
    const { request, send } = round;
    try {
      const reply = await send(request, extra);
      return neededBy(reply) === undefined ? reply : await this.#moreRounds(round, reply);
    } finally {
      this.#inFlight.delete(request.id);
    }
  }

  /** Up to a bound. `first`: the answer that says what it needs. */
  async #moreRounds({ request, about, send }: Round, first: TriedAnswer): Promise<TriedAnswer> {
    const { id, peer } = request;
    let reply = first;
    let { tries } = reply;
    for (let round = 1; ; round++) {
      const needed = neededBy(reply);
      if (needed === undefined) return tries === reply.tries ? reply : { ...reply, tries };
      if (peer === undefined)
        return rpcError(RPC.internal, 'The server needs input, and there is nobody to ask', tries);
      const asked = Object.keys(needed.requests).length;
      if (!this.#questions.mayAsk(asked))
        return rpcError(RPC.internal, `The server asks ${asked} things at once, which is more than it may`, tries);
      if (CROSSINGS[peer.era].modern.input === 'hand on') {
        const requestState = this.#deps.seal.close({ inner: needed.state }, about);
        const inputRequests = this.#named(needed.requests, id);
        return { kind: 'input', result: { inputRequests, requestState }, tries };
      }
      if (round > SWITCHBOARD_LIMITS.inputRounds)
        return rpcError(RPC.internal, `The server still needs input after ${round} rounds`, tries);
      const named = this.#named(needed.requests, id);
      const responses = await this.#questions.during(fulfil(peer, named, request.cancellation));
      if ('refused' in responses) return { ...responses.refused, tries };
      const extra = {
        inputResponses: responses.given,
        ...(needed.state !== null && { requestState: needed.state }),
      };
      reply = await send({ ...request, id: `${id}#${round}` }, extra);
      tries = [...tries, ...reply.tries];
    }
  }

  /** As they go to the client. What is no question stays as it is: it is refused, or the client says so. */
  #named(requests: JsonObject, call: string): JsonObject {
    const named = Object.entries(requests).map(([key, request]) => {
      if (!isObject(request) || typeof request.method !== 'string') return [key, request];
      const params = isObject(request.params) ? request.params : {};
      return [key, { ...request, params: this.#questions.put(request.method, params, call) }];
    });
    return Object.fromEntries(named);
  }

  /** A server of the old era asks. A rejection with an integer `code` becomes that JSON-RPC error. */
  async answer(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const all = [...this.#inFlight].map(([id, call]) => ({ ...call, id }));
    // One that waits for its client has asked its question.
    const heard = all.filter(({ talk }) => talk === undefined || talk.isHeard);
    const calls = heard.length > 0 ? heard : all;
    const call = calls.length === 1 || this.#deps.isInteractive() ? calls[0] : undefined;
    const peer = call?.peer ?? this.#deps.client();
    if (peer === undefined || !mayAsk(peer, method)) throw new Declined(RPC.methodNotFound, 'Method not found');
    if (all.length === 0 && method !== 'roots/list')
      throw new Declined(RPC.invalidRequest, 'A server may ask only while it works on a call');
    if (!this.#questions.mayAsk(1)) throw new Declined(RPC.invalidRequest, 'Too many questions are open');
    const isRelayed = CROSSINGS[peer.era].legacy.input === 'relay';
    if (!isRelayed && call?.talk === undefined) return declined(method);
    const asked = this.#questions.put(method, params, call?.id ?? null);
    return this.#questions.during(
      isRelayed || call?.talk === undefined
        ? peer.ask(method, asked, orCancelled(signal, call?.cancellation))
        : call.talk.ask(method, asked, signal),
    );
  }

  /** The process ends. */
  close(): void {
    for (const { talk, timer } of this.#waiting.values()) {
      timer.cancel();
      talk.giveUp(new Declined(RPC.internal, 'The server is being closed'));
    }
    this.#waiting.clear();
  }
}

/** Who has cancelled the call will not answer what was asked for it: the server, and what is held for it, must not wait. */
const orCancelled = (signal: AbortSignal, cancellation: Cancellation | undefined): AbortSignal =>
  cancellation === undefined ? signal : AbortSignal.any([signal, cancellation.signal]);

const canBeAsked = (peer: Peer): boolean => Object.keys(QUESTIONS).some((method) => mayAsk(peer, method));

const expired = (): TriedAnswer => {
  const data = { reason: 'invalid_request_state' };
  return {
    kind: 'error',
    error: { code: RPC.invalidParams, message: 'Invalid or expired requestState', data },
    tries: [],
  };
};

/** Nobody knows which of several calls the question belongs to. */
const declined = (method: string): JsonObject => {
  if (method === 'elicitation/create') return { action: 'decline' };
  if (method === 'roots/list') return { roots: [] };
  throw new Declined(RPC.internal, 'It is not clear which call this belongs to');
};
