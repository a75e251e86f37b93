// A call of a client of the new era that waits for the client: its server, of the old era, has asked something in the middle
// of it. The client got the question as the answer, and calls again with what it was asked for.
import { setImmediate } from 'node:timers/promises';
import type { TriedAnswer } from '../../call/answer.js';
import type { OnProgress } from '../../call/request.js';
import { type Cancellation, LazyCancellation } from '../../core/cancellation.js';
import type { JsonObject } from '../../proof/json-object.js';

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  readonly answer: (response: JsonObject) => void;
  readonly refuse: (error: Error) => void;
}

/** What the one who waits now wants to hear of. */
export interface Listener {
  readonly onProgress?: OnProgress | undefined;
  readonly cancellation?: Cancellation | undefined;
}

/** As they go into an answer of the new era. */
export type InputRequests = Readonly<Record<string, { readonly method: string; readonly params: JsonObject }>>;

export class Talk {
  readonly #questions = new Map<string, Question>();
  /** Aborted when the client that waits cancels, or when nobody comes back. */
  readonly cancellation = new LazyCancellation();
  #listener: Listener | undefined;
  #ending: Promise<TriedAnswer> | undefined;
  #lastQuestion = 0;
  #isHeard = true;
  #wake = (): void => {};

  readonly progress = (params: JsonObject): void => this.#listener?.onProgress?.(params);

  /** Somebody waits for it; else the client has been asked, and may never come back. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  begin(ending: Promise<TriedAnswer>): void {
    this.#ending = ending;
  }

  /** Resolves when the client has answered. Rejects when the server takes its question back: whoever waits must let go. */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const key = `q${++this.#lastQuestion}`;
    return new Promise<JsonObject>((answer, refuse) => {
      this.#questions.set(key, { method, params, answer, refuse });
      const takeBack = (): void => {
        this.#questions.delete(key);
        refuse(new Error('The server took its question back'));
      };
      signal.addEventListener('abort', takeBack, { once: true });
      this.#wake();
    });
  }

  /** What the client was asked for. What it left out is asked again. */
  answer(responses: JsonObject): void {
    for (const [key, { answer }] of [...this.#questions]) {
      const response = responses[key];
      if (typeof response !== 'object' || response === null) continue;
      this.#questions.delete(key);
      answer(response as JsonObject);
    }
  }

  /** Nobody comes back. */
  giveUp(error: Error): void {
    for (const { refuse } of this.#questions.values()) refuse(error);
    this.#questions.clear();
    this.cancellation.abort();
  }

  /** The reply, or the questions that are open by then. */
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
        // What is asked in one breath is handed on together. Not longer: a server may take its questions back.
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
