// Keeps late errors of streams that Colibri no longer uses from ending the process.
import type { Readable, Writable } from 'node:stream';

const ignore = (): void => {};

/** Adds one listener for the stream's errors. Without a listener, a late EPIPE would end the process. */
export const ignoreErrors = (stream: Readable | Writable): void => {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
};
