// New servers tell about changes of their lists only to those who listen. Keeps one subscription open for as long as the
// link lives; over HTTP it is a stream that any proxy may cut.
import { type Client, METHOD_NOT_FOUND, ProtocolError, type SubscriptionFilter } from '@modelcontextprotocol/client';
import { LIMITS } from '../limits.js';

const filterOf = (client: Client): SubscriptionFilter => {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  return {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
  };
};

export interface ListeningDeps {
  readonly nowMs: () => number;
  /** There was a time without a subscription, in which something may have changed. */
  onMissed(): void;
}

export class Listening {
  readonly #client: Client;
  readonly #deps: ListeningDeps;
  readonly #filter: SubscriptionFilter;
  #pauseMs: number = LIMITS.listenFirstMs;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(client: Client, deps: ListeningDeps) {
    this.#client = client;
    this.#deps = deps;
    this.#filter = filterOf(client);
    if (Object.keys(this.#filter).length > 0) void this.#listen(false);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  async #listen(again: boolean): Promise<void> {
    const began = this.#deps.nowMs();
    try {
      const subscription = await this.#client.listen(this.#filter);
      if (again) this.#deps.onMissed();
      await subscription.closed;
      if (this.#deps.nowMs() - began >= LIMITS.listenMaxMs) this.#pauseMs = LIMITS.listenFirstMs;
    } catch (thrown) {
      // It does not know how to: asking again would not teach it.
      if (thrown instanceof ProtocolError && thrown.code === METHOD_NOT_FOUND) return;
    }
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#listen(true), this.#pauseMs);
    this.#timer.unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, LIMITS.listenMaxMs);
  }
}
