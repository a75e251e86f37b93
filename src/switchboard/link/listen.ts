// Keeps one subscription to a server's changes open until it is stopped, and opens it again when it ends: servers of protocol 2026-07-28
// report changes of their lists and resources only to subscribers, and over HTTP any proxy may close the stream of a subscription.
import {
  type Client,
  type McpSubscription,
  ProtocolError,
  type SubscriptionFilter,
} from '@modelcontextprotocol/client';
import { RPC } from '../../core/rpc-codes.js';
import { SWITCHBOARD_LIMITS } from '../limits.js';

/** The subscription filter for all lists of a server that can change. */
export const listsOf = (client: Client): SubscriptionFilter => {
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  return {
    ...(tools?.listChanged && { toolsListChanged: true }),
    ...(prompts?.listChanged && { promptsListChanged: true }),
    ...(resources?.listChanged && { resourcesListChanged: true }),
  };
};

export interface ListeningDeps {
  readonly nowMs: () => number;
  /** Called when a subscription was opened again: changes in the time without a subscription may have been missed. */
  onMissed(): void;
}

export class Listening {
  readonly #client: Client;
  readonly #deps: ListeningDeps;
  readonly #filter: SubscriptionFilter;
  #pauseMs: number = SWITCHBOARD_LIMITS.listenFirstMs;
  #timer: NodeJS.Timeout | undefined;
  #subscription: McpSubscription | undefined;
  #stopped = false;

  constructor(client: Client, filter: SubscriptionFilter, deps: ListeningDeps) {
    this.#client = client;
    this.#deps = deps;
    this.#filter = filter;
    if (Object.keys(filter).length > 0) void this.#listen(false);
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#close();
  }

  #close(): void {
    // Closing fails if the connection is gone; then the subscription is gone, too.
    this.#subscription?.close().catch(() => {});
    this.#subscription = undefined;
  }

  async #listen(again: boolean): Promise<void> {
    const began = this.#deps.nowMs();
    try {
      this.#subscription = await this.#client.listen(this.#filter);
      if (this.#stopped) return this.#close();
      if (again) this.#deps.onMissed();
      await this.#subscription.closed;
      if (this.#deps.nowMs() - began >= SWITCHBOARD_LIMITS.listenMaxMs)
        this.#pauseMs = SWITCHBOARD_LIMITS.listenFirstMs;
    } catch (thrown) {
      // The server does not support subscriptions, so trying again is of no use.
      if (thrown instanceof ProtocolError && thrown.code === RPC.methodNotFound) return;
    }
    if (this.#stopped) return;
    this.#timer = setTimeout(() => void this.#listen(true), this.#pauseMs);
    this.#timer.unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, SWITCHBOARD_LIMITS.listenMaxMs);
  }
}
