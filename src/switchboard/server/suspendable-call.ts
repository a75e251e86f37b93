// A call that may wait for its client. A server of protocol 2025-11-25 or older asks a question during the call, but a client of protocol
// 2026-07-28 gets questions only as the answer to a call. So the client gets the questions as answer, and calls again with its own answers.
import { setImmediate } from 'node:timers/promises';
import type { TriedAnswer } from '../../call/answer.js';
import type { OnwardRequest } from '../../call/request.js';
import { LazyCancellation } from '../../core/cancellation.js';
import type { JsonObject } from '../../proof/canonical-json.js';

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly answer: (response: JsonObject) => void;
  readonly refuse: (error: Error) => void;
}

/** The client's request that waits for the call now. */
type Listener = Pick<OnwardRequest, 'onProgress' | 'cancellation'>;

/** The open questions of a call, in the form of protocol 2026-07-28. */
export type InputRequests = Readonly<Record<string, { readonly method: string; readonly params: JsonObject }>>;

export class SuspendableCall {
  readonly #questions = new Map<string, Question>();
  /** Cancels the call: if the client cancels it while it waits, or if the client does not call again in time with its answers. */
  readonly cancellation = new LazyCancellation();
  #listener: Listener | undefined;
  #ending: Promise<TriedAnswer> | undefined;
  #lastQuestion = 0;
  #isHeard = true;
  #wake = (): void => {};

  readonly progress = (params: JsonObject): void => this.#listener?.onProgress?.(params);

  /** True while a request of the client waits for this call; false after the client got questions, because it may never call again. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  begin(ending: Promise<TriedAnswer>): void {
    this.#ending = ending;
  }

  /** Asks the client a question. Resolves when the client has answered; rejects if the server withdraws the question. */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const key = `q${++this.#lastQuestion}`;
    return new Promise<JsonObject>((answer, refuse) => {
      this.#questions.set(key, { method, params, answer, refuse });
      const takeBack = (): void => {
        this.#questions.delete(key);
        refuse(new Error('The server withdrew its question'));
      };
      signal.addEventListener('abort', takeBack, { once: true });
      this.#wake();
    });
  }

  /** Takes the client's answers to open questions. Questions without an answer stay open and are asked again. */
  answer(responses: JsonObject): void {
    for (const [key, { answer }] of [...this.#questions]) {
      const response = responses[key];
      if (typeof response !== 'object' || response === null) continue;
      this.#questions.delete(key);
      answer(response as JsonObject);
    }
  }

  /** Rejects all open questions and cancels the call, because the client did not answer in time or the process ends. */
  giveUp(error: Error): void {
    for (const { refuse } of this.#questions.values()) refuse(error);
    this.#questions.clear();
    this.cancellation.abort();
  }

  /** Resolves with the reply of the call, or with the open questions if the server asks any. */
  async next(listener: Listener): Promise<TriedAnswer | InputRequests> {
    const unlisten = listener.cancellation?.listen(() => this.cancellation.abort());
    this.#listener = listener;
    this.#isHeard = true;
    try {
      for (;;) {
        if (this.#questions.size > 0) return this.#leave();
        const asked = new Promise<undefined>((resolve) => {
          this.#wake = () => resolve(undefined);
        });
        const reply = await Promise.race([this.#ending, asked]);
        if (reply !== undefined) return reply;
        // Waits for further questions that arrive in the same turn of the event loop, but no longer: the server may withdraw its questions.
        await setImmediate();
      }
    } finally {
      this.#listener = undefined;
      unlisten?.();
    }
  }

  #leave(): InputRequests {
    this.#isHeard = false;
    return Object.fromEntries([...this.#questions].map(([key, { method, params }]) => [key, { method, params }]));
  }
}
