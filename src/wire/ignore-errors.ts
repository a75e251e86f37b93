import type { Readable, Writable } from 'node:stream';

const ignore = (): void => {};

/** For a stream we are done with: a late EPIPE that nobody listens to would end the process. Adds one listener, once. */
export const ignoreErrors = (stream: Readable | Writable): void => {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
};
