// Protects a serving process from errors of streams that are no longer used, and stdout from libraries that print with `console`.
import { Console } from 'node:console';
import type { Readable, Writable } from 'node:stream';

const ignore = (): void => {};

/** Adds one listener for the stream's errors. Without a listener, a late EPIPE would end the process. */
export const ignoreErrors = (stream: Readable | Writable): void => {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
};

/** Makes the global console write to stderr, because stdout may carry only MCP messages. */
export const sendConsoleToStderr = (): void => {
  // A client that closes stderr must not end the process: the last calls still have to be recorded.
  ignoreErrors(process.stderr);
  globalThis.console = new Console(process.stderr, process.stderr);
};
