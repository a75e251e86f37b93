// Wraps the transport that the SDK gets, so that Colibri learns when it has started and closed, which the SDK's serveStdio does not
// report, and sees each message before the SDK does.

import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';
import type { JsonObject } from '../proof/json-object.js';
import { capabilitiesIn } from './client-peer.js';

export interface Watched {
  readonly transport: Transport;
  /** Settles when and as the transport's `start()` does. */
  readonly started: Promise<void>;
  readonly closed: Promise<void>;
}

/** Watches a transport. `take` returns true to keep a message from the SDK; `onEnd` runs when the transport closes. */
export interface TransportWatcher {
  take(message: JSONRPCMessage): boolean;
  onEnd(): void;
}

export const watch = (inner: Transport, watcher: TransportWatcher): Watched => {
  let begin: (outcome: Promise<void>) => void = () => {};
  let end = () => {};
  const started = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const closed = new Promise<void>((resolve) => {
    end = resolve;
  });
  const transport: Transport = {
    start: () => {
      const starting = inner.start();
      begin(starting);
      return starting;
    },
    send: (message, options) => inner.send(message, options),
    close: () => inner.close(),
    get onmessage() {
      return inner.onmessage;
    },
    set onmessage(handler: Transport['onmessage']) {
      inner.onmessage = (message, extra) => {
        if (!watcher.take(message)) handler?.(message, extra);
      };
    },
    get onerror() {
      return inner.onerror;
    },
    set onerror(handler) {
      inner.onerror = handler;
    },
    set onclose(handler: (() => void) | undefined) {
      inner.onclose = () => {
        end();
        watcher.onEnd();
        handler?.();
      };
    },
  };
  return { transport, started, closed };
};

// Reads a client's messages before the SDK gets them: its capabilities, with which servers are connected, and the resources that a
// client of protocol 2026-07-28 subscribes to, because the SDK does not expose its subscriptions.

const urisIn = (params: unknown): readonly string[] => {
  const { notifications } = (params ?? {}) as { readonly notifications?: { readonly resourceSubscriptions?: unknown } };
  const uris = notifications?.resourceSubscriptions;
  return Array.isArray(uris) ? uris.filter((uri): uri is string => typeof uri === 'string') : [];
};

export class MessageObserver {
  /** The client's capabilities, from its last message that had any. */
  capabilities: JsonObject = {};
  #isKnown = false;
  readonly #byRequest = new Map<RequestId, readonly string[]>();
  readonly #onChange: ((uris: readonly string[]) => void) | undefined;

  /** `onChange` gets the URIs of the resources that are subscribed to now; without `onChange`, messages are not read. */
  constructor(onChange: ((uris: readonly string[]) => void) | undefined) {
    this.#onChange = onChange;
  }

  look(message: JSONRPCMessage): void {
    if (this.#onChange === undefined || !('method' in message)) return;
    if (message.method === 'tools/call' && this.#isKnown) return;
    const capabilities = capabilitiesIn(message);
    this.#isKnown ||= capabilities !== undefined;
    this.capabilities = capabilities ?? this.capabilities;
    if (message.method === 'subscriptions/listen' && 'id' in message) this.#begin(message.id, urisIn(message.params));
    else if (message.method === 'notifications/cancelled') this.#end(message.params?.requestId as RequestId);
  }

  #begin(id: RequestId, uris: readonly string[]): void {
    if (uris.length === 0) return;
    this.#byRequest.set(id, uris);
    this.#tell();
  }

  #end(id: RequestId): void {
    if (this.#byRequest.delete(id)) this.#tell();
  }

  #tell(): void {
    this.#onChange?.([...new Set([...this.#byRequest.values()].flat())]);
  }
}
