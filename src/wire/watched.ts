// A transport as we hand it to the SDK, with two moments made visible: it has started, it has closed. serveStdio
// tells nobody about either.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

export interface Watched {
  readonly transport: Transport;
  /** Settles as the transport's `start()` does. */
  readonly started: Promise<void>;
  readonly closed: Promise<void>;
}

/** `take` may keep a message from the SDK; `onEnd` runs when the transport closes. */
export interface Watcher {
  take(message: JSONRPCMessage): boolean;
  onEnd(): void;
}

export const watch = (inner: Transport, watcher: Watcher): Watched => {
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
