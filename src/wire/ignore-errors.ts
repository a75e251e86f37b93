// Keeps late errors of streams that we no longer use from ending the process.
import type { Readable, Writable } from 'node:stream';

const ignore = (): void => {};

/** Without a listener, a late EPIPE would end the process. Adds the listener once. */
export const ignoreErrors = (stream: Readable | Writable): void => {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
};
